// The pose that is looked at or made: which one is chosen, the draft of a hand, and its picture in the scene, by the engine.
import { type BufferAttribute, Color, type Matrix4, SRGBColorSpace, Vector3 } from 'three';
import type { App } from '../app';
import { PoseMesh } from '../overlays/pose_mesh';
import { Newest } from '../painting/newest';
import { spotsOf } from '../painting/spots';
import { startOfBody } from '../scene_editing/placement';
import { type Axis, addPose, beforeHandles, poseAt, posesOf, refusal, setPose, tidyVector } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import { freeName } from '../scene_editing/starts';
import { RestShapes } from '../viewport/rest_shapes';
import { barycentric } from '../viewport/picking';

/** What the engine says about the pose that is shown. */
export interface PoseFacts {
    /** From the rest shape, as a share of the body's size. */
    moved: number;
    inverted: number;
    /** Of the worst tet, in the coordinates of fields. */
    place: number[];
}

export const unmoved = 1e-4;  // of the size: such a pose is the rest shape

const made = new WeakMap<App, PoseStage>();

/** Of a page. */
export function poseStageOf(app: App): PoseStage {
    const stage = made.get(app) ?? new PoseStage(app);
    made.set(app, stage);
    return stage;
}

export class PoseStage {
    readonly mesh = new PoseMesh();
    facts: PoseFacts | null = null;
    /** Why the pose cannot be shown. */
    refusal: string | null = null;
    /** What is shown, as JSON: pose and blend; empty: nothing. */
    drawn = '';
    /** ms that the last answer took. */
    lastAnswer = 0;
    private readonly shapes: RestShapes;
    private readonly newest = new Newest(() => this.ask());
    private readonly listeners: Array<() => void> = [];
    private chosenIn = '';
    private index: number | null = null;
    private looked: number | null = null;
    /** Shown instead of the document's until that has it. */
    private drafted: JsonObject | null = null;
    private weight = 1;
    private peeled = '';
    /** What handles act on, for the pose that is shown. */
    private base: { key: string; positions: Float32Array } | null = null;

    constructor(readonly app: App) {
        this.shapes = new RestShapes(app.ask, () => this.changed());
        app.viewport.host(this.mesh);
        app.on('opened', () => this.choose(null));
        app.on(['selection', 'document', 'scene', 'desk', 'tool', 'look'], () => this.changed());
        app.on('refused', (about) => { if (about === 'edit') this.draft(null); });
    }

    /** Called when something of it is other than before. */
    on(listener: () => void): void {
        this.listeners.push(listener);
    }

    get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    get body(): string {
        return this.app.selected;
    }

    get name(): string {
        return this.app.viewport.bodyView(this.body)?.body.name ?? this.body;
    }

    get poses(): JsonObject[] {
        return posesOf(this.content, this.body);
    }

    /** Number of the pose that is worked on. */
    get chosen(): number | null {
        return this.index !== null && this.chosenIn === this.body && this.index < this.poses.length ? this.index : null;
    }

    /** As the document has it. */
    get pose(): JsonObject | null {
        return poseAt(this.content, this.body, this.chosen);
    }

    /** The same, or the draft of a hand. */
    get working(): JsonObject | null {
        return this.drafted ?? this.pose;
    }

    get blend(): number {
        return this.weight;
    }

    choose(index: number | null): void {
        this.index = index;
        this.chosenIn = this.body;
        this.drafted = null;
        this.weight = 1;
        this.changed();
    }

    /** Shows a pose while the pointer is over it; null: no longer. */
    lookAt(index: number | null): void {
        if (this.looked === index) return;
        this.looked = index;
        this.changed();
    }

    setBlend(weight: number): void {
        this.weight = weight;
        this.changed();
    }

    /** Shows a pose that a hand is making; null: the one of the document. */
    draft(pose: JsonObject | null): void {
        this.drafted = pose;
        this.changed();
    }

    /** A draft that is kept until the document has it. */
    commit(pose: JsonObject, label: string): void {
        const { body, index } = this;
        if (this.chosen === null && !(index !== null && this.chosenIn === body && this.app.edits.pending > 0)) return this.add(pose, label);
        this.drafted = pose;
        this.app.edits.once((now) => setPose(now as unknown as JsonObject, body, index!, pose, label));
        this.changed();
    }

    /** One pose more, which is worked on then. */
    add(pose: JsonObject, label: string): void {
        const { body } = this, why = refusal(this.content, body);
        if (why) return;
        this.index = this.poses.length;
        this.chosenIn = body;
        this.weight = 1;
        const named = { ...pose, name: freeName(this.poses, String(pose.name)) };
        this.drafted = named;
        this.app.edits.once((now) => addPose(now as unknown as JsonObject, body, named, label));
        this.changed();
    }

    // ---- places

    /** From the coordinates of the solid, in which the document has places, to the scene. */
    get frame(): Matrix4 {
        const scale = spotsOf(this.app).scaleOf(this.body);
        return startOfBody(this.content!, this.body).scale(new Vector3(scale, scale, scale));
    }

    /** The pose under a pixel: where it is in the scene, in the pose, and in the shape that handles act on. */
    at(x: number, y: number): { point: Vector3; pose: number[]; base: number[] } | null {
        const { mesh } = this.mesh, hit = this.mesh.object.visible ? this.app.viewport.picking.pickAmong(x, y, [mesh]) : null;
        if (!hit) return null;
        const index = mesh.geometry.getIndex()!, corner = (from: Float32Array, k: number) => new Vector3().fromArray(from, 3 * index.getX(3 * hit.triangle + k));
        const local = hit.point.clone().applyMatrix4(this.mesh.object.matrixWorld.clone().invert());
        const weights = barycentric(local, corner(this.mesh.positions, 0), corner(this.mesh.positions, 1), corner(this.mesh.positions, 2));
        const scale = spotsOf(this.app).scaleOf(this.body);
        const inShape = (from: Float32Array) => {
            const sum = new Vector3();
            for (let k = 0; k < 3; ++k) sum.addScaledVector(corner(from, k), weights[k]);
            return tidyVector(sum.divideScalar(scale));
        };
        return { point: hit.point, pose: inShape(this.mesh.positions), base: inShape(this.base?.positions ?? this.mesh.rests) };
    }

    /** Middle of the body at rest and its extents, in the coordinates of the solid. */
    middle(): { center: Vector3; size: Vector3 } | null {
        return spotsOf(this.app).middleOf(this.body);
    }

    /** m, of the solid. */
    get size(): number {
        const view = this.app.viewport.bodyView(this.body);
        return view ? view.body.size / spotsOf(this.app).scaleOf(this.body) : 1;
    }

    /** The longest of three. */
    get longest(): Axis {
        const size = this.middle()?.size.toArray() ?? [1, 0, 0];
        return (['x', 'y', 'z'] as const)[size.indexOf(Math.max(...size))];
    }

    /** Shape of any pose, for its picture. */
    async shapeOf(pose: JsonObject, slot: string): Promise<Float32Array | null> {
        const answer = await this.app.ask('pose', { body: this.body, pose, blend: 1 }, slot).catch(() => null);
        return answer ? answer.positions.slice() : null;
    }

    get triangles(): BufferAttribute | null {
        return this.app.viewport.bodyView(this.body)?.surface.geometry.getIndex() ?? null;
    }

    get color(): string {
        const [r, g, b] = this.app.viewport.bodyView(this.body)?.body.color ?? [0.8, 0.55, 0.25];
        return `#${new Color().setRGB(r, g, b, SRGBColorSpace).getHexString()}`;
    }

    // ---- the picture

    private changed(): void {
        if (this.drafted && this.pose && JSON.stringify(this.drafted) === JSON.stringify(this.pose)) this.drafted = null;
        this.newest.again();
        this.tell();
    }

    private tell(): void {
        for (const listener of this.listeners) listener();
    }

    /** What is to be seen; 'rest': the rest shape, on which a first pose is made; null: the body itself. */
    private get shown(): JsonObject | 'rest' | null {
        if (this.app.get('desk') !== 'poses' || refusal(this.content, this.body)) return null;
        const looked = poseAt(this.content, this.body, this.looked);
        if (looked) return looked;
        if (['pose-groups', 'pose-watch'].includes(this.app.get('tool'))) return null;  // these are about the body itself
        return this.drafted ?? this.pose ?? (['pose-handles', 'pose-brush', 'pose-deform'].includes(this.app.get('tool')) ? 'rest' : null);
    }

    private peel(body: string): void {
        const { viewport } = this.app;
        if (this.peeled && this.peeled !== body) viewport.bodyView(this.peeled)?.setPeeled(false);
        if (body) viewport.bodyView(body)?.setPeeled(true);
        this.peeled = body;
        viewport.draw();
    }

    private hide(): void {
        this.mesh.hide();
        this.drawn = '';
        this.facts = null;
        this.peel('');
    }

    private async ask(): Promise<void> {
        const { shown, body } = this, view = this.app.viewport.bodyView(body);
        if (!shown || !view) return this.hide();
        const rests = this.shapes.of(view), index = this.triangles;
        if (!rests || !index) return;
        const before = performance.now(), blend = this.looked === null ? this.weight : 1;
        let positions = rests;
        this.refusal = null;
        if (shown === 'rest') {
            this.facts = null;
            this.base = null;
        } else {
            try {
                const answer = await this.app.ask('pose', { body, pose: shown, blend, draft: shown === this.drafted });
                if (!answer) return;
                positions = answer.positions.slice();
                await this.askBase(shown, positions);
                const [moved, inverted, ...place] = answer.facts;
                this.facts = { moved, inverted, place };
            } catch (error) {
                this.refusal = (error as Error).message;
                this.facts = null;
                return this.tell();
            }
        }
        this.lastAnswer = performance.now() - before;
        if (this.body !== body || positions.length !== rests.length) return;
        this.mesh.show(positions, rests, index, startOfBody(this.content!, body), this.color);
        this.drawn = JSON.stringify([shown, blend]);
        this.peel(body);
        this.tell();
    }

    private async askBase(pose: JsonObject, posed: Float32Array): Promise<void> {
        const base = beforeHandles(pose), key = JSON.stringify([this.body, base]);
        if (!base) this.base = null;
        else if (!('handles' in pose) && !('touches' in pose)) this.base = { key, positions: posed };
        else if (this.base?.key !== key) {
            const positions = await this.shapeOf({ ...base, name: 'base' }, 'pose base');
            this.base = positions ? { key, positions } : null;
        }
    }
}
