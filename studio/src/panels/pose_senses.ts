// What awakens the poses of a body besides its shape, and what it keeps of them: live sliders for its controls, and the
// rest as the schema has it.
import type { App } from '../app';
import { brief, h, iconButton, isTyped } from '../dom';
import { type PoseStage, poseStageOf } from '../posing/pose_stage';
import { setChanges } from '../scene_editing/commands';
import { type Field, Form } from '../scene_editing/form';
import { type CueSource, addCue, examplesOf, listOf, posesPath, rangeOfControl, removeCue } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { FormHost } from './field_row';
import { FieldsView } from './form_view';

interface Slider {
    element: HTMLElement;
    input: HTMLInputElement;
    number: HTMLOutputElement;
}

/** The field of the examples with a key, whether the document has it or not. */
function fieldOf(form: Form, body: string, key: string): Field | undefined {
    const below = (fields: Field[], name: string) => fields.find(({ path }) => path[path.length - 1] === name);
    const inside = (fields: Field[], name: string) => below(fields, name)?.children() ?? fields.flatMap((field) => (field.path[field.path.length - 1] === name ? field.children() : []));
    return below(inside(inside(form.ofBody(body.split('/')[0]), 'matching'), 'examples'), key);
}

export class PoseSenses {
    readonly element: HTMLElement;
    private readonly stage: PoseStage;
    private readonly sliders = h('div.control-sliders', { role: 'group', 'aria-label': 'Controls' });
    private readonly cues = h('ol.cue-list', { 'aria-label': 'What awakens the poses' });
    private readonly awaken: HTMLSelectElement;
    private readonly keeps = h('input', { type: 'checkbox', onchange: () => this.setPlastic(this.keeps.checked) });
    private readonly details: FieldsView;
    private shown = '';
    private rows: Slider[] = [];

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        const host: FormHost = { edit: (make, control) => (control === undefined ? app.edits.once(() => make()) : app.edits.edit(control, () => make())), askFile: () => {} };
        this.details = new FieldsView(host, 'pose senses');
        const awaken = h('select', { 'aria-label': 'Awaken the pose by', title: 'The chosen pose, or the last one, listens to something besides the shape' },
            h('option', { value: '' }, 'Awaken by …'), h('option', { value: 'control' }, 'A slider'), h('option', { value: 'speed' }, 'Speed'), h('option', { value: 'contact' }, 'A blow or a touch'));
        awaken.addEventListener('change', () => {
            const listens = awaken.value as CueSource | '', pose = this.stage.poses[this.stage.chosen ?? this.stage.poses.length - 1];
            awaken.value = '';
            if (listens && pose) this.edit((content) => addCue(content, this.stage.body, String(pose.name), listens));
        });
        this.awaken = awaken;
        this.element = h('section.pose-senses', { 'aria-label': 'What awakens and what stays' }, h('h3', {}, 'What awakens them'), this.sliders, this.cues, awaken,
            h('h3', {}, 'What stays'), h('label.row', { title: 'The body keeps a part of the poses that it was in, and forgets it slowly' }, this.keeps, h('span', {}, 'Keeps its poses')), this.details.element);
        this.stage.on(() => this.update());
        queueMicrotask(() => this.update());
    }

    private edit(make: (content: JsonObject) => ReturnType<typeof removeCue>): void {
        this.app.edits.once((now) => make(now as unknown as JsonObject));
    }

    private setPlastic(yes: boolean): void {
        const path = [...posesPath(this.stage.body).slice(0, -1), 'plasticity'];
        if (yes) this.edit((content) => ({ label: 'Keep poses', changes: setChanges(content, path, {}) }));
        else this.app.edits.reset(path, 'Keep no poses');
    }

    update(): void {
        const { stage, app } = this, { content, body } = stage, examples = examplesOf(content, body);
        this.element.hidden = !examples;
        if (!examples || !content || !app.schema) return;
        this.updateSliders(content, body);
        const cues = listOf(content, body, 'cues');
        this.cues.replaceChildren(...cues.map((cue, k) => h('li', {}, h('span', {}, `${cue.pose} by ${cue.listens === 'control' ? `the slider ${cue.control}` : cue.listens === 'speed' ? 'speed' : 'a blow'}`),
            iconButton('bin', `${cue.pose} no longer listens to ${cue.listens}`, () => this.edit((now) => removeCue(now, body, k))))));
        this.awaken.disabled = stage.poses.length === 0;
        this.keeps.checked = examples.plasticity !== undefined;
        const form = new Form(app.schema as ConstructorParameters<typeof Form>[0], content);
        const fields = ['cues', 'plasticity', 'controls'].map((key) => fieldOf(form, body, key));
        this.details.update(fields.filter((field): field is Field => field !== undefined && field.isSet && (field.control !== 'list' || field.count > 0)));
    }

    private updateSliders(content: JsonObject, body: string): void {
        const controls = listOf(content, body, 'controls'), key = JSON.stringify([body, controls.map(({ name }) => name)]);
        if (this.shown !== key) {
            this.shown = key;
            this.rows = controls.map((control, k) => this.makeSlider(String(control.name), k));
            this.sliders.replaceChildren(...this.rows.map(({ element }) => element));
        }
        controls.forEach((control, k) => {
            const [low, high] = rangeOfControl(content, body, String(control.name)), { input, number } = this.rows[k], keyed = Array.isArray(control.keys) && control.keys.length > 0;
            Object.assign(input, { min: String(low), max: String(high), step: String((high - low) / 100), disabled: keyed, title: keyed ? 'Its keys lead it' : 'Moves the body while you drag' });
            if (!isTyped(input)) input.value = String(control.value ?? 0);
            number.textContent = keyed ? 'keys' : brief(Number(control.value ?? 0));
        });
    }

    private makeSlider(name: string, k: number): Slider {
        const { app, stage } = this;
        const input = h('input', {
            type: 'range', 'aria-label': `Control ${name}`,
            oninput: () => app.edits.set([...posesPath(stage.body).slice(0, -1), 'controls', k, 'value'], Number(input.value), `Control ${name}`), onchange: () => app.edits.endGesture(),
        });
        const number = h('output');
        return { element: h('label.row', {}, h('span', {}, name), input, number), input, number };
    }
}
