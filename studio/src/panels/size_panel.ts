// The size of what a tool acts with: a slider over the picture, also moved by the wheel and by [ and ].
import { h } from '../dom';

export interface SizePanel {
    element: HTMLElement;
    /** Of the body. */
    readonly share: number;
    scale(factor: number): void;
}

export function sizePanel(name: string, about: string, sizes: { least: number; most: number; usual: number }): SizePanel {
    let share = sizes.usual;
    const span = Math.log(sizes.most / sizes.least);
    const slider = h('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': about, oninput: () => set(sizes.least * Math.exp(Number(slider.value) * span)) });
    const number = h('output');
    const set = (wanted: number) => {
        share = Math.min(sizes.most, Math.max(sizes.least, wanted));
        slider.value = String(Math.log(share / sizes.least) / span);
        slider.style.setProperty('--share', `${100 * Number(slider.value)}%`);
        number.textContent = `${Math.round(100 * share)} %`;
    };
    set(share);
    return {
        element: h('label.size-panel', { title: `${about}, as a share of the body; [ and ], or the wheel while you hold it` }, h('span', {}, name), slider, number),
        get share() { return share; },
        scale: (factor) => set(share * factor),
    };
}
