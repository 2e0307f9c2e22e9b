// The muscles of a body over time: one chart for each direction, heard by the running body at once.
import type { App } from '../app';
import { brief, h, isTyped } from '../dom';
import { spotsOf } from '../painting/spots';
import { bodyEntry, bodyPath } from '../painting/target';
import { type Chart, type ChartKey, type Charts, type Direction, chartJson, chartValue, directionValue, directions, firstLayer, preset, presetNames, readCharts, rescaled, withKey, withMovedKeys, withoutKeys } from '../scene_editing/charts';
import { type Path, addCommand, setChanges, valueAt } from '../scene_editing/commands';
import { BeatFollower, gaitPath } from '../scene_editing/gaits';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { activeOf, gaitOf, layerOf, layerPath } from '../state/muscle_layer';
import type { Draft } from '../state/edit_queue';
import { ChartView } from './chart_view';
import { FitPanel } from './fit_panel';
import { GaitPanel } from './gait_panel';
import { LayerList } from './layer_list';
import { toast } from './toasts';

const names: Record<Direction, string> = { d1: 'Along the fibres', d2: 'Along the depth', d3: 'Across both' };
const strongest = 0.6;  // what a preset contracts to in a chart that rests

/** A chart that was copied, for other charts and other bodies. */
let clipboard: { chart: Chart; period: number } | null = null;

export class ChartsPanel {
    readonly element: HTMLElement;
    private readonly why = h('p.why', { role: 'status' });
    private readonly create = h('button.primary', { type: 'button', onclick: () => void this.addLayer() }, 'Give it muscles');
    private readonly layers: LayerList;
    private readonly gaits: GaitPanel;
    private readonly fit: FitPanel;
    private readonly beat = new BeatFollower();
    private readonly period = this.number('Period', 's', 'period', 0.001);
    private readonly limit = this.number('Limit', '×', 'limit', 1);
    private readonly speed = this.number('Wave speed', '1/s', 'speed', -Infinity);
    private readonly keepsVolume = h('input', { type: 'checkbox', onchange: () => this.set(['charts', 'preserve_volume'], this.keepsVolume.checked, 'Keep the volume') });
    private readonly rows = h('div.chart-rows');
    private readonly views: Record<Direction, ReturnType<ChartsPanel['chartParts']>>;
    private draft: Draft | null = null;
    private before: Chart | null = null;

    constructor(private readonly app: App) {
        this.layers = new LayerList(app, () => void this.addLayer(), () => this.update());
        this.gaits = new GaitPanel(app, (...rest) => this.path(...rest), () => this.update());
        this.fit = new FitPanel(app);
        this.views = { d1: this.chartParts('d1'), d2: this.chartParts('d2'), d3: this.chartParts('d3') };
        this.rows.append(this.layers.element, this.gaits.element, this.period.row, this.limit.row, this.speed.row, h('label.check', { title: 'The second and third chart follow the first' }, this.keepsVolume, 'Keep the volume'),
            ...directions.map((direction) => h('figure.chart-figure', {}, h('figcaption', {}, names[direction]), this.views[direction].view.element, this.views[direction].tools)),
            h('p.hint', {}, 'Click a curve to add a key, drag keys, Delete removes. Below the middle line muscles contract.'), this.fit.element);
        this.element = h('div.charts-panel', {}, this.why, this.create, this.rows);
        app.on(['document', 'selection', 'scene', 'desk'], () => this.update());
        app.on('status', () => this.play());
        queueMicrotask(() => this.update());
    }

    // ---- parts

    private number(name: string, unit: string, key: 'period' | 'limit' | 'speed', least: number) {
        const input = h('input', { type: 'number', step: 'any', 'aria-label': name, onchange: () => this.typeNumber(input, key, least) });
        return { input, row: h('label.row', {}, h('span', {}, name), input, h('span.unit', {}, unit)) };
    }

    private chartParts(direction: Direction) {
        const view = new ChartView({
            add: (time, value) => this.addKey(direction, time, value),
            move: (numbers, by) => this.moveKeys(direction, numbers, by),
            end: () => this.endHand(),
            cancel: () => this.cancelHand(),
            remove: (numbers) => this.change(direction, 'Remove a key', (chart) => withoutKeys(chart, numbers)),
            chose: (number, now) => key.show(number, now),
        });
        const key = this.keyRow(direction);
        const smooth = h('input', { type: 'checkbox', onchange: () => this.change(direction, 'Smooth a chart', (chart) => ({ ...chart, smooth: smooth.checked })) });
        const shape = h('select', { 'aria-label': `Shape of ${names[direction].toLowerCase()}`, onchange: () => this.takePreset(direction, shape) },
            h('option', { value: '' }, 'Shape …'), ...presetNames.map(([value, name]) => h('option', { value }, name)));
        const copy = h('button', { type: 'button', title: 'Copy this chart', 'aria-label': `Copy ${names[direction].toLowerCase()}`, onclick: () => this.copy(direction) }, 'Copy');
        const paste = h('button', { type: 'button', title: 'Replace this chart with the copied one', 'aria-label': `Paste ${names[direction].toLowerCase()}`, onclick: () => this.paste(direction) }, 'Paste');
        return { view, smooth, tools: h('div', {}, key.element, h('div.row.chart-tools', {}, shape, h('label.check', {}, smooth, 'Smooth'), copy, paste)) };
    }

    /** Time and value of the key that is chosen, as numbers. */
    private keyRow(direction: Direction) {
        let chosen = -1, key: ChartKey | null = null;
        const input = (what: string, by: (typed: number, now: ChartKey) => { time: number; factor: number }) => {
            const made = h('input', { type: 'number', step: 'any', 'aria-label': `${what} of the chosen key, ${names[direction].toLowerCase()}`, onchange: () => {
                const moves = key && made.value ? by(Number(made.value), key) : null;
                if (moves && Number.isFinite(moves.time) && moves.factor > 0) {
                    this.moveKeys(direction, new Set([chosen]), moves);
                    this.endHand();
                } else {
                    toast('A key has a time in seconds and a stretch above 0.', 'warning');
                    show(chosen, key);
                }
            } });
            return made;
        };
        const time = input('Time', (typed, now) => ({ time: typed - now[0], factor: 1 }));
        const value = input('Value', (typed, now) => ({ time: 0, factor: typed / now[1] }));
        const element = h('div.row.chart-key', { hidden: true }, h('span', {}, 'Key'), time, h('span.unit', {}, 's'), value, h('span.unit', {}, '×'));
        const show = (number: number, now: ChartKey | null) => {
            chosen = number;
            key = now;
            element.hidden = !now;
            if (now) for (const [field, x] of [[time, now[0]], [value, now[1]]] as const) if (!isTyped(field)) field.value = brief(x);
        };
        return { element, show };
    }

    // ---- the document

    private get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    private get body(): JsonObject | null {
        return this.content && bodyEntry(this.content, this.app.selected);
    }

    private get name(): string {
        return this.app.viewport?.bodyView(this.app.selected)?.body.name ?? this.app.selected;
    }

    /** Of the layer that is edited. */
    private path(...rest: Path): Path | null {
        const layer = layerOf(this.body);
        return layer === null ? null : [...bodyPath(this.app.selected), ...layerPath(layer), ...rest];
    }

    /** Of the gait that is edited. */
    private gaitPath(...rest: Path): Path | null {
        const active = activeOf(this.body);
        return active && this.path(...gaitPath(active, gaitOf(this.body)), ...rest);
    }

    private get charts(): Charts | null {
        const path = this.gaitPath('charts');
        return path && this.content ? readCharts(valueAt(this.content, path)) : null;
    }

    /** Why a body can have no muscles; null: it can. */
    private refusal(): string | null {
        const { body } = this;
        if (!body) return 'Choose a body.';
        if (isObject(body.fem)) return 'This body is made of finite elements: their muscles are in the panel on the right. Shape matching has charts.';
        return null;
    }

    private set(rest: Path, value: Json, label: string): void {
        const path = this.gaitPath(...rest), { name } = this;
        if (path) this.app.edits.once((now) => ({ label: `${label} of ${name}`, changes: setChanges(now as unknown as JsonObject, path, value) }));
    }

    private change(direction: Direction, label: string, make: (chart: Chart) => Chart): void {
        const { charts } = this;
        if (charts) this.set(['charts', direction], chartJson(make(charts.charts[direction])), label);
    }

    private typeNumber(input: HTMLInputElement, key: 'period' | 'limit' | 'speed', least: number): void {
        const value = Number(input.value), { charts, name } = this, path = this.gaitPath('charts');
        if (!input.value || !Number.isFinite(value) || value < least || !charts || !path) {
            if (input.value) toast(`The ${key} has to be ${Number.isFinite(least) ? `at least ${least}` : 'a number'}.`, 'warning');
            return this.update();
        }
        if (key === 'speed') return this.set(['speed'], value, 'Wave speed');
        if (key === 'limit') return this.set(['charts', 'limit'], value, 'Limit of the charts');
        // Keys keep their shares of the period.
        this.app.edits.once((now) => {
            const content = now as unknown as JsonObject;
            const parts = directions.filter((direction) => charts.charts[direction].keys.length);
            return {
                label: `Period of ${name}`,
                changes: [...setChanges(content, [...path, 'period'], value), ...parts.flatMap((direction) => setChanges(content, [...path, direction], chartJson(rescaled(charts.charts[direction], charts.period, value))))],
            };
        });
    }

    // ---- layers

    private async addLayer(): Promise<void> {
        const { app, name } = this, selected = app.selected;
        if (this.refusal()) return;
        const axis = await this.longestAxis(selected);
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, body = bodyEntry(content, selected);
            if (!body) return null;
            const path = [...bodyPath(selected), 'matching', 'stretch'], layer = firstLayer(axis);
            if (Array.isArray(valueAt(content, path))) return addCommand(content, path, layer, `muscles of ${name}`);
            return { label: `Give muscles to ${name}`, changes: setChanges(content, path, [layer]) };
        });
    }

    /** Of the body at rest. */
    private async longestAxis(body: string): Promise<0 | 1 | 2> {
        const extent = (await spotsOf(this.app).middleWhenKnown(body))?.size.toArray() ?? [1, 0, 0];
        return extent.indexOf(Math.max(...extent)) as 0 | 1 | 2;
    }

    // ---- hands

    private addKey(direction: Direction, time: number, value: number): number | null {
        const { charts } = this;
        const made = charts && withKey(charts.charts[direction], charts.period, time, value);
        if (!made) {
            toast('There is a key at that time already.');
            return null;
        }
        this.set(['charts', direction], chartJson(made), 'Add a key');
        return made.keys.length - 1;
    }

    /** From where they were when the hand went down. */
    private moveKeys(direction: Direction, numbers: ReadonlySet<number>, by: { time: number; factor: number }): void {
        const { charts, name } = this, path = this.gaitPath('charts', direction);
        if (!charts || !path) return;
        this.draft ??= this.app.edits.draft();
        this.before ??= charts.charts[direction];
        const chart = withMovedKeys(this.before, charts.period, charts.limit, numbers, by);
        this.draft.preview((now) => ({ label: `Move a key of ${name}`, changes: setChanges(now as unknown as JsonObject, path, chartJson(chart)) }));
        this.show(direction, { ...charts, charts: { ...charts.charts, [direction]: chart } });
    }

    private endHand(): void {
        this.draft = this.before = null;
    }

    private cancelHand(): void {
        this.draft?.discard();
        this.endHand();
        this.update();
    }

    private takePreset(direction: Direction, shape: HTMLSelectElement): void {
        const { charts } = this, id = shape.value;
        shape.value = '';
        if (!charts || !id) return;
        const values = charts.charts[direction].keys.map(([, value]) => value), least = Math.min(1, ...values);
        this.set(['charts', direction], chartJson(preset(id, charts.period, Math.max(1 / charts.limit, least < 0.999 ? least : strongest))), 'Shape of a chart');
    }

    private copy(direction: Direction): void {
        const { charts } = this;
        if (!charts) return;
        clipboard = { chart: charts.charts[direction], period: charts.period };
        toast('Chart copied.');
    }

    private paste(direction: Direction): void {
        const { charts } = this;
        if (!clipboard) return toast('Copy a chart first.', 'warning');
        if (charts) this.set(['charts', direction], chartJson(rescaled(clipboard.chart, clipboard.period, charts.period)), 'Paste a chart');
    }

    // ---- the picture

    update(): void {
        if (this.app.get('desk') !== 'muscles') return;
        const refusal = this.refusal(), { charts, body } = this;
        this.why.hidden = !refusal;
        this.why.textContent = refusal ?? '';
        this.create.hidden = refusal !== null || charts !== null;
        this.rows.hidden = refusal !== null || charts === null;
        if (!refusal && !charts) spotsOf(this.app).prepare(this.app.selected);
        if (refusal || !charts) return;
        this.layers.update(body);
        this.gaits.update(body);
        this.fit.update(body);
        this.beat.follow(`${this.app.selected} ${layerOf(body)}`, activeOf(body)!, this.app.shownTime);
        const speed = valueAt(this.content!, this.gaitPath('speed')!);
        for (const [{ input }, value] of [[this.period, charts.period], [this.limit, charts.limit], [this.speed, typeof speed === 'number' ? speed : 1]] as const) if (!isTyped(input)) input.value = brief(value);
        this.keepsVolume.checked = charts.preserveVolume;
        if (!this.draft) for (const direction of directions) this.show(direction, charts);
        this.play();
    }

    private show(direction: Direction, charts: Charts): void {
        const { view, smooth, tools } = this.views[direction], follows = charts.preserveVolume && direction !== 'd1', chart = charts.charts[direction];
        smooth.checked = chart.smooth;
        tools.hidden = follows;
        view.show({ name: names[direction], chart, period: charts.period, limit: charts.limit, follows, value: (time) => (follows ? directionValue(charts, direction, time) : chartValue(chart, charts.period, charts.limit, time)) });
        if (direction === 'd1' && charts.preserveVolume) for (const other of ['d2', 'd3'] as const) this.show(other, charts);
    }

    private play(): void {
        if (this.app.get('desk') !== 'muscles') return;
        for (const direction of directions) this.views[direction].view.play(this.beat.at(this.app.shownTime));
        this.gaits.play();
    }
}
