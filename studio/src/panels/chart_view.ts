// One chart as a curve with keys: click adds a key, drag moves it, a box chooses several, Delete or the right button removes.
// The value is on a logarithmic axis with 1 in the middle; one and a half periods are drawn, so that the seam shows.
import { brief } from '../dom';
import type { Chart, ChartKey } from '../scene_editing/charts';

const wide = 200, high = 84, shownPeriods = 1.5, samples = 150;
const keyRadius = 4.5, reach = 12;  // px, of the dot and of the area that takes a hand
const leastDrag = 3;                // px

export interface ShownChart {
    name: string;
    chart: Chart;
    period: number;
    limit: number;
    /** What the body is asked for: differs from the chart if another decides on it. */
    value(time: number): number;
    /** It follows another chart, and has no keys of its own. */
    follows: boolean;
}

/** What a hand does: a draft while it goes, one step of undo when it ends. */
export interface ChartHand {
    add(time: number, value: number): number | null;
    move(numbers: ReadonlySet<number>, by: { time: number; factor: number }): void;
    end(): void;
    cancel(): void;
    remove(numbers: ReadonlySet<number>): void;
    /** A single key is chosen, or it has moved; null: none or several. */
    chose(number: number, key: ChartKey | null): void;
}

function svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Record<string, string | number> = {}): SVGElementTagNameMap[K] {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    return element;
}

export class ChartView {
    readonly element = svg('svg', { class: 'chart', viewBox: `0 0 ${wide} ${high}`, role: 'group', tabindex: 0 });
    private readonly second = svg('rect', { class: 'next-period', y: 0, height: high });
    private readonly grid = svg('path', { class: 'grid' });
    private readonly one = svg('path', { class: 'one', d: `M0 ${high / 2}H${wide}` });
    private readonly curve = svg('path', { class: 'curve' });
    private readonly head = svg('path', { class: 'playhead', d: `M0 0V${high}` });
    private readonly box = svg('rect', { class: 'chosen-box', visibility: 'hidden' });
    private readonly copies = svg('g');
    private readonly keys = svg('g');
    private chosen = new Set<number>();
    private shown: ShownChart | null = null;
    private dragging = false;

    constructor(private readonly hand: ChartHand) {
        this.element.append(this.second, this.grid, this.one, this.curve, this.copies, this.keys, this.head, this.box);
        this.element.addEventListener('pointerdown', (event) => this.press(event));
        this.element.addEventListener('contextmenu', (event) => event.preventDefault());
        this.element.addEventListener('keydown', (event) => this.type(event));
    }

    // ---- places

    private x(time: number): number {
        return (time / (this.shown!.period * shownPeriods)) * wide;
    }

    private y(value: number): number {
        const most = Math.log(Math.max(this.shown!.limit, 1.01));
        return high / 2 - (Math.log(value) / most) * (high / 2 - 6);
    }

    private timeAt(x: number): number {
        return (x / wide) * this.shown!.period * shownPeriods;
    }

    private valueAt(y: number): number {
        const { limit } = this.shown!, most = Math.log(Math.max(limit, 1.01));
        return Math.min(limit, Math.max(1 / limit, Math.exp(((high / 2 - y) / (high / 2 - 6)) * most)));
    }

    private placeOf(event: PointerEvent): { x: number; y: number } {
        const box = this.element.getBoundingClientRect();
        return { x: ((event.clientX - box.left) / box.width) * wide, y: ((event.clientY - box.top) / box.height) * high };
    }

    // ---- the picture

    show(shown: ShownChart): void {
        this.shown = shown;
        const { period, limit, chart, follows } = shown;
        this.element.setAttribute('aria-label', `${shown.name}: ${follows ? 'keeps the volume' : `${chart.keys.length} keys`}. Enter adds a key.`);
        this.element.classList.toggle('follows', follows);
        this.second.setAttribute('x', String(this.x(period)));
        this.second.setAttribute('width', String(wide - this.x(period)));
        const lines = [0.25, 0.5, 0.75, 1, 1.25].map((share) => `M${this.x(share * period)} 0V${high}`);
        this.grid.setAttribute('d', lines.join('') + [Math.sqrt(limit), 1 / Math.sqrt(limit)].map((v) => `M0 ${this.y(v)}H${wide}`).join(''));
        const points = Array.from({ length: samples + 1 }, (_, k) => {
            const time = (k / samples) * period * shownPeriods;
            return `${this.x(time).toFixed(2)} ${this.y(Math.min(limit, Math.max(1 / limit, shown.value(time)))).toFixed(2)}`;
        });
        this.curve.setAttribute('d', `M${points.join('L')}`);
        this.chosen = new Set([...this.chosen].filter((k) => k < chart.keys.length));
        this.drawKeys();
    }

    private drawKeys(): void {
        const { chart, period, follows } = this.shown!, focused = [...this.keys.children].indexOf(document.activeElement as never);
        const wrapped = (time: number) => time - period * Math.floor(time / period);
        this.keys.replaceChildren(...(follows ? [] : chart.keys).map(([time, value], k) => {
            const key = svg('g', { class: this.chosen.has(k) ? 'key chosen' : 'key', tabindex: 0, role: 'button', 'data-key': k, 'aria-label': `Key ${k + 1}: ${brief(wrapped(time))} s, ${brief(value)}`, transform: `translate(${this.x(wrapped(time))} ${this.y(value)})` });
            key.append(svg('circle', { class: 'reach', r: reach }), svg('circle', { class: 'dot', r: keyRadius }), Object.assign(svg('title'), { textContent: `${brief(wrapped(time))} s, ${brief(value)}` }));
            return key;
        }));
        this.copies.replaceChildren(...(follows ? [] : chart.keys).filter(([time]) => wrapped(time) <= (shownPeriods - 1) * period)
            .map(([time, value]) => svg('circle', { class: 'copy', r: keyRadius - 1.5, cx: this.x(wrapped(time) + period), cy: this.y(value) })));
        if (focused >= 0) (this.keys.children[focused] as SVGElement | undefined)?.focus();
        const [only] = this.chosen;
        this.hand.chose(only, this.chosen.size === 1 && !follows ? chart.keys[only] : null);
    }

    /** `share`: of a beat. */
    play(share: number): void {
        if (!this.shown) return;
        this.head.setAttribute('transform', `translate(${this.x(share * this.shown.period)} 0)`);
    }

    // ---- hands

    private keyUnder(event: Event): number | null {
        const key = (event.target as Element).closest<SVGElement>('[data-key]')?.dataset.key;
        return key === undefined ? null : Number(key);
    }

    private press(event: PointerEvent): void {
        if (!this.shown || this.shown.follows || this.dragging) return;
        const under = this.keyUnder(event);
        event.preventDefault();
        if (event.button === 2) {
            if (under !== null) this.remove(this.chosen.has(under) ? this.chosen : new Set([under]));
            return;
        }
        if (event.button !== 0) return;
        if (under === null) return this.pressEmpty(event);
        if (event.shiftKey && this.chosen.has(under)) this.chosen.delete(under);
        else if (!this.chosen.has(under)) this.chosen = event.shiftKey ? new Set([...this.chosen, under]) : new Set([under]);
        this.drawKeys();
        (this.keys.children[under] as SVGElement | undefined)?.focus();
        this.drag(event, this.placeOf(event));
    }

    /** A click adds a key, which may be dragged at once; a drag chooses all in a box. */
    private pressEmpty(event: PointerEvent): void {
        const from = this.placeOf(event);
        let boxed = false;
        this.follow(event, {
            move: (at) => {
                boxed ||= Math.hypot(at.x - from.x, at.y - from.y) > leastDrag;
                if (!boxed) return;
                const left = Math.min(from.x, at.x), top = Math.min(from.y, at.y), width = Math.abs(at.x - from.x), height = Math.abs(at.y - from.y);
                for (const [key, value] of Object.entries({ x: left, y: top, width, height, visibility: 'visible' })) this.box.setAttribute(key, String(value));
                const { chart, period } = this.shown!;
                this.chosen = new Set(chart.keys.flatMap(([time, value], k) => {
                    const x = this.x(time - period * Math.floor(time / period)), y = this.y(value);
                    return x >= left && x <= left + width && y >= top && y <= top + height ? [k] : [];
                }));
                this.drawKeys();
            },
            end: () => {
                this.box.setAttribute('visibility', 'hidden');
                if (!boxed) this.addAt(this.timeAt(from.x), this.valueAt(from.y));
            },
            cancel: () => this.box.setAttribute('visibility', 'hidden'),
        });
    }

    private addAt(time: number, value: number): void {
        const added = this.hand.add(time, value);
        if (added !== null) this.chosen = new Set([added]);
    }

    private drag(event: PointerEvent, from: { x: number; y: number }): void {
        const numbers = new Set(this.chosen), fromTime = this.timeAt(from.x);
        let moved = false;
        this.follow(event, {
            move: (at, { shiftKey }) => {
                moved ||= Math.hypot(at.x - from.x, at.y - from.y) > leastDrag;
                if (!moved) return;
                const along = Math.abs(at.x - from.x) > Math.abs(at.y - from.y);
                const time = shiftKey && !along ? 0 : this.timeAt(at.x) - fromTime;
                const most = Math.log(Math.max(this.shown!.limit, 1.01)), factor = shiftKey && along ? 1 : Math.exp(((from.y - at.y) / (high / 2 - 6)) * most);
                this.hand.move(numbers, { time, factor });
            },
            end: () => this.hand.end(),
            cancel: () => this.hand.cancel(),
        });
    }

    private follow(event: PointerEvent, does: { move(at: { x: number; y: number }, event: PointerEvent): void; end(): void; cancel(): void }): void {
        this.dragging = true;
        this.element.setPointerCapture(event.pointerId);
        const stop = new AbortController(), { signal } = stop;
        const finish = (then: () => void) => {
            stop.abort();
            this.dragging = false;
            then();
        };
        this.element.addEventListener('pointermove', (move) => does.move(this.placeOf(move), move), { signal });
        this.element.addEventListener('pointerup', () => finish(does.end), { signal });
        this.element.addEventListener('pointercancel', () => finish(does.cancel), { signal });
        addEventListener('keydown', (key) => {
            if (key.key !== 'Escape') return;
            key.stopPropagation();
            finish(does.cancel);
        }, { signal, capture: true });
    }

    private remove(numbers: ReadonlySet<number>): void {
        this.chosen = new Set();
        this.hand.remove(numbers);
    }

    private type(event: KeyboardEvent): void {
        if (!this.shown || this.shown.follows) return;
        const under = this.keyUnder(event), { period } = this.shown;
        if (under === null) {
            if (event.key !== 'Enter') return;
            const gaps = this.widestGap();
            this.addAt(gaps, this.shown.value(gaps));
        } else {
            const numbers = this.chosen.has(under) ? this.chosen : new Set([under]);
            const fine = event.shiftKey ? 5 : 1, step = { ArrowLeft: [-0.01, 0], ArrowRight: [0.01, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] }[event.key];
            if (event.key === 'Delete' || event.key === 'Backspace') this.remove(numbers);
            else if (step) {
                this.hand.move(numbers, { time: step[0] * fine * period, factor: Math.exp(step[1] * fine) });
                this.hand.end();
            } else return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    /** The middle of the longest time without a key. */
    private widestGap(): number {
        const { chart, period } = this.shown!, times = chart.keys.map(([time]) => time - period * Math.floor(time / period)).sort((a, b) => a - b);
        if (!times.length) return 0;
        let best = { length: 0, at: 0 };
        times.forEach((time, k) => {
            const end = k + 1 < times.length ? times[k + 1] : times[0] + period;
            if (end - time > best.length) best = { length: end - time, at: (time + end) / 2 };
        });
        return best.at;
    }
}
