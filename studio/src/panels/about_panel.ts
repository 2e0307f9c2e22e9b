// What the scene shows, in the words of its file, and what was repaired to make it.
import type { App } from '../app';
import { h } from '../dom';

const mostWarnings = 5;

export function aboutPanel(app: App): HTMLElement {
    const words = h('p'), warnings = h('div.warnings');
    const section = h('section.panel-section.about-scene', {}, h('h2', {}, 'About'), words, warnings);
    app.on(['document'], () => {
        const found = app.document?.warnings ?? [];
        words.textContent = app.document?.document.description ?? '';
        warnings.replaceChildren(...found.slice(0, mostWarnings).map((w) => h('p.warning', {}, w)),
            found.length > mostWarnings ? h('p.warning', {}, `and ${found.length - mostWarnings} more`) : '');
        section.hidden = !words.textContent && !found.length;
    });
    return section;
}
