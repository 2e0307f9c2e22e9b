// A body in a pose, where it starts, with its rest shape as a shadow around it.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, type Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Sphere, Vector3 } from 'three';
import type { Look } from '../state/look';
import type { Overlay } from '../viewport/overlay';

function unbounded(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    return geometry;
}

export class PoseMesh implements Overlay {
    readonly object = new Group();
    readonly mesh = new Mesh(unbounded(), new MeshStandardMaterial({ roughness: 0.7, side: DoubleSide }));
    private readonly rest = new Mesh(unbounded(), new MeshBasicMaterial({ transparent: true, opacity: 0.13, depthWrite: false, toneMapped: false }));
    /** Three numbers of each drawn vertex, in the coordinates of the body's own mesh. */
    positions: Float32Array = new Float32Array();
    rests: Float32Array = new Float32Array();

    constructor() {
        this.mesh.frustumCulled = this.rest.frustumCulled = false;
        this.rest.renderOrder = 930;
        this.object.add(this.mesh, this.rest);
        this.object.matrixAutoUpdate = false;
        this.object.visible = false;
    }

    look(look: Look): void {
        this.rest.material.color.set(look.dark ? '#9fb4d8' : '#5a6b88');
    }

    show(positions: Float32Array, rests: Float32Array, index: BufferAttribute, at: Matrix4, color: string): void {
        const { geometry } = this.mesh;
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setIndex(index);
        geometry.computeVertexNormals();
        this.mesh.material.color = new Color(color);
        this.rest.geometry.setAttribute('position', new BufferAttribute(rests, 3));
        this.rest.geometry.setIndex(index);
        this.positions = positions;
        this.rests = rests;
        this.object.matrix.copy(at);
        this.object.updateMatrixWorld(true);
        this.object.visible = true;
    }

    hide(): void {
        this.object.visible = false;
    }
}
