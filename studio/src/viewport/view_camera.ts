// Where the scene is looked at from: its own place, all bodies in view, turned by hand or by keys, following who walks away.
import { type Box3, Frustum, Matrix4, PerspectiveCamera, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { Camera } from '../protocol/scene';
import type { Extent } from './extent';
import type { Stage } from './stage';

const wideAspect = 16 / 9;  // of the pictures that the cameras of scenes are composed for
const edge = 0.85;          // of half the picture: when the middle of the bodies is beyond, the camera follows
const comfort = 0.5;        // until it is in here again
const filled = 0.6;         // of the picture, by what a view without a camera of its own looks at
const haste = 0.06;         // of the way back into comfort, in a drawn picture

export class ViewCamera {
    readonly camera = new PerspectiveCamera(32, 1, 0.01, 500);
    readonly controls: OrbitControls;
    private following = true;
    private chasing = false;

    constructor(private readonly canvas: HTMLCanvasElement, private readonly extent: Extent, private readonly stage: Stage, changed: () => void) {
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener('change', changed);
        // Whoever looks elsewhere on purpose is not pulled back.
        this.controls.addEventListener('end', () => { this.following = this.strayed(edge).length() === 0; });
    }

    /** Looks at the scene from its own camera, or from a pleasant angle. */
    frameScene(own: Camera | null, sides: number): void {
        this.following = true;
        const { center, size } = this.extent, { target } = this.controls;
        if (own) {
            this.camera.fov = own.field_of_view ?? 32;
            target.fromArray(own.target);
            const { clientWidth, clientHeight } = this.canvas.parentElement!, eye = new Vector3().fromArray(own.eye);
            this.camera.aspect = clientWidth / sides / Math.max(1, clientHeight);
            this.camera.position.copy(eye).sub(target).multiplyScalar(this.standBack(eye)).add(target);
        } else {
            // The floor that they will fall to is part of the picture, unless it is far below.
            const floor = this.stage.groundBelow(center) ?? Infinity;
            const drop = Math.max(0, this.extent.low.y - floor), shown = drop < 2 * size ? drop : 0;
            const { clientWidth, clientHeight } = this.canvas.parentElement!, box = this.extent.box.clone();
            box.min.y -= shown;
            this.camera.fov = 32;
            this.camera.aspect = clientWidth / sides / Math.max(1, clientHeight);
            this.lookAtBox(box, new Vector3(0.55, 0.42, 1).normalize());
        }
        this.settle();
    }

    /** Scenes are composed for a wide picture: a tall one is taken from farther away. As far as all that was meant to be seen
     *  would need, bodies are small on a phone; as near as the bodies themselves allow, they have no room: between the two. */
    private standBack(eye: Vector3): number {
        const all = Math.min(3.2, Math.max(1, wideAspect / this.camera.aspect));
        const { low, high } = this.extent, { target } = this.controls;
        const away = eye.clone().sub(target), right = new Vector3(0, 1, 0).cross(away).normalize();
        const half = Math.max(...[low, high].flatMap((a) => [low, high].map((b) => Math.abs(new Vector3(a.x, 0, b.z).sub(target).dot(right)))));
        const wide = Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.aspect * away.length();
        return Math.sqrt(all * Math.min(all, Math.max(1, (1.15 * half) / wide)));
    }

    /** Brings the bodies into the picture without turning. */
    frameBodies(): void {
        this.following = true;
        this.lookAtBox(this.extent.box, this.toEye.normalize());
        this.settle();
    }

    /** Stands so far away, in a direction, that a box fills a share of the picture's height or width. */
    private lookAtBox(box: Box3, away: Vector3): void {
        const middle = box.getCenter(new Vector3()), tall = filled * Math.tan((this.camera.fov * Math.PI) / 360), wide = tall * this.camera.aspect;
        const right = new Vector3(0, 1, 0).cross(away).normalize(), up = away.clone().cross(right);
        let distance = 0;
        for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z]) {
            const corner = new Vector3(x, y, z).sub(middle);
            distance = Math.max(distance, corner.dot(away) + Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / tall));
        }
        this.controls.target.copy(middle);
        this.camera.position.copy(middle).addScaledVector(away, Math.max(distance, 1e-3));
    }

    /** Brings a point into the middle of the picture without turning. */
    lookAt(point: Vector3): void {
        this.following = false;
        this.shift(point.clone().sub(this.controls.target));
        this.settle();
    }

    private settle(): void {
        this.fitLight();
        this.controls.update();
    }

    get toEye(): Vector3 {
        return this.camera.position.clone().sub(this.controls.target);
    }

    /** As a scene keeps it, in millimetres. */
    asCamera(): { eye: number[]; target: number[]; field_of_view: number } {
        const brief = (v: Vector3) => v.toArray().map((x) => Math.round(1000 * x) / 1000);
        return { eye: brief(this.camera.position), target: brief(this.controls.target), field_of_view: this.camera.fov };
    }

    /** Nothing of the bodies can be seen: they left the picture, or the picture left them. */
    get showsNothing(): boolean {
        this.camera.updateMatrixWorld();
        const seen = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse));
        return !seen.intersectsBox(this.extent.box);
    }

    /** Turns about what is looked at; radians to the right and up. */
    turn(right: number, up: number): void {
        const around = new Spherical().setFromVector3(this.toEye);
        around.theta -= right;
        around.phi = Math.min(Math.PI - 0.01, Math.max(0.01, around.phi - up));
        this.camera.position.setFromSpherical(around).add(this.controls.target);
        this.controls.update();
    }

    /** Shares of the distance to what is looked at, to the right and up. */
    pan(right: number, up: number): void {
        const distance = this.toEye.length();
        this.camera.updateMatrixWorld();
        this.shift(new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0).multiplyScalar(right * distance)
            .addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), up * distance));
        this.following = this.strayed(edge).length() === 0;
        this.controls.update();
    }

    /** Nearer by a factor below 1. */
    dolly(factor: number): void {
        const distance = Math.min(this.controls.maxDistance, Math.max(this.controls.minDistance, this.toEye.length() * factor));
        this.camera.position.copy(this.controls.target).addScaledVector(this.toEye.normalize(), distance);
        this.controls.update();
    }

    /** Before a picture: what walks out of it is followed, unless something holds the view still. */
    advance(): void {
        this.controls.update();
        if (!this.following || !this.controls.enabled) return;
        const stray = this.strayed(this.chasing ? comfort : edge);
        this.chasing = stray.length() > 0;
        if (!this.chasing) return;
        this.shift(stray.multiplyScalar(haste));
        this.fitLight();
        this.controls.update();
    }

    private shift(by: Vector3): void {
        this.camera.position.add(by);
        this.controls.target.add(by);
    }

    /** How far the middle of the bodies is out of a share of the picture, in its plane. */
    private strayed(share: number): Vector3 {
        this.camera.updateMatrixWorld();
        const { center } = this.extent;
        const seen = center.clone().applyMatrix4(this.camera.matrixWorldInverse);
        const tall = Math.tan((this.camera.fov * Math.PI) / 360) * Math.max(-seen.z, this.camera.near), wide = tall * this.camera.aspect;
        const beyond = (x: number, room: number) => Math.sign(x) * Math.max(0, Math.abs(x) - share * room);
        return new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0).multiplyScalar(beyond(seen.x, wide))
            .addScaledVector(new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1), beyond(seen.y, tall));
    }

    private fitLight(): void {
        const distance = this.toEye.length();
        const size = Math.max(this.extent.size, 0.55 * distance * Math.tan((this.camera.fov * Math.PI) / 360) * 2);
        this.camera.near = Math.max(1e-3, distance / 200);
        this.camera.far = distance * 30 + 20 * size;
        this.controls.minDistance = 0.1 * this.extent.size;
        this.controls.maxDistance = 12 * distance;
        this.stage.fit(this.controls.target, size, distance);
    }
}
