// The takes: which is on the timeline; show, compare, name, keep or remove any of them.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';
import type { ClientTake, Take } from '../protocol/messages';
import { aboutTake, shownTake } from '../state/takes';
import { popup } from './popup';

export function takesMenu(app: App): HTMLElement {
    const name = h('span'), list = h('ul');
    const button = h('button.text-button.takes-button', { type: 'button', title: 'Takes: what has been recorded' }, icon('takes'), name);
    const content = h('div.takes', { role: 'dialog', 'aria-label': 'Takes' }, h('p.about', {}, 'Resetting, or pulling and editing at an earlier frame, starts a new take. Takes you do not keep are dropped when memory runs short.'), list);
    const act = (take: Take, action: ClientTake['action'], more: Partial<ClientTake> = {}) => app.send({ type: 'take', take: take.id, action, ...more });
    let renamed: number | null = null;

    const rename = (take: Take) => {
        renamed = take.id;
        update();
        list.querySelector('input')?.select();
    };
    const nameField = (take: Take) => {
        const field = h('input', { type: 'text', value: take.name, maxlength: 100, 'aria-label': 'Name of the take' });
        const done = (keep: boolean) => {
            if (renamed !== take.id) return;
            renamed = null;
            if (keep && field.value.trim() && field.value !== take.name) act(take, 'rename', { name: field.value.trim() });
            update();
        };
        field.addEventListener('keydown', (event) => {
            if (event.key !== 'Enter' && event.key !== 'Escape') return;
            event.stopPropagation();
            done(event.key === 'Enter');
        });
        field.addEventListener('blur', () => done(true));
        return field;
    };
    const row = (take: Take) => {
        const keep = iconButton('star', take.kept ? 'Do not keep' : 'Keep', () => act(take, take.kept ? 'release' : 'keep'));
        keep.setAttribute('aria-pressed', String(take.kept));
        const isBeside = app.status?.beside === take.id;
        const compare = iconButton('compare', isBeside ? 'End the comparison' : 'Compare with the take shown', () => app.compare(!isBeside, isBeside ? undefined : take.id));
        compare.setAttribute('aria-pressed', String(isBeside));
        compare.disabled = take.shown && !isBeside;
        const words = [h('b', {}, take.name), h('span', {}, aboutTake(take, app.status?.frame_time ?? 1 / 60))];
        return h('li', { 'data-take': take.id },
            renamed === take.id ? nameField(take) : h('button.take', { type: 'button', 'aria-current': String(take.shown), onclick: () => act(take, 'show') }, ...words),
            compare, keep, iconButton('pencil', 'Rename', () => rename(take)), iconButton('bin', 'Remove', () => act(take, 'remove')));
    };
    // A row that is drawn anew under a finger would not hear its click.
    let pressed = false;
    list.addEventListener('pointerdown', () => { pressed = true; });
    for (const end of ['pointerup', 'pointercancel'])
        addEventListener(end, () => {
            pressed = false;
            setTimeout(update);
        });
    let lastRows = '';
    const update = () => {
        const takes = app.get('takes');
        name.textContent = shownTake(takes)?.name ?? 'Takes';
        button.setAttribute('aria-label', `Takes, ${name.textContent}`);
        const rows = JSON.stringify([takes.map((t) => [t.id, t.name, aboutTake(t, app.status?.frame_time ?? 1 / 60), t.shown]), app.status?.beside, renamed]);
        if (rows === lastRows || pressed || (renamed !== null && list.querySelector('input'))) return;
        lastRows = rows;
        list.replaceChildren(...[...takes].reverse().map(row));
    };
    app.on(['takes', 'status'], update);
    update();
    return popup(button, content, update);
}
