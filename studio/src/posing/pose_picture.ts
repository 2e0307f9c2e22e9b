// A small picture of a shape for a card: triangles from behind to front, lit from above the left.
import type { BufferAttribute } from 'three';

const width = 132, height = 96;
const mostTriangles = 6000;  // of larger ones only some are drawn

/** `frame`: lower and upper corner that all pictures of a body share, so that they can be compared. */
export function drawPose(canvas: HTMLCanvasElement, positions: Float32Array, index: BufferAttribute, frame: Float32Array, color: string): void {
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d')!, [r, g, b] = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
    const turn = 0.6, tilt = 0.35, cos = Math.cos(turn), sin = Math.sin(turn), cosTilt = Math.cos(tilt), sinTilt = Math.sin(tilt);
    // Right, up and towards the eye.
    const seen = (from: Float32Array): Float32Array => {
        const out = new Float32Array(from.length);
        for (let k = 0; k + 2 < from.length; k += 3) {
            const x = cos * from[k] - sin * from[k + 2], z = sin * from[k] + cos * from[k + 2];
            out[k] = x, out[k + 1] = cosTilt * from[k + 1] - sinTilt * z, out[k + 2] = sinTilt * from[k + 1] + cosTilt * z;
        }
        return out;
    };
    const points = seen(positions), room = bounds([seen(frame), points]);
    const scale = 0.92 * Math.min(width / (room[2] - room[0] || 1), height / (room[3] - room[1] || 1));
    const px = (v: number) => width / 2 + scale * (points[3 * v] - (room[0] + room[2]) / 2), py = (v: number) => height / 2 - scale * (points[3 * v + 1] - (room[1] + room[3]) / 2);
    const every = Math.max(1, Math.ceil(index.count / 3 / mostTriangles)), order: Array<[number, number]> = [];
    for (let t = 0; 3 * t + 2 < index.count; t += every) order.push([t, points[3 * index.getX(3 * t) + 2] + points[3 * index.getX(3 * t + 1) + 2] + points[3 * index.getX(3 * t + 2) + 2]]);
    order.sort((a, b) => a[1] - b[1]);
    for (const [t] of order) {
        const [a, b2, c] = [0, 1, 2].map((k) => index.getX(3 * t + k));
        const ux = points[3 * b2] - points[3 * a], uy = points[3 * b2 + 1] - points[3 * a + 1], uz = points[3 * b2 + 2] - points[3 * a + 2];
        const vx = points[3 * c] - points[3 * a], vy = points[3 * c + 1] - points[3 * a + 1], vz = points[3 * c + 2] - points[3 * a + 2];
        const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx, length = Math.hypot(nx, ny, nz) || 1;
        if (nz <= 0) continue;
        const light = 0.45 + 0.55 * Math.max(0, (-0.4 * nx + 0.7 * ny + 0.6 * nz) / length);
        context.fillStyle = context.strokeStyle = `rgb(${r * light}, ${g * light}, ${b * light})`;
        context.beginPath();
        context.moveTo(px(a), py(a));
        context.lineTo(px(b2), py(b2));
        context.lineTo(px(c), py(c));
        context.closePath();
        context.fill();
        context.stroke();
    }
}

/** Left, bottom, right, top. */
function bounds(lists: Float32Array[]): [number, number, number, number] {
    const box: [number, number, number, number] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const list of lists) {
        for (let k = 0; k + 2 < list.length; k += 3) {
            box[0] = Math.min(box[0], list[k]), box[1] = Math.min(box[1], list[k + 1]);
            box[2] = Math.max(box[2], list[k]), box[3] = Math.max(box[3], list[k + 1]);
        }
    }
    return box;
}
