// A switch for shortcuts of a single character (WCAG 2.1.4).
import type { App } from '../app';
import { h } from '../dom';

export function letterKeysSwitch(app: App): HTMLElement {
    const box = h('input', { type: 'checkbox', onchange: () => app.setSettings({ letterKeys: box.checked }) });
    const update = () => { box.checked = app.get('settings').letterKeys; };
    app.on('settings', update);
    update();
    return h('label.letter-keys', {}, box, 'Single-key shortcuts. Off: only Space, the arrow keys, Escape and shortcuts with Ctrl act.');
}
