// Cutting is a way to look at what another tool does: that one goes on beneath it.
import type { App } from '../app';

const beneath = new WeakMap<App, { tool: string }>();

/** The tool that is chosen, or the one that was when the cut was taken up. */
export function toolBeneath(app: App): string {
    let known = beneath.get(app);
    if (!known) {
        const started = { tool: app.get('tool') };
        app.on('tool', (tool) => { if (tool !== 'cut') started.tool = tool; });
        beneath.set(app, known = started);
    }
    return app.get('tool') === 'cut' ? known.tool : app.get('tool');
}
