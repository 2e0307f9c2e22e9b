// What the scene measures, plotted while it runs: one plot for each kind of number, a curve for each measure. A take that is
// compared is drawn behind, dashed.
import type { App } from '../app';
import { brief, h, icon } from '../dom';
import { saveBlob } from '../exporting/download';
import type { Measure, ServerMeasures } from '../protocol/messages';
import { MeasureTable, curve, ticksOf } from '../state/measure_table';
import { phaseColor } from './cost_panel';

const width = 276, height = 92;
const svgName = 'http://www.w3.org/2000/svg';

function svg(tag: string, attributes: Record<string, string | number>, ...children: Array<Node | string>): SVGElement {
    const element = document.createElementNS(svgName, tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.append(...children);
    return element;
}

/** Measures with the same label belong in one plot. */
function byLabel(names: Measure[]): Map<string, number[]> {
    const plots = new Map<string, number[]>();
    names.forEach(({ label }, column) => plots.set(label, [...(plots.get(label) ?? []), column]));
    return plots;
}

export function measuresPanel(app: App): HTMLElement {
    const table = new MeasureTable(), beside = new MeasureTable();
    const plots = h('div.plots');
    const save = h('button.more', { type: 'button', title: 'Save the numbers as CSV', 'aria-label': 'Save the numbers as CSV', onclick: () => saveBlob(new Blob([table.csv()], { type: 'text/csv' }), `${app.document?.name || 'scene'}_measures.csv`) }, icon('export'));
    const section = h('section.panel-section.measures', { hidden: true }, h('header', {}, h('h2', {}, 'Measures'), save), plots);
    /** By its name, wherever it stands by then. */
    const remove = (name: string) => app.edits.once((content) => {
        const at = (content.measures ?? []).findIndex((measure) => measure.name === name);
        return at < 0 ? null : { label: `Remove ${name}`, changes: [{ op: 'remove', path: `/measures/${at}` }] };
    });
    const draw = () => {
        section.hidden = table.names.length === 0;
        if (section.hidden) return;
        plots.replaceChildren(...[...byLabel(table.names)].map(([label, columns]) => plot(table, beside, label, columns, app.look.dark, app.shownTime, remove)));
    };
    app.on('measures', (message: ServerMeasures) => {
        (message.run === 0 ? table : beside).add(message);
        draw();
    });
    app.on('status', (status) => { if (status?.beside === undefined) beside.clear(); });
    app.on(['look', 'status'], draw);
    return section;
}

/** Numbers of the columns of the same names; -1 where there is none. */
function sameColumns(table: MeasureTable, other: MeasureTable, columns: number[]): number[] {
    return columns.map((column) => other.names.findIndex(({ name, label }) => name === table.names[column].name && label === table.names[column].label));
}

/** s */
function spanOf(table: MeasureTable): [number, number] {
    return [table.span.from, table.span.to];
}

/** A span that holds two. */
function joined(a: [number, number], b: [number, number]): [number, number] {
    return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
}

function plot(table: MeasureTable, beside: MeasureTable, label: string, columns: number[], dark: boolean, now: number, remove: (name: string) => void): HTMLElement {
    const others = sameColumns(table, beside, columns), compares = beside.rows.length > 0 && others.some((column) => column >= 0);
    const [from, to] = compares ? joined(spanOf(table), spanOf(beside)) : spanOf(table);
    const [low, high] = compares ? joined(table.range(columns), beside.range(others.filter((column) => column >= 0))) : table.range(columns);
    const x = (t: number) => ((t - from) / Math.max(to - from, 1e-9)) * width, y = (v: number) => height - ((v - low) / (high - low)) * height;
    const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `${label} over time`, preserveAspectRatio: 'none' });
    for (const tick of ticksOf(low, high)) picture.append(svg('line', { class: 'tick', x1: 0, x2: width, y1: y(tick), y2: y(tick) }));
    if (compares) others.forEach((column, k) => column >= 0 && picture.append(svg('path', { class: 'curve beside', d: curve(beside.rows, column, x, y, width), style: `stroke: ${phaseColor(k, dark)}` })));
    columns.forEach((column, k) => picture.append(svg('path', { class: 'curve', d: curve(table.rows, column, x, y, width), style: `stroke: ${phaseColor(k, dark)}` })));
    if (now >= from && now <= to) picture.append(svg('line', { class: 'now', x1: x(now), x2: x(now), y1: 0, y2: height }));
    const keys = columns.map((column, k) => h('li', {}, h('i', { style: `background: ${phaseColor(k, dark)}` }), table.names[column].name, ' ', h('b', {}, brief(table.valueAt(column, now))),
        // Drawn anew several times a second: a click would begin on one button and end on another.
        h('button.remove', { type: 'button', title: `Stop measuring ${table.names[column].name}`, 'aria-label': `Stop measuring ${table.names[column].name}`, onpointerdown: () => remove(table.names[column].name), onclick: (event: MouseEvent) => { if (event.detail === 0) remove(table.names[column].name); } }, '×')));
    return h('figure.plot', {}, h('figcaption', {}, label), h('div.axes', {}, picture, h('span.top', {}, brief(high)), h('span.bottom', {}, brief(low)), h('span.from', {}, `${from.toFixed(1)} s`), h('span.to', {}, `${to.toFixed(1)} s`)), h('ul.keys', {}, ...keys));
}
