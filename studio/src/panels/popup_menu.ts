// A short list of actions at a button, for the pointer and for the arrow keys.
import { h } from '../dom';

export interface MenuItem {
    words: string;
    about?: string;
    /** A line below the words. */
    note?: string;
    act(): void;
    /** Of a choice: is it the present one? */
    checked?: boolean;
    /** A line above it. */
    apart?: boolean;
}

let close: (() => void) | null = null;

/** Opens the menu at `anchor`; it closes by itself, and the focus goes back. */
export function popupMenu(anchor: HTMLElement, label: string, items: MenuItem[]): void {
    close?.();
    const buttons = items.map((item) => h('button', {
        type: 'button', role: item.checked === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': item.checked === undefined ? undefined : String(item.checked),
        title: item.about, tabindex: -1, class: item.apart ? 'apart' : undefined, onclick: () => { end(); item.act(); },
    }, ...(item.note ? [h('b', {}, item.words), h('span', {}, item.note)] : [item.words])));
    const list = h('div.popup', { role: 'menu', 'aria-label': label }, ...buttons);
    const outside = (event: Event) => { if (!list.contains(event.target as Node) && !anchor.contains(event.target as Node)) end(false); };
    const end = (back = true) => {
        list.remove();
        anchor.setAttribute('aria-expanded', 'false');
        document.removeEventListener('pointerdown', outside, true);
        document.removeEventListener('scroll', outside, true);
        close = null;
        if (back) anchor.focus();
    };
    list.addEventListener('keydown', (event) => {
        const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
        const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
        if (to !== undefined) buttons[(to + buttons.length) % buttons.length].focus();
        else if (event.key === 'Escape' || event.key === 'Tab') end();
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    (anchor.closest('header, main, aside, footer, dialog') ?? document.body).append(list);  // the landmark that its button is in
    const at = anchor.getBoundingClientRect(), size = list.getBoundingClientRect();
    list.style.left = `${Math.max(8, Math.min(at.right - size.width, innerWidth - size.width - 8))}px`;
    list.style.top = `${at.bottom + size.height + 8 < innerHeight ? at.bottom + 2 : Math.max(8, at.top - size.height - 2)}px`;
    anchor.setAttribute('aria-expanded', 'true');
    document.addEventListener('pointerdown', outside, true);
    document.addEventListener('scroll', outside, true);
    close = () => end(false);
    (buttons.find((_, k) => items[k].checked) ?? buttons[0]).focus();
}

/** A button that opens one. */
export function menuButton(what: string, label: string, items: () => MenuItem[], ...content: Array<Node | string>): HTMLButtonElement {
    const button = h(`button.${what}` as 'button', { type: 'button', 'aria-label': label, title: label, 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: () => popupMenu(button, label, items()) }, ...content);
    return button;
}
