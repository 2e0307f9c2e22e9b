// A circle that faces the eye: how far a brush or a hand reaches.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineLoop, type PerspectiveCamera, type Vector3 } from 'three';

const corners = 72;

export class Ring {
    readonly object = new Group();

    constructor(color: string) {
        // Light on dark and dark on light: a second, white line a little inside.
        for (const [tint, radius] of [[color, 1], ['#ffffff', 0.975]] as const) {
            const points = new Float32Array(3 * corners);
            for (let k = 0; k < corners; ++k) points.set([radius * Math.cos((2 * Math.PI * k) / corners), radius * Math.sin((2 * Math.PI * k) / corners), 0], 3 * k);
            const loop = new LineLoop(new BufferGeometry().setAttribute('position', new BufferAttribute(points, 3)), new LineBasicMaterial({ color: tint, depthTest: false, transparent: true, toneMapped: false }));
            loop.renderOrder = 980;
            loop.frustumCulled = false;
            this.object.add(loop);
        }
    }

    place(at: Vector3, radius: number): void {
        this.moveTo(at);
        this.object.scale.setScalar(radius);
    }

    moveTo(at: Vector3): void {
        this.object.position.copy(at);
    }

    face(camera: PerspectiveCamera): void {
        this.object.quaternion.copy(camera.quaternion);
    }
}
