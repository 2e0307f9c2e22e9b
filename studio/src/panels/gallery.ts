// The gallery: every scene of the product with its picture, and a place to open files.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';
import { found, methodNames, methodOf } from './gallery_words';

export class Gallery {
    readonly element: HTMLDialogElement;
    private readonly cards = h('div.cards');
    private readonly nothing = h('p.nothing', { hidden: true }, 'No scene matches. Try fewer words, or “fem”, “muscle”, “volume”, “pose”.');
    private readonly find = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the gallery', oninput: () => this.filter() });
    private readonly seen = new IntersectionObserver((entries) => this.ask(entries.filter((e) => e.isIntersecting).map((e) => e.target as HTMLElement)));
    private playAfterwards = false;
    private cardOf = new Map<string, HTMLElement>();

    constructor(private readonly app: App, openFiles: (files: FileList) => void, private readonly newScene: () => Promise<boolean>) {
        const files = h('input', { type: 'file', multiple: true, hidden: true });
        app.on(['welcome'], () => { files.accept = app.welcome!.upload_endings.join(','); });
        files.addEventListener('change', () => {
            if (files.files?.length) openFiles(files.files);
            files.value = '';
            this.close();
        });
        this.element = h('dialog.gallery', { 'aria-label': 'Gallery' },
            h('header', {}, h('h1', {}, 'Gallery'), h('p', {}, 'Choose a scene, or drop a mesh anywhere on this page to make it soft: OBJ, PLY, STL, GLB or tetrahedra.'),
                this.find, h('button', { type: 'button', title: 'An empty floor (Shift N)', onclick: () => this.leaveFor(this.newScene()) }, icon('plus'), 'New scene'), h('button.primary', { type: 'button', onclick: () => files.click() }, icon('open'), 'Open files'), iconButton('close', 'Close', () => this.close(), 'Esc')),
            this.cards, this.nothing, files);
        this.element.addEventListener('click', (event) => { if (event.target === this.element) this.close(); });
        this.element.addEventListener('close', () => this.closed());
        app.on(['welcome', 'picture', 'document'], () => this.update());
    }

    /** Time halts meanwhile: nobody watches, and the pictures that are missing are drawn sooner. */
    open(): void {
        if (this.element.open) return;
        this.playAfterwards = this.app.status?.playing ?? false;
        if (this.playAfterwards) this.app.send({ type: 'play', playing: false });
        this.find.value = '';
        this.filter();
        this.element.showModal();
        this.update();
        this.cards.querySelector<HTMLElement>('[aria-current=true]')?.focus();
    }

    close(): void {
        this.element.close();
    }

    private closed(): void {
        if (this.playAfterwards) this.app.send({ type: 'play', playing: true });
    }

    private filter(): void {
        const words = this.find.value.split(/\s+/).filter(Boolean);
        let left = 0;
        for (const card of this.cards.querySelectorAll<HTMLElement>('.card')) {
            card.hidden = !found(words, card.textContent!, card.dataset.scene!, card.dataset.uses!.split(' '));
            if (!card.hidden) ++left;
        }
        for (const group of this.cards.querySelectorAll<HTMLElement>('.method')) group.hidden = !group.querySelector('.card:not([hidden])');
        this.nothing.hidden = left > 0;
    }

    /** Asking for a picture that is not there has it drawn before others; the engine tells when it is. The last one asked
     *  for comes first. */
    private ask(cards: HTMLElement[]): void {
        const missing = cards.filter((card) => !card.querySelector('img'));
        for (const card of missing.reverse()) void fetch(`/gallery/${card.dataset.scene}.png`).catch(() => {});
    }

    private update(): void {
        const scenes = this.app.welcome?.gallery ?? [];
        if (this.cards.querySelectorAll('.card').length !== scenes.length) {
            const cards = scenes.map((scene) => h('button.card', { type: 'button', 'data-scene': scene.name, 'data-uses': (scene.uses ?? []).join(' '), title: scene.description, onclick: () => this.choose(scene.name) },
                h('div.picture'), h('strong', {}, scene.title), h('span', {}, scene.description)));
            const groups = methodNames.map((name) => ({ name, inside: cards.filter((_, k) => methodOf(scenes[k].uses ?? []) === name) })).filter(({ inside }) => inside.length);
            this.cards.replaceChildren(...groups.map(({ name, inside }) => h('section.method', { 'aria-label': name }, h('h2', {}, name), h('div', {}, ...inside))));
            for (const card of cards) this.seen.observe(card);
            this.cardOf = new Map(scenes.map((scene, k) => [scene.name, cards[k]]));
        }
        scenes.forEach((scene) => {
            const card = this.cardOf.get(scene.name)!;
            card.setAttribute('aria-current', String(this.app.document?.name === scene.name));
            const picture = card.firstElementChild as HTMLElement;
            if (scene.picture && !picture.firstElementChild) picture.append(h('img', { src: `/gallery/${scene.name}.png`, alt: '', loading: 'lazy' }));
        });
    }

    private choose(name: string): void {
        this.leaveFor(this.app.open({ from: 'gallery', name }));
    }

    private leaveFor(another: Promise<boolean>): void {
        void another.then((opened) => {
            if (!opened) return;
            this.playAfterwards = false;  // the engine starts it
            this.close();
        });
    }
}
