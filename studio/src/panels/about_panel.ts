// What the scene shows and how it was made, in the words of its file, and what was repaired to make it.
import type { App } from '../app';
import { h } from '../dom';
import { warningItem } from './warning_places';

/** "bodies[1].solid: Its holes were closed." -> "duck: Its holes were closed."; the name only where there are several. */
export function namedWarning(warning: string, bodies: string[]): string {
    return warning.replace(/^bodies\[(\d+)\][^:]*: /, (place, k) => (bodies.length > 1 ? `${bodies[Number(k)] ?? place}: ` : ''));
}

/** Tools of the parts of the Muscles desk that steps may speak of. */
const parts: Record<string, string> = { Charts: 'grab', Paint: 'muscle-paint', Strokes: 'muscle-strokes' };

function madeStep(app: App, step: string): HTMLElement {
    const part = Object.keys(parts).find((name) => step.startsWith(`${name}: `));
    if (!part) return h('li', {}, step);
    const open = () => {
        app.set('desk', 'muscles');
        app.setSettings({ desk: 'shown' });
        app.set('tool', parts[part]);
    };
    return h('li', {}, h('button.made-part', { type: 'button', title: `Open ${part} of the Muscles desk`, onclick: open }, part), step.slice(part.length));
}

export function aboutPanel(app: App): HTMLElement {
    const words = h('p'), summary = h('summary'), list = h('div');
    const warnings = h('details.warnings', {}, summary, list);
    const steps = h('ol'), made = h('details.made', {}, h('summary', {}, 'How it was made'), steps);
    const section = h('section.panel-section.about-scene', {}, h('h2', {}, 'About'), words, made, warnings);
    app.on(['document'], () => {
        const found = app.document?.warnings ?? [];
        const names: string[] = (app.document?.content.bodies ?? []).map((body) => body.name);
        words.textContent = app.document?.content.description ?? '';
        summary.textContent = found.length === 1 ? '1 warning' : `${found.length} warnings`;
        list.replaceChildren(...found.map((warning) => warningItem(app, warning, namedWarning(warning, names))));
        warnings.hidden = !found.length;
        steps.replaceChildren(...((app.document?.content.made ?? []) as string[]).map((step) => madeStep(app, step)));
        made.hidden = !steps.childElementCount;
        section.hidden = made.hidden && !words.textContent && !found.length;
    });
    return section;
}
