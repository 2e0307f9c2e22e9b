// The wave of a body's muscles, running over it in colours before anything is built: what the charts ask for at each drawn
// place, red where it contracts and blue where it lengthens.
import type { App } from '../app';
import { h } from '../dom';
import { directionValue, readCharts } from '../scene_editing/charts';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { layerOf } from '../state/muscle_layer';
import { toolBeneath } from '../toolbox/tool_beneath';
import { Newest } from './newest';
import { bodyEntry } from './target';

const steps = 512;  // of a period, in the table of the chart

interface Wave {
    body: string;
    /** Of each drawn vertex, then of each corner of the cut. */
    amplitude: Float32Array;
    phase: Float32Array;
    vertices: number;
    points: Float32Array;
    rests: Float32Array;
    period: number;
    speed: number;
    /** Logarithms over one period, as shares of that of the limit. */
    table: Float32Array;
}

export class WavePreview {
    readonly element: HTMLElement;
    private readonly box = h('input', { type: 'checkbox', onchange: () => this.app.setPaint({ wave: this.box.checked }) });
    private readonly newest = new Newest(() => this.ask());
    private wave: Wave | null = null;
    private ticking = false;

    constructor(private readonly app: App, private readonly tool: string) {
        this.element = h('label.check.row', { title: 'A preview of the motion that charts, amplitude and phase ask for: red contracts, blue lengthens' }, this.box, 'Preview the wave');
        app.on(['document', 'selection', 'scene', 'paint', 'tool', 'desk', 'look'], () => this.update());
        app.on('status', () => { if (this.isOn && app.look.cut) this.newest.again(); });
    }

    private get isOn(): boolean {
        return this.app.get('paint').wave && toolBeneath(this.app) === this.tool;
    }

    private update(): void {
        this.box.checked = this.app.get('paint').wave;
        if (this.isOn) {
            this.newest.again();
        } else if (this.wave) {
            this.app.viewport.bodyView(this.wave.body)?.unpaint();
            this.wave = null;
            this.app.viewport.draw();
        }
    }

    private async ask(): Promise<void> {
        const { app } = this, body = app.selected, entry = app.document ? bodyEntry(app.document.content as unknown as JsonObject, body) : null, layer = layerOf(entry);
        if (!this.isOn || !entry || layer === null || !app.viewport.bodyView(body)) {
            this.wave = null;
            return;
        }
        const active = ((entry.matching as JsonObject).stretch as JsonObject[])[layer].active as JsonObject, fields: JsonObject = isObject(active.fields) ? active.fields : {};
        const cut = app.viewport.cutting.forEngine, of = (field: Json, slot: string) => app.ask('field', { body, field, labels: false, cut }, slot);
        const [amplitude, phase] = await Promise.all([of(fields.amplitude ?? 1, 'wave amplitude'), of(fields.phase ?? 0, 'wave phase')]).catch(() => [null, null]);
        if (!amplitude || !phase || !this.isOn || app.selected !== body) return;
        const charts = readCharts(active.charts), both = (a: Float32Array, b: Float32Array) => Float32Array.from([...a, ...b]);
        const most = Math.log(Math.max(1.01, charts.limit));
        this.wave = {
            body, vertices: amplitude.values.length, points: amplitude.points.slice(), rests: amplitude.rests.slice(),
            amplitude: both(amplitude.values, amplitude.point_values), phase: both(phase.values, phase.point_values),
            period: charts.period, speed: typeof active.speed === 'number' && active.speed ? active.speed : 1,
            table: Float32Array.from({ length: steps }, (_, k) => Math.log(directionValue(charts, 'd1', (k / steps) * charts.period)) / most),
        };
        if (!this.ticking) this.tick();
    }

    private tick(): void {
        this.ticking = this.wave !== null && this.isOn;
        if (!this.ticking || !this.wave) return;
        const { body, amplitude, phase, vertices, points, rests } = this.wave, shares = this.sharesAt(performance.now() / 1000, amplitude, phase);
        this.app.viewport.bodyView(body)?.paint('coolwarm', shares.subarray(0, vertices), { points, rests, values: shares.subarray(vertices) });
        this.app.viewport.draw();
        requestAnimationFrame(() => this.tick());
    }

    /** Of the colours: half is no stretch. */
    private sharesAt(time: number, amplitude: Float32Array, phase: Float32Array): Float32Array {
        const { period, speed, table } = this.wave!;
        return amplitude.map((a, k) => {
            const turns = (time - Math.min(1, Math.max(0, phase[k])) / speed) / period;
            return 0.5 + 0.5 * Math.min(1, Math.max(-1, a)) * table[Math.floor(steps * (turns - Math.floor(turns))) % steps];
        });
    }
}
