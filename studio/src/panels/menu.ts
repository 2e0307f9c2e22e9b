// A button with a list below or above it, for the pointer and for the arrow keys.
import { h } from '../dom';

export interface Popup {
    element: HTMLElement;
    button: HTMLButtonElement;
    show(open: boolean): void;
}

/** Anything that opens at a button and closes by Escape or a press elsewhere. */
export function popup(button: HTMLButtonElement, content: HTMLElement, kind: 'menu' | 'dialog', opened: () => void = () => {}): Popup {
    const element = h('div.menu-holder', {}, button, content);
    content.hidden = true;
    button.setAttribute('aria-haspopup', kind);
    button.setAttribute('aria-expanded', 'false');
    const show = (open: boolean) => {
        if (open && content.hidden) opened();
        content.hidden = !open;
        button.setAttribute('aria-expanded', String(open));
    };
    button.addEventListener('click', () => show(content.hidden === true));
    addEventListener('pointerdown', (event) => { if (!element.contains(event.target as Node)) show(false); }, { capture: true });
    element.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape' || content.hidden) return;
        show(false);
        button.focus();
        event.stopPropagation();
    });
    return { element, button, show };
}

export interface MenuItem {
    name: string;
    about: string;
    act(): void;
}

export function menu(button: HTMLButtonElement, items: MenuItem[]): Popup {
    const entries = items.map((item) => h('button', { type: 'button', role: 'menuitem', tabindex: -1, onclick: () => { holder.show(false); item.act(); } }, h('b', {}, item.name), h('span', {}, item.about)));
    const list = h('div.menu', { role: 'menu', 'aria-label': button.title }, ...entries);
    const holder = popup(button, list, 'menu');
    const focus = (k: number) => entries[(k + entries.length) % entries.length].focus();
    holder.element.addEventListener('keydown', (event) => {
        const at = entries.indexOf(document.activeElement as HTMLButtonElement);
        if (event.key === 'ArrowDown') {
            holder.show(true);
            focus(at + 1);
        } else if (event.key === 'ArrowUp') {
            holder.show(true);
            focus(at < 0 ? -1 : at - 1);
        } else if (event.key === 'Home' || event.key === 'End') {
            focus(event.key === 'Home' ? 0 : -1);
        } else {
            return;
        }
        event.preventDefault();
    });
    return holder;
}
