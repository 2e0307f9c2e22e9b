// The edge of the cut, which is also its handle: a frame in the plane, a little larger than the bodies, and a bar across it.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from 'three';
import type { Axis, Cut } from '../state/look';
import type { Overlay } from '../viewport/overlay';
import { normalOf } from '../viewport/cutting';

const axes: Axis[] = ['x', 'y', 'z'];
const margin = 0.12;  // of the size of the bodies

export class CutFrame implements Overlay {
    readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
    private low = new Vector3();
    private high = new Vector3();

    constructor() {
        this.object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, depthTest: false, opacity: 0.8, toneMapped: false }));
        this.object.geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * 10), 3));
        this.object.renderOrder = 960;
        this.object.frustumCulled = false;
        this.object.visible = false;
    }

    /** `middle` of the cut; `low` and `high` corner of the bodies, whose size is `size`. */
    place(cut: Cut, middle: Vector3, low: Vector3, high: Vector3, size: number, dark: boolean): void {
        this.low = low.clone().addScalar(-margin * size);
        this.high = high.clone().addScalar(margin * size);
        const [u, v] = axes.filter((axis) => axis !== cut.axis);
        const corner = (a: number, b: number) => {
            const place = middle.clone();
            place[u] = (a ? this.high : this.low)[u];
            place[v] = (b ? this.high : this.low)[v];
            return place;
        };
        const around = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        const bar = normalOf(cut.axis).multiplyScalar(0.15 * size), center = around[0].clone().add(around[2]).multiplyScalar(0.5);
        const points = [...around.flatMap((from, k) => [from, around[(k + 1) % 4]]), center.clone().sub(bar), center.clone().add(bar)];
        const positions = this.object.geometry.getAttribute('position') as BufferAttribute;
        points.forEach((point, k) => positions.setXYZ(k, point.x, point.y, point.z));
        positions.needsUpdate = true;
        this.object.material.color.set(dark ? '#ffb27a' : '#d2560a');
    }

    /** Is a point of the plane inside the frame? */
    contains(point: Vector3, axis: Axis): boolean {
        return axes.every((a) => a === axis || (point[a] >= this.low[a] && point[a] <= this.high[a]));
    }
}
