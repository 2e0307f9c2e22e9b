// The rail at the left edge: the desks, the tools of the one in use, and beside it the panel of that desk.
import type { App } from '../app';
import { h, pathIcon } from '../dom';
import { desks } from '../toolbox/all_desks';
import { tools } from '../toolbox/all_tools';
import type { DeskHost } from '../toolbox/desk';

const roomy = 1200;  // pixels: the panel of a desk and the settings leave enough of the picture

export function rail(app: App, host: DeskHost): HTMLElement {
    const { toolbox } = host;
    const isOpen = () => (app.get('settings').desk ?? (innerWidth >= roomy ? 'shown' : 'hidden')) === 'shown';
    const parts = desks.map((desk) => ({ desk, ...desk.make(app, host) }));
    const deskButtons = desks.map((desk) => h('button.icon-button', {
        type: 'button', title: `${desk.name}: ${desk.about}`, 'aria-label': desk.name, 'data-desk': desk.id, 'aria-expanded': 'false',
        onclick: () => {
            const shown = app.get('desk') === desk.id && isOpen();
            app.set('desk', desk.id);
            app.setSettings({ desk: shown ? 'hidden' : 'shown' });
        },
    }, pathIcon(desk.icon)));
    const toolButtons = tools.filter((tool) => tool.desk).map((tool) => ({
        tool, button: h('button.icon-button', { type: 'button', title: `${tool.about} (${tool.key})`, 'aria-label': tool.name, 'data-tool': tool.id, onclick: () => toolbox.choose(tool.id) }, pathIcon(tool.icon)),
    }));
    const bar = h('div.rail', { role: 'toolbar', 'aria-label': 'Desks', 'aria-orientation': 'vertical' }, ...deskButtons, h('hr'), ...parts.flatMap((part) => part.rail ?? []), ...toolButtons.map(({ button }) => button));
    const element = h('aside.desk', { 'aria-label': 'Desk' }, bar, ...parts.map(({ panel }) => panel));
    const update = () => {
        const open = isOpen(), current = app.get('desk');
        element.classList.toggle('is-open', open);
        parts.forEach(({ desk, panel, rail: own }, k) => {
            panel.hidden = !open || desk.id !== current;
            if (own) own.hidden = desk.id !== current;
            deskButtons[k].setAttribute('aria-expanded', String(open && desk.id === current));
        });
        for (const { tool, button } of toolButtons) {
            button.hidden = tool.desk !== current;
            button.setAttribute('aria-pressed', String(tool.id === app.get('tool')));
        }
    };
    app.on(['desk', 'settings', 'tool'], update);
    update();
    return element;
}
