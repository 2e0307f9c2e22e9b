// Dots at places that a hand can take, as large on the screen whatever the distance; the chosen one stands out.
import { Group, Mesh, MeshBasicMaterial, type PerspectiveCamera, SphereGeometry, Vector3 } from 'three';
import type { Overlay } from '../viewport/overlay';

export class PoseMarkers implements Overlay {
    readonly object = new Group();
    private readonly geometry = new SphereGeometry(1, 16, 12);
    private readonly plain: MeshBasicMaterial;
    private readonly marked = new MeshBasicMaterial({ color: '#ff8a1f', depthTest: false, transparent: true, toneMapped: false });

    /** `pixels`: radius on the screen. */
    constructor(private readonly pixels = 7, opacity = 0.85) {
        this.plain = new MeshBasicMaterial({ color: '#2f6fed', depthTest: false, transparent: true, opacity, toneMapped: false });
    }

    show(places: Vector3[], chosen: number | null): void {
        while (this.object.children.length > places.length) this.object.children[this.object.children.length - 1].removeFromParent();
        while (this.object.children.length < places.length) {
            const dot = new Mesh(this.geometry, this.plain);
            dot.renderOrder = 960;
            this.object.add(dot);
        }
        places.forEach((place, k) => {
            const dot = this.object.children[k] as Mesh;
            dot.position.copy(place);
            dot.material = k === chosen ? this.marked : this.plain;
        });
    }

    beforePicture(camera: PerspectiveCamera, height: number): void {
        const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / height;
        for (const dot of this.object.children) dot.scale.setScalar(this.pixels * perPixel * dot.position.distanceTo(camera.position));
    }
}
