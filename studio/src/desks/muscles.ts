// The Muscles desk: how a body moves by itself, over time by charts, and place by place with the brush.
import { h } from '../dom';
import { ChartsPanel } from '../panels/charts_panel';
import type { Desk } from '../toolbox/desk';
import { toolBeneath } from '../toolbox/tool_beneath';

const tabs: Array<[string, string]> = [['', 'Charts'], ['muscle-paint', 'Paint'], ['muscle-strokes', 'Strokes'], ['muscle-watch', 'Watch']];

export const desk: Desk = {
    id: 'muscles', name: 'Muscles', about: 'Bodies that move by themselves: charts over time, and where they act', order: 3,
    icon: 'M3 13h3l2-6 3 11 3-9 2 4h5',
    make(app, { toolbox }) {
        const panels = [new ChartsPanel(app).element, ...tabs.slice(1).map(([tool]) => toolbox.of(tool).panel!)];
        const buttons = tabs.map(([tool, name]) => h('button', { type: 'button', 'data-tab': tool || 'charts', onclick: () => (tool ? toolbox.choose(tool) : app.set('tool', 'grab')) }, name));
        const update = () => {
            const shown = Math.max(0, tabs.findIndex(([tool]) => tool !== '' && tool === toolBeneath(app)));
            buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(k === shown)));
            panels.forEach((panel, k) => { panel.hidden = k !== shown; });
        };
        app.on(['tool', 'desk'], update);
        queueMicrotask(update);
        return {
            panel: h('section.desk-panel.muscles-desk', { 'aria-label': 'Muscles' }, h('header', {}, h('h2', {}, 'Muscles')),
                h('div.segmented.tabs', { role: 'group', 'aria-label': 'Part of the desk' }, ...buttons), h('div.desk-scroll', {}, ...panels)),
        };
    },
};
