// The line in which the plane of a cut meets the surface of a body: it sets the cap off from what is around it.
import { type BufferAttribute, BufferGeometry, DynamicDrawUsage, Float32BufferAttribute, LineBasicMaterial, LineSegments, type Plane } from 'three';

const mostTriangles = 200_000;  // of larger surfaces the line would take longer than a frame
const lift = 0.002;             // of the body's size, so that the cap does not swallow it

export class CutOutline {
    readonly object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.75, toneMapped: false }));
    private count = 0;

    constructor() {
        this.object.frustumCulled = false;
    }

    /** `positions` and `triangles` of the surface, as drawn. What is on the side the plane's normal points to is shown. */
    follow(positions: Float32Array, triangles: BufferAttribute | null, plane: Plane, size: number): void {
        const ends: number[] = [], { normal: { x, y, z }, constant } = plane;
        const away = -lift * size;  // towards what is hidden, from where the cap is seen
        if (triangles && triangles.count <= 3 * mostTriangles) {
            const heights = new Float32Array(positions.length / 3);
            for (let k = 0; k < heights.length; ++k) heights[k] = x * positions[3 * k] + y * positions[3 * k + 1] + z * positions[3 * k + 2] + constant;
            const corners = triangles.array;
            for (let t = 0; t + 2 < corners.length; t += 3) {
                const above = Number(heights[corners[t]] > 0) + Number(heights[corners[t + 1]] > 0) + Number(heights[corners[t + 2]] > 0);
                if (above === 0 || above === 3) continue;
                for (let k = 0; k < 3; ++k) {
                    const a = corners[t + k], b = corners[t + ((k + 1) % 3)];
                    if (heights[a] > 0 === heights[b] > 0) continue;
                    const share = heights[a] / (heights[a] - heights[b]);
                    for (let c = 0; c < 3; ++c) ends.push(positions[3 * a + c] + share * (positions[3 * b + c] - positions[3 * a + c]) + away * [x, y, z][c]);
                }
            }
        }
        this.count = ends.length / 6;
        this.object.geometry.dispose();
        this.object.geometry = new BufferGeometry();
        this.object.geometry.setAttribute('position', new Float32BufferAttribute(ends, 3).setUsage(DynamicDrawUsage));
    }

    /** How many pieces it has. */
    get pieces(): number {
        return this.object.visible ? this.count : 0;
    }
}
