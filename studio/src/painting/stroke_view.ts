// Strokes of a body where it is now, with the layer that they are drawn on and the directions that follow from them.
import { Color, Group, Vector3 } from 'three';
import type { App } from '../app';
import { DrawnLines } from '../overlays/drawn_lines';
import { LayerMesh } from '../overlays/layer_mesh';
import { StreamLines } from '../overlays/stream_lines';
import type { Json } from '../scene_editing/schema';
import { colorTable } from '../viewport/color_maps';
import type { Overlay } from '../viewport/overlay';
import { Newest } from './newest';
import { spotsOf } from './spots';
import type { StrokeLine } from './strokes';

const spacing = 0.03;     // of a body's size, between streamlines
const thickness = 0.012;  // of the same, of a stroke

export interface ShownStrokes {
    body: string;
    strokes: StrokeLine[];
    chosen: number | null;
    /** The stroke under a hand, in the scene. */
    draft: Vector3[];
    /** A field. */
    depth: Json;
    /** What streamlines follow; null: they are not shown. */
    direction: Json | null;
    /** Depth of the layer that is shown; null: the outside. */
    level: number | null;
}

/** Blue outside, red inside; without the white in the middle that a thin line would be lost in. */
export function strokeColor(depth: number): string {
    const table = colorTable('strokes'), k = 4 * Math.round(255 * Math.min(1, Math.max(0, depth)));
    return `rgb(${table[k]}, ${table[k + 1]}, ${table[k + 2]})`;
}

/** The same, pale: lines are drawn on it. */
export function layerColor(depth: number): string {
    return `#${new Color(strokeColor(depth)).lerp(new Color('#ffffff'), 0.55).getHexString()}`;
}

export class StrokeView implements Overlay {
    readonly object = new Group();
    /** Points of the strokes where they are shown. */
    places: Vector3[][] = [];
    /** Least and largest depth, while a layer is shown. */
    range: [number, number] | null = null;
    /** Depth of the layer in the picture, which follows the wanted one as soon as it is there; null: the outside. */
    shownLevel: number | null = null;
    /** ms that the last answer about streamlines took. */
    lastAnswer = 0;
    private readonly lines = new DrawnLines();
    readonly layer = new LayerMesh();
    private readonly streams = new StreamLines();
    private readonly newest = new Newest(() => this.ask());
    wanted: ShownStrokes | null = null;
    private depths: number[] = [];
    private peeled = '';

    /** `told`: an answer came; what the engine refused, and why. */
    constructor(private readonly app: App, private readonly told: (refusal: string | null) => void) {
        this.object.add(this.layer.object, this.streams.object, this.lines.object);
    }

    get lineCount(): number {
        return this.streams.count;
    }

    show(wanted: ShownStrokes | null): void {
        this.wanted = wanted;
        this.object.visible = wanted !== null;
        if (!wanted) this.places = [];
        if (!wanted || wanted.level === null || wanted.body !== this.peeled) this.peel('');
        if (!wanted) return;
        if (wanted.level === null) {
            this.layer.hide();
            this.range = null;
        } else if (this.layer.object.visible) {
            this.peel(wanted.body);
        }
        if (!wanted.direction) this.streams.hide();
        this.draw();
        this.newest.again();
    }

    frame(): void {
        if (this.wanted) this.newest.again();
    }

    look(): void {
        this.frame();
    }

    /** The body whose outside is glass; empty: none. */
    private peel(body: string): void {
        if (!body) this.shownLevel = null;
        if (this.peeled && this.peeled !== body) this.app.viewport.bodyView(this.peeled)?.setPeeled(false);
        if (body) this.app.viewport.bodyView(body)?.setPeeled(true);
        this.peeled = body;
        spotsOf(this.app).layer = body ? { body, mesh: this.layer } : null;
    }

    private sizeOf(body: string): number {
        return this.app.viewport.bodyView(body)?.body.size ?? 1;
    }

    /** What is known already. */
    private draw(): void {
        const { wanted } = this;
        if (!wanted) return;
        const lines = this.places.length === wanted.strokes.length ? this.places.map((points, k) => ({ points, color: strokeColor(this.depths[k] ?? 1), chosen: k === wanted.chosen })) : [];
        this.lines.show(lines, wanted.draft, thickness * this.sizeOf(wanted.body));
        this.app.viewport.draw();
    }

    private async ask(): Promise<void> {
        const { wanted, app } = this;
        if (!wanted || !app.viewport.bodyView(wanted.body)) return;
        const { body, depth, direction, level, strokes } = wanted, points = strokes.flatMap((stroke) => stroke.points) as [number, number, number][];
        const asked = performance.now();
        try {
            const [places, layer, streams] = await Promise.all([
                app.ask('places', { body, points, depth }, 'places'),
                level === null ? null : app.ask('layer', { body, depth, level }, 'layer'),
                direction === null ? null : app.ask('streamlines', { body, depth, direction, level, cut: level === null ? app.viewport.cutting.forEngine : null, spacing }, 'streamlines'),
            ]);
            this.lastAnswer = performance.now() - asked;
            if (this.wanted?.body !== body) return;
            if (places) this.place(strokes, places.positions, places.depths);
            if (layer && this.wanted.level !== null) {
                this.range = [layer.range[0], layer.range[1]];
                this.layer.show(layer.positions.slice(), layer.rests.slice(), layer.triangles.slice(), layerColor(level!));
                this.peel(layer.triangles.length ? body : '');
                if (layer.triangles.length) this.shownLevel = level;
            }
            if (streams && this.wanted.direction) this.streams.show(streams.points, streams.strengths, streams.starts, 0.004 * this.sizeOf(body), app.viewport.view.camera.position);
            this.told(null);
        } catch (error) {
            this.streams.hide();
            this.layer.hide();
            this.peel('');
            this.told((error as Error).message);
        }
        this.draw();
    }

    private place(strokes: StrokeLine[], positions: Float32Array, depths: Float32Array): void {
        let at = 0;
        this.places = strokes.map(({ points }) => points.map(() => new Vector3().fromArray(positions, 3 * at++)));
        at = 0;
        this.depths = strokes.map(({ points }) => {
            const first = at;
            at += points.length;
            return points.length ? depths.subarray(first, at).reduce((sum, d) => sum + d, 0) / points.length : 1;
        });
    }
}
