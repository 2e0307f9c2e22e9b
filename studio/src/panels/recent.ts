// Documents that were left with edits: a section of the gallery.
import type { App } from '../app';
import { h, iconButton } from '../dom';
import type { RecentDocument } from '../protocol/messages';

/** "2026-11-17 10:00:52" as a person says it. */
export function whenInWords(when: string, now = new Date()): string {
    const then = new Date(when.replace(' ', 'T'));
    if (Number.isNaN(then.getTime())) return when;
    const time = then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    const days = Math.round((new Date(now.toDateString()).getTime() - new Date(then.toDateString()).getTime()) / 86_400_000);
    if (days === 0) return `today at ${time}`;
    if (days === 1) return `yesterday at ${time}`;
    return then.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
}

/** `opened`: one of them was chosen. */
export function recentSection(app: App, opened: () => void): HTMLElement {
    const cards = h('div.cards.recent-cards');
    const section = h('section.recent', { hidden: true, 'aria-label': 'Recent' }, h('h2', {}, 'Recent'), cards);
    const card = (document: RecentDocument) => {
        const forget = iconButton('bin', `Remove “${document.title}” from Recent`, () => app.send({ type: 'forget', name: document.name }));
        const open = async () => { if (await app.open({ from: 'recent', name: document.name })) opened(); };
        const picture = h('div.picture', {}, document.picture ? h('img', { src: `/pictures/recent/${encodeURIComponent(document.name)}`, alt: '', loading: 'lazy' }) : null);
        return h('div.recent-card', {}, h('button.card', { type: 'button', 'data-recent': document.name, onclick: () => void open() },
            picture, h('strong', {}, document.title), h('span', {}, `${document.edits === 1 ? '1 edit' : `${document.edits} edits`}, ${whenInWords(document.when)}`)), forget);
    };
    app.on('recent', (documents) => {
        section.hidden = documents.length === 0;
        cards.replaceChildren(...documents.map(card));
    });
    return section;
}
