// Something that opens at a button and closes by Escape or a press elsewhere.
import { h } from '../dom';

/** The button with its content; `opened`: it is about to be shown. */
export function popup(button: HTMLButtonElement, content: HTMLElement, opened: () => void): HTMLElement {
    const element = h('div.popup-holder', {}, button, content);
    content.hidden = true;
    button.setAttribute('aria-haspopup', 'dialog');
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
    return element;
}
