// Sentences that come and go, and the bar of long work.
import type { App } from '../app';
import { h, iconButton } from '../dom';

const place = h('div.toasts', { role: 'status', 'aria-live': 'polite' });

const readingTime = 60;  // ms for a letter

/** With actions it stays until one is chosen or it is closed. The first action is the one that is meant. */
export function toast(text: string, level: 'info' | 'warning' | 'error' = 'info', actions: Array<{ words: string; act: () => void }> = []): void {
    for (const other of place.children) if (other.firstChild?.textContent === text) other.remove();
    const card = h(`div.toast.${level}`, {}, h('p', {}, text));
    const close = () => card.remove();
    actions.forEach(({ words, act }, k) => card.append(h(k === 0 ? 'button.primary' : 'button', { type: 'button', onclick: () => { close(); act(); } }, words)));
    card.append(iconButton('close', 'Close', close));
    place.append(card);
    while (place.children.length > 4) place.firstChild?.remove();
    if (!actions.length) setTimeout(close, Math.max(level === 'error' ? 15000 : level === 'warning' ? 9000 : 4000, readingTime * text.length));
}

export class ProgressBar {
    readonly element: HTMLElement;
    /** A person pressed Cancel since it was shown. */
    cancelled = false;
    private readonly bar = h('div.bar');
    private readonly words = h('span');

    constructor(app: App) {
        const cancel = () => {
            this.cancelled = true;
            app.send({ type: 'cancel' });
        };
        this.element = h('div.progress', { hidden: true, role: 'progressbar', 'aria-label': 'Progress', 'aria-valuemin': 0, 'aria-valuemax': 100 },
            this.words, h('div.track', {}, this.bar), h('button', { type: 'button', onclick: cancel }, 'Cancel'));
        app.on('progress', (work) => { if (work) this.show(work.what, work.fraction); });
        app.on('build', (build) => { if (build) this.show(build.what, build.state === 'building' ? build.fraction : 1); });
        app.on('connection', (connection) => { if (connection !== 'connected') this.show('', 1); });
    }

    show = (what: string, fraction: number): void => {
        if (this.element.hidden) this.cancelled = false;
        this.element.hidden = fraction >= 1;
        this.words.textContent = what.charAt(0).toUpperCase() + what.slice(1);
        this.bar.style.width = `${Math.round(100 * fraction)}%`;
        this.element.setAttribute('aria-valuenow', String(Math.round(100 * fraction)));
    };
}

export function toastPlace(): HTMLElement {
    return place;
}
