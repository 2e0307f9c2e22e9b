// One value of the scene on one line: its name, a control that fits it, its unit, and a menu for what else can be done.
import { brief, h, icon, isTyped } from '../dom';
import { type Edit, pointer } from '../scene_editing/commands';
import type { Field } from '../scene_editing/form';
import type { Json } from '../scene_editing/schema';
import { fromSlider, toSlider } from '../scene_editing/sliders';
import { type MenuItem, menuButton } from './popup_menu';

/** What rows need of the page. */
export interface FormHost {
    /** Sends an edit, made when its turn comes. Of a control that is being moved only the newest one waits, and all are one
     *  step of undo. */
    edit(make: () => Edit, control?: string): void;
    /** Asks for the name of a file; it may be chosen among those of the scene or of the computer. */
    askFile(ending: string, what: string, use: (name: string) => void): void;
}

const axes = ['x', 'y', 'z', 'w'];

/** What is done with a field besides setting it. */
export function menuItems(field: Field, host: FormHost): MenuItem[] {
    const send = (edit: (() => Edit) | null | undefined, words: string, apart = false): MenuItem[] => (edit ? [{ words, apart, act: () => host.edit(edit) }] : []);
    const kinds = isLeaf(field) && field.kinds.length > 1 ? field.kinds.map((_, k): MenuItem => ({ words: field.kinds[k].name, about: field.kinds[k].about, checked: k === field.kind, act: () => switchKind(field, k, host) })) : [];
    const back = field.fallback === undefined || typeof field.fallback === 'object' ? (field.fallback === undefined ? 'Remove' : 'Reset') : `Reset to ${shown(field.fallback)}`;
    const { entry } = field;
    return [
        ...kinds, ...(entry ? [] : send(field.reset, back, kinds.length > 0)),
        ...send(entry?.up, 'Move up', kinds.length > 0), ...send(entry?.down, 'Move down'), ...send(entry?.duplicate, 'Duplicate'), ...send(entry?.remove, 'Remove'),
    ];
}

function shown(value: Json): string {
    return typeof value === 'number' ? brief(value) : value === true ? 'on' : value === false ? 'off' : String(value);
}

export function switchKind(field: Field, k: number, host: FormHost): void {
    const kind = field.kinds[k];
    if (kind.file) host.askFile(kind.file, field.name, (name) => host.edit(() => kind.to(name)));
    else host.edit(() => kind.to());
}

export function isLeaf(field: Field): boolean {
    return !['group', 'list', 'constant', 'absent'].includes(field.control);
}

/** What it means, its limits, and its key in the file. */
export function hintOf(field: Field): string {
    const key = field.path.filter((part) => typeof part === 'string' && !/^[@#]/.test(part)).pop();
    const limits = field.range && ['number', 'integer', 'vector', 'numbers'].includes(field.control) ? ` ${field.range.charAt(0).toUpperCase()}${field.range.slice(1)}.` : '';
    return `${field.about.replace(/`/g, '')}${limits}${field.idle ? ' Without effect here.' : ''} (${key})`;
}

export class FieldRow {
    readonly element: HTMLElement;
    private inputs: HTMLInputElement[] = [];
    private slider: HTMLInputElement | null = null;
    private select: HTMLSelectElement | null = null;
    private area: HTMLTextAreaElement | null = null;
    private readonly name = h('span.name');
    private readonly error = h('p.error', { role: 'alert', hidden: true });
    private readonly more: HTMLButtonElement;

    constructor(private readonly host: FormHost, public field: Field) {
        this.more = menuButton('more', `More for ${field.name}`, () => menuItems(this.field, host), icon('more'));
        this.element = h('div.control', { 'data-path': pointer(field.path), 'data-kind': field.control.replace(' ', '-') }, this.name, this.control(), this.more, this.error);
        this.element.addEventListener('dblclick', (event) => {
            const target = event.target as HTMLElement;
            if (this.field.reset && this.field.fallback !== undefined && (target === this.name || target === this.slider)) this.host.edit(() => this.field.reset!());
        });
        this.update(field);
    }

    /** A mistake at this very field, until the next value. */
    showError(what: string): void {
        this.error.textContent = what.charAt(0).toUpperCase() + what.slice(1);
        this.error.hidden = false;
        this.element.classList.add('is-wrong');
        for (const input of this.all()) input.setAttribute('aria-invalid', 'true');
    }

    private clearError(): void {
        this.error.hidden = true;
        this.element.classList.remove('is-wrong');
        for (const input of this.all()) input.removeAttribute('aria-invalid');
    }

    private all(): HTMLElement[] {
        return [...this.inputs, this.slider, this.select, this.area].filter((e): e is HTMLInputElement => e !== null);
    }

    private give(value: Json): void {
        const wrong = this.field.check(value);
        if (wrong) return this.showError(`${this.field.name} ${wrong}.`);
        this.clearError();
        this.host.edit(() => this.field.set(value), pointer(this.field.path));
    }

    private number(label: string, change: () => void, inputmode: 'decimal' | 'numeric' = 'decimal'): HTMLInputElement {
        const input = h('input', { type: 'number', step: 'any', inputmode, 'aria-label': label });
        input.addEventListener('change', change);
        this.inputs.push(input);
        return input;
    }

    private text(label: string, value: () => Json): HTMLInputElement {
        const input = h('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', 'aria-label': label });
        input.addEventListener('change', () => this.give(value()));
        this.inputs.push(input);
        return input;
    }

    private control(): HTMLElement {
        const { field } = this, label = field.unit ? `${field.name}, ${field.unit}` : field.name;
        const unit = field.unit ? h('span.unit', { 'aria-hidden': 'true' }, field.unit) : null;
        switch (field.control) {
            case 'number': case 'integer': return this.numberControl(label, unit);
            case 'boolean': {
                const box = h('input', { type: 'checkbox', 'aria-label': label });
                box.addEventListener('change', () => this.give(box.checked));
                this.inputs.push(box);
                return h('label.value.switch', {}, box);
            }
            case 'choice':
                this.select = h('select', { 'aria-label': label });
                this.select.addEventListener('change', () => this.choose());
                return h('div.value', {}, this.select);
            case 'color': {
                const picker = h('input', { type: 'color', 'aria-label': label });
                picker.addEventListener('input', () => this.give(Array.isArray(this.field.value) ? fromHex(picker.value) : picker.value));
                this.inputs.push(picker);
                return h('label.value.switch', {}, picker);
            }
            case 'vector': return this.vectorControl(label, unit, false);
            case 'components': return this.vectorControl(label, unit, true);
            case 'numbers': return h('div.value', {}, this.text(label, () => numbersIn(this.inputs[0].value)), unit);
            case 'long text': {
                const area = h('textarea', { rows: 4, 'aria-label': label });
                area.addEventListener('change', () => this.give(area.value));
                this.area = area;
                return h('div.value.wide', {}, area);
            }
            case 'formula': return h('div.value.wide', {}, this.formulaControl(label));
            case 'file': {
                const input = this.text(label, () => input.value.trim());
                const choose = h('button.pick', { type: 'button', onclick: () => this.host.askFile(/\.npy$/.test(String(this.field.value)) ? '.npy' : '*', this.field.name, (name) => this.give(name)) }, 'Choose');
                return h('div.value', {}, input, choose);
            }
            default: return h('div.value', {}, this.text(label, () => this.inputs[0].value));
        }
    }

    private numberControl(label: string, unit: HTMLElement | null): HTMLElement {
        const whole = this.field.control === 'integer';
        const number = this.number(label, () => number.value !== '' && this.give(whole ? Math.round(Number(number.value)) : Number(number.value)), whole ? 'numeric' : 'decimal');
        const holder = h('div.number', { style: `--unit: ${4 + 6.2 * this.field.unit.length}px` }, number, unit);
        if (!this.field.scale) return h('div.value.plain', {}, h('span'), holder);
        this.slider = h('input', { type: 'range', min: 0, max: 1, step: 0.001, 'aria-label': label });
        this.slider.addEventListener('input', () => {
            const value = fromSlider(this.field.scale!, Number(this.slider!.value));
            number.value = brief(value);
            this.fill();
            this.give(value);
        });
        return h('div.value', {}, this.slider, holder);
    }

    private vectorControl(label: string, unit: HTMLElement | null, formulas: boolean): HTMLElement {
        const values = () => this.inputs.map((input) => (formulas && (input.value.trim() === '' || Number.isNaN(Number(input.value))) ? input.value.trim() : Number(input.value)));
        const inputs = Array.from({ length: this.field.count }, (_, k) => {
            const name = this.field.count === 2 ? `${label} ${k + 1}` : `${label} ${axes[k]}`;
            return formulas ? this.text(name, values) : this.number(name, () => this.inputs.every((input) => input.value !== '') && this.give(values()));
        });
        return h('div.value.vector', { style: `--count: ${this.field.count}` }, ...inputs, unit);
    }

    /** A formula is looked at while it is typed. */
    private formulaControl(label: string): HTMLElement {
        const area = h('textarea', { rows: 1, spellcheck: 'false', 'aria-label': label });
        area.addEventListener('input', () => {
            const wrong = this.field.check(area.value);
            if (wrong) this.showError(wrong);
            else this.clearError();
        });
        area.addEventListener('change', () => this.give(area.value));
        area.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            area.dispatchEvent(new Event('change'));
        });
        this.area = area;
        return area;
    }

    private choose(): void {
        const choice = this.field.choices[this.select!.selectedIndex], { field } = this;
        if (!choice.file) return this.host.edit(() => field.set(choice.value));
        this.select!.value = JSON.stringify(field.value);
        this.host.askFile(choice.file, choice.name, (name) => this.host.edit(() => field.set(choice.value, name)));
    }

    private fill(): void {
        this.slider?.style.setProperty('--share', `${100 * Number(this.slider.value)}%`);
    }

    update(field: Field): void {
        if (JSON.stringify(field.value) !== JSON.stringify(this.field.value)) this.clearError();
        // The ends of a slider stay while it is held.
        const held = this.slider !== null && document.activeElement === this.slider;
        this.field = { ...field, scale: held ? this.field.scale : field.scale };
        const { value } = field;
        this.name.textContent = field.name;
        this.name.title = hintOf(field);
        this.element.classList.toggle('is-set', field.isSet);
        this.element.classList.toggle('is-idle', field.idle);
        this.more.hidden = menuItems(field, this.host).length === 0;
        if (this.slider && this.field.scale && !held && typeof value === 'number') this.slider.value = String(toSlider(this.field.scale, value));
        this.fill();
        if (field.control === 'components') this.element.classList.toggle('stacked', Array.isArray(value) && value.some((x) => typeof x === 'string' && x.length > 4));
        if (this.select) {
            const options = field.choices.map((choice) => JSON.stringify(choice.value));
            if ([...this.select.options].map((option) => option.value).join() !== options.join())
                this.select.replaceChildren(...field.choices.map((choice) => h('option', { value: JSON.stringify(choice.value) }, choice.name)));
            this.select.value = JSON.stringify(value);
        }
        if (this.area && !isTyped(this.area)) this.area.value = String(value ?? '');
        this.inputs.forEach((input, k) => {
            if (isTyped(input)) return;
            if (input.type === 'checkbox') input.checked = Boolean(value);
            else if (input.type === 'color') input.value = toHex(value);
            else input.value = inputText(field, value, k);
        });
    }
}

function inputText(field: Field, value: Json | undefined, k: number): string {
    if (field.control === 'numbers') return Array.isArray(value) ? value.map((x) => brief(Number(x))).join(', ') : '';
    const one = Array.isArray(value) ? value[k] : value;
    return typeof one === 'number' ? brief(one) : String(one ?? '');
}

function numbersIn(text: string): Json {
    return text.split(/[\s,;]+/).filter(Boolean).map(Number);
}

function toHex(color: Json | undefined): string {
    if (typeof color === 'string') return color;
    return Array.isArray(color) ? '#' + color.map((c) => Math.round(255 * Number(c)).toString(16).padStart(2, '0')).join('') : '#888888';
}

function fromHex(color: string): number[] {
    return [1, 3, 5].map((at) => Number((parseInt(color.slice(at, at + 2), 16) / 255).toFixed(3)));
}
