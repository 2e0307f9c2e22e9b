// Over the picture: why nothing moves when the line to the engine is not there.
import type { App, Connection } from '../app';
import { h } from '../dom';

const words: Partial<Record<Connection, [string, string]>> = {
    cut: ['The engine does not answer.', 'Trying to reach it again …'],
    refused: ['This address is no longer valid.', 'Open the address that the program printed.'],
    full: ['Too many pages are open.', 'Close one of them; this one goes on by itself.'],
};

export function connectionBanner(app: App): HTMLElement {
    const what = h('b'), then = h('span');
    const banner = h('div.away', { hidden: true, role: 'alert' }, what, ' ', then);
    app.on('connection', (connection) => {
        const said = words[connection];
        banner.hidden = !said;
        banner.dataset.connection = connection;
        if (said) [what.textContent, then.textContent] = said;
    });
    return banner;
}
