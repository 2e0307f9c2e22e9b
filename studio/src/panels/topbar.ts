// The bar at the top: what is open, the tools, undo, compare, export, theme, help.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';
import { tools } from '../viewport/tools';

export interface TopbarActions {
    gallery(): void;
    help(): void;
    theme(): void;
    panel(): void;
    compare(): void;
    save(): void;
    exports: Array<{ name: string; about: string; act: () => void }>;
}

/** A button with a list below it, for the pointer and for the arrow keys. */
function menu(app: HTMLElement, name: string, words: string, items: TopbarActions['exports']): HTMLElement {
    const entries = items.map((item) => h('button', { type: 'button', role: 'menuitem', onclick: () => { show(false); item.act(); } }, h('b', {}, item.name), h('span', {}, item.about)));
    const list = h('div.menu', { role: 'menu', hidden: true }, ...entries);
    const button = h('button.text-button', { type: 'button', 'aria-haspopup': 'menu', 'aria-expanded': 'false', title: words, onclick: () => show(list.hidden) }, icon(name), h('span', {}, words));
    const holder = h('div.menu-holder', {}, button, list);
    const show = (open: boolean) => {
        list.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
    };
    app.addEventListener('pointerdown', (event) => { if (!holder.contains(event.target as Node)) show(false); }, { capture: true });
    holder.addEventListener('keydown', (event) => {
        const at = entries.indexOf(document.activeElement as HTMLButtonElement);
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            show(true);
            entries[(at + (event.key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1) + entries.length) % entries.length].focus();
        } else if (event.key === 'Escape' && !list.hidden) {
            show(false);
            button.focus();
        } else {
            return;
        }
        event.preventDefault();
    });
    addEventListener('keydown', (event) => { if (event.key === 'Escape') show(false); });
    return holder;
}

export function topbar(app: App, root: HTMLElement, actions: TopbarActions): HTMLElement {
    const title = h('strong.title'), state = h('span.state');
    const toolButtons = tools.map((info) => h('button.tool', { type: 'button', title: `${info.about} (${info.key})`, 'data-tool': info.tool, onclick: () => app.setTool(info.tool) }, icon(info.tool), h('span', {}, info.name)));
    const undo = iconButton('undo', 'Undo', () => app.send({ type: 'undo' }), 'Ctrl Z');
    const redo = iconButton('redo', 'Do again', () => app.send({ type: 'redo' }), 'Ctrl Y');
    const save = iconButton('save', 'Save', actions.save, 'Ctrl S');
    const compare = iconButton('compare', 'Compare two settings side by side', actions.compare, 'M');
    for (const button of [save, compare]) button.classList.add('wide');
    const update = () => {
        const d = app.document;
        if (d) {
            title.textContent = d.title || d.name;
            document.title = `${d.title || d.name} – Yawara studio`;
            state.textContent = d.place ? (d.saved ? '' : 'not saved') : d.undo ? 'edited copy' : '';
            undo.disabled = !d.undo;
            redo.disabled = !d.redo;
            undo.title = d.undo ? `Undo: ${d.undo} (Ctrl Z)` : 'Nothing to undo';
            redo.title = d.redo ? `Do again: ${d.redo} (Ctrl Y)` : 'Nothing to do again';
            save.disabled = Boolean(d.place) && d.saved;
            save.title = d.place ? `Save to ${d.place} (Ctrl S)` : 'Save a copy with its meshes, as one .zip (Ctrl S)';
            title.title = d.content.description ?? '';
        }
        toolButtons.forEach((b, k) => b.setAttribute('aria-pressed', String(tools[k].tool === app.tool)));
        compare.setAttribute('aria-pressed', String(app.status?.comparing ?? false));
    };
    app.on(['document', 'tool', 'status'], update);
    update();
    const brand = h('button.brand', { type: 'button', title: 'Gallery (N)', onclick: actions.gallery }, h('img', { src: '/icon.svg', alt: '' }), h('span', {}, 'Gallery'));
    return h('header.topbar', {}, brand, h('div.document', {}, title, state), h('nav.tools', { 'aria-label': 'Tools' }, ...toolButtons),
        h('div.actions', {}, undo, redo, save, compare, menu(root, 'export', 'Export', actions.exports),
            iconButton('sun', 'Light or dark', actions.theme, 'L'), iconButton('help', 'Help', actions.help, '?'), iconButton('panel', 'Settings', actions.panel)));
}
