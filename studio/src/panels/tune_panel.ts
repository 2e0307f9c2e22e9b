// Sliders for everything in the document that is a number, a choice or a switch; made from the scene's schema.
import type { App } from '../app';
import { brief, h, isTyped } from '../dom';
import { pathOf, pointer, valueAt } from '../scene_editing/commands';
import { type Control, type Group, bodyGroup, fromSlider, toSlider, worldGroup } from '../scene_editing/controls';

const opened = new Set<string>(['/step', 'material']);

class ControlRow {
    readonly element: HTMLElement;
    private readonly inputs: HTMLInputElement[] = [];
    private slider: HTMLInputElement | null = null;
    private select: HTMLSelectElement | null = null;

    constructor(private readonly app: App, private control: Control) {
        const name = h('span.name', {}, control.name);
        const fallback = control.fallback === undefined ? '' : ` Double-click: back to ${JSON.stringify(control.fallback)}.`;
        this.element = h('div.control', { title: control.about + fallback, 'data-path': pointer(control.path) }, name);
        this.element.addEventListener('dblclick', (event) => {
            if ((event.target as HTMLElement).tagName === 'INPUT' && (event.target as HTMLInputElement).type === 'number') return;
            app.edits.reset(this.control.path, this.control.name);
        });
        const label = control.name;
        if (control.kind === 'number' || control.kind === 'integer') {
            const number = h('input', { type: 'number', step: 'any', 'aria-label': label });
            number.addEventListener('change', () => number.value !== '' && this.app.edits.set(this.control.path, control.kind === 'integer' ? Math.round(Number(number.value)) : Number(number.value), label));
            if (control.scale) {
                this.slider = h('input', { type: 'range', min: 0, max: 1, step: 0.001, 'aria-label': label });
                this.slider.addEventListener('input', () => {
                    const value = fromSlider(this.control.scale!, Number(this.slider!.value));
                    number.value = brief(value);
                    this.app.edits.set(this.control.path, value, label);
                });
                this.element.append(this.slider);
            }
            this.inputs.push(number);
            this.element.append(number);
        } else if (control.kind === 'boolean') {
            const box = h('input', { type: 'checkbox', 'aria-label': label });
            box.addEventListener('change', () => this.app.edits.set(this.control.path, box.checked, label));
            this.inputs.push(box);
            this.element.append(box);
        } else if (control.kind === 'choice') {
            this.select = h('select', { 'aria-label': label }, ...control.choices!.map((c) => h('option', { value: JSON.stringify(c) }, String(c))));
            this.select.addEventListener('change', () => this.app.edits.set(this.control.path, JSON.parse(this.select!.value), label));
            this.element.append(this.select);
        } else if (control.kind === 'color') {
            const picker = h('input', { type: 'color', 'aria-label': label });
            picker.addEventListener('input', () => this.app.edits.set(this.control.path, picker.value, label));
            this.inputs.push(picker);
            this.element.append(picker);
        } else {
            const three = h('div.vector');
            for (let k = 0; k < 3; ++k) {
                const number = h('input', { type: 'number', step: 'any', 'aria-label': `${label} ${'xyz'[k]}` });
                number.addEventListener('change', () => this.app.edits.set(this.control.path, this.inputs.map((i) => Number(i.value)), label));
                this.inputs.push(number);
                three.append(number);
            }
            this.element.append(three);
        }
        this.update(control);
    }

    update(control: Control): void {
        // The ends of a slider stay while it is held.
        const scale = this.slider && document.activeElement === this.slider ? this.control.scale : control.scale;
        this.control = { ...control, scale };
        const { value } = control;
        this.element.classList.toggle('is-set', control.isSet);
        if (this.slider && this.control.scale && document.activeElement !== this.slider) this.slider.value = String(toSlider(this.control.scale, value));
        if (this.slider) this.slider.style.setProperty('--share', `${100 * Number(this.slider.value)}%`);
        if (this.select) this.select.value = JSON.stringify(value ?? control.choices![0]);
        this.inputs.forEach((input, k) => {
            if (isTyped(input)) return;
            if (input.type === 'checkbox') input.checked = Boolean(value);
            else if (input.type === 'color') input.value = typeof value === 'string' ? value : toHex(value);
            else input.value = control.kind === 'vector' ? brief(value[k]) : brief(value);
        });
    }
}

function toHex(color: unknown): string {
    return Array.isArray(color) ? '#' + color.map((c) => Math.round(255 * c).toString(16).padStart(2, '0')).join('') : '#888888';
}

/** The same controls in the same places: then they are updated, not made anew, so that a slider in hand stays. */
function outline(group: Group): string {
    return JSON.stringify([group.name, group.controls.map((c) => [c.name, c.kind]), group.groups.map(outline)]);
}

class GroupView {
    private rows: ControlRow[] = [];
    private inner: GroupView[] = [];
    readonly element: HTMLElement;

    constructor(app: App, group: Group, depth: number, open: boolean) {
        this.rows = group.controls.map((control) => new ControlRow(app, control));
        const key = pointer(group.path);
        this.inner = group.groups.map((g) => new GroupView(app, g, depth + 1, opened.has(pointer(g.path)) || isMaterial(g)));
        // What a body is made of comes first, then its own numbers, then the rest.
        const first = this.inner.filter((_, k) => isMaterial(group.groups[k])), rest = this.inner.filter((_, k) => !isMaterial(group.groups[k]));
        const content = [...first, ...this.rows, ...rest].map((part) => part.element);
        if (depth === 0) {
            this.element = h('div.group', {}, ...content);
        } else {
            const details = h('details.group', { open }, h('summary', { title: group.about }, group.name), ...content);
            details.addEventListener('toggle', () => (details.open ? opened.add(key) : opened.delete(key)));
            this.element = details;
        }
    }

    update(group: Group): void {
        group.controls.forEach((control, k) => this.rows[k].update(control));
        group.groups.forEach((g, k) => this.inner[k].update(g));
    }
}

/** What a body is made of is what people tune first: open from the start. */
function isMaterial(group: Group): boolean {
    return group.path.length === 3 && group.path[0] === 'bodies' && /matching|fem/.test(String(group.path[2]));
}

export function tunePanel(app: App): HTMLElement {
    const bodies = h('div.bodies', { role: 'group', 'aria-label': 'Bodies' });
    const heading = h('h2', {}, 'Bodies');
    const place = h('div');
    const world = h('div');
    const views = new Map<HTMLElement, { outline: string; view: GroupView }>();
    const render = (where: HTMLElement, group: Group) => {
        const shape = outline(group);
        const known = views.get(where);
        if (known?.outline === shape) return known.view.update(group);
        const view = new GroupView(app, group, 0, true);
        views.set(where, { outline: shape, view });
        where.replaceChildren(view.element);
    };
    const update = () => {
        if (!app.schema || !app.document || !app.scene) return;
        const scene = app.document.content;
        if (!app.scene.bodies.some((body) => body.id === app.selected)) return;
        // The document comes before the scene that is built from it: a body may be in one of them only.
        if (!valueAt(scene, pathOf(app.selected))) return;
        heading.textContent = app.scene.bodies.length > 1 ? `${app.scene.bodies.length} bodies` : 'Body';
        bodies.replaceChildren(...app.scene.bodies.map((body) => {
            const button = h('button.body', { type: 'button', 'aria-pressed': String(body.id === app.selected), onclick: () => app.select(body.id) },
                h('i', { style: `background: rgb(${body.color.map((c) => Math.round(255 * c)).join(' ')})` }), body.name);
            return button;
        }));
        bodies.querySelector('[aria-pressed=true]')?.scrollIntoView({ block: 'nearest' });
        render(place, bodyGroup(app.schema, scene, app.selected));
        render(world, worldGroup(app.schema, scene));
    };
    app.on(['document', 'scene', 'selection'], update);
    const threads = h('input', { type: 'number', min: 0, max: 256, step: 1, 'aria-label': 'Threads' });
    threads.addEventListener('change', () => app.send({ type: 'threads', count: Math.max(0, Math.round(Number(threads.value))) }));
    app.on(['status'], () => { if (document.activeElement !== threads && app.status) threads.value = String(app.status.threads); });
    return h('div', {},
        h('section.panel-section', {}, heading, bodies, place),
        h('section.panel-section', {}, h('h2', {}, 'Scene'), world,
            h('div.control', { title: 'Worker threads of the simulation; 0: all cores. The motion is the same for any number.' }, h('span.name', {}, 'threads'), threads)));
}
