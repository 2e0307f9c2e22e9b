// A few choices side by side, one of them pressed.
import { h } from '../dom';

export interface Segmented {
    element: HTMLElement;
    /** Shows which is chosen now. */
    update(): void;
}

export function segmented<T extends string>(words: string, options: Array<[T, string]>, current: () => T, choose: (value: T) => void): Segmented {
    const buttons = options.map(([value, name]) => h('button', { type: 'button', onclick: () => choose(value) }, name));
    const update = () => buttons.forEach((b, k) => b.setAttribute('aria-pressed', String(options[k][0] === current())));
    update();
    return { element: h('div.row', {}, h('span', {}, words), h('div.segmented', { role: 'group', 'aria-label': words }, ...buttons)), update };
}
