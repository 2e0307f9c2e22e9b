// The path that keys lead along, and a dot for each key; seen through bodies.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, SphereGeometry, type Vector3 } from 'three';

const color = '#d9730d';

export class KeyPath {
    readonly object = new Group();
    private readonly line = new Line(new BufferGeometry(), new LineBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false }));
    private readonly dots = new Group();
    private readonly ball = new SphereGeometry(1, 12, 8);
    private readonly dot = new MeshBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false });

    constructor() {
        this.line.frustumCulled = false;
        this.line.renderOrder = 970;
        this.object.add(this.line, this.dots);
    }

    /** `size` of the bodies, m. */
    show(points: Vector3[], keys: Vector3[], size: number): void {
        this.line.geometry.dispose();
        this.line.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points.flatMap((p) => p.toArray())), 3));
        this.line.visible = points.length > 1;
        this.dots.clear();
        for (const at of keys) {
            const mesh = new Mesh(this.ball, this.dot);
            mesh.position.copy(at);
            mesh.scale.setScalar(0.015 * size);
            mesh.renderOrder = 971;
            this.dots.add(mesh);
        }
    }
}
