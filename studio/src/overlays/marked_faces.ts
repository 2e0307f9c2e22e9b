// Part of a body's surface, marked: what a click would paint.
import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, MeshBasicMaterial, Sphere, Vector3 } from 'three';
import type { BodyView } from '../viewport/body_view';

export class MarkedFaces {
    readonly object: Mesh<BufferGeometry, MeshBasicMaterial>;

    constructor() {
        this.object = new Mesh(new BufferGeometry(), new MeshBasicMaterial({ color: '#d9730d', transparent: true, opacity: 0.45, depthWrite: false, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -4, toneMapped: false }));
        this.object.frustumCulled = false;
        this.object.visible = false;
        this.object.renderOrder = 950;
    }

    /** The triangles whose corners are all among these; they go along with the body. */
    show(view: BodyView, vertices: Uint32Array): void {
        const all = view.surface.geometry, index = all.getIndex(), marked = new Set<number>(vertices), corners: number[] = [];
        if (!index) return this.hide();
        for (let t = 0; t < index.count; t += 3) {
            const triangle = [index.getX(t), index.getX(t + 1), index.getX(t + 2)];
            if (triangle.every((v) => marked.has(v))) corners.push(...triangle);
        }
        const geometry = new BufferGeometry();  // its places are the surface's own: it is left to that
        geometry.setAttribute('position', all.getAttribute('position'));
        geometry.setIndex(new BufferAttribute(new Uint32Array(corners), 1));
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
        this.object.geometry = geometry;
        this.object.visible = corners.length > 0;
    }

    hide(): void {
        this.object.visible = false;
    }

    get count(): number {
        return this.object.visible ? (this.object.geometry.getIndex()?.count ?? 0) / 3 : 0;
    }
}
