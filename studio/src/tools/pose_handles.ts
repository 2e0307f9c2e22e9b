// Pose by handles: press a place of the body and drag it, or hold it where it is, or draw a line that moves as one; a gizmo
// moves and turns the chosen one. The rest of the body follows as rigidly as it can, by the engine.
import { Group, MathUtils, Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { h, isTyped } from '../dom';
import { Gizmo, type GizmoMode } from '../overlays/gizmo';
import { DrawnLines } from '../overlays/drawn_lines';
import { PoseMarkers } from '../overlays/pose_markers';
import { toast } from '../panels/toasts';
import { segmented } from '../panels/segmented';
import { type PoseStage, poseStageOf } from '../posing/pose_stage';
import { type PoseHandle, endOf, handlesOf, isMade, refusal, tidyVector, turnedBy } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { Gesture, Place, Tool, ToolParts } from '../toolbox/tool';

const leastDrag = 4;  // pixels: less is a click
const grip = 14;      // pixels around a dot that belong to it
const leastLine = 12; // pixels: less is a point

const hints = {
    point: 'Click places that stay where they are, then drag another: the body follows. Orange is chosen: arrows move it, rings turn it, Delete removes it.',
    line: 'Draw a line on the body: what is near it moves and turns as one, by the dot in its middle.',
};

function middleOf(handle: PoseHandle): Vector3 {
    const middle = new Vector3().fromArray(handle.at), to = endOf(handle);
    return to ? middle.add(new Vector3().fromArray(to)).multiplyScalar(0.5) : middle;
}

class HandleHand {
    readonly parts: ToolParts;
    private readonly stage: PoseStage;
    private readonly gizmo: Gizmo;
    private readonly markers = new PoseMarkers();
    private readonly lines = new DrawnLines();
    private drawing: Vector3[] = [];
    private kind: 'point' | 'line' = 'point';
    private readonly kinds = segmented<'point' | 'line'>('New handle', [['point', 'Point'], ['line', 'Line']], () => this.kind, (kind) => {
        this.kind = kind;
        this.kinds.update();
        this.update();
    });
    private readonly why = h('p.why', { role: 'status' });
    private readonly hint = h('p.hint', {}, hints.point);
    private readonly radius = h('input', { type: 'range', min: 0, max: 0.5, step: 0.01, value: 0.12, 'aria-label': 'Radius of handles', title: 'How much of the body a handle holds', oninput: () => this.setRadius(Number(this.radius.value)), onchange: () => this.endRadius() });
    private readonly radiusWords = h('output');
    private readonly mode: ReturnType<typeof segmented<GizmoMode>>;
    private readonly numbers = (['move', 'turn'] as const).map((key) => ({ key, inputs: [0, 1, 2].map((k) => this.number(key, k)) }));
    private readonly chosenPart: HTMLElement;
    private chosen: number | null = null;
    private share = 0.12;  // of the body's size
    /** A hand drags one, which may be new. */
    private held = false;

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        this.gizmo = new Gizmo(app.viewport.view.camera);
        this.gizmo.controls.setMode('translate');
        const object = new Group();
        object.add(this.lines.object, this.markers.object, this.gizmo.object);
        this.mode = segmented<GizmoMode>('Handle', [['translate', 'Move'], ['rotate', 'Turn']], () => this.gizmo.controls.mode as GizmoMode, (mode) => {
            this.gizmo.controls.setMode(mode);
            this.mode.update();
            this.app.viewport.draw();
        });
        this.chosenPart = h('div', {}, this.mode.element,
            ...this.numbers.map(({ key, inputs }) => h('div.row.vector', {}, h('span', {}, key === 'move' ? 'Moved' : 'Turned °'), ...inputs)),
            h('div.row', {}, h('button', { type: 'button', onclick: () => this.remove() }, 'Delete handle')));
        const panel = h('div.paint-panel.pose-handles', {}, this.why, this.hint, this.kinds.element, h('label.row', {}, h('span', {}, 'Radius'), this.radius, this.radiusWords), this.chosenPart);
        this.stage.on(() => this.update());
        app.on('tool', () => this.update());
        const markers = this.markers;
        this.parts = {
            overlay: { object, beforePicture: (camera, height) => markers.beforePicture(camera, height), look: (look) => this.gizmo.look(look) }, panel,
            press: (at) => this.press(at),
            hover: ({ x, y }) => {
                const { picking } = app.viewport, before = this.gizmo.controls.axis, over = this.gizmo.hover(picking.inPicture(x, y));
                if (this.gizmo.controls.axis !== before) app.viewport.draw();
                return over || this.dotAt(x, y) !== null || this.stage.at(x, y) !== null;
            },
            resize: (factor) => this.setShare(this.share * factor),
            key: (key) => {
                if (!['Delete', 'Backspace'].includes(key) || this.chosen === null) return false;
                this.remove();
                return true;
            },
        };
        queueMicrotask(() => this.update());
    }

    private number(key: 'move' | 'turn', k: number): HTMLInputElement {
        const input = h('input', {
            type: 'number', step: 'any', 'aria-label': `${key === 'move' ? 'Moved along' : 'Turned about'} ${'xyz'[k]}`,
            onchange: () => {
                const handle = this.handle;
                if (!handle || !Number.isFinite(input.valueAsNumber)) return;
                this.commit(this.chosen!, { ...handle, [key]: handle[key].map((v, i) => (i === k ? input.valueAsNumber : v)) }, key === 'move' ? 'Move a handle' : 'Turn a handle');
            },
        });
        return input;
    }

    private get handles(): PoseHandle[] {
        return handlesOf(this.stage.working);
    }

    private get handle(): PoseHandle | null {
        return this.chosen === null ? null : (this.handles[this.chosen] ?? null);
    }

    /** Where a handle is now, in the scene: the middle of a line. */
    private placeOf(handle: PoseHandle): Vector3 {
        return middleOf(handle).add(new Vector3().fromArray(handle.move)).applyMatrix4(this.stage.frame);
    }

    private lineOf(handle: PoseHandle): Vector3[] {
        const middle = middleOf(handle), turn = new Vector3().fromArray(handle.turn), angle = turn.length() * MathUtils.DEG2RAD;
        const turned = new Quaternion().setFromAxisAngle(angle > 0 ? turn.normalize() : turn, angle);
        return [handle.at, endOf(handle)!].map((end) => new Vector3().fromArray(end).sub(middle).applyQuaternion(turned).add(middle).add(new Vector3().fromArray(handle.move)).applyMatrix4(this.stage.frame));
    }

    private update(): void {
        if (this.app.get('tool') !== 'pose-handles' || !this.stage.content) return this.gizmo.show(false);
        this.hint.textContent = hints[this.kind];
        const why = refusal(this.stage.content, this.stage.body) ?? (this.stage.pose?.mirror ? 'This pose is a mirror image: pull at its original, or at a copy.' : null);
        this.why.textContent = why ?? '';
        this.why.hidden = why === null;
        if (this.handle === null && !this.held) this.chosen = null;
        const handles = why ? [] : this.handles;
        this.markers.show(handles.map((handle) => this.placeOf(handle)), this.chosen);
        this.lines.show(handles.flatMap((handle, k) => (endOf(handle) ? [{ points: this.lineOf(handle), chosen: k === this.chosen }] : [])), this.drawing, 0.012 * this.stage.size);
        this.chosenPart.hidden = !this.handle;
        this.gizmo.show(this.handle !== null);
        if (this.handle && !this.gizmo.controls.dragging) this.gizmo.place(this.placeOf(this.handle), new Quaternion());
        for (const { key, inputs } of this.numbers) inputs.forEach((input, k) => { if (this.handle && !isTyped(input)) input.value = String(this.handle[key][k]); });
        if (this.handle && !isTyped(this.radius)) this.share = this.handle.radius / this.stage.size;
        if (!isTyped(this.radius)) this.radius.value = String(this.share);
        this.radiusWords.textContent = `${Math.round(100 * this.share)} % of the body`;
        this.app.viewport.draw();
    }

    private dotAt(x: number, y: number): number | null {
        const { picking } = this.app.viewport;
        const near = this.handles.map((handle, k) => ({ k, away: Math.hypot(picking.toPage(this.placeOf(handle)).x - x, picking.toPage(this.placeOf(handle)).y - y) })).filter(({ away }) => away < grip);
        return near.sort((a, b) => a.away - b.away)[0]?.k ?? null;
    }

    // ---- the document

    private posed(k: number, handle: PoseHandle | null): JsonObject {
        const list = this.handles.slice();
        if (handle) list[k] = handle;
        else list.splice(k, 1);
        const { handles: _, ...rest } = this.stage.working ?? { name: 'pulled' };
        return (list.length ? { ...rest, handles: list } : rest) as JsonObject;
    }

    private commit(k: number, handle: PoseHandle | null, label: string): void {
        const pose = this.posed(k, handle);
        if (isMade(pose)) this.stage.commit(pose, label);
        else toast('An empty pose is the rest shape: delete the pose instead.', 'warning');
    }

    private remove(): void {
        if (this.chosen === null) return;
        const k = this.chosen;
        this.chosen = null;
        this.commit(k, null, 'Delete a handle');
    }

    private setShare(share: number): void {
        this.share = MathUtils.clamp(share, 0, 0.5);
        this.radius.value = String(this.share);
        if (this.handle) this.commit(this.chosen!, { ...this.handle, radius: Number((this.share * this.stage.size).toPrecision(4)) }, 'Size of a handle');
        this.radiusWords.textContent = `${Math.round(100 * this.share)} % of the body`;
    }

    private setRadius(share: number): void {
        this.share = share;
        this.radiusWords.textContent = `${Math.round(100 * share)} % of the body`;
        if (this.handle) this.stage.draft(this.posed(this.chosen!, { ...this.handle, radius: Number((share * this.stage.size).toPrecision(4)) }));
    }

    private endRadius(): void {
        this.setShare(this.share);
    }

    // ---- hands

    private press(at: Place): Gesture | null {
        if (refusal(this.stage.content, this.stage.body) || this.stage.pose?.mirror) return null;
        const { picking } = this.app.viewport;
        if (this.handle && this.gizmo.take(picking.inPicture(at.x, at.y))) return this.dragGizmo(this.chosen!, this.handle);
        const dot = this.dotAt(at.x, at.y);
        if (dot !== null) {
            this.chosen = dot;
            this.update();
            return this.dragHandle(dot, this.handles[dot], at, this.placeOf(this.handles[dot]), false);
        }
        const hit = this.stage.at(at.x, at.y);
        if (!hit) return null;
        if (this.kind === 'line') return this.drawLine(at, hit);
        const base = new Vector3().fromArray(hit.base), now = hit.point.clone().applyMatrix4(this.stage.frame.invert());
        // It holds the body where it is now, so that nothing moves until it is dragged.
        const handle: PoseHandle = { at: hit.base, radius: Number((this.share * this.stage.size).toPrecision(4)), move: tidyVector(now.sub(base)), turn: [0, 0, 0] };
        this.chosen = this.handles.length;
        return this.dragHandle(this.chosen, handle, at, hit.point, true);
    }

    /** From where it is pressed to where it is let go: what is near the line between is held as one. */
    private drawLine(from: Place, first: NonNullable<ReturnType<PoseStage['at']>>): Gesture {
        let last = first;
        const follow = (to: Place) => {
            last = this.stage.at(to.x, to.y) ?? last;
            this.drawing = [first.point, last.point];
            this.update();
        };
        const done = () => {
            this.drawing = [];
            this.update();
        };
        return {
            move: follow,
            end: (to) => {
                follow(to);
                done();
                const back = this.stage.frame.invert(), [a, b] = [first, last].map((hit) => ({ base: new Vector3().fromArray(hit.base), now: hit.point.clone().applyMatrix4(back) }));
                const move = a.now.add(b.now).sub(a.base).sub(b.base).multiplyScalar(0.5), isLine = Math.hypot(to.x - from.x, to.y - from.y) > leastLine;
                const handle: PoseHandle = { at: first.base, ...(isLine ? { to: last.base } : {}), radius: Number((this.share * this.stage.size).toPrecision(4)), move: tidyVector(move), turn: [0, 0, 0] };
                this.chosen = this.handles.length;
                this.commit(this.chosen, handle, isLine ? 'Add a line handle' : 'Add a handle');
            },
            cancel: done,
        };
    }

    /** Across the picture. */
    private dragHandle(k: number, handle: PoseHandle, from: Place, point: Vector3, isNew: boolean): Gesture {
        const { picking } = this.app.viewport, back = this.stage.frame.invert(), start = point.clone().applyMatrix4(back);
        let dragged = false;
        this.held = true;
        const moved = (to: Place): PoseHandle => {
            const by = picking.onScreenPlane(to.x, to.y, point).applyMatrix4(back).sub(start);
            return { ...handle, move: tidyVector(new Vector3().fromArray(handle.move).add(by)) };
        };
        return {
            move: (to) => {
                dragged ||= Math.hypot(to.x - from.x, to.y - from.y) > leastDrag;
                if (dragged) this.stage.draft(this.posed(k, moved(to)));
            },
            end: (to) => {
                dragged ||= Math.hypot(to.x - from.x, to.y - from.y) > leastDrag;
                this.held = false;
                if (dragged || isNew) this.commit(k, dragged ? moved(to) : handle, isNew ? 'Add a handle' : 'Move a handle');
            },
            cancel: () => {
                this.held = false;
                if (isNew) this.chosen = null;
                this.stage.draft(null);
            },
        };
    }

    private dragGizmo(k: number, handle: PoseHandle): Gesture {
        const { picking } = this.app.viewport, start = this.stage.frame, back = start.clone().invert(), frameTurn = new Quaternion().setFromRotationMatrix(start.clone().extractRotation(start));
        let angle = 0, lastTurn = new Quaternion();
        const changed = (to: Place): PoseHandle => {
            const { move, turn } = this.gizmo.drag(picking.inPicture(to.x, to.y));
            // Turns of a drag go on past half a turn.
            const more = turn.clone().multiply(lastTurn.clone().invert());
            lastTurn = turn.clone();
            const axis = this.gizmo.controls.axis, along = axis && 'XYZ'.includes(axis) ? new Vector3(axis === 'X' ? 1 : 0, axis === 'Y' ? 1 : 0, axis === 'Z' ? 1 : 0) : null;
            const local = move.clone().applyMatrix4(back).sub(new Vector3().applyMatrix4(back));
            const next = { ...handle, move: tidyVector(new Vector3().fromArray(handle.move).add(local)) };
            if (this.gizmo.controls.mode !== 'rotate') return next;
            if (more.w < 0) more.set(-more.x, -more.y, -more.z, -more.w);
            if (!along) return { ...next, turn: turnedBy(handle.turn, frameTurn.clone().invert().multiply(turn).multiply(frameTurn)) };
            angle += 2 * Math.atan2(new Vector3(more.x, more.y, more.z).dot(along), more.w) * MathUtils.RAD2DEG;
            const localAxis = along.clone().applyQuaternion(frameTurn.clone().invert()), held = new Vector3().fromArray(handle.turn);
            const same = held.length() < 1e-9 || Math.abs(held.clone().normalize().dot(localAxis)) > 0.999;
            if (same) return { ...next, turn: tidyVector(held.addScaledVector(localAxis, angle)) };
            return { ...next, turn: turnedBy(handle.turn, new Quaternion().setFromAxisAngle(localAxis, angle * MathUtils.DEG2RAD)) };
        };
        return {
            move: (to) => this.stage.draft(this.posed(k, changed(to))),
            end: (to) => {
                const done = changed(to), label = this.gizmo.controls.mode === 'rotate' ? 'Turn a handle' : 'Move a handle';
                this.gizmo.letGo();
                this.commit(k, done, label);
            },
            cancel: () => {
                this.gizmo.letGo();
                this.stage.draft(null);
            },
        };
    }
}

export const tool: Tool = {
    id: 'pose-handles', name: 'Pose by handles', key: '', about: 'Hold and pull parts of a body into a pose', order: 25, desk: 'poses',
    icon: 'M12 4v4M12 16v4M4 12h4M16 12h4M12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z', cursor: 'grab', heldCursor: 'grabbing', anywhere: true, chooses: true,
    make: (app) => new HandleHand(app).parts,
};
