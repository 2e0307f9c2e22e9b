// Where joints hold their bodies: a dot on each side, a line between what is apart, and the axis of a hinge; seen through bodies.
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import type { App } from '../app';
import { nowOfStart, sinceStart } from '../painting/start_places';
import { type JsonObject, isObject } from '../scene_editing/schema';
import type { Overlay } from '../viewport/overlay';

const plain = '#8a5cf5', chosenColor = '#ff7a1a';
const most = 500;  // joints that are marked

interface Marked {
    dots: Vector3[];
    /** Pairs of ends. */
    lines: Vector3[];
}

interface Sign {
    group: Group;
    line: LineSegments<BufferGeometry, LineBasicMaterial>;
    dots: Array<Mesh<SphereGeometry, MeshBasicMaterial>>;
}

function vectorOf(value: unknown): Vector3 {
    return Array.isArray(value) ? new Vector3().fromArray(value as number[]) : new Vector3();
}

export class JointMarks implements Overlay {
    readonly object = new Group();
    private readonly ball = new SphereGeometry(1, 12, 8);
    private readonly signs: Sign[] = [];

    constructor(private readonly app: App) {
        app.on(['document', 'scene', 'chosen'], () => this.frame());
    }

    /** A place of a body at the start of the scene, and a direction there, as they are now; null: not known yet. */
    private now(name: string, point: Vector3, along: Vector3): { point: Vector3; along: Vector3 } | null {
        const body = this.app.scene?.bodies.find((one) => one.id === name || one.name === name);
        if (!body) return null;
        const motion = sinceStart(this.app, body.id), at = nowOfStart(this.app, body.id, point);
        return at && { point: at, along: motion ? along.clone().transformDirection(motion) : along };
    }

    private mark(joint: JsonObject): Marked | null {
        const point = vectorOf(joint.point), other = joint.to_point === undefined ? point : vectorOf(joint.to_point);
        const hinge = isObject(joint.hinge) ? joint.hinge : null, axis = hinge ? vectorOf(hinge.axis ?? [0, 0, 1]).normalize() : new Vector3(0, 1, 0);
        const one = this.now(String(joint.body), point, axis);
        const two = joint.to === undefined ? { point: other, along: axis } : this.now(String(joint.to), other, axis);
        if (!one || !two) return null;
        const reach = 0.12 * this.app.viewport.extent.size;
        const bars = hinge ? [one.point.clone().addScaledVector(one.along, -reach), one.point.clone().addScaledVector(one.along, reach)] : [];
        return { dots: [one.point, two.point], lines: [one.point, two.point, ...bars] };
    }

    /** After bodies moved, or joints changed. */
    frame(): void {
        const joints = (this.app.document?.content.joints ?? []).slice(0, most), size = 0.012 * this.app.viewport.extent.size;
        while (this.signs.length < joints.length) this.signs.push(this.sign());
        this.signs.forEach((sign, k) => {
            const marked = k < joints.length ? this.mark(joints[k] as unknown as JsonObject) : null;
            sign.group.visible = marked !== null;
            if (!marked) return;
            const color = this.app.get('chosen').includes(`/joints/${k}`) ? chosenColor : plain;
            sign.line.material.color.set(color);
            sign.dots[0].material.color.set(color);
            const places = sign.line.geometry.getAttribute('position') as BufferAttribute;
            marked.lines.forEach((p, n) => places.setXYZ(n, p.x, p.y, p.z));
            places.needsUpdate = true;
            sign.line.geometry.setDrawRange(0, marked.lines.length);
            sign.dots.forEach((dot, n) => dot.position.copy(marked.dots[n]) && dot.scale.setScalar(size));
        });
    }

    private sign(): Sign {
        const look = { color: plain, depthTest: false, transparent: true, toneMapped: false }, group = new Group();
        const line = new LineSegments(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(12), 3)), new LineBasicMaterial(look));
        const material = new MeshBasicMaterial(look), dots = [new Mesh(this.ball, material), new Mesh(this.ball, material)];
        line.frustumCulled = false;
        line.renderOrder = 960;
        for (const dot of dots) dot.renderOrder = 961;
        group.add(line, ...dots);
        this.object.add(group);
        return { group, line, dots };
    }
}
