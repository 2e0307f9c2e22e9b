// A layer inside a body, as a surface of one colour under the light of the scene.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Mesh, MeshStandardMaterial, Sphere, Vector3 } from 'three';

export class LayerMesh {
    readonly object: Mesh<BufferGeometry, MeshStandardMaterial>;
    /** Three numbers of each vertex, in the coordinates of fields. */
    rests: Float32Array = new Float32Array();

    constructor() {
        const geometry = new BufferGeometry();
        geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
        this.object = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.8, side: DoubleSide }));
        this.object.frustumCulled = false;
        this.object.visible = false;
    }

    show(positions: Float32Array, rests: Float32Array, triangles: Uint32Array, color: string): void {
        const { geometry, material } = this.object;
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setIndex(new BufferAttribute(triangles, 1));
        geometry.computeVertexNormals();
        material.color = new Color(color);
        this.rests = rests;
        this.object.visible = triangles.length > 0;
    }

    hide(): void {
        this.object.visible = false;
    }

    /** Where a place of a triangle is at rest. */
    restAt(triangle: number, weights: readonly number[]): Vector3 {
        const index = this.object.geometry.getIndex()!, place = new Vector3(), corner = new Vector3();
        for (let k = 0; k < 3; ++k) place.addScaledVector(corner.fromArray(this.rests, 3 * index.getX(3 * triangle + k)), weights[k]);
        return place;
    }

    /** Its corners as they are now. */
    cornersOf(triangle: number): [Vector3, Vector3, Vector3] {
        const index = this.object.geometry.getIndex()!, positions = this.object.geometry.getAttribute('position') as BufferAttribute;
        const at = (k: number) => new Vector3().fromBufferAttribute(positions, index.getX(3 * triangle + k));
        return [at(0), at(1), at(2)];
    }
}
