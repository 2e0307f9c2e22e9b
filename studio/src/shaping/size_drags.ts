// Which sizes of a node can be dragged: where their handles are, and what a drag makes of the node.
import { Vector3 } from 'three';
import type { Json, JsonObject } from '../scene_editing/schema';
import { boxOf, halfSize, isLeaf, kindOf, roundable } from '../scene_editing/volume_tree';

export interface SizeDrag {
    name: string;
    /** In the coordinates of the node; of an operator those around its parts. */
    from: Vector3;
    /** Of length 1. */
    along: Vector3;
    /** m from `from`. */
    value: number;
    /** The values of the node for another place of the handle. */
    set(value: number): Record<string, Json>;
}

const x = new Vector3(1, 0, 0), y = new Vector3(0, 1, 0), z = new Vector3(0, 0, 1);
// Dots keep away from the arrows of the handle, which point along the axes.
const upwards = new Vector3(-1, 1, 0).normalize(), sideways = new Vector3(-1, 0, 1).normalize();
const tidy = (value: number) => Number(Math.max(value, 1e-4).toPrecision(4));

function plain(name: string, key: string, value: number, along: Vector3, from = new Vector3(), times = 1): SizeDrag {
    return { name, from, along, value: value / times, set: (now) => ({ [key]: tidy(now * times) }) };
}

/** Each on an edge of the box. */
function sides(node: JsonObject): SizeDrag[] {
    const half = halfSize(node), sizes = half.toArray(), edges = [new Vector3(0, -half.y, half.z), new Vector3(-half.x, 0, half.z), new Vector3(-half.x, -half.y, 0)];
    return [x, y, z].map((along, k) => ({
        name: `Side along ${'xyz'[k]}`, from: edges[k], along, value: sizes[k],
        set: (now: number) => ({ side: sizes.map((other, n) => tidy(2 * (n === k ? Math.max(now, Number(node.rounding ?? 0)) : other))) }),
    }));
}

export function sizeDrags(node: JsonObject): SizeDrag[] {
    const radius = Number(node.radius), height = Number(node.height);
    switch (kindOf(node)) {
        case 'sphere': return [plain('Radius', 'radius', radius, upwards)];
        case 'cylinder': case 'capsule': return [plain('Radius', 'radius', radius, sideways), plain('Height', 'height', height, y, sideways.clone().multiplyScalar(-radius), 2)];
        case 'cone': return [plain('Radius', 'radius', radius, sideways, new Vector3(0, -height / 2, 0)), plain('Height', 'height', height, y, sideways.clone().multiplyScalar(-0.2 * radius), 2)];
        case 'torus': return [plain('Radius', 'radius', radius, sideways), plain('Tube', 'tube', Number(node.tube), y, sideways.clone().multiplyScalar(-radius))];
        case 'tube': return [plain('Radius', 'radius', radius, y, new Vector3().fromArray((node.points as number[][])[0]))];
        case 'noise': return sides(node);
        case 'cube': {
            const half = halfSize(node), least = Math.min(half.x, half.y, half.z), rounding = Number(node.rounding ?? 0);
            const round: SizeDrag = {
                name: 'Rounding', from: half.clone(), along: x.clone().negate(), value: rounding, set: (now) => ({ rounding: Number(Math.min(least, Math.max(0, now)).toPrecision(4)) }),
            };
            return [...sides(node), round];
        }
    }
    if (isLeaf(node) || !(roundable.has(kindOf(node)) || 'repeat' in node)) return [];
    const { transform: _, ...own } = node, { low, high } = boxOf(own), size = high.clone().sub(low).length();
    const from = low.clone().add(high).multiplyScalar(0.5).setY(high.y + 0.12 * size);
    return Number.isFinite(size) ? [{ name: 'Blend radius', from, along: y.clone(), value: Number(node.radius ?? 0), set: (now) => ({ radius: now < 0.004 * size ? 0 : tidy(now) }) }] : [];
}
