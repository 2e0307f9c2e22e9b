// Tooltips for fingers and for the keyboard, which the browser's own are not: a long press, or the focus, shows the title.
import { h } from '../dom';

const longPress = 450;  // ms

export function tooltips(root: HTMLElement): HTMLElement {
    const bubble = h('div.tooltip', { role: 'tooltip', hidden: true });
    let timer = 0;
    let pressed = false;
    const show = (element: HTMLElement) => {
        bubble.textContent = element.title;
        bubble.hidden = false;
        const at = element.getBoundingClientRect(), own = bubble.getBoundingClientRect();
        const x = Math.min(innerWidth - own.width - 8, Math.max(8, at.left + at.width / 2 - own.width / 2));
        const above = at.top - own.height - 8;
        bubble.style.translate = `${x}px ${above >= 8 ? above : at.bottom + 8}px`;
    };
    const hide = () => {
        clearTimeout(timer);
        bubble.hidden = true;
    };
    const titled = (event: Event) => (event.target as Element | null)?.closest?.<HTMLElement>('[title]:not([title=""])') ?? null;
    root.addEventListener('pointerdown', (event) => {
        hide();
        pressed = false;
        const element = titled(event);
        if (event.pointerType === 'mouse' || !element) return;
        timer = window.setTimeout(() => {
            pressed = true;
            show(element);
        }, longPress);
    });
    for (const end of ['pointerup', 'pointercancel', 'pointerleave'] as const) root.addEventListener(end, () => {
        clearTimeout(timer);
        if (pressed) setTimeout(hide, 1500);
    });
    // Whoever asked what a button does did not press it.
    root.addEventListener('click', (event) => {
        if (!pressed) return;
        pressed = false;
        event.preventDefault();
        event.stopPropagation();
    }, { capture: true });
    root.addEventListener('contextmenu', (event) => { if (pressed) event.preventDefault(); });
    root.addEventListener('focusin', (event) => {
        const element = titled(event);
        if (element && element === event.target && element.matches('button:focus-visible')) show(element);
        else hide();
    });
    root.addEventListener('focusout', hide);
    root.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
    return bubble;
}
