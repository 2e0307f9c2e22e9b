// Lines on a body that were drawn as strokes, and the one that a hand is drawing: seen through what hides them.
import { CatmullRomCurve3, Color, Group, Mesh, MeshBasicMaterial, SphereGeometry, TubeGeometry, type Vector3 } from 'three';

const sides = 6, plain = '#7a3cc8', handColor = '#d9730d';

export interface DrawnLine {
    points: Vector3[];
    /** Without: violet. */
    color?: string;
    /** With a dot at each of its points. */
    chosen?: boolean;
}

export class DrawnLines {
    readonly object = new Group();
    private readonly ball = new SphereGeometry(1, 10, 8);
    private readonly dot = new MeshBasicMaterial({ color: handColor, depthTest: false, transparent: true, toneMapped: false });

    /** `thickness` in m. */
    show(lines: DrawnLine[], draft: Vector3[], thickness: number): void {
        for (const child of [...this.object.children] as Mesh[]) {
            if (child.geometry !== this.ball) {
                child.geometry.dispose();
                (child.material as MeshBasicMaterial).dispose();
            }
            child.removeFromParent();
        }
        for (const line of lines) {
            // A rim tells it from a body of the same colour.
            this.tube(line.points, line.chosen ? handColor : '#ffffff', 1.7 * thickness, 969);
            this.tube(line.points, line.color ?? plain, thickness, 970);
            if (line.chosen) line.points.forEach((point, k) => this.mark(point, (k === 0 || k === line.points.length - 1 ? 1.3 : 0.8) * thickness));
        }
        this.tube(draft, handColor, thickness, 972);
    }

    private tube(points: Vector3[], color: string, thickness: number, order: number): void {
        if (points.length < 2) return;
        const material = new MeshBasicMaterial({ color: new Color(color), depthTest: false, transparent: true, opacity: 0.92, toneMapped: false });
        const tube = new Mesh(new TubeGeometry(new CatmullRomCurve3(points), Math.min(400, 3 * points.length), thickness / 2, sides), material);
        tube.renderOrder = order;
        tube.frustumCulled = false;
        this.object.add(tube);
    }

    private mark(at: Vector3, radius: number): void {
        const mesh = new Mesh(this.ball, this.dot);
        mesh.position.copy(at);
        mesh.scale.setScalar(radius);
        mesh.renderOrder = 971;
        mesh.frustumCulled = false;
        this.object.add(mesh);
    }
}
