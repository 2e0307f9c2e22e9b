// The overlay of shortcuts, and a few words for those who are here for the first time.
import { h, iconButton } from '../dom';
import { tools } from '../toolbox/all_tools';

const shortcuts: Array<[string, string]> = [
    ['Space', 'play or pause'], ['.', 'one frame on'], [',', 'one frame back'], ['R', 'back to the start'],
    ...tools.map((t): [string, string] => [t.key, `${t.name.toLowerCase()}: ${t.about.charAt(0).toLowerCase()}${t.about.slice(1)}`]),
    ['C', 'colour by the next quantity'], ['W', 'lines of the solid'], ['V', 'particles'],
    ['F', 'bring the bodies into view'], ['H', 'the view of the scene'], ['M', 'compare two settings side by side'], ['N', 'gallery'],
    ['Ctrl Z', 'undo'], ['Ctrl Y', 'do again'], ['Ctrl S', 'save'], ['L', 'light or dark'], ['?', 'this list'],
    ['Drag beside a body', 'turn the view; right button or two fingers: move it; wheel or pinch: nearer'],
];

export class Help {
    readonly element: HTMLDialogElement;
    readonly first: HTMLElement;

    constructor(openGallery: () => void) {
        this.element = h('dialog.help', { 'aria-label': 'Shortcuts' },
            h('header', {}, h('h1', {}, 'Shortcuts'), iconButton('close', 'Close', () => this.element.close(), 'Esc')),
            h('dl', {}, ...shortcuts.map(([key, what]) => h('div', {}, h('dt', {}, ...key.split(' ').map((k, n) => (key.length > 12 ? (n ? ` ${k}` : k) : h('kbd', {}, k)))), h('dd', {}, what)))),
            h('p', {}, 'Every slider tells what it does when the pointer rests on it; a double-click sets it back. The scene file is the document: each change can be undone, and nothing is lost in a crash.'));
        this.element.addEventListener('click', (event) => { if (event.target === this.element) this.element.close(); });
        this.first = h('div.welcome', { role: 'dialog', 'aria-label': 'Welcome' },
            h('h1', {}, 'Welcome to the studio'),
            h('p', {}, 'This body is soft and alive. Take hold of it and pull.'),
            h('ul', {}, h('li', {}, h('b', {}, 'Drag a body'), ' to pull it; drag beside it to turn the view.'),
                h('li.with-keys', {}, h('b', {}, 'Drop a mesh'), ' on the page: it becomes a soft body in seconds.'),
                h('li.with-keys', {}, h('b', {}, 'Space'), ' pauses, the bar below goes back in time.'),
                h('li.with-keys', {}, h('b', {}, '?'), ' lists everything else.')),
            h('div.buttons', {}, h('button', { type: 'button', onclick: () => this.dismiss() }, 'Start'), h('button.primary', { type: 'button', onclick: () => { this.dismiss(); openGallery(); } }, 'Show the gallery')));
        let welcomed = false;
        try { welcomed = localStorage.getItem('yawara-welcomed') === 'yes'; } catch { /* as above */ }
        this.first.hidden = welcomed;
    }

    /** Takes the welcome away, for good: whoever has touched a body or opened a scene needs no more of it. */
    dismiss(): void {
        if (this.first.hidden) return;
        this.first.hidden = true;
        try { localStorage.setItem('yawara-welcomed', 'yes'); } catch { /* private window: asked again next time */ }
    }

    toggle(): void {
        if (this.element.open) this.element.close();
        else this.element.showModal();
    }
}
