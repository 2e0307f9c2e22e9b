// What the model becomes: cells or tetrahedra, how large, with the count that gives, and what stiffness means, in plain words.
import { brief, h, isTyped, withCommas } from '../dom';
import { setChanges } from '../scene_editing/commands';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { boxOf } from '../scene_editing/volume_tree';
import type { ShapeModel } from '../shaping/shape_model';
import { pascals } from './node_panel';
import { type Segmented, segmented } from './segmented';

type Law = 'contrast' | 'young' | 'paper';

const lawWords: Record<Law, string> = { contrast: 'By feel', young: 'In pascals', paper: 'As published' };
const lawAbout: Record<Law, string> = {
    contrast: 'Resistance grows evenly in steps from very soft to very hard; the hardest parts are rigid.', young: 'Stiffness is a Young’s modulus, the same for any cell and step.', paper: 'The reach of regions grows with stiffness, as in the paper; stiff parts reach into soft ones.',
};

export class SoftPanel {
    readonly element: HTMLElement;
    private readonly made: Segmented;
    private readonly slider = h('input', { type: 'range', min: 0, max: 1, step: 0.005, 'aria-label': 'Cell size, slider' });
    private readonly field = h('input', { type: 'number', step: 'any', inputmode: 'decimal', 'aria-label': 'Cell size' });
    private readonly count = h('p.count', { role: 'status' });
    private readonly law: Segmented;
    private readonly lawHint = h('p.soft');
    private readonly ends = [0, 1].map((k) => {
        const input = h('input', { type: 'number', step: 'any', min: 0, inputmode: 'decimal', 'aria-label': k ? 'Modulus of the hardest, kPa' : 'Modulus of the softest, kPa' });
        input.addEventListener('change', () => { if (Number(input.value) > 0) this.setRegions({ range: this.range.map((other, n) => (n === k ? 1000 * Number(input.value) : other)) }, 'Set modulus'); });
        return input;
    });
    private readonly moduli = h('div.row', {}, h('span', {}, 'Soft to hard'), this.ends[0], this.ends[1], h('span.unit', {}, 'kPa'));
    private readonly lattice = h('input', { type: 'checkbox', onchange: () => {
        this.model.showsLattice = this.lattice.checked;
        this.model.refresh();
    } });

    constructor(private readonly model: ShapeModel) {
        this.made = segmented<'lattice' | 'tets'>('Made of', [['lattice', 'Cells'], ['tets', 'Tetrahedra']], () => (this.solid.as === 'tets' ? 'tets' : 'lattice'), (as) => this.store({ as: as === 'tets' ? 'tets' : undefined }, as === 'tets' ? 'Make it of tetrahedra' : 'Make it of cells'));
        this.law = segmented<Law>('Stiffness', (Object.keys(lawWords) as Law[]).map((law) => [law, lawWords[law]]), () => this.lawNow, (law) => this.setLaw(law));
        this.slider.addEventListener('input', () => this.model.trySolid({ ...this.solid, cell: this.cellAt(Number(this.slider.value)) }));
        this.slider.addEventListener('change', () => this.setCell(this.cellAt(Number(this.slider.value))));
        this.field.addEventListener('change', () => { if (Number(this.field.value) > 0) this.setCell(Number(this.field.value)); });
        this.element = h('section.soft-panel', { 'aria-label': 'Make it soft' }, h('h3', {}, 'Make it soft'), this.made.element,
            h('div.row', {}, h('span', {}, 'Cell size'), this.slider, this.field, h('span.unit', {}, 'm')), this.count,
            h('label.check', {}, this.lattice, 'Show the cells'), this.law.element, this.lawHint, this.moduli,
            h('div.buttons', {}, h('button.primary', { type: 'button', title: 'From where it was modelled', onclick: () => { model.app.send({ type: 'reset' }); model.app.send({ type: 'play', playing: true }); } }, 'Let it fall')));
        model.on(() => this.draw());
    }

    private get solid(): JsonObject {
        return this.model.solid ?? {};
    }

    /** Longest side of the model, m. */
    private get size(): number {
        const { model } = this.model;
        if (!model) return 1;
        const { low, high } = boxOf(model.root as JsonObject), size = high.sub(low);
        return Math.max(size.x, size.y, size.z, 1e-3);
    }

    private cellAt(share: number): number {
        return Number((this.size / (5 * 10 ** share)).toPrecision(2));  // 5 to 50 along the longest side
    }

    private setCell(cell: number): void {
        this.model.trySolid(null);
        this.store({ cell }, 'Set cell size');
    }

    private store(values: Record<string, Json | undefined>, label: string): void {
        const { model } = this, around = model.path.slice(0, -1);
        model.send(label, (content) => setChanges(content, around, Object.fromEntries(Object.entries({ ...this.solid, ...values }).filter(([, value]) => value !== undefined)) as JsonObject));
    }

    // ---- the law

    private get regions(): JsonObject {
        const matching = this.model.entry?.matching;
        return isObject(matching) && isObject(matching.regions) ? matching.regions : {};
    }

    private get lawNow(): Law {
        return (this.regions.law as Law | undefined) ?? 'contrast';
    }

    private get range(): number[] {
        return Array.isArray(this.regions.range) ? (this.regions.range as number[]) : [5000, 500000];
    }

    private setRegions(values: JsonObject, label: string): void {
        const { model } = this, path = [...model.path.slice(0, -2), 'matching', 'regions'];
        model.send(label, (content) => setChanges(content, path, { ...this.regions, ...values }));
    }

    private setLaw(law: Law): void {
        const { range: _, law: __, rule: ___, classes: ____, ...rest } = this.regions, { model } = this, path = [...model.path.slice(0, -2), 'matching', 'regions'];
        const more: Record<Law, JsonObject> = { contrast: {}, young: { law, range: [5000, 500000] }, paper: { law, rule: 'paper' } };
        model.send(`Stiffness ${lawWords[law].toLowerCase()}`, (content) => setChanges(content, path, { ...rest, ...more[law] }));
    }

    /** How far regions of the particles reach, cells. */
    private reaches(): string {
        const { lattice } = this.model, { lawNow: law, regions } = this;
        if (!lattice || law === 'young' || regions.stiffness !== undefined || regions.widths !== undefined) return '';
        const classes = Array.isArray(regions.classes) ? (regions.classes as number[]) : [1, 3, 12], [low, high] = Array.isArray(regions.range) ? (regions.range as number[]) : law === 'paper' ? [1, 5] : [0.0126, 52];
        const found = new Set<number>();
        for (const s of lattice.stiffness) {
            const resistance = low * (high / low) ** s;
            found.add(law === 'paper' ? Math.floor(low + (high - low) * s + 0.5) : classes.find((w) => (w * (w + 1)) / 3 >= resistance * (1 - 1e-9)) ?? classes[classes.length - 1]);
        }
        const all = [...found].sort((a, b) => a - b);
        return all.length ? ` Regions reach ${all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all[all.length - 1]}` : all[0]} cell${all.length === 1 && all[0] === 1 ? '' : 's'}.` : '';
    }

    private draw(): void {
        const { model } = this;
        this.element.hidden = !model.active;
        if (!model.active) return;
        const cell = Number(this.solid.cell), share = Math.min(1, Math.max(0, Math.log10(this.size / (5 * cell)))), { lattice } = model;
        if (!isTyped(this.slider)) this.slider.value = String(share);
        this.slider.style.setProperty('--share', `${100 * Number(this.slider.value)}%`);
        if (!isTyped(this.field)) this.field.value = brief(cell);
        this.made.update();
        this.law.update();
        this.lawHint.textContent = lawAbout[this.lawNow];
        this.moduli.hidden = this.lawNow !== 'young';
        this.range.forEach((value, k) => { if (!isTyped(this.ends[k])) this.ends[k].value = brief(value / 1000); });
        this.moduli.title = this.range.map(pascals).join(' to ');
        const body = model.app.scene?.bodies.find(({ id }) => id === model.identity);
        this.count.textContent = this.solid.as === 'tets' ? (body ? `${withCommas(body.particles)} particles` : '')
            
            : lattice ? `${withCommas(lattice.numbers[1])} particles in ${withCommas(lattice.numbers[0])} cells.${this.reaches()}` : 'Too many cells to count while you slide.';
        this.lattice.checked = model.showsLattice;
        this.lattice.disabled = this.solid.as === 'tets';
    }
}
