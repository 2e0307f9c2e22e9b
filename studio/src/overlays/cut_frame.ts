// The edge of the cut, which is also its handle: a frame in the plane and a bar that stands on it.
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import type { Axis, Cut } from '../state/look';
import type { Overlay } from '../viewport/overlay';
import { normalOf } from '../viewport/cutting';

export class CutFrame implements Overlay {
    readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;

    constructor() {
        const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
        const points = corners.flatMap(([x, y], k) => [x, y, 0, ...corners[(k + 1) % 4], 0]);
        points.push(0, 0, -0.35, 0, 0, 0.35);
        this.object = new LineSegments(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points), 3)),
            new LineBasicMaterial({ transparent: true, opacity: 0.75, toneMapped: false }));
        this.object.renderOrder = 960;
        this.object.frustumCulled = false;
        this.object.visible = false;
    }

    place(cut: Cut, middle: Vector3, reach: number, dark: boolean): void {
        this.object.position.copy(middle);
        this.object.lookAt(middle.clone().add(normalOf(cut.axis)));
        this.object.scale.setScalar(reach);
        this.object.material.color = new Color(dark ? '#ffb27a' : '#d2560a');
    }

    /** Is a point of the plane inside the frame? */
    contains(point: Vector3, axis: Axis): boolean {
        const away = point.clone().sub(this.object.position);
        return (['x', 'y', 'z'] as Axis[]).every((a) => a === axis || Math.abs(away[a]) <= this.object.scale.x);
    }
}
