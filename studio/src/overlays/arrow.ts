// An arrow from what is thrown to where it flies; seen through the body.
import { ArrowHelper, type LineBasicMaterial, type Material, Vector3 } from 'three';
import type { Overlay } from '../viewport/overlay';

export class Arrow implements Overlay {
    readonly object = new ArrowHelper(new Vector3(0, 1, 0), new Vector3(), 1, '#ff7a1a');

    constructor() {
        this.object.visible = false;
        for (const part of [this.object.line, this.object.cone]) {
            part.renderOrder = 950;
            Object.assign(part.material as Material | LineBasicMaterial, { depthTest: false, transparent: true });
        }
    }

    /** `size` of the bodies, m: the head of a long arrow does not grow beyond it. */
    show(from: Vector3, to: Vector3, size: number): void {
        const along = to.clone().sub(from), length = Math.max(along.length(), 1e-6);
        this.object.visible = true;
        this.object.position.copy(from);
        this.object.setDirection(along.divideScalar(length));
        this.object.setLength(length, Math.min(0.3 * length, 0.12 * size), Math.min(0.15 * length, 0.06 * size));
    }

    hide(): void {
        this.object.visible = false;
    }
}
