// The spring between the hand and what it holds: a coil that stretches, with a dot at either end.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';

const turns = 9, pointsPerTurn = 14;

export class Spring {
    readonly object = new Group();
    private readonly coil: Line<BufferGeometry, LineBasicMaterial>;
    private readonly ends: Mesh[];

    constructor() {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * (turns * pointsPerTurn + 1)), 3));
        this.coil = new Line(geometry, new LineBasicMaterial({ color: '#ff7a1a', depthTest: false, transparent: true }));
        const dot = new MeshBasicMaterial({ color: '#ff7a1a', depthTest: false, transparent: true });
        this.ends = [new Mesh(new SphereGeometry(1, 16, 12), dot), new Mesh(new SphereGeometry(1, 16, 12), dot)];
        this.object.add(this.coil, ...this.ends);
        this.object.traverse((o) => {
            o.frustumCulled = false;
            o.renderOrder = 1000;
        });
    }

    place(from: Vector3, to: Vector3, radius: number): void {
        const along = to.clone().sub(from);
        const length = along.length();
        const forward = length > 0 ? along.clone().divideScalar(length) : new Vector3(0, 1, 0);
        const side = new Vector3(0, 1, 0).cross(forward);
        if (side.lengthSq() < 1e-6) side.set(1, 0, 0);
        side.normalize();
        const up = forward.clone().cross(side);
        const positions = this.coil.geometry.getAttribute('position') as BufferAttribute;
        const count = turns * pointsPerTurn;
        for (let k = 0; k <= count; ++k) {
            const t = k / count;
            const thick = radius * Math.min(1, 8 * t, 8 * (1 - t)) * Math.min(1, length / (6 * radius));
            const angle = 2 * Math.PI * turns * t;
            const point = from.clone().addScaledVector(along, t)
                .addScaledVector(side, thick * Math.cos(angle)).addScaledVector(up, thick * Math.sin(angle));
            positions.setXYZ(k, point.x, point.y, point.z);
        }
        positions.needsUpdate = true;
        this.ends[0].position.copy(from);
        this.ends[1].position.copy(to);
        for (const end of this.ends) end.scale.setScalar(0.45 * radius);
    }
}
