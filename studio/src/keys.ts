// The keyboard: shortcuts that act unless the key means something to what has the focus.
import type { App } from './app';
import { isTextField, isTyped } from './dom';
import { tools } from './toolbox/all_tools';
import type { Toolbox } from './toolbox/toolbox';

/** By key: "r", "Escape", " "; "Shift n" for a letter with Shift, which else means the same as without. */
export type Shortcuts = Record<string, () => void>;

/** What Space and Enter act on by themselves. */
function actsOnSpace(target: Element): boolean {
    return target.closest('button, summary, select, a[href], input:not([type=range]), textarea, [role=menuitem], [role=tab], [contenteditable]') !== null;
}

/** With Ctrl; a capital letter: and with Shift. */
function withControl(app: App, more: Shortcuts): Shortcuts {
    return { z: () => app.edits.undo(), Z: () => app.edits.redo(), y: () => app.edits.redo(), ...more };
}

export function listenToKeys(app: App, toolbox: Toolbox, controls: Shortcuts, shortcuts: Shortcuts): void {
    const control = withControl(app, controls);
    const single: Shortcuts = {
        ...shortcuts, '[': () => toolbox.resize(0.8), ']': () => toolbox.resize(1.25),
        ...Object.fromEntries(tools.map(({ id, key }) => [key.toLowerCase(), () => toolbox.choose(id)])),
    };
    addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement, { key } = event;
        if (event.ctrlKey || event.metaKey) {
            const act = (event.shiftKey ? control[key.toUpperCase()] : undefined) ?? control[key.toLowerCase()];
            // Undo in a field takes back letters while there are letters to take back.
            if (!act || (isTyped(target) && key.toLowerCase() !== 's')) return;
            event.preventDefault();
            act();
            return;
        }
        if (key === 'Escape') return escape(app, toolbox);
        const plain = key.length === 1 ? key.toLowerCase() : key;
        const free = !event.altKey && !isTextField(target) && !(target instanceof HTMLSelectElement) && !document.querySelector('dialog[open]');
        if (free && (key.length > 1 || app.get('settings').letterKeys) && toolbox.key(plain, event.shiftKey)) {
            event.preventDefault();
            return;
        }
        const act = (event.shiftKey ? single[`Shift ${plain}`] : undefined) ?? single[plain];
        const silent = key !== ' ' && key.length === 1 && !app.get('settings').letterKeys;
        if (!act || silent || event.altKey || isTextField(target) || target instanceof HTMLSelectElement) return;
        if (key === ' ' && actsOnSpace(target)) return;
        if (document.querySelector('dialog[open]') && key !== '?') return;
        event.preventDefault();
        act();
    });
    // A control that was let go begins a new step of undo with its next move.
    addEventListener('change', () => app.edits.endGesture());
}

function escape(app: App, toolbox: Toolbox): void {
    if (toolbox.cancelAll() || app.edits.discardGesture() || toolbox.key('Escape', false)) return;
    if (app.get('chosen').length) app.choose([]);
}
