// The bar at the top: what is open, the tools, undo, compare, export, theme, help.
import type { App } from '../app';
import { h, icon, iconButton, pathIcon } from '../dom';
import { tools } from '../toolbox/all_tools';
import type { Toolbox } from '../toolbox/toolbox';
import { type MenuItem, menuButton } from './popup_menu';

export interface TopbarActions {
    gallery(): void;
    newScene(): void;
    help(): void;
    theme(): void;
    panel(): void;
    save(): void;
    exports: MenuItem[];
}

/** "not saved", and who else is here. */
function stateWords(app: App): string {
    const { document, status } = app;
    const edited = !document || document.saved ? '' : document.place ? 'Unsaved' : 'Edited copy';
    return [edited, (status?.pages ?? 1) > 1 ? `${status!.pages} tabs share this scene` : ''].filter(Boolean).join(' · ');
}

export function topbar(app: App, toolbox: Toolbox, actions: TopbarActions): HTMLElement {
    const title = h('h1.title'), state = h('span.state', { role: 'status' });
    const always = tools.filter((tool) => !tool.desk);
    const toolButtons = always.map((tool) => h('button.tool', { type: 'button', title: `${tool.about} (${tool.key})`, 'aria-label': tool.name, 'data-tool': tool.id, onclick: () => toolbox.choose(tool.id) }, pathIcon(tool.icon), h('span', {}, tool.name)));
    const undo = iconButton('undo', 'Undo', () => app.edits.undo(), 'Ctrl Z');
    const redo = iconButton('redo', 'Redo', () => app.edits.redo(), 'Ctrl Y');
    const save = iconButton('save', 'Save', actions.save, 'Ctrl S');
    const compare = iconButton('compare', 'Compare before and after', () => app.compare(!app.status?.comparing), 'M');
    for (const button of [save, compare]) button.classList.add('wide');
    const update = () => {
        const d = app.document;
        state.textContent = stateWords(app);
        toolButtons.forEach((b, k) => b.setAttribute('aria-pressed', String(always[k].id === app.get('tool') || (always[k].id === 'cut' && app.look.cut !== null))));
        compare.setAttribute('aria-pressed', String(app.status?.comparing ?? false));
        if (!d) return;
        title.textContent = d.title || d.name;
        title.title = d.content.description ?? '';
        document.title = `${d.title || d.name} – Yawara studio`;
        undo.disabled = !d.undo;
        redo.disabled = !d.redo;
        undo.title = d.undo ? `Undo: ${d.undo} (Ctrl Z)` : 'Nothing to undo';
        redo.title = d.redo ? `Redo: ${d.redo} (Ctrl Y)` : 'Nothing to redo';
        save.disabled = Boolean(d.place) && d.saved;
        save.title = d.place ? `Save to ${d.place} (Ctrl S)` : 'Save a copy with its meshes, as one .zip (Ctrl S)';
    };
    app.on(['document', 'tool', 'look', 'status'], update);
    update();
    const exportButton = menuButton('text-button', 'Export', () => actions.exports, icon('export'), h('span', {}, 'Export'));
    return h('header.topbar', {},
        h('button.brand', { type: 'button', title: 'Gallery (N)', 'aria-label': 'Gallery', onclick: actions.gallery }, h('img', { src: '/icon.svg', alt: '' }), h('span', {}, 'Gallery')),
        h('button.text-button.new-scene', { type: 'button', title: 'New scene (Shift N)', 'aria-label': 'New scene', onclick: actions.newScene }, icon('plus'), h('span', {}, 'New')),
        h('div.document', {}, title, state), h('div.tools', { role: 'toolbar', 'aria-label': 'Tools' }, ...toolButtons),
        h('div.actions', {}, undo, redo, save, compare, exportButton,
            iconButton('sun', 'Light or dark theme', actions.theme, 'L'), iconButton('help', 'Help', actions.help, '?'), iconButton('panel', 'Settings', actions.panel)));
}
