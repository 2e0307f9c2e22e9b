// The volume model that the Shape desk works on: which node is chosen, what is hidden, the draft of a hand, and what the
// engine shows of it, coarse at once and fine when the hand rests.
import { Matrix4, Vector3 } from 'three';
import type { App } from '../app';
import type { Questions } from '../connection/requests';
import { toast } from '../panels/toasts';
import { bodyEntry, bodyPath } from '../painting/target';
import { Newest } from '../painting/newest';
import { type Edit, type Path, pointer, setChanges, valueAt } from '../scene_editing/commands';
import { scaleOfBody, startOfBody } from '../scene_editing/placement';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { followParts } from '../scene_editing/stiffness_times';
import { type NodePath, type TreeEdit, TreeProblem, allNodes, boxOf, keyOf, matrixAbove, nodeAt, pathOf, treeChanges, visibleNode } from '../scene_editing/volume_tree';

export type ModelSurface = Questions['model']['answer'];
export type ModelCut = Questions['model_cut']['answer'];
export type ModelLattice = Questions['model_lattice']['answer'];

const mostCells = 3e5;  // of a box: more would keep the engine busy for long
const restTime = 150;  // ms: a hand that rests as long is shown the fine surface

/** Why the desk has no model to work on. */
export type Lack = 'nothing' | 'other' | 'file';

export class ShapeModel {
    surface: ModelSurface | null = null;
    /** From the coordinates of the surface to those of the model. */
    surfaceAt = new Matrix4();
    cut: ModelCut | null = null;
    lattice: ModelLattice | null = null;
    /** What is wrong with the model, and at which node. */
    problem: { key: string | null; words: string } | null = null;
    hidden: ReadonlySet<string> = new Set();
    solo: string | null = null;
    /** Only what is at least this stiff is shown. */
    from = 0;
    byStiffness = false;
    showsLattice = false;
    /** What is shown is the model of now, in detail, with its lattice. */
    rests = false;
    private chosen: string[] = ['root'];
    private draft: JsonObject | null = null;
    private draftSolid: JsonObject | null = null;
    private body = '';
    private readonly listeners = new Set<() => void>();
    private readonly coarse = new Newest(() => this.ask(false));
    private readonly fine = new Newest(() => this.ask(true));
    private readonly cells = new Newest(() => this.askLattice());
    private resting = 0;
    private seen = '';

    constructor(readonly app: App) {
        app.on(['document', 'selection', 'desk', 'scene'], () => this.follow());
        app.on(['look', 'tool'], () => { if (this.active) this.refresh(); });
        app.on('status', () => this.cover());
        app.on('refused', () => { this.pending = null; });
    }

    on(listener: () => void): void {
        this.listeners.add(listener);
    }

    tell(): void {
        for (const listener of this.listeners) listener();
    }

    // ---- what there is

    get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    get identity(): string {
        return this.app.selected;
    }

    get entry(): JsonObject | null {
        return this.content && bodyEntry(this.content, this.identity);
    }

    get solid(): JsonObject | null {
        const solid = this.draftSolid ?? this.entry?.solid;
        return isObject(solid) ? solid : null;
    }

    get lack(): Lack | null {
        const volume = this.solid?.volume;
        return !this.entry ? 'nothing' : volume === undefined ? 'other' : isObject(volume) ? null : 'file';
    }

    /** As the document has it. */
    get stored(): JsonObject | null {
        const volume = this.entry && isObject(this.entry.solid) ? this.entry.solid.volume : undefined;
        return isObject(volume) ? volume : null;
    }

    /** With the draft of a hand in it. */
    get model(): JsonObject | null {
        return this.draft ?? this.stored;
    }

    get active(): boolean {
        return this.app.get('desk') === 'shape' && this.model !== null;
    }

    /** Where the model is in the document. */
    get path(): Path {
        return [...bodyPath(this.identity), 'solid', 'volume'];
    }

    /** From the coordinates of the model to where the body starts. */
    get start(): Matrix4 {
        const scale = scaleOfBody(this.content!, this.identity);
        return startOfBody(this.content!, this.identity).multiply(new Matrix4().makeScale(scale, scale, scale));
    }

    // ---- what is chosen

    get keys(): readonly string[] {
        return this.chosen;
    }

    get paths(): NodePath[] {
        return this.chosen.map(pathOf);
    }

    /** The last one that was chosen. */
    get node(): { path: NodePath; node: JsonObject } | null {
        const key = this.chosen[this.chosen.length - 1], path = key === undefined ? null : pathOf(key), node = path && this.model && nodeAt(this.model, path);
        return path && node ? { path, node } : null;
    }

    choose(keys: readonly string[]): void {
        this.chosen = [...keys];
        this.tell();
    }

    toggleHidden(key: string): void {
        const hidden = new Set(this.hidden);
        if (!hidden.delete(key)) hidden.add(key);
        this.hidden = hidden;
        this.refresh();
    }

    toggleSolo(key: string): void {
        this.solo = this.solo === key ? null : key;
        this.refresh();
    }

    // ---- edits

    /** One step of undo; what cannot be is said and changes nothing. */
    edit(make: (model: JsonObject) => TreeEdit): boolean {
        const { stored } = this;
        if (!stored) return false;
        try {
            const edited = make(stored), moved = (key: string) => edited.moved.get(key);
            this.send(edited.label, (content) => {
                const now = valueAt(content, this.path);
                return isObject(now) ? treeChanges(this.path, now.root as JsonObject, make(now).root) : [];
            }, moved);
            this.hidden = new Set([...this.hidden].flatMap((key) => moved(key) ?? []));
            this.solo = this.solo === null ? null : moved(this.solo) ?? null;
            this.pending = edited.chosen.map(keyOf);
            return true;
        } catch (error) {
            if (!(error instanceof TreeProblem)) throw error;
            toast(error.message, 'warning');
            return false;
        }
    }

    /** Chosen as soon as the document has them. */
    private pending: string[] | null = null;

    /** `moved`: keys of nodes before and after. */
    send(label: string, changes: (content: JsonObject) => Edit['changes'], moved: (key: string) => string | undefined = (key) => key): void {
        this.app.edits.once((now) => {
            const content = now as unknown as JsonObject, made = changes(content);
            return made.length ? { label, changes: [...made, ...followParts(content, this.path.slice(0, -2), made, moved)] } : null;
        });
    }

    /** Sets values of a node; moves of one control in a row are one step of undo. */
    set(path: NodePath, values: Record<string, Json | undefined>, label: string): void {
        const at = [...this.path, ...path];
        this.app.edits.edit(`${keyOf(at)} ${Object.keys(values).join()}`, (now) => {
            const content = now as unknown as JsonObject;
            const changes = Object.entries(values).flatMap(([key, value]) => {
                const there = valueAt(content, [...at, key]) !== undefined;
                if (value !== undefined) return setChanges(content, [...at, key], value);
                return there ? [{ op: 'remove' as const, path: pointer([...at, key]) }] : [];
            });
            return changes.length ? { label, changes: [...changes, ...followParts(content, this.path.slice(0, -2), changes, (key) => key)] } : null;
        });
    }

    /** A hand tries another node; null: no longer. */
    try(path: NodePath | null, node: JsonObject | null = null): void {
        this.draft = path && node && this.stored ? withNode(this.stored, path, node) : null;
        this.refresh();
    }

    /** A slider tries another solid; null: no longer. */
    trySolid(solid: JsonObject | null): void {
        this.draftSolid = solid;
        this.cells.again();
        this.tell();
    }

    // ---- what is shown

    private follow(): void {
        if (this.identity !== this.body) {
            this.body = this.identity;
            this.chosen = ['root'];
            this.hidden = new Set();
            this.solo = null;
            this.pending = null;
            this.surface = this.cut = this.lattice = null;
        }
        const { model } = this;
        if (model && this.pending?.every((key) => nodeAt(model, pathOf(key)))) {
            this.chosen = this.pending;
            this.pending = null;
        }
        if (model) {
            const there = new Set(allNodes(model).map(({ path }) => keyOf(path)));
            this.chosen = this.chosen.filter((key) => there.has(key));
            this.hidden = new Set([...this.hidden].filter((key) => there.has(key)));
            if (this.solo !== null && !there.has(this.solo)) this.solo = null;
        }
        const sign = `${this.active} ${this.identity} ${this.active ? JSON.stringify([this.solid, this.entry?.place]) : ''}`;
        if (sign !== this.seen) {
            this.seen = sign;
            this.refresh();
        }
        this.cover();
        this.tell();
    }

    /** The model stands where the body starts: while the body is there, too, only the model is drawn. */
    private cover(): void {
        const body = this.active && this.app.status?.frame === 0 ? this.identity : null;
        if (body !== this.app.get('modelled')) this.app.set('modelled', body);
    }

    refresh(): void {
        clearTimeout(this.resting);
        ++this.version;
        this.rests = false;
        if (this.active) this.coarse.again();
        this.tell();
    }

    /** What is seen of the model: without what is hidden, or one node alone. null: nothing. */
    private visible(): { model: JsonObject; at: Matrix4 } | null {
        const model = this.model!, path = this.solo === null ? (['root'] as NodePath) : pathOf(this.solo), node = nodeAt(model, path);
        const root = node && visibleNode(node, path, this.hidden);
        return root ? { model: { ...model, root }, at: matrixAbove(model, path) } : null;
    }

    /** Counts what was to be shown. */
    private version = 0;

    private async ask(fine: boolean): Promise<void> {
        if (!this.active) return;
        const { version } = this, visible = this.visible(), body = this.identity, { cutting } = this.app.viewport;
        const isNew = () => version === this.version;
        try {
            const surface = visible && await this.app.ask('model', { body, model: visible.model, fine, from: this.from }, `model ${fine}`);
            const plane = this.app.look.cut && visible ? cutting.plane.clone().applyMatrix4(this.start.multiply(visible.at).invert()) : null;
            const cut = plane && surface && await this.app.ask('model_cut', {
                body, model: visible!.model, point: plane.coplanarPoint(new Vector3()).toArray(), normal: plane.normal.toArray(), rows: fine ? 400 : 120,
            }, `model_cut ${fine}`);
            // While a hand drags, what it tried a moment ago is better than nothing.
            if ((surface || !visible) && (isNew() || !fine) && body === this.identity) {
                this.surface = surface;
                this.surfaceAt = visible?.at ?? new Matrix4();
                this.cut = cut;
                this.problem = null;
            }
        } catch (error) {
            if (isNew()) this.problem = placed((error as Error).message);
        }
        if (isNew() && fine) this.cells.again();
        else if (isNew()) this.resting = window.setTimeout(() => this.fine.again(), restTime);
        this.tell();
    }

    private async askLattice(): Promise<void> {
        const { solid, model, version } = this;
        if (!this.active || !solid || !model) return;
        const { low, high } = boxOf(model.root as JsonObject), size = high.sub(low), cells = (size.x * size.y * size.z) / Number(solid.cell) ** 3;
        const isMany = cells > mostCells;
        const lattice = isMany ? null : await this.app.ask('model_lattice', { body: this.identity, solid: { ...solid, volume: model } }).catch(() => null);
        if (lattice || isMany) this.lattice = lattice;
        this.rests = version === this.version && this.draft === null;
        this.tell();
    }
}

/** The model with another node at a place; nothing of it is changed. */
export function withNode(model: JsonObject, path: NodePath, node: JsonObject): JsonObject {
    const copy = (value: Json, depth: number): Json => {
        if (depth === path.length) return node;
        if (Array.isArray(value)) return value.map((entry, k) => (k === path[depth] ? copy(entry, depth + 1) : entry));
        return { ...(value as JsonObject), [path[depth]]: copy((value as JsonObject)[path[depth]], depth + 1) };
    };
    return copy(model, 0) as JsonObject;
}

/** "model.root.args[1]: why" -> the node, and why. */
function placed(message: string): { key: string | null; words: string } {
    const [, place, words] = /^model\.(root[^:]*): ([^]*)$/.exec(message) ?? [];
    if (place === undefined) return { key: null, words: message.replace(/^model: /, '') };
    const path = place.match(/root|args|of|\d+/g) ?? ['root'];
    return { key: path.join('/'), words };
}

const models = new WeakMap<App, ShapeModel>();

/** The one of a page. */
export function shapeModelOf(app: App): ShapeModel {
    let model = models.get(app);
    if (!model) models.set(app, model = new ShapeModel(app));
    return model;
}
