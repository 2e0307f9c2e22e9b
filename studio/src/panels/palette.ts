// The legend of what is painted, which is also the palette: a click or the arrow keys pick the value to paint with.
import { h } from '../dom';
import { type ValueScale, shareOf, valueAtShare } from '../painting/value_scale';
import { gradientOf } from '../viewport/color_maps';

const keyStep = 0.02;
const ticks = [0, 0.5, 1];

export interface PaletteState {
    scale: ValueScale;
    map: string;
    /** Whole numbers only. */
    labels: boolean;
    value: number;
    /** As people read it. */
    words(stored: number): string;
}

export class Palette {
    readonly element: HTMLElement;
    private readonly strip: HTMLElement;
    private readonly mark = h('span.mark');
    private readonly ends = ticks.map(() => h('span'));
    private state: PaletteState | null = null;

    constructor(name: string, private readonly pick: (stored: number) => void) {
        this.strip = h('div.strip', { role: 'slider', tabindex: 0, 'aria-label': name, 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.mark);
        this.element = h('div.palette', {}, this.strip, h('div.ends', {}, ...this.ends));
        const take = (event: PointerEvent) => {
            const box = this.strip.getBoundingClientRect();
            this.pickShare((event.clientX - box.left) / box.width);
        };
        this.strip.addEventListener('pointerdown', (event) => {
            if (event.button !== 0) return;
            this.strip.setPointerCapture(event.pointerId);
            take(event);
        });
        this.strip.addEventListener('pointermove', (event) => { if (this.strip.hasPointerCapture(event.pointerId)) take(event); });
        this.strip.addEventListener('keydown', (event) => {
            const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -Infinity, End: Infinity }[event.key];
            if (way === undefined || !this.state) return;
            event.preventDefault();
            event.stopPropagation();
            const { scale, value, labels } = this.state, step = labels ? 1 / (scale.high - scale.low) : keyStep;
            this.pickShare(Math.min(1, Math.max(0, shareOf(scale, value) + way * step)));
        });
    }

    private pickShare(share: number): void {
        if (!this.state) return;
        const value = valueAtShare(this.state.scale, share);
        this.pick(this.state.labels ? Math.round(value) : Number(value.toPrecision(3)));
    }

    update(state: PaletteState): void {
        this.state = state;
        const { scale, value, words } = state, share = shareOf(scale, value);
        this.strip.style.background = gradientOf(state.map);
        this.mark.style.left = `${100 * share}%`;
        this.strip.setAttribute('aria-valuenow', String(Math.round(100 * share)));
        this.strip.setAttribute('aria-valuetext', words(value));
        this.ends.forEach((end, k) => { end.textContent = words(valueAtShare(scale, ticks[k])); });
    }
}
