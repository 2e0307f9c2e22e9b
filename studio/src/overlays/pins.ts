// Dots where something holds a particle.
import { InstancedMesh, Matrix4, MeshStandardMaterial, type Plane, SphereGeometry, Vector3 } from 'three';
import { type Frame, What, floats } from '../connection/frames';
import type { Look } from '../state/look';
import type { Overlay } from '../viewport/overlay';

const most = 4000;

export class Pins implements Overlay {
    readonly object: InstancedMesh<SphereGeometry, MeshStandardMaterial>;

    /** `spacing` of the particles, m. */
    constructor(clipping: Plane[], private readonly spacing: () => number) {
        this.object = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshStandardMaterial({ color: '#2f6fed', roughness: 0.4, emissive: '#123a8c', clippingPlanes: clipping }), most);
        this.object.count = 0;
        this.object.frustumCulled = false;
    }

    frame(frame: Frame): void {
        for (const section of frame.sections) if (section.what === What.held && section.run === 0) this.place(floats(section));
    }

    look(look: Look): void {
        this.object.material.color.set(look.dark ? '#6fa0ff' : '#2f6fed');
    }

    private place(places: Float32Array): void {
        const radius = 0.13 * this.spacing(), matrix = new Matrix4();
        this.object.count = Math.min(places.length / 3, most);
        for (let k = 0; k < this.object.count; ++k) this.object.setMatrixAt(k, matrix.makeScale(radius, radius, radius).setPosition(places[3 * k], places[3 * k + 1], places[3 * k + 2]));
        this.object.instanceMatrix.needsUpdate = true;
    }

    /** Something holds the body next to this point. */
    isNear(point: Vector3): boolean {
        const reach = 0.9 * this.spacing(), matrix = new Matrix4(), place = new Vector3();
        for (let k = 0; k < this.object.count; ++k) {
            this.object.getMatrixAt(k, matrix);
            if (place.setFromMatrixPosition(matrix).distanceTo(point) < reach) return true;
        }
        return false;
    }
}
