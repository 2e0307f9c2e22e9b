// Where a pointer meets a body, on its surface or on the cut, and which place of the body at rest that is.
import { type BufferAttribute, Matrix3, Matrix4, Vector3 } from 'three';
import type { App } from '../app';
import { scaleOfBody } from '../scene_editing/placement';
import type { JsonObject } from '../scene_editing/schema';
import { barycentric } from '../viewport/picking';
import type { LayerMesh } from '../overlays/layer_mesh';
import { RestShapes } from '../viewport/rest_shapes';

export interface PaintSpot {
    body: string;
    /** In the scene as it is now. */
    point: Vector3;
    /** In the coordinates of fields: of the solid at rest, before its scale. */
    rest: Vector3;
    onCut: boolean;
}

const mostBend = 0.01;  // of a body's size: what is bent less counts as its shape at rest, moved

type Nine = [number, number, number, number, number, number, number, number, number];

/** The affine map that carries points onto others best: by least squares. */
function affineFit(from: Float32Array, to: Float32Array): Matrix4 {
    const n = from.length / 3, p = new Vector3(), q = new Vector3(), a = new Vector3(), b = new Vector3();
    for (let k = 0; k < from.length; k += 3) {
        a.addScaledVector(p.fromArray(from, k), 1 / n);
        b.addScaledVector(q.fromArray(to, k), 1 / n);
    }
    const pp = new Array<number>(9).fill(0), qp = new Array<number>(9).fill(0);
    for (let k = 0; k < from.length; k += 3) {
        const x = p.fromArray(from, k).sub(a).toArray(), y = q.fromArray(to, k).sub(b).toArray();
        for (let r = 0; r < 3; ++r) {
            for (let c = 0; c < 3; ++c) {
                pp[3 * r + c] += x[r] * x[c];
                qp[3 * r + c] += y[r] * x[c];
            }
        }
    }
    const linear = new Matrix3().set(...(qp as Nine)).multiply(new Matrix3().set(...(pp as Nine)).invert());
    return new Matrix4().setFromMatrix3(linear).setPosition(b.clone().sub(a.clone().applyMatrix3(linear)));
}

const made = new WeakMap<App, PaintSpots>();

/** Of a page: rest shapes are asked for once. */
export function spotsOf(app: App): PaintSpots {
    const spots = made.get(app) ?? new PaintSpots(app);
    made.set(app, spots);
    return spots;
}

export class PaintSpots {
    /** A layer inside a body that is peeled to it: it is met instead of the outside. */
    layer: { body: string; mesh: LayerMesh } | null = null;
    private readonly shapes: RestShapes;
    private waiting: Array<() => void> = [];

    constructor(private readonly app: App) {
        const again = () => this.waiting.splice(0).forEach((arrived) => arrived());
        this.shapes = new RestShapes(app.ask, () => {
            again();
            app.emit('restShape', undefined);
        });
        app.on('scene', again);
    }

    /** Asks for what will be needed to paint on a body. */
    prepare(body: string): void {
        const view = this.app.viewport.bodyView(body);
        if (view) this.shapes.of(view);
    }

    /** null: nothing is there. */
    at(x: number, y: number): PaintSpot | null {
        const { viewport } = this.app, { picking } = viewport;
        const layer = this.onLayer(x, y);
        if (layer) return layer;
        const hit = picking.pick(x, y), cut = this.onCut(x, y), { origin } = picking.rayAt(x, y).ray;
        if (cut && (!hit || cut.point.distanceTo(origin) < hit.point.distanceTo(origin))) return cut;
        const view = hit && hit.run === 0 ? viewport.bodyView(hit.body) : undefined, shape = view && this.shapes.of(view), index = view?.surface.geometry.getIndex();
        if (!hit || !shape || !index || hit.body === this.layer?.body) return null;
        const rest = new Vector3(), corner = new Vector3();
        for (let k = 0; k < 3; ++k) rest.addScaledVector(corner.fromArray(shape, 3 * index.getX(3 * hit.spot.triangle + k)), hit.spot.weights[k]);
        return { body: hit.body, point: hit.point, rest: rest.divideScalar(this.scaleOf(hit.body)), onCut: false };
    }

    private onLayer(x: number, y: number): PaintSpot | null {
        const { layer } = this, hit = layer?.mesh.object.visible ? this.app.viewport.picking.pickAmong(x, y, [layer.mesh.object]) : null;
        if (!layer || !hit) return null;
        return { body: layer.body, point: hit.point, rest: layer.mesh.restAt(hit.triangle, barycentric(hit.point, ...layer.mesh.cornersOf(hit.triangle))), onCut: false };
    }

    /** The middle of a body at rest and its extents, in the coordinates of fields; null: not known yet. */
    middleOf(body: string): { center: Vector3; size: Vector3 } | null {
        const view = this.app.viewport.bodyView(body), shape = view && this.shapes.of(view);
        if (!shape) return null;
        const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
        for (let k = 0; k + 2 < shape.length; k += 3) low.min(p.fromArray(shape, k)), high.max(p);
        const size = high.clone().sub(low).divideScalar(this.scaleOf(body));
        return { center: low.add(high).multiplyScalar(0.5 / this.scaleOf(body)), size };
    }

    /** The same, as soon as the engine told it; null: the body is gone. */
    async middleWhenKnown(body: string): Promise<ReturnType<PaintSpots['middleOf']>> {
        for (;;) {
            const middle = this.middleOf(body);
            if (middle || !this.app.viewport.bodyView(body)) return middle;
            await new Promise<void>((arrived) => this.waiting.push(arrived));
        }
    }

    /** Where a place of a body at rest is now, nearly: at the drawn vertex that is nearest to it; null: not known yet. */
    nowOf(body: string, rest: Vector3): Vector3 | null {
        const view = this.app.viewport.bodyView(body), shape = view && this.shapes.of(view);
        if (!view || !shape || shape.length !== view.positions.length) return null;
        const place = rest.clone().multiplyScalar(this.scaleOf(body)), p = new Vector3();
        let nearest = 0, least = Infinity;
        for (let k = 0; k + 2 < shape.length; k += 3) {
            const away = p.fromArray(shape, k).distanceToSquared(place);
            if (away < least) least = away, nearest = k;
        }
        return new Vector3().fromArray(view.positions, nearest);
    }

    /** The map from a body at rest, in the coordinates of fields, to where it is now; null: it is bent too much for one. */
    motionOf(body: string): Matrix4 | null {
        const view = this.app.viewport.bodyView(body), shape = view && this.shapes.of(view);
        if (!view || !shape || shape.length !== view.positions.length) return null;
        const motion = affineFit(shape, view.positions), from = new Vector3(), to = new Vector3();
        let worst = 0;
        for (let k = 0; k + 2 < shape.length; k += 3) worst = Math.max(worst, from.fromArray(shape, k).applyMatrix4(motion).distanceTo(to.fromArray(view.positions, k)));
        if (!(worst < mostBend * view.body.size)) return null;
        const scale = this.scaleOf(body);
        return motion.scale(new Vector3(scale, scale, scale));
    }

    private onCut(x: number, y: number): PaintSpot | null {
        const { viewport } = this.app;
        const views = viewport.bodyViews().filter((view) => view.group.visible && view.paintedSection);
        const hit = views.length ? viewport.picking.pickAmong(x, y, views.map((view) => view.paintedSection!)) : null;
        if (!hit) return null;
        const view = views.find(({ paintedSection }) => paintedSection === hit.object)!;
        const corners = view.paintedSection!.geometry.getAttribute('position') as BufferAttribute;
        const at = (k: number) => new Vector3().fromBufferAttribute(corners, 3 * hit.triangle + k);
        return { body: view.body.id, point: hit.point, rest: view.restOnCut(hit.triangle, barycentric(hit.point, at(0), at(1), at(2))), onCut: true };
    }

    scaleOf(body: string): number {
        return scaleOfBody(this.app.document!.content as unknown as JsonObject, body);
    }
}
