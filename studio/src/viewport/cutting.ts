// The plane that opens the bodies: measured from where they were when it was put in, so that it stays while they move.
import { Plane, Vector3 } from 'three';
import type { Cut as EngineCut } from '../protocol/messages';
import type { Axis, Cut } from '../state/look';
import type { Extent } from './extent';

const axes: Axis[] = ['x', 'y', 'z'];

export class Cutting {
    readonly plane = new Plane(new Vector3(0, -1, 0), 0);
    /** Shared by all materials: empty while nothing is cut. */
    readonly clipping: Plane[] = [];
    private readonly anchor = { center: new Vector3(), size: 1 };

    /** From now on the cut is measured from where the bodies are. */
    anchorAt(extent: Extent): void {
        this.anchor.center.copy(extent.low).add(extent.high).multiplyScalar(0.5);
        this.anchor.size = extent.high.distanceTo(extent.low) / Math.sqrt(3);
    }

    place(cut: Cut | null): void {
        this.clipping.length = 0;
        if (!cut) return;
        const normal = normalOf(cut.axis);
        const point = this.pointOf(cut);
        if (!cut.flip) normal.negate();
        this.plane.setFromNormalAndCoplanarPoint(normal, point);
        this.clipping.push(this.plane);
    }

    /** The middle of the cut. */
    pointOf(cut: Cut): Vector3 {
        return this.anchor.center.clone().addScaledVector(normalOf(cut.axis), cut.offset * this.anchor.size);
    }

    /** Offset that puts the cut through a point. */
    offsetAt(axis: Axis, point: Vector3): number {
        return Math.min(1, Math.max(-1, point.clone().sub(this.anchor.center).dot(normalOf(axis)) / this.anchor.size));
    }

    /** The cut through the middle whose face is best seen from a direction. */
    static facing(toEye: Vector3): Cut {
        const axis = axes.reduce((a, b) => (Math.abs(toEye[b]) > Math.abs(toEye[a]) ? b : a));
        return { axis, offset: 0, flip: toEye[axis] < 0 };
    }

    /** As the engine knows it: its normal points to what is hidden. */
    get forEngine(): EngineCut | null {
        if (!this.clipping.length) return null;
        return { point: this.plane.coplanarPoint(new Vector3()).toArray(), normal: this.plane.normal.clone().negate().toArray() };
    }
}

export function normalOf(axis: Axis): Vector3 {
    return new Vector3(axis === 'x' ? 1 : 0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0);
}
