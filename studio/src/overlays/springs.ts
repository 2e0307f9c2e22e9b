// The springs between hands and what they hold, and the patch of skin that is held.
import { Group, type PerspectiveCamera, Vector3 } from 'three';
import { type Frame, What, floats } from '../connection/frames';
import type { Overlay } from '../viewport/overlay';
import { Ring } from './ring';
import { Spring } from './spring';

export class Springs implements Overlay {
    readonly object = new Group();
    private readonly springs: Spring[] = [];
    private readonly rings = new Map<number, Ring>();

    /** `size` of the bodies, m. */
    constructor(private readonly size: () => number) {}

    /** Shows the patch that a hold takes, of this radius. */
    showPatch(hold: number, at: Vector3, radius: number): void {
        let ring = this.rings.get(hold);
        if (!ring) {
            ring = new Ring('#ff7a1a');
            this.rings.set(hold, ring);
            this.object.add(ring.object);
        }
        ring.place(at, radius);
    }

    hidePatch(hold: number): void {
        const ring = this.rings.get(hold);
        ring?.object.removeFromParent();
        this.rings.delete(hold);
    }

    frame(frame: Frame): void {
        for (const section of frame.sections) {
            if (section.what !== What.springs || section.run !== 0) continue;
            this.place(floats(section));
        }
    }

    /** Seven numbers each: the hold, where it holds, where it is pulled to. */
    private place(numbers: Float32Array): void {
        const count = numbers.length / 7;
        while (this.springs.length < count) {
            const spring = new Spring();
            this.springs.push(spring);
            this.object.add(spring.object);
        }
        this.springs.forEach((spring, k) => {
            spring.object.visible = k < count;
            if (k >= count) return;
            const n = numbers.subarray(7 * k, 7 * k + 7), from = new Vector3(n[1], n[2], n[3]);
            spring.place(from, new Vector3(n[4], n[5], n[6]), 0.02 * this.size());
            this.rings.get(n[0])?.moveTo(from);
        });
    }

    beforePicture(camera: PerspectiveCamera): void {
        for (const ring of this.rings.values()) ring.face(camera);
    }
}
