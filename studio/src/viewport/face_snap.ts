// Faces of boxes that come near to each other meet: beside, on top, or flush.
import { type Box3, Vector3 } from 'three';

const axes = ['x', 'y', 'z'] as const;

/** How far a moved box has to go on, along the axes it was moved along, for its nearest faces to meet those of others. */
export function snapToFaces(box: Box3, others: readonly Box3[], move: Vector3, within: number): Vector3 {
    const by = new Vector3();
    for (const axis of axes) {
        if (move[axis] === 0) continue;
        let best = within;
        for (const other of others) {
            // Only what lies beside it: across the other axes they overlap, or nearly.
            if (axes.some((across) => across !== axis && (box.min[across] > other.max[across] + within || box.max[across] < other.min[across] - within))) continue;
            for (const own of [box.min[axis], box.max[axis]]) {
                for (const face of [other.min[axis], other.max[axis]]) {
                    if (Math.abs(face - own) >= best) continue;
                    best = Math.abs(face - own);
                    by[axis] = face - own;
                }
            }
        }
    }
    return by;
}
