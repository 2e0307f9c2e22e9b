// The chosen node of a volume model in numbers: its kind, its sizes, what is inside, how it is rounded or repeated.
import { brief, h, isTyped } from '../dom';
import { hardColor, softColor } from '../overlays/model_view';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import {
    type Operator, type ShapeKind, changeOperator, changeShape, halfSize, isLeaf, kindOf, nodeName, nodeWords, operatorAbout, operators, roundable, shapes,
} from '../scene_editing/volume_tree';
import type { ShapeModel } from '../shaping/shape_model';

/** A number of a node on one line. */
interface NumberRow {
    words: string;
    about?: string;
    unit?: string;
    value: number;
    /** With a slider between these. */
    between?: [number, number];
    whole?: boolean;
    set(value: number): Record<string, Json | undefined>;
}

const hex = (rgb: readonly number[]) => `#${rgb.map((c) => Math.round(255 * Math.min(1, Math.max(0, c))).toString(16).padStart(2, '0')).join('')}`;
const fromHex = (text: string) => [1, 3, 5].map((k) => Number((parseInt(text.slice(k, k + 2), 16) / 255).toFixed(3)));

export class NodePanel {
    readonly element = h('section.node-panel', { 'aria-label': 'Chosen part' });
    private drawn = '';

    constructor(private readonly model: ShapeModel) {
        model.on(() => this.draw());
        model.app.on('refused', () => {  // what was chosen here did not come about
            this.drawn = '';
            this.draw();
        });
    }

    private draw(): void {
        const { model, element } = this, chosen = model.active ? model.node : null;
        element.hidden = !chosen;
        if (!chosen) return;
        const { path, node } = chosen, shape = JSON.stringify([path, kindOf(node), Object.keys(node), Array.isArray(node.side), (node.points as Json[] | undefined)?.length]);
        const rows = this.numbers(node);
        if (shape !== this.drawn) {
            this.drawn = shape;
            element.replaceChildren(this.head(node), ...rows.map((row, k) => this.row(row, k)), ...this.inside(node));
        }
        // Other values of the same: fields in hand keep what is typed.
        rows.forEach(({ value, between }, k) => {
            for (const field of element.querySelectorAll<HTMLInputElement>(`[data-row="${k}"]`)) {
                if (!isTyped(field)) field.value = String(field.type === 'range' ? value : Number(value.toPrecision(6)));
                if (field.type === 'range' && between) field.style.setProperty('--share', `${(100 * (value - between[0])) / (between[1] - between[0])}%`);
            }
        });
        const color = element.querySelector<HTMLInputElement>('input[type=color]');
        if (color && !isTyped(color)) color.value = hex(Array.isArray(node.color) ? (node.color as number[]) : [1, 1, 1]);
        const said = element.querySelector('.stiffness-words');
        if (said) said.textContent = this.stiffnessWords(Number(node.stiffness ?? 0));
        element.querySelector('h3')!.textContent = nodeName(node);
    }

    private head(node: JsonObject): HTMLElement {
        const { model } = this, kind = kindOf(node), title = h('h3', {}, nodeName(node));
        const options = 'op' in node ? operators : (shapes as readonly string[]).includes(kind) ? shapes : [];
        if (!options.length) return h('header', {}, title, h('span.soft', {}, nodeWords[kind]));
        const select = h('select', {
            'aria-label': 'op' in node ? 'Operator' : 'Shape', title: 'op' in node ? operatorAbout[kind as Operator] : undefined,
            onchange: () => {
                const { path } = model.node!, wanted = select.value;
                const done = model.edit((now) => ('op' in node ? changeOperator(now, path, wanted as Operator) : changeShape(now, path, wanted as ShapeKind)));
                if (!done) select.value = kind;
            },
        }, ...options.map((value) => h('option', { value, title: operatorAbout[value as Operator], selected: value === kind }, nodeWords[value])));
        return h('header', {}, title, select);
    }

    private numbers(node: JsonObject): NumberRow[] {
        const rows: NumberRow[] = [], size = (key: string, words: string, about = '') => { if (typeof node[key] === 'number') rows.push({ words, about, unit: 'm', value: node[key] as number, set: (value) => ({ [key]: value }) }); };
        if ('op' in node || 'repeat' in node) {
            const of = Array.isArray(node.args) ? (node.args as JsonObject[]) : [node.of as JsonObject];
            const largest = Math.max(0.05, ...of.filter(isLeaf).map((part) => halfSize(part).length()));
            if ('repeat' in node && typeof node.count === 'number') rows.push({ words: 'Count', value: node.count, whole: true, between: [2, 24], set: (count) => ({ count: Math.max(2, Math.round(count)) }) });
            for (const [key, words] of [['step', 'Step'], ['normal', 'Across'], ['axis', 'Axis'], ['point', 'Through']] as const) {
                const vector = Array.isArray(node[key]) ? (node[key] as number[]) : null;
                vector?.forEach((value, k) => rows.push({ words: `${words} ${'xyz'[k]}`, unit: key === 'step' || key === 'point' ? 'm' : '', value, set: (now) => ({ [key]: vector.map((other, n) => (n === k ? now : other)) }) }));
            }
            if (roundable.has(kindOf(node)) || 'repeat' in node) {
                const rounding = Number(node.radius ?? 0);
                rows.push({ words: 'Blend radius', about: 'Rounds the edge where the parts meet; 0 is sharp', unit: 'm', value: rounding, between: [0, Number(Math.max(largest / 2, rounding).toPrecision(2))], set: (value) => ({ radius: value > 0 ? value : undefined }) });
            }
            return rows;
        }
        size('radius', 'Radius');
        if (Array.isArray(node.side)) (node.side as number[]).forEach((value, k) => rows.push({ words: `Side ${'xyz'[k]}`, unit: 'm', value, set: (now) => ({ side: (node.side as number[]).map((other, n) => (n === k ? now : other)) }) }));
        else size('side', 'Side');
        if (node.prim === 'cube') rows.push({ words: 'Rounding', unit: 'm', value: Number(node.rounding ?? 0), between: [0, Math.min(...halfSize(node).toArray())], set: (value) => ({ rounding: value > 0 ? value : undefined }) });
        size('height', 'Height');
        size('tube', 'Tube', 'Radius of the tube');
        size('grain', 'Grain', 'Size of the blobs, about');
        if (typeof node.share === 'number') rows.push({ words: 'Share', about: 'How much of the box the blobs fill', value: node.share, between: [0.02, 1], set: (share) => ({ share }) });
        size('voxel', 'Sampled at');
        if (node.prim !== 'volume') {
            rows.push({ words: 'Stiffness', about: '0 is the softest, 1 the hardest; what that means is the law below', value: Number(node.stiffness ?? 0), between: [0, 1], set: (stiffness) => ({ stiffness }) });
            rows.push({ words: 'Opacity', about: 'Below one half it counts as empty; parts add up in a blend', value: Number(node.opacity ?? 1), between: [0, 1], set: (opacity) => ({ opacity: opacity < 1 ? opacity : undefined }) });
        }
        return rows;
    }

    private row(row: NumberRow, k: number): HTMLElement {
        const { model } = this;
        // Rows stay while the values change: what they set is made from the node of now.
        const give = (value: number) => {
            const chosen = model.node, now = chosen && this.numbers(chosen.node)[k];
            if (chosen && now && Number.isFinite(value)) model.set(chosen.path, now.set(now.whole ? Math.round(value) : Number(value.toPrecision(6))), `Set ${row.words.toLowerCase()} of ${nodeName(chosen.node).toLowerCase()}`);
        };
        const slider = row.between && h('input', {
            type: 'range', min: row.between[0], max: row.between[1], step: row.whole ? 1 : (row.between[1] - row.between[0]) / 200, value: row.value, 'data-row': k, 'aria-label': `${row.words}, slider`, class: row.words === 'Stiffness' ? 'stiffness-slider' : undefined,
            oninput: () => give(Number(slider!.value)),
        });
        const field = h('input', { type: 'number', step: 'any', inputmode: 'decimal', value: row.value, 'data-row': k, 'aria-label': row.words });
        field.addEventListener('change', () => { if (field.value !== '') give(Number(field.value)); });
        return h('div.row', { title: row.about || undefined }, h('span', {}, row.words), slider ?? null, field, h('span.unit', {}, row.unit ?? ''));
    }

    private inside(node: JsonObject): HTMLElement[] {
        const { model } = this;
        if (!isLeaf(node)) return [];
        if (node.prim === 'volume' || node.prim === 'mesh') {
            const file = h('p.soft', {}, String(node.file));
            if (node.prim === 'volume') return [file];
        }
        const color = h('input', { type: 'color', 'aria-label': 'Colour', value: '#ffffff', oninput: () => { if (model.node) model.set(model.node.path, { color: fromHex(color.value) }, 'Set colour'); } });
        const byHardness = h('button', {
            type: 'button', title: 'Hard blue, soft orange', onclick: () => {
                if (!model.node) return;
                const s = Number(model.node.node.stiffness ?? 0);
                model.set(model.node.path, { color: softColor.map((soft, c) => Number((soft + (hardColor[c] - soft) * s).toFixed(3))) }, 'Colour by stiffness');
                model.app.edits.endGesture();
            },
        }, 'By stiffness');
        return [h('p.stiffness-words.soft'), h('div.row', {}, h('span', {}, 'Colour'), color, byHardness)];
    }

    /** What a stiffness means for the body, if its law is a real one. */
    private stiffnessWords(stiffness: number): string {
        const matching = this.model.entry?.matching, regions = isObject(matching) && isObject(matching.regions) ? matching.regions : {};
        const law = regions.law ?? 'contrast', rigid = Number(regions.rigid ?? (law === 'contrast' ? 0.9 : 2)), range = Array.isArray(regions.range) ? (regions.range as number[]) : null;
        if (stiffness >= rigid) return 'Moves as one rigid piece.';
        if (law === 'young' && range) return `${pascals(range[0] * (range[1] / range[0]) ** stiffness)}`;
        return stiffness === 0 ? 'The softest there is.' : '';
    }
}

export function pascals(value: number): string {
    return value >= 1e6 ? `${brief(value / 1e6)} MPa` : value >= 1e3 ? `${brief(value / 1e3)} kPa` : `${brief(value)} Pa`;
}
