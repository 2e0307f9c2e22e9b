// Hold: a lasso, a box or a brush over a body pins what it covers there, or makes a handle of it; a plane takes all on one side.
import { Group, InstancedMesh, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from 'three';
import type { App } from '../app';
import { h } from '../dom';
import { ScreenArea, bodyUnder, boxArea } from '../overlays/screen_area';
import { segmented } from '../panels/segmented';
import { toast } from '../panels/toasts';
import type { AnswerLasso, Spot } from '../protocol/messages';
import { pathOf, pointer, setChanges, valueAt } from '../scene_editing/commands';
import { scaleOfBody, startOfBody } from '../scene_editing/placement';
import type { Json, JsonObject } from '../scene_editing/schema';
import { unscaled } from '../scene_editing/selections';
import type { Gesture, Place, Tool } from '../toolbox/tool';

type Shape = 'lasso' | 'box' | 'brush' | 'above';
type Kind = 'pin' | 'handle';

const most = 2000;       // dots of a preview
const leastStep = 4;     // pixels between two points of a line
const sides = 14;        // of the circle of a brush
const leastBrush = 6;    // pixels

let kind: Kind = 'pin';
let kindChanged = () => {};

/** What the next hold will be. */
export function holdKind(_: App, wanted: Kind): void {
    kind = wanted;
    kindChanged();
}

/** Dots on what would be held. */
class Preview {
    readonly object = new Group();
    private readonly dots = new InstancedMesh(new SphereGeometry(1, 8, 6), new MeshBasicMaterial({ color: '#2f6fed', depthTest: false, transparent: true, opacity: 0.85, toneMapped: false }), most);

    constructor() {
        this.dots.frustumCulled = false;
        this.dots.renderOrder = 965;
        this.dots.count = 0;
        this.object.add(this.dots);
    }

    show(places: number[][], radius: number): void {
        const matrix = new Matrix4();
        this.dots.count = Math.min(places.length, most);
        for (let k = 0; k < this.dots.count; ++k) this.dots.setMatrixAt(k, matrix.makeScale(radius, radius, radius).setPosition(places[k][0], places[k][1], places[k][2]));
        this.dots.instanceMatrix.needsUpdate = true;
    }
}

function circle(x: number, y: number, radius: number): Place[] {
    return Array.from({ length: sides }, (_, k) => ({ x: x + radius * Math.cos((2 * Math.PI * k) / sides), y: y + radius * Math.sin((2 * Math.PI * k) / sides), pressure: 0.5 }));
}

class Holder {
    readonly preview = new Preview();
    readonly panel: HTMLElement;
    private readonly area: ScreenArea;
    private shape: Shape = 'lasso';
    private through = false;
    private brush = 30;  // pixels
    private readonly shapes: ReturnType<typeof segmented<Shape>>;
    private readonly kinds: ReturnType<typeof segmented<Kind>>;

    constructor(private readonly app: App) {
        this.area = new ScreenArea(app);
        this.shapes = segmented<Shape>('By', [['lasso', 'Lasso'], ['box', 'Box'], ['brush', 'Brush'], ['above', 'Above']], () => this.shape, (shape) => {
            this.shape = shape;
            this.update();
        });
        this.kinds = segmented<Kind>('As', [['pin', 'Pin'], ['handle', 'Handle']], () => kind, (wanted) => holdKind(app, wanted));
        const hidden = h('input', { type: 'checkbox', onchange: () => { this.through = hidden.checked; } });
        this.panel = h('div.hold-panel', {}, this.kinds.element, this.shapes.element, h('label.row.check', { title: 'Also the far side and the inside' }, hidden, 'Through the body'), this.hint);
        kindChanged = () => this.update();
        this.update();
    }

    private readonly hint = h('p.hint');

    private update(): void {
        this.kinds.update();
        this.shapes.update();
        const what = kind === 'pin' ? 'stays where it starts' : 'is led by keys';
        this.hint.textContent = { lasso: `Draw around what ${what}.`, box: `Drag a box over what ${what}.`, brush: `Brush over what ${what}; [ and ] change the size.`, above: `Click a height: all of the body above it ${what}.` }[this.shape];
    }

    resize(factor: number): void {
        this.brush = Math.min(200, Math.max(leastBrush, this.brush * factor));
    }

    private ask(areas: Place[][], body: string, slot: string): Promise<AnswerLasso | null> {
        return this.area.ask(areas, body, this.through, slot);
    }

    private bodyOf(points: Place[], hit: string | null): string | null {
        return hit ?? bodyUnder(this.app, points);
    }

    press(at: Place, hit: string | null): Gesture {
        if (this.shape === 'above') return this.plane(at);
        const points: Place[] = [at];
        let pending = false;
        const areas = (to: Place): Place[][] => {
            switch (this.shape) {
                case 'box': return [boxArea(at, to)];
                case 'brush': return points.map(({ x, y, pressure }) => circle(x, y, this.brush * (pressure === 0.5 ? 1 : 0.4 + 1.2 * pressure)));
                default: return [points];
            }
        };
        const clear = () => {
            this.area.draw([]);
            this.preview.show([], 1);
            this.app.viewport.draw();
        };
        const follow = (to: Place) => {
            const last = points[points.length - 1], far = this.shape === 'brush' ? 0.4 * this.brush : leastStep;
            if (Math.hypot(to.x - last.x, to.y - last.y) >= far) points.push(to);
        };
        return {
            move: (to) => {
                follow(to);
                this.area.draw(areas(to));
                const body = this.bodyOf(areas(to).flat(), hit);
                if (!body || pending) return;
                pending = true;
                void this.ask(areas(to), body, 'lasso').catch(() => null).then((answer) => {
                    pending = false;
                    if (!answer || !this.area.isDrawn) return;
                    this.preview.show(answer.places, 0.12 * (this.app.viewport.bodyView(body)?.body.spacing ?? 0.1));
                    this.app.viewport.draw();
                });
            },
            resize: (factor) => this.resize(factor),
            end: (to) => {
                follow(to);
                const drawn = areas(to), body = this.bodyOf(drawn.flat(), hit);
                clear();
                void this.hold(drawn, body);
            },
            cancel: clear,
        };
    }

    private async hold(areas: Place[][], body: string | null): Promise<void> {
        if (!body) return toast('There is no body inside it, so nothing is held.', 'warning');
        const answer = await this.ask(areas, body, 'hold').catch((error: Error) => { toast(error.message, 'error'); return null; });
        if (!answer || answer.particles === 0) return toast(this.through ? 'No particle lies inside it, so nothing is held.' : 'No visible particle lies inside it, so nothing is held. “Through the body” includes the hidden ones.', 'warning');
        this.add(body, unscaled(answer.select as Json, scaleOfBody(this.app.document!.content as unknown as JsonObject, body)), answer.particles);
    }

    /** One step of undo; what is held is chosen. */
    private add(body: string, select: Json, particles: number): void {
        const { app } = this, list = kind === 'pin' ? 'pins' : 'handles', path = [...pathOf(body), list];
        const there = valueAt(app.document!.content as unknown as JsonObject, path), at = Array.isArray(there) ? there.length : 0;
        app.edits.once((content) => {
            const found = valueAt(content as unknown as JsonObject, path), value: Json = { select };
            const changes = Array.isArray(found) && found.length ? [{ op: 'add' as const, path: `${pointer(path)}/-`, value }] : setChanges(content as unknown as JsonObject, path, [value]);
            return { label: kind === 'pin' ? 'Pin' : 'Add handle', changes };
        });
        const who = app.viewport.bodyView(body)?.body.name ?? body, then = kind === 'pin' ? 'held' : 'on a handle: choose Move to set keys';
        if (Number.isNaN(particles)) toast(`All of ${who} above that height is ${then}.`);
        else toast(`${particles === 1 ? 'One particle' : `${particles} particles`} of ${who} ${then}.`);
        if (kind === 'handle') chooseWhenThere(app, pointer([...path, at]));
    }

    /** All above a height, whatever the mesh. */
    private plane(at: Place): Gesture {
        const { app } = this, hit = app.viewport.picking.pick(at.x, at.y);
        return {
            cancel() {},
            end: () => {
                if (!hit) return toast('Click a body at the height above which to hold it.', 'warning');
                void this.above(hit.body, hit.spot);
            },
        };
    }

    private async above(body: string, spot: Spot): Promise<void> {
        const { app } = this, content = app.document!.content as unknown as JsonObject;
        const answer = await app.ask('rest_place', { spot }).catch(() => null);
        if (!answer) return;
        const scale = scaleOfBody(content, body), start = startOfBody(content, body);
        const up = new Vector3(0, 1, 0).transformDirection(start.clone().invert());
        const tidy = (v: Vector3) => v.toArray().map((x) => Number(x.toFixed(5)));
        this.add(body, { plane: { point: tidy(new Vector3().fromArray(answer.place).divideScalar(scale)), normal: tidy(up) } }, NaN);
    }
}

function chooseWhenThere(app: App, key: string): void {
    const stop = app.on('document', (document) => {
        if (!document) return;
        stop();
        app.choose([key]);
    });
}

export const tool: Tool = {
    id: 'hold', name: 'Hold', key: 'D', about: 'Hold a part of a body with a lasso, box, brush or height', order: 12, desk: 'scene',
    icon: 'M12 4c5 0 8.500 2 8.500 5s-3.500 5-8.500 5-8.500-2-8.500-5S7 4 12 4zM8 13.500c-2 1-2.500 3-1 4s3 0 2.500 2.500',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make(app) {
        const holder = new Holder(app);
        return {
            overlay: holder.preview, panel: holder.panel, resize: (factor) => holder.resize(factor),
            press: (at, hit) => (at.shift ? null : holder.press(at, hit?.body ?? null)),
        };
    },
};
