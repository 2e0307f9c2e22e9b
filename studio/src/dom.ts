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
    gallery: 'M4.5 5.5h6v6h-6zM13.5 5.5h6v6h-6zM4.5 14.5h6v5h-6zM13.5 14.5h6v5h-6z',
    open: 'M4.5 7.5v10.5h15V9.5h-8l-2-2.5h-5zM12 12v4M10 13.8l2-2 2 2',
    export: 'M12 4.5v9.5M8.5 10.8l3.5 3.5 3.5-3.5M5 16.5v3h14v-3',
    undo: 'M8.5 6 5 9.5 8.5 13M5.5 9.5h8.5a4.7 4.7 0 0 1 0 9.4H10',
    redo: 'M15.5 6 19 9.5 15.5 13M18.5 9.5H10a4.7 4.7 0 0 0 0 9.4h4',
    compare: 'M4.5 5.5h6.5v13H4.5zM13 5.5h6.5v13H13z',
    sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4',
    help: 'M9 9.2a3 3 0 1 1 4.3 2.7c-.9.5-1.3 1-1.3 2M12 17.3v.01',
    save: 'M5.5 5.5h10l3 3v10h-13zM8.5 5.5v4h6v-4M8.5 18.5v-5h7v5',
    panel: 'M4.5 5.5h15v13h-15zM14.5 5.5v13',
    close: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
    frame: 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
    down: 'M7 10l5 5 5-5',
    plus: 'M12 6v12M6 12h12',
    more: 'M6 12h.01M12 12h.01M18 12h.01',
    star: 'M12 4.6l2.3 4.8 5.2.7-3.8 3.6.9 5.2-4.6-2.5-4.6 2.5.9-5.2-3.8-3.6 5.2-.7z',
    pencil: 'M5 19l.8-3.6L15.6 5.6l2.8 2.8-9.8 9.8zM13.6 7.6l2.8 2.8',
    bin: 'M5.5 7.5h13M9.5 7.5v-2h5v2M7 7.5l.8 11h8.4l.8-11M10.3 10.5v5M13.7 10.5v5',
    branch: 'M5 8h6c4 0 4 8 8 8M5 8h14M16.5 5.5 19 8l-2.5 2.5M16.5 13.5 19 16l-2.5 2.5',
    tracks: 'M4.5 6h15M4.5 12h15M4.5 18h15M8 4.500v3M15 10.500v3M11 16.500v3',
    takes: 'M4.5 6.5h15v4h-15zM4.5 13.5h9v4h-9z',
};
const filled = new Set(['play', 'pause', 'step', 'back']);

/** One of the studio's line icons. */
export function icon(name: string): SVGSVGElement {
    return pathIcon(paths[name] ?? '', filled.has(name));
}

/** A line icon of 24 by 24 from its path. */
export function pathIcon(lines: string, isFilled = false): SVGSVGElement {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('class', isFilled ? 'icon filled' : 'icon');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS(ns, 'path');
    path.setAttribute('d', lines);
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

const typed = new WeakSet<EventTarget>();

/** Does a field hold what a person typed and did not enter yet, or is a slider in hand? Only then it may show something else
 *  than the truth. */
export function isTyped(field: EventTarget): boolean {
    return typed.has(field);
}

/** Watches all fields of the page for that. */
export function watchTyping(root: HTMLElement | Document): void {
    root.addEventListener('input', ({ target }) => { if (target) typed.add(target); }, { capture: true });
    for (const event of ['change', 'focusout']) root.addEventListener(event, ({ target }) => { if (target) typed.delete(target); }, { capture: true });
}

/** Where letters are text and not shortcuts. */
export function isTextField(target: EventTarget | null): boolean {
    return target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && ['number', 'search', 'text', 'url', 'email'].includes(target.type));
}
