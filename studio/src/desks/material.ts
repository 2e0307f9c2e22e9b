// The Material desk: what bodies are made of, as a whole from the shelf, and place by place with the brush.
import { h } from '../dom';
import { spotsOf } from '../painting/spots';
import { MaterialShelf } from '../panels/material_shelf';
import type { Desk } from '../toolbox/desk';

const tabs: Array<[string, string]> = [['', 'Shelf'], ['paint', 'Paint'], ['fibres', 'Fibres']];

export const desk: Desk = {
    id: 'material', name: 'Material', about: 'What bodies are made of: a shelf of materials, and paint', order: 2,
    icon: 'M12 4c4.500 0 8 3 8 7 0 2.500-2 3.500-4 3.500h-1.500c-1.500 0-2 1.500-1.200 2.500.8 1.200.2 3-1.300 3-4.500 0-8-3.500-8-8s3.500-8 8-8zM8 11h.01M11 8h.01M15 9h.01',
    make(app, { toolbox }) {
        const shelf = new MaterialShelf(app, spotsOf(app));
        const inUse = () => tabs.find(([tool]) => tool && tool === app.get('tool'))?.[0] ?? (app.look.cut && app.get('tool') === 'cut' ? shown : '');
        let shown = '';
        const buttons = tabs.map(([tool, name]) => h('button', { type: 'button', 'data-tab': tool || 'shelf', onclick: () => (tool ? toolbox.choose(tool) : app.set('tool', 'grab')) }, name));
        const panels = tabs.slice(1).map(([tool]) => toolbox.of(tool).panel!);
        const update = () => {
            shown = inUse();
            buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(tabs[k][0] === shown)));
            shelf.element.hidden = shown !== '';
            panels.forEach((panel, k) => { panel.hidden = tabs[k + 1][0] !== shown; });
        };
        app.on(['tool', 'desk', 'look'], update);
        app.on('tool', (tool) => { if (tabs.some(([id]) => id && id === tool) && app.get('desk') !== 'material') app.set('desk', 'material'); });
        queueMicrotask(update);
        return {
            panel: h('section.desk-panel.material-desk', { 'aria-label': 'Material' }, h('header', {}, h('h2', {}, 'Material')),
                h('div.segmented.tabs', { role: 'group', 'aria-label': 'Part of the desk' }, ...buttons), h('div.desk-scroll', {}, shelf.element, ...panels)),
        };
    },
};
