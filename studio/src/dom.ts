// A few lines instead of a framework: elements from a description, and the icons of the studio.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, unknown>;

/** h('button.primary', { onclick }, 'Play'): an element with classes, attributes, listeners and children. */
export function h<K extends keyof HTMLElementTagNameMap>(what: K | `${K}.${string}`, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const [tag, ...classes] = what.split('.');
    const element = document.createElement(tag) as HTMLElementTagNameMap[K];
    if (classes.length) element.className = classes.join(' ');
    for (const [key, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
        else if (key === 'value' || key === 'checked') (element as unknown as Attributes)[key] = value;
        else element.setAttribute(key, value === true ? '' : String(value));
    }
    element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
    return element;
}

const paths: Record<string, string> = {
    play: 'M8 5.5v13l10.5-6.5z',
    pause: 'M7.5 5.5h3.2v13H7.5zM13.3 5.5h3.2v13h-3.2z',
    step: 'M6.5 6v12l8-6zM16 6h2v12h-2z',
    back: 'M17.5 6v12l-8-6zM6 6h2v12H6z',
    reset: 'M12 5.5a6.5 6.5 0 1 1-6.2 4.6M5.5 4.8v5.2h5.2',
    grab: 'M8.2 12.8V6.7a1.35 1.35 0 0 1 2.7 0V11V5.2a1.35 1.35 0 0 1 2.7 0V11V6.2a1.35 1.35 0 0 1 2.7 0v6.3V9.2a1.3 1.3 0 0 1 2.6 0v5.3c0 3.5-2.2 6-5.6 6-2.6 0-4-1-5.3-3.2l-2.7-4.4c-.9-1.6 1.1-2.8 2.2-1.5z',
    throw: 'M5 17.5c3-7 7-10 13-10.5M13.5 3.8 18.3 7l-3.4 4.6M5.5 20.5h.01M9 19.5h.01',
    ball: 'M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM8.8 9.5c.7-1.3 1.8-2 3.2-2.2',
    pin: 'M9 4.5h6l-.8 5 3 3.2H6.8l3-3.2zM12 12.7V20',
    inspect: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM14.6 14.6 19.5 19.5',
    orbit: 'M12 4v16M4 12h16M12 4l-2 2.3M12 4l2 2.3M12 20l-2-2.3M12 20l2-2.3M4 12l2.3-2M4 12l2.3 2M20 12l-2.3-2M20 12l-2.3 2',
    gallery: 'M4.5 5.5h6v6h-6zM13.5 5.5h6v6h-6zM4.5 14.5h6v5h-6zM13.5 14.5h6v5h-6z',
    open: 'M4.5 7.5v10.5h15V9.5h-8l-2-2.5h-5zM12 12v4M10 13.8l2-2 2 2',
    export: 'M12 4.5v9.5M8.5 10.8l3.5 3.5 3.5-3.5M5 16.5v3h14v-3',
    undo: 'M8.5 6 5 9.5 8.5 13M5.5 9.5h8.5a4.7 4.7 0 0 1 0 9.4H10',
    redo: 'M15.5 6 19 9.5 15.5 13M18.5 9.5H10a4.7 4.7 0 0 0 0 9.4h4',
    compare: 'M4.5 5.5h6.5v13H4.5zM13 5.5h6.5v13H13z',
    cut: 'M4 15.5 14 5.5l6 3-10 10zM9 10.5l6 3',
    sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
    help: 'M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17.3v.01',
    save: 'M5.5 5.5h10l3 3v10h-13zM8.5 5.5v4h6v-4M8.5 18.5v-5h7v5',
    panel: 'M4.5 5.5h15v13h-15zM14.5 5.5v13',
    close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
    frame: 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
    down: 'M7 10l5 5 5-5',
    plus: 'M12 6v12M6 12h12',
    more: 'M6 12h.01M12 12h.01M18 12h.01',
};
const filled = new Set(['play', 'pause', 'step', 'back']);

/** One of the studio's line icons. */
export function icon(name: string): SVGSVGElement {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', filled.has(name) ? 'icon filled' : 'icon');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(ns, 'path');
    path.setAttribute('d', paths[name] ?? '');
    svg.append(path);
    return svg;
}

/** A button that is an icon; its words are its label, its tooltip and, with a key, its shortcut. */
export function iconButton(name: string, words: string, onclick: () => void, key = ''): HTMLButtonElement {
    return h('button.icon-button', { type: 'button', title: key ? `${words} (${key})` : words, 'aria-label': words, onclick }, icon(name));
}

/** 12345 -> "12,345". */
export function withCommas(n: number): string {
    return Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** 2345 -> "2.3 KB". */
export function fileSize(bytes: number): string {
    return bytes < 1e6 ? `${Math.max(0.1, bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Three significant digits, no trailing zeros, no needless exponent. */
export function brief(x: number): string {
    if (!Number.isFinite(x)) return '–';
    if (x === 0) return '0';
    const size = Math.abs(x);
    if (size >= 1e6 || size < 1e-4) return x.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e');
    return String(Number(x.toPrecision(3)));
}
