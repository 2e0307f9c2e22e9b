// The overlay of shortcuts, and a few words for those who are here for the first time.
import { h, iconButton } from '../dom';
import { tools } from '../toolbox/all_tools';

const shortcuts: Array<[string, string]> = [
    ['Space', 'play or pause'], ['.', 'next frame'], [',', 'previous frame'], ['R', 'back to the start'], ['K', 'go on from the frame shown, as a new take'],
    ...tools.map((t): [string, string] => [t.key, `${t.name.toLowerCase()}: ${t.about.charAt(0).toLowerCase()}${t.about.slice(1)}`]),
    ['C', 'colour by the next quantity'], ['W', 'show the mesh inside'], ['V', 'show the particles'],
    ['F', 'zoom to the bodies'], ['H', 'the scene’s own view'], ['M', 'compare before and after, side by side'], ['N', 'open the gallery'], ['Shift N', 'new scene: an empty floor'],
    ['A', 'add something to the scene'], ['End', 'put the selection down onto what is below'], ['Del', 'delete what is chosen'], ['Ctrl D', 'duplicate it; with Shift as an instance'], ['Ctrl C', 'copy it, also for another scene; Ctrl V pastes'],
    ['S R M', 'a chosen stroke: smooth it, turn it round, mirror it; Shift M copies it to the other side, Del deletes it'], ['Alt wheel', 'peel a body with muscles to a deeper layer, while strokes are drawn'],
    ['Ctrl Z', 'undo'], ['Ctrl Y', 'redo'], ['Ctrl S', 'save'], ['L', 'light or dark theme'], ['?', 'this help'],
    ['Arrow keys', 'turn the view; with Enter: take hold of the body, move the hand, let go'], ['Esc', 'take back what a hand or a slider is doing'],
    ['Drag beside a body', 'orbit the view; right button or two fingers: pan; wheel or pinch: zoom'],
];

export class Help {
    readonly element: HTMLDialogElement;
    readonly first: HTMLElement;

    constructor(openGallery: () => void) {
        this.element = h('dialog.help', { 'aria-label': 'Shortcuts' },
            h('header', {}, h('h1', {}, 'Shortcuts'), iconButton('close', 'Close', () => this.element.close(), 'Esc')),
            h('dl', {}, ...shortcuts.map(([key, what]) => h('div', {}, h('dt', {}, ...key.split(' ').map((k, n) => (key.length > 12 ? (n ? ` ${k}` : k) : h('kbd', {}, k)))), h('dd', {}, what)))),
            h('p', {}, 'Point at the name of a setting to read what it does; double-click the name to reset it. Every change can be undone, and nothing is lost in a crash.'));
        this.element.addEventListener('click', (event) => { if (event.target === this.element) this.element.close(); });
        this.first = h('div.welcome', { role: 'dialog', 'aria-label': 'Welcome' },
            h('h1', {}, 'Welcome to the studio'),
            h('p', {}, 'This body is soft. Grab it and pull.'),
            h('ul', {}, h('li', {}, h('b', {}, 'Drag a body'), ' to pull it; drag beside it to orbit.'),
                h('li.with-keys', {}, h('b', {}, 'Drop a mesh'), ' on the page to make it soft.'),
                h('li.with-keys', {}, h('b', {}, 'Space'), ' pauses; the bar below rewinds.'),
                h('li.with-keys', {}, h('b', {}, '?'), ' shows all shortcuts.')),
            h('div.buttons', {}, h('button', { type: 'button', onclick: () => this.dismiss() }, 'Start'), h('button.primary', { type: 'button', onclick: () => { this.dismiss(); openGallery(); } }, 'Open the gallery')));
        let welcomed = false;
        try { welcomed = localStorage.getItem('yawara-welcomed') === 'yes'; } catch { /* as above */ }
        this.first.hidden = welcomed;
    }

    /** Tells `view` how much of its lower edge the welcome takes, so that nothing lies under it. */
    reserveRoom(view: HTMLElement): void {
        new ResizeObserver(() => view.style.setProperty('--welcome-height', `${this.first.offsetHeight ? this.first.offsetHeight + 16 : 0}px`)).observe(this.first);
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
