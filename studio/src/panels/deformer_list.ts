// The deformers of the chosen pose, one after the other, with their numbers.
import type { App } from '../app';
import { h, iconButton, isTyped } from '../dom';
import type { PoseStage } from '../posing/pose_stage';
import { axes, deformerKinds, deformersOf, newDeformer, setPose, withDeformer } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { Draft } from '../state/edit_queue';
import { toast } from './toasts';

export class DeformerList {
    readonly element: HTMLElement;
    private readonly rows = h('ol.deformers', { 'aria-label': 'Deformers' });
    private shown = '';
    private draft: Draft | null = null;

    constructor(private readonly app: App, private readonly stage: PoseStage) {
        const add = h('select', { 'aria-label': 'Add a deformer', onchange: () => { this.add(add.value); add.value = ''; } },
            h('option', { value: '' }, 'Add a deformer …'), ...deformerKinds.map(({ id, name }) => h('option', { value: id }, name)));
        this.element = h('section.deformer-list', {}, h('header.list-head', {}, h('h3', {}, 'Deformers')), this.rows, add);
    }

    update(): void {
        const list = deformersOf(this.stage.pose), shape = JSON.stringify([this.stage.body, this.stage.chosen, list.map(({ kind }) => kind.id)]);
        if (this.shown !== shape) {
            this.shown = shape;
            this.rows.replaceChildren(...list.map((_, k) => this.makeRow(k)));
        }
        list.forEach((one, k) => {
            const row = this.rows.children[k] as HTMLElement;
            const put = (key: string, value: string | number) => {
                const field = row.querySelector<HTMLInputElement | HTMLSelectElement>(`[data-key=${key}]`);
                if (field && !isTyped(field)) field.value = String(value);
            };
            put('value', one.value);
            put('slider', one.value);
            put('axis', one.axis);
            put('towards', one.towards);
            put('from', one.range[0]);
            put('to', one.range[1]);
        });
    }

    private makeRow(k: number): HTMLElement {
        const { kind } = deformersOf(this.stage.pose)[k], words = kind.name.toLowerCase();
        const [least, most, step] = kind.key === 'degrees' ? [-360, 360, 1] : kind.key === 'factor' ? [0.2, 3, 0.01] : [-1, 1, 0.01];
        const number = (key: string, label: string, change: (value: number, json: JsonObject) => JsonObject) => {
            const input = h('input', { type: 'number', step: 'any', 'data-key': key, 'aria-label': `${label} of ${words} ${k + 1}`, onchange: () => { if (Number.isFinite(input.valueAsNumber)) this.set(k, (json) => change(input.valueAsNumber, json)); } });
            return input;
        };
        const choice = (key: string, label: string) => {
            const select = h('select', { 'data-key': key, 'aria-label': `${label} of ${words} ${k + 1}`, onchange: () => this.set(k, (json) => ({ ...json, [key]: select.value })) }, ...axes.map((a) => h('option', { value: a }, a.toUpperCase())));
            return select;
        };
        const slider = h('input', {
            type: 'range', min: least, max: most, step, 'data-key': 'slider', 'aria-label': `${kind.name} ${k + 1}`,
            oninput: () => this.slide(k, Number(slider.value)), onchange: () => this.endSlide(),
        });
        const range = (at: 0 | 1) => (value: number, json: JsonObject) => {
            const now = [...((json.range ?? [0, 1]) as number[])];
            now[at] = Math.min(1, Math.max(0, value));
            return { ...json, range: now };
        };
        return h('li', {}, h('div.layer-row', {}, h('b', {}, kind.name), slider, number('value', 'Amount', (value, json) => ({ ...json, [kind.key]: value })), h('span.unit', {}, kind.unit), iconButton('bin', `Take ${words} ${k + 1} away`, () => this.remove(k))),
            h('div.layer-row', {}, h('span', {}, 'along'), choice('axis', 'Axis'), ...(kind.towards ? [h('span', {}, 'to'), choice('towards', 'Side')] : []), h('span', {}, 'from'), number('from', 'Begin', range(0)), h('span', {}, 'to'), number('to', 'End', range(1))));
    }

    private changed(k: number, change: (json: JsonObject) => JsonObject): JsonObject | null {
        const { working } = this.stage, one = deformersOf(working)[k];
        return working && one ? withDeformer(working, k, change(one.json)) : null;
    }

    private set(k: number, change: (json: JsonObject) => JsonObject): void {
        const pose = this.changed(k, change), one = deformersOf(pose)[k];
        if (pose && one) this.stage.commit(pose, `${one.kind.name} a pose`);
    }

    /** A drag of the slider is one step of undo. */
    private slide(k: number, value: number): void {
        const { stage } = this, { chosen, body } = stage, kind = deformersOf(stage.pose)[k]?.kind;
        if (chosen === null || !kind) return;
        this.draft ??= this.app.edits.draft();
        const pose = this.changed(k, (json) => ({ ...json, [kind.key]: value }));
        if (!pose) return;
        stage.draft(pose);
        this.draft.preview((now) => setPose(now as unknown as JsonObject, body, chosen, pose, `${kind.name} a pose`));
    }

    private endSlide(): void {
        this.draft = null;
    }

    private remove(k: number): void {
        const { working } = this.stage;  // edits on their way count
        if (!working) return;
        const next = withDeformer(working, k, null);
        if (Object.keys(next).every((key) => ['name', 'strength', 'mirror'].includes(key))) toast('An empty pose is the rest shape: delete the pose instead.', 'warning');
        else this.stage.commit(next, 'Take a deformer away');
    }

    private add(id: string): void {
        const kind = deformerKinds.find((one) => one.id === id), { working } = this.stage, middle = this.stage.middle();
        if (kind && working && middle) this.stage.commit({ ...working, deform: [...((working.deform ?? []) as JsonObject[]), newDeformer(kind, middle.size)] }, `${kind.name} a pose`);
    }
}
