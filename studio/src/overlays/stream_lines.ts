// Lines along a field of directions: they fade where it is unknown.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Sphere, Vector3 } from 'three';

export class StreamLines {
    readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
    /** How many lines are shown. */
    count = 0;

    constructor() {
        const geometry = new BufferGeometry();
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
        this.object = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false, toneMapped: false, polygonOffset: true }));
        this.object.frustumCulled = false;
        this.object.renderOrder = 960;
    }

    /** Towards `eye` by a little, so that the surface they lie on does not hide them. */
    show(points: Float32Array, strengths: Float32Array, starts: Uint32Array, lift: number, eye: Vector3): void {
        const ends = new Set<number>(starts), count = Math.max(0, strengths.length - starts.length);
        const places = new Float32Array(6 * count), colors = new Float32Array(8 * count), p = new Vector3(), way = new Vector3();
        let at = 0;
        for (let k = 1; k < strengths.length; ++k) {
            if (ends.has(k)) continue;
            [k - 1, k].forEach((v, end) => {
                p.fromArray(points, 3 * v);
                p.addScaledVector(way.copy(eye).sub(p).normalize(), lift).toArray(places, 6 * at + 3 * end);
                colors.set([0.06, 0.07, 0.1, 0.85 * Math.min(1, strengths[v])], 8 * at + 4 * end);
            });
            ++at;
        }
        this.object.geometry.setAttribute('position', new BufferAttribute(places, 3));
        this.object.geometry.setAttribute('color', new BufferAttribute(colors, 4));
        this.count = starts.length;
        this.object.visible = count > 0;
    }

    hide(): void {
        this.count = 0;
        this.object.visible = false;
    }
}
