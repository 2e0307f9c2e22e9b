// The panel of the brush: what is painted, with which value, how, and where it may.
import type { App } from '../app';
import { brief, h, isTyped } from '../dom';
import type { Reach } from '../painting/coat';
import type { PaintDesk } from '../painting/paint_desk';
import { type PaintBrush, type PaintOperation, type PaintSettings, leastRadius, mostRadius } from '../painting/paint_settings';
import { withUnit } from '../painting/value_scale';
import { Palette } from './palette';
import { segmented } from './segmented';

const hints: Record<PaintBrush, string> = {
    brush: 'Brush over the body, or over the cut (X). [ and ] change the size; Shift smooths, Ctrl erases. Off the body nothing is painted: the view turns.',
    triangle: 'Click a triangle: its corners are painted.',
    side: 'Click a side: it is filled up to its edges. What is marked is what a click paints.',
    box: 'Drag a box over what you want to paint.',
    lasso: 'Draw around what you want to paint.',
    ball: 'Drag from the middle of a ball: everything inside it is painted.',
    gradient: 'Drag from where the first value is to where the second one is.',
};

export class PaintPanel {
    readonly element: HTMLElement;
    private readonly target = h('select', { 'aria-label': 'What is painted', onchange: () => this.app.setPaint({ target: this.target.value, within: null }) });
    private readonly palette: Palette;
    private readonly value = h('input', { type: 'number', step: 'any', onchange: () => this.type(this.value, 'value') });
    private readonly to = h('input', { type: 'number', step: 'any', 'aria-label': 'Value at the end', onchange: () => this.type(this.to, 'to') });
    private readonly unit = h('span.unit');
    private readonly valueRow = h('label.row', {}, h('span', {}, 'Value'), this.value, this.unit);
    private readonly toRow = h('label.row', {}, h('span', {}, 'To'), this.to);
    private readonly step = h('input', { type: 'range', min: 0.02, max: 0.5, step: 0.02, 'aria-label': 'Step', oninput: () => this.app.setPaint({ step: Number(this.step.value) }) });
    private readonly stepWords = h('output');
    private readonly stepRow = h('label.row', {}, h('span', {}, 'By'), this.step, this.stepWords);
    private readonly size = h('input', { type: 'range', min: 0, max: 1, step: 0.005, 'aria-label': 'Size of the brush', oninput: () => this.app.setPaint({ radius: leastRadius * (mostRadius / leastRadius) ** Number(this.size.value) }) });
    private readonly sizeWords = h('output');
    private readonly sizeRow = h('label.row', {}, h('span', {}, 'Size'), this.size, this.sizeWords);
    private readonly strength = h('input', { type: 'range', min: 0.05, max: 1, step: 0.05, 'aria-label': 'Strength', oninput: () => this.app.setPaint({ strength: Number(this.strength.value) }) });
    private readonly strengthWords = h('output');
    private readonly only = h('input', { type: 'checkbox', onchange: () => this.limit(this.only.checked) });
    private readonly low = h('input', { type: 'number', step: 'any', 'aria-label': 'Lowest value that is painted over', onchange: () => this.limit(true) });
    private readonly high = h('input', { type: 'number', step: 'any', 'aria-label': 'Highest value that is painted over', onchange: () => this.limit(true) });
    private readonly limits = h('span.pair', {}, this.low, this.high);
    private readonly hint = h('p.hint');
    private readonly why = h('p.why', { role: 'status' });
    private readonly rows = h('div.paint-rows');
    private readonly count = h('span.hint');
    private readonly clear = h('button', { type: 'button', title: 'Remove all coats from this body', onclick: () => this.desk.clear(this.app.selected, true) }, 'Clear');
    private readonly fill = h('button', { type: 'button', title: 'Do this to the whole body', onclick: () => this.fillAll() }, 'Whole body');
    private readonly angle = h('input', { type: 'range', min: 1, max: 90, step: 1, 'aria-label': 'Angle that ends a side', oninput: () => this.app.setPaint({ angle: Number(this.angle.value) }) });
    private readonly angleWords = h('output');
    private readonly angleRow = h('label.row', {}, h('span', {}, 'Edges'), this.angle, this.angleWords);
    private readonly starts = h('div.row', {}, h('span', {}, 'Start'));
    private readonly between: ReturnType<typeof segmented<'keep' | 'fill'>>;
    private readonly parts: Array<{ update(): void }>;
    /** Rows that say nothing to some brushes. */
    private readonly rowsOf: Array<[HTMLElement, readonly PaintBrush[]]>;

    constructor(private readonly app: App, private readonly desk: PaintDesk) {
        const get = (): PaintSettings => app.get('paint');
        this.palette = new Palette('Value to paint with', (stored) => {
            const field = desk.fieldOf(app.selected);
            if (typeof field !== 'string') desk.setValue(field, { value: stored });
        });
        const brush = segmented<PaintBrush>('With', [['brush', 'Brush'], ['triangle', 'Face'], ['side', 'Side'], ['box', 'Box'], ['lasso', 'Lasso'], ['ball', 'Ball'], ['gradient', 'Grade']], () => get().brush, (value) => app.setPaint({ brush: value }));
        const operation = segmented<PaintOperation>('Do', [['set', 'Set'], ['add', 'Add'], ['subtract', 'Subtract'], ['smooth', 'Smooth'], ['erase', 'Erase']], () => get().operation, (value) => app.setPaint({ operation: value }));
        const reach = segmented<Reach>('Reach', [['skin', 'Skin'], ['body', 'Into it'], ['through', 'Through']], () => get().reach, (value) => app.setPaint({ reach: value }));
        const mirror = segmented<PaintSettings['mirror']>('Mirror', [['', 'Off'], ['x', 'X'], ['y', 'Y'], ['z', 'Z']], () => get().mirror, (value) => app.setPaint({ mirror: value }));
        const follow = segmented<PaintSettings['follow']>('Follow', [['line', 'A line'], ['mesh', 'The body']], () => get().follow, (value) => app.setPaint({ follow: value }));
        this.between = segmented<'keep' | 'fill'>('Between', [['keep', 'As it was'], ['fill', 'Fill']], () => {
            const field = desk.fieldOf(app.selected);
            return typeof field !== 'string' && desk.isFilled(field) ? 'fill' : 'keep';
        }, (value) => desk.setFilled(value === 'fill'));
        this.parts = [brush, operation, reach, mirror, follow, this.between];
        this.rowsOf = [
            [this.toRow, ['gradient']], [follow.element, ['gradient']], [this.angleRow, ['side']], [this.sizeRow, ['brush', 'triangle', 'side', 'ball']], [reach.element, ['brush', 'triangle', 'side', 'box', 'lasso']],
            [operation.element, ['brush', 'triangle', 'side', 'box', 'lasso', 'ball']], [mirror.element, ['brush', 'triangle', 'side', 'box', 'lasso', 'ball']],
        ];
        this.rows.append(this.starts, this.palette.element,
            this.valueRow, this.toRow, brush.element, follow.element, this.angleRow, operation.element, this.stepRow,
            this.sizeRow, h('label.row', {}, h('span', {}, 'Strength'), this.strength, this.strengthWords),
            reach.element, mirror.element, this.between.element,
            h('div.row', {}, h('label.check', { title: 'Paint only over values between these' }, this.only, 'Only over'), this.limits),
            this.hint, h('div.row.foot', {}, this.count, this.fill, this.clear));
        this.element = h('div.paint-panel', {}, h('label.row', {}, h('span', {}, 'Paint'), this.target), this.why, this.rows);
        this.target.replaceChildren(...desk.targets.map(({ id, name, about }) => h('option', { value: id, title: about }, name)));
        this.update();
    }

    private type(input: HTMLInputElement, key: 'value' | 'to'): void {
        const field = this.desk.fieldOf(this.app.selected), typed = Number(input.value);
        if (typeof field === 'string' || !input.value || !Number.isFinite(typed)) return this.update();
        const stored = field.stored(typed), [low, high] = field.range;
        this.desk.setValue(field, { [key]: Number(Math.min(high, Math.max(low, Number.isFinite(stored) ? stored : low)).toPrecision(6)) });
    }

    private fillAll(): void {
        const field = this.desk.fieldOf(this.app.selected);
        if (typeof field !== 'string') this.desk.commit(this.app.selected, { ...this.desk.coat(field), brush: 'select', select: 'all' });
    }

    private limit(on: boolean): void {
        const field = this.desk.fieldOf(this.app.selected);
        if (!on || typeof field === 'string') return this.app.setPaint({ within: null });
        const read = (input: HTMLInputElement, fallback: number) => (input.value && Number.isFinite(Number(input.value)) ? Number(field.stored(Number(input.value)).toPrecision(6)) : fallback);
        const ends = [read(this.low, field.scale.low), read(this.high, field.scale.high)].sort((a, b) => a - b);
        this.app.setPaint({ within: [ends[0], ends[1]] });
    }

    update(): void {
        const { app, desk } = this, paint = app.get('paint'), { target } = desk, field = desk.fieldOf(app.selected);
        this.target.value = target.id;
        const refusal = typeof field === 'string' ? field : desk.refusal;
        this.why.hidden = !refusal;
        this.why.textContent = refusal ?? '';
        this.rows.hidden = typeof field === 'string';
        if (typeof field === 'string') return;
        const words = (stored: number) => withUnit(field.shown(stored), field.unit), { value, to } = desk.values(field);
        this.palette.update({ scale: field.scale, map: target.map, labels: target.labels === true, value, words });
        this.value.setAttribute('aria-label', `Value${field.unit ? `, ${field.unit}` : ''}`);
        this.unit.textContent = field.unit;
        if (!isTyped(this.value)) this.value.value = brief(field.shown(value));
        if (!isTyped(this.to)) this.to.value = brief(field.shown(to));
        for (const [row, brushes] of this.rowsOf) row.hidden = !brushes.includes(paint.brush);
        this.valueRow.hidden = paint.operation !== 'set' && paint.brush !== 'gradient';
        this.starts.hidden = !target.starts;
        if (target.starts && this.starts.childElementCount === 1)
            this.starts.append(...target.starts.map(({ name, about, field: start }) => h('button', { type: 'button', title: about, onclick: () => desk.begin(name, start) }, name)));
        this.between.element.hidden = !target.fills;
        this.angle.value = String(paint.angle);
        this.angleWords.textContent = `${paint.angle}°`;
        for (const part of this.parts) part.update();
        this.stepRow.hidden = !['add', 'subtract'].includes(paint.operation) || paint.brush === 'gradient';
        this.step.value = String(paint.step);
        const ratio = field.shown(field.scale.low + paint.step * (field.scale.high - field.scale.low)) / field.shown(field.scale.low);
        const by = paint.operation === 'add' ? '×' : '÷';
        this.stepWords.textContent = target.labels ? '1' : field.scale.log ? `${by} ${brief((field.scale.high / field.scale.low) ** paint.step)}` : field.unit === 'Pa' ? `${by} ${brief(ratio)}` : brief(paint.step * (field.scale.high - field.scale.low));
        this.size.value = String(Math.log(paint.radius / leastRadius) / Math.log(mostRadius / leastRadius));
        const size = paint.radius * (app.viewport?.bodyView(app.selected)?.body.size ?? 1);
        this.sizeWords.textContent = size >= 0.995 ? `${brief(size)} m` : `${brief(100 * size)} cm`;
        this.strength.value = String(paint.strength);
        this.strengthWords.textContent = `${Math.round(100 * paint.strength)} %`;
        this.only.checked = paint.within !== null;
        this.limits.hidden = !paint.within;
        if (paint.within) for (const [input, end] of [[this.low, paint.within[0]], [this.high, paint.within[1]]] as const) if (!isTyped(input)) input.value = brief(field.shown(end));
        this.hint.textContent = hints[paint.brush];
        const count = desk.countOf(field);
        this.count.textContent = count === 0 ? 'Not painted yet' : count === 1 ? 'One coat' : `${count} coats`;
        this.clear.hidden = count === 0;
        this.fill.hidden = paint.brush === 'gradient';
    }
}
