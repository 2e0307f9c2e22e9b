// From pixels of the page to places in the scene and back.
import { type Object3D, Plane, Raycaster, Vector2, Vector3, type PerspectiveCamera, type Ray } from 'three';
import type { Spot } from '../protocol/messages';
import type { BodyView } from './body_view';

export interface Hit {
    run: number;
    /** Identity of the body. */
    body: string;
    spot: Spot;
    point: Vector3;
}

const mostHovered = 200_000;  // triangles: looking for what is under the pointer would cost more than it tells

export class Picking {
    private readonly raycaster = new Raycaster();

    /** `bodies` of a run; `sides`: how many runs share the picture. */
    constructor(private readonly canvas: HTMLCanvasElement, private readonly camera: PerspectiveCamera,
        private readonly bodies: (run: number) => BodyView[], private readonly sides: () => number) {}

    /** A ray through a pixel of the page; with two runs, on the side that was hit. */
    rayAt(clientX: number, clientY: number): { run: number; ray: Ray } {
        const box = this.canvas.getBoundingClientRect(), sides = this.sides();
        const run = Math.min(sides - 1, Math.max(0, Math.floor((sides * (clientX - box.left)) / box.width)));
        this.camera.updateMatrixWorld();
        this.raycaster.setFromCamera(this.inPicture(clientX, clientY), this.camera);
        return { run, ray: this.raycaster.ray };
    }

    /** Where a pixel of the page is in the picture, -1 to 1; with two runs, in the one that is there. */
    inPicture(clientX: number, clientY: number): Vector2 {
        const box = this.canvas.getBoundingClientRect(), width = box.width / this.sides();
        const run = Math.min(this.sides() - 1, Math.max(0, Math.floor((clientX - box.left) / width)));
        return new Vector2(((clientX - box.left - run * width) / width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
    }

    pick(clientX: number, clientY: number): Hit | null {
        const { run } = this.rayAt(clientX, clientY);
        // Those without positions have no frame yet.
        const surfaces = this.bodies(run).filter((b) => b.group.visible && b.positions.length).map((b) => b.surface).filter((s) => s.visible);
        const hit = this.raycaster.intersectObjects(surfaces, false).find((h) => !(h.object.userData.body as BodyView).isCutAway(h.point));
        if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
        const view = hit.object.userData.body as BodyView, { id } = view.body;
        const [a, b, c] = [hit.face!.a, hit.face!.b, hit.face!.c].map((v) => new Vector3().fromArray(view.positions, 3 * v));
        return { run, body: id, spot: { body: id, triangle: hit.faceIndex, weights: barycentric(hit.point, a, b, c) }, point: hit.point.clone() };
    }

    /** The nearest of some objects under a pixel, and where. */
    pickAmong(clientX: number, clientY: number, objects: Object3D[]): { object: Object3D; point: Vector3; triangle: number } | null {
        this.rayAt(clientX, clientY);
        const [hit] = this.raycaster.intersectObjects(objects, false);
        return hit ? { object: hit.object, point: hit.point, triangle: hit.faceIndex ?? 0 } : null;
    }

    /** Is a body under the pointer? Not looked for where that takes long. */
    isOverBody(clientX: number, clientY: number): boolean {
        const triangles = this.bodies(0).reduce((sum, b) => sum + b.body.triangles, 0);
        return triangles <= mostHovered && this.pick(clientX, clientY) !== null;
    }

    /** Where the ray through a pixel meets the plane through `point` that faces the camera. */
    onScreenPlane(clientX: number, clientY: number, point: Vector3): Vector3 {
        const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
        return this.rayAt(clientX, clientY).ray.intersectPlane(plane, new Vector3()) ?? point.clone();
    }

    /** Pixel of the page where a point is drawn, in the first run. */
    toPage(point: Vector3): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        this.camera.updateMatrixWorld();
        const p = point.clone().project(this.camera);
        return { x: box.left + ((p.x + 1) / 2) * (box.width / this.sides()), y: box.top + ((1 - p.y) / 2) * box.height };
    }
}

export function barycentric(p: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number, number] {
    const ab = b.clone().sub(a), ac = c.clone().sub(a), ap = p.clone().sub(a);
    const d00 = ab.dot(ab), d01 = ab.dot(ac), d11 = ac.dot(ac), d20 = ap.dot(ab), d21 = ap.dot(ac);
    const d = d00 * d11 - d01 * d01;
    if (!(Math.abs(d) > 0)) return [1, 0, 0];
    const v = Math.min(1, Math.max(0, (d11 * d20 - d01 * d21) / d)), w = Math.min(1 - v, Math.max(0, (d00 * d21 - d01 * d20) / d));
    return [1 - v - w, v, w];
}
