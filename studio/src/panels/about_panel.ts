// What the scene shows, in the words of its file, and what was repaired to make it.
import type { App } from '../app';
import { h } from '../dom';

/** "bodies[1].solid: Its holes were closed." -> "duck: Its holes were closed."; the name only where there are several. */
export function namedWarning(warning: string, bodies: string[]): string {
    return warning.replace(/^bodies\[(\d+)\][^:]*: /, (place, k) => (bodies.length > 1 ? `${bodies[Number(k)] ?? place}: ` : ''));
}

export function aboutPanel(app: App): HTMLElement {
    const words = h('p'), summary = h('summary'), list = h('div');
    const warnings = h('details.warnings', {}, summary, list);
    const section = h('section.panel-section.about-scene', {}, h('h2', {}, 'About'), words, warnings);
    app.on(['document'], () => {
        const found = app.document?.warnings ?? [];
        const names: string[] = (app.document?.content.bodies ?? []).map((body) => body.name);
        words.textContent = app.document?.content.description ?? '';
        summary.textContent = found.length === 1 ? '1 warning' : `${found.length} warnings`;
        list.replaceChildren(...found.map((warning) => h('p.warning', {}, namedWarning(warning, names))));
        warnings.hidden = !found.length;
        section.hidden = !words.textContent && !found.length;
    });
    return section;
}
