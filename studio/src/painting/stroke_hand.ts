// A hand that draws strokes on a body, on its surface, on a layer inside it or on the cut, which some direction of it
// follows; and that chooses, bends and extends those that are there. Whatever that is: tools say where the strokes of a body
// are kept.
import type { App } from '../app';
import { h } from '../dom';
import { segmented } from '../panels/segmented';
import { toast } from '../panels/toasts';
import type { Change } from '../protocol/messages';
import type { Json, JsonObject } from '../scene_editing/schema';
import type { Gesture, Place, ToolParts } from '../toolbox/tool';
import { toolBeneath } from '../toolbox/tool_beneath';
import { tidyPlace } from './coat';
import { type PaintSpot, spotsOf } from './spots';
import { StrokeView } from './stroke_view';
import { type StrokeLine, dragged, extended, hasWay, mirrored, reversed, smoothed } from './strokes';

const stepShare = 0.02;   // of the body's size, between two places of a stroke
const grip = 12;          // pixels around a point or a line that belong to it
const leastDrag = 5;      // pixels: less is a click
const peelStep = 0.05;    // of the depth, for a notch of the wheel

/** The strokes of a body. */
export interface StrokeField {
    strokes: StrokeLine[];
    /** What drawing does, in a sentence. */
    hint: string;
    /** A field: how its layers lie; null: it cannot have any. */
    depth: Json | null;
    /** The direction that these strokes make, or that holds without any; null: none is known. */
    direction(strokes: StrokeLine[]): Json | null;
    /** Sets them. */
    changes(content: JsonObject, strokes: StrokeLine[]): Change[];
    /** Sets a direction without strokes along an axis; without: there is none to set. */
    along?(content: JsonObject, axis: 0 | 1 | 2): Change[];
}

type Axis = 'x' | 'y' | 'z';

export class StrokeHand {
    readonly view: StrokeView;
    private readonly panel: HTMLElement;
    private readonly words = h('p.hint');
    private readonly why = h('p.why', { role: 'status', hidden: true });
    private readonly count = h('span.hint');
    private readonly all = h('button', { type: 'button', onclick: () => this.set(() => [], `Clear ${this.name}s`) }, 'Clear');
    private readonly start = h('button', { type: 'button', title: 'Fibres along the longest axis of the body: a start to correct with strokes', onclick: () => void this.startAlong() }, 'Start along the longest axis');
    private readonly peels = h('input', { type: 'checkbox', onchange: () => this.peel(this.peels.checked ? this.middleLevel() : null) });
    private readonly slider = h('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 0.5, 'aria-label': 'Depth of the layer', oninput: () => this.peel(Number(this.slider.value)) });
    private readonly levelWords = h('output');
    private readonly peelRow = h('div.row', {}, h('label.check', { title: 'Peel the body to a layer of equal depth and draw there; Alt and the wheel go deeper' }, this.peels, 'Peel'), this.slider, this.levelWords);
    private readonly streams = h('input', { type: 'checkbox', checked: true, onchange: () => this.draw() });
    private readonly mirrorAxis: ReturnType<typeof segmented<Axis>>;
    private readonly tools: HTMLElement;
    private axis: Axis = 'x';
    private level: number | null = null;
    private chosen: number | null = null;
    private draft: PaintSpot[] = [];
    /** Whose strokes are shown. */
    private body = '';
    /** Strokes as a hand bends them; null: those of the document. */
    private bent: StrokeLine[] | null = null;

    /** `of`: the strokes of a body, or a sentence: why it can have none. */
    constructor(private readonly app: App, private readonly tool: string, private readonly name: string, private readonly of: (content: JsonObject, body: string) => StrokeField | string) {
        this.view = new StrokeView(app, (refusal) => this.answered(refusal));
        this.mirrorAxis = segmented<Axis>('Mirror', [['x', 'X'], ['y', 'Y'], ['z', 'Z']], () => this.axis, (axis) => {
            this.axis = axis;
            this.mirrorAxis.update();
        });
        const act = (name: string, title: string, run: () => void) => h('button', { type: 'button', title, onclick: run }, name);
        this.tools = h('div.stroke-tools', { role: 'group', 'aria-label': 'Chosen stroke' },
            act('Smooth', 'Smooth it (S)', () => this.key('s')), act('Reverse', 'Turn it round (R)', () => this.key('r')),
            act('Mirror', 'Mirror it to the other side of the body (M)', () => this.key('m')), act('Mirrored copy', 'Add a mirror image on the other side (Shift M)', () => this.mirror(true)),
            act('Delete', 'Delete it (Del)', () => this.key('Delete')));
        this.panel = h('div.paint-panel.stroke-panel', {}, this.words, this.why, this.start,
            this.peelRow,
            h('label.check.row', { title: 'Lines along the directions that follow from the strokes' }, this.streams, 'Streamlines'),
            this.mirrorAxis.element, this.tools,
            h('div.row.foot', {}, this.count, this.all));
        app.on(['opened', 'selection'], () => {
            if (this.body === app.selected) return;
            this.body = app.selected;
            this.chosen = this.level = null;
        });
        app.on(['document', 'selection', 'tool', 'scene', 'desk'], () => this.update());
    }

    get parts(): ToolParts {
        return {
            overlay: this.view, panel: this.panel, press: (at) => this.press(at), hover: (at) => spotsOf(this.app).at(at.x, at.y) !== null,
            key: (key, shift) => this.heard(key, shift),
            scroll: (notches) => this.scroll(notches),
        };
    }

    private get content(): JsonObject {
        return this.app.document!.content as unknown as JsonObject;
    }

    private current(body = this.app.selected): StrokeField | string {
        return this.app.document ? this.of(this.content, body) : 'Choose a body.';
    }

    /** Of a body, in the coordinates of fields. */
    private sizeOf(body: string): number {
        return (this.app.viewport.bodyView(body)?.body.size ?? 1) / spotsOf(this.app).scaleOf(body);
    }

    // ---- what is shown

    private update(): void {
        if (toolBeneath(this.app) !== this.tool) {
            this.view.show(null);
            return;
        }
        spotsOf(this.app).prepare(this.app.selected);
        const now = this.current(), strokes = typeof now === 'string' ? [] : now.strokes;
        if (this.chosen !== null && this.chosen >= strokes.length) this.chosen = null;
        this.words.textContent = typeof now === 'string' ? now : now.hint;
        this.peelRow.hidden = typeof now === 'string' || now.depth === null;
        this.start.hidden = typeof now === 'string' || !now.along || now.direction(now.strokes) !== null;
        for (const input of [this.peels, this.slider, this.streams]) input.disabled = typeof now === 'string';
        this.draw();
    }

    private draw(): void {
        const now = this.current(), { selected } = this.app;
        if (typeof now === 'string' || !selected) {
            this.view.show(null);
            return;
        }
        const strokes = this.bent ?? now.strokes, draft = this.draft.map(({ rest }) => rest.toArray());
        const drawn = hasWay(draft, this.sizeOf(selected)) ? [...strokes, { points: draft }] : strokes;
        this.tools.hidden = this.mirrorAxis.element.hidden = strokes.length === 0;
        this.count.textContent = this.chosen !== null ? `Stroke ${this.chosen + 1} of ${strokes.length}` : strokes.length === 1 ? 'One stroke' : `${strokes.length || 'No'} strokes`;
        this.all.hidden = strokes.length === 0;
        this.peels.checked = this.level !== null;
        this.slider.disabled = this.level === null;
        if (this.level !== null) this.slider.value = String(this.level);
        this.levelWords.textContent = this.level === null ? 'outside' : this.level.toFixed(2);
        this.view.show({
            body: selected, strokes, chosen: this.chosen, draft: this.draft.map(({ point }) => point), depth: now.depth ?? 0,
            direction: this.streams.checked ? now.direction(drawn) : null, level: this.level,
        });
    }

    private answered(refusal: string | null): void {
        const range = this.view.range, flat = this.level !== null && range !== null && range[1] - range[0] < 1e-6;
        this.why.textContent = refusal ?? (flat ? 'Depth is the same everywhere, so there are no layers: start from a guess under Paint, Depth.'
            : this.level !== null && range !== null && (this.level < range[0] || this.level > range[1]) ? `Nothing is that deep: depths go from ${range[0].toFixed(2)} to ${range[1].toFixed(2)}.` : '');
        this.why.hidden = !this.why.textContent;
    }

    // ---- layers

    private middleLevel(): number {
        const { range } = this.view;
        return range ? (range[0] + range[1]) / 2 : 0.5;
    }

    /** null: the outside. */
    private peel(level: number | null): void {
        this.level = level === null ? null : Math.round(100 * Math.min(1, Math.max(0, level))) / 100;
        this.draw();
    }

    /** Deeper with every notch towards oneself; beyond the outermost layer the outside is there again. */
    private scroll(notches: number): boolean {
        if (this.peelRow.hidden) return false;
        const next = (this.level ?? 1 + 0.01) - peelStep * notches;
        this.peel(next > 1 ? null : next);
        return true;
    }

    // ---- edits

    private set(change: (strokes: StrokeLine[]) => StrokeLine[], label: string): void {
        const body = this.app.selected, size = this.sizeOf(body);
        this.app.edits.once((now) => {
            const content = now as unknown as JsonObject, field = this.of(content, body);
            if (typeof field === 'string') {
                toast(field, 'warning');
                return null;
            }
            const strokes = change(field.strokes).map((stroke) => ({ ...stroke, points: stroke.points.map((p) => tidyPlace(p, size)) }));
            return { label, changes: field.changes(content, strokes) };
        });
    }

    /** Changes the chosen stroke, or all if none is. */
    private change(how: (stroke: StrokeLine) => StrokeLine, what: string): boolean {
        const { chosen } = this, now = this.current();
        if (typeof now === 'string' || !now.strokes.length) return false;
        this.set((strokes) => strokes.map((stroke, k) => (chosen === null || k === chosen ? how(stroke) : stroke)), `${what} ${chosen === null ? `${this.name}s` : `a ${this.name}`}`);
        return true;
    }

    /** A key of the keyboard: letters are for a chosen stroke, else they mean what they always do. */
    private heard(key: string, shift: boolean): boolean {
        if (this.chosen === null && key.length === 1) return false;
        return shift && key === 'm' ? this.mirror(true) : this.key(key);
    }

    /** True: the key meant something here. */
    private key(key: string): boolean {
        const { chosen } = this;
        switch (key) {
            case 'Delete': case 'Backspace':
                if (chosen === null) {
                    toast('Click the stroke to delete first. “Clear” deletes all of them.', 'info');
                    return true;
                }
                this.set((strokes) => strokes.filter((_, k) => k !== chosen), `Delete a ${this.name}`);
                this.chosen = null;
                return true;
            case 'r': return this.change((stroke) => ({ ...stroke, points: reversed(stroke.points) }), 'Reverse');
            case 's': return this.change((stroke) => ({ ...stroke, points: smoothed(stroke.points) }), 'Smooth');
            case 'm': return this.mirror(false);
            case 'Escape': return this.unchoose();
            default: return false;
        }
    }

    private unchoose(): boolean {
        if (this.chosen === null) return false;
        this.chosen = null;
        this.draw();
        return true;
    }

    private mirror(copy: boolean): boolean {
        const middle = spotsOf(this.app).middleOf(this.app.selected), axis = 'xyz'.indexOf(this.axis) as 0 | 1 | 2, { chosen } = this;
        if (!middle) return false;
        const image = (stroke: StrokeLine) => ({ ...stroke, points: mirrored(stroke.points, axis, middle.center.getComponent(axis)) });
        if (!copy) return this.change(image, 'Mirror');
        const now = this.current();
        if (typeof now === 'string' || !now.strokes.length) return false;
        this.set((strokes) => [...strokes, ...strokes.filter((_, k) => chosen === null || k === chosen).map(image)], `Copy ${chosen === null ? `${this.name}s` : `a ${this.name}`} to the other side`);
        return true;
    }

    private async startAlong(): Promise<void> {
        const body = this.app.selected, middle = await spotsOf(this.app).middleWhenKnown(body);
        if (!middle) return;
        const { size } = middle, axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        this.app.edits.once((now) => {
            const content = now as unknown as JsonObject, field = this.of(content, body);
            return typeof field === 'string' || !field.along ? null : { label: 'Start along the longest axis', changes: field.along(content, axis) };
        });
    }

    // ---- gestures

    /** The point of the chosen stroke under a pixel. */
    private pointAt(at: Place): number | null {
        const points = this.chosen === null ? [] : this.view.places[this.chosen] ?? [];
        return this.nearest(at, points);
    }

    private nearest(at: Place, points: ReturnType<StrokeView['places']['at']>): number | null {
        let best: number | null = null, least = grip;
        (points ?? []).forEach((point, k) => {
            const pixel = this.app.viewport.picking.toPage(point), away = Math.hypot(pixel.x - at.x, pixel.y - at.y);
            if (away < least) least = away, best = k;
        });
        return best;
    }

    /** The stroke under a pixel. */
    private strokeAt(at: Place): number | null {
        const found = this.view.places.findIndex((points) => this.nearest(at, points) !== null);
        return found < 0 ? null : found;
    }

    private press(at: Place): Gesture | null {
        const point = this.pointAt(at), ends = this.chosen === null ? 0 : (this.view.places[this.chosen]?.length ?? 1) - 1;
        if (at.shift) return point === 0 || (point !== null && point === ends) ? this.drawGesture(at, this.chosen) : null;
        if (point !== null) return this.bendGesture(at, point);
        return this.drawGesture(at, null);
    }

    /** Bends the chosen stroke at one of its points. */
    private bendGesture(at: Place, index: number): Gesture | null {
        const now = this.current(), spots = spotsOf(this.app), chosen = this.chosen!;
        if (typeof now === 'string') return null;
        const { strokes } = now;
        let moved = false;
        const end = () => {
            this.bent = null;
            this.draw();
        };
        return {
            move: (to) => {
                const spot = spots.at(to.x, to.y);
                moved ||= Math.hypot(to.x - at.x, to.y - at.y) >= leastDrag;
                if (!moved || !spot || spot.body !== this.app.selected) return;
                this.bent = strokes.map((stroke, k) => (k === chosen ? { ...stroke, points: dragged(stroke.points, index, spot.rest.toArray()) } : stroke));
                this.draw();
            },
            end: () => {
                const made = this.bent?.[chosen];
                if (made) this.set((all) => all.map((stroke, k) => (k === chosen ? made : stroke)), `Bend a ${this.name}`);
                end();
            },
            cancel: end,
        };
    }

    /** A new stroke, or one that goes on from its end; a click chooses what is there. */
    private drawGesture(at: Place, goesOn: number | null): Gesture | null {
        const spots = spotsOf(this.app), first = spots.at(at.x, at.y);
        if (!first) return null;
        if (this.app.selected !== first.body) this.app.select(first.body);
        const now = this.current(first.body);
        if (typeof now === 'string') {
            toast(now, 'warning');
            return { cancel() {} };
        }
        const size = this.sizeOf(first.body), level = this.view.shownLevel, under = this.strokeAt(at);
        let left = false;
        this.draft = [first];
        const end = () => {
            this.draft = [];
            this.draw();
        };
        return {
            move: (to) => {
                const spot = spots.at(to.x, to.y), last = this.draft[this.draft.length - 1];
                left ||= !spot || spot.body !== first.body;
                if (!spot || spot.body !== first.body || spot.rest.distanceTo(last.rest) < stepShare * size) return;
                this.draft.push(spot);
                this.draw();
            },
            end: (to) => {
                const points = this.draft.map(({ rest }) => rest.toArray() as number[]), clicked = Math.hypot(to.x - at.x, to.y - at.y) < leastDrag;
                if (clicked && points.length < 2) {
                    const had = this.chosen !== null;
                    this.chosen = under;
                    end();
                    if (under === null && !had) toast('A stroke needs some length: drag along the fibres.', 'warning');
                    return;
                }
                end();
                if (!hasWay(points, size)) return toast(left ? 'The stroke left the body at once, so nothing was drawn.' : 'A stroke needs some length: drag along the fibres.', 'warning');
                if (goesOn !== null) {
                    this.set((strokes) => strokes.map((stroke, k) => (k === goesOn ? { ...stroke, points: extended(stroke.points, points.slice(1)) } : stroke)), `Extend a ${this.name}`);
                    return;
                }
                this.chosen = null;
                this.set((strokes) => [...strokes, { points: smoothed(points), ...(level === null ? {} : { depth: level }) }], `Draw a ${this.name}`);
                if (left) toast('The stroke left the body. The part that lay on it was kept.', 'info');
            },
            cancel: end,
        };
    }
}
