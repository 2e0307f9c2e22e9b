// How far the bodies reach as they are now.
import { Box3, Vector3 } from 'three';
import type { BodyView } from './body_view';

const mostSampled = 1000;  // vertices of a body: enough to know where it is

export class Extent {
    readonly center = new Vector3();
    readonly low = new Vector3();
    readonly high = new Vector3();
    /** m; no smaller than the largest body at rest. */
    size = 1;

    measure(bodies: BodyView[]): void {
        const box = new Box3();
        for (const body of bodies) box.union(boxOf(body.positions));
        if (bodies.length === 0) box.set(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 1, 0.5));  // where the first one will be
        if (box.isEmpty()) return;
        box.getCenter(this.center);
        this.low.copy(box.min);
        this.high.copy(box.max);
        this.size = Math.max(box.getSize(new Vector3()).length() / Math.sqrt(3), ...bodies.map((b) => b.body.size));
    }

    get box(): Box3 {
        return new Box3(this.low, this.high);
    }
}

/** The box around some of the points, three numbers each. */
export function boxOf(positions: Float32Array): Box3 {
    const box = new Box3(), point = new Vector3();
    const stride = 3 * Math.max(1, Math.floor(positions.length / (3 * mostSampled)));
    for (let k = 0; k + 2 < positions.length; k += stride) box.expandByPoint(point.fromArray(positions, k));
    return box;
}
