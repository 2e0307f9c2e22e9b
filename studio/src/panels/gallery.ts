// The gallery: every scene of the product with its picture, and a place to open files.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';

export class Gallery {
    readonly element: HTMLDialogElement;
    private readonly cards = h('div.cards');

    constructor(private readonly app: App, openFiles: (files: FileList) => void) {
        const files = h('input', { type: 'file', multiple: true, hidden: true, accept: '.obj,.off,.ply,.stl,.glb,.gltf,.bin,.msh,.mesh,.node,.ele,.vtk,.vtu,.veg,.json,.zip,.npy' });
        files.addEventListener('change', () => {
            if (files.files?.length) openFiles(files.files);
            files.value = '';
            this.close();
        });
        this.element = h('dialog.gallery', { 'aria-label': 'Gallery' },
            h('header', {}, h('h1', {}, 'Gallery'), h('p', {}, 'Choose a scene, or drop a mesh anywhere on the page: OBJ, PLY, STL, GLB or a tet mesh becomes a soft body.'),
                h('button.primary', { type: 'button', onclick: () => files.click() }, icon('open'), 'Open files'), iconButton('close', 'Close', () => this.close(), 'Esc')),
            this.cards, files);
        this.element.addEventListener('click', (event) => { if (event.target === this.element) this.close(); });
        app.on(['welcome', 'picture', 'document'], () => this.update());
    }

    open(): void {
        this.element.showModal();
        this.update();
    }

    close(): void {
        this.element.close();
    }

    private update(): void {
        const scenes = this.app.welcome?.gallery ?? [];
        if (this.cards.childElementCount !== scenes.length) {
            this.cards.replaceChildren(...scenes.map((scene) => h('button.card', { type: 'button', 'data-scene': scene.name, onclick: () => this.choose(scene.name) },
                h('div.picture'), h('strong', {}, scene.title), h('span', {}, scene.description))));
        }
        scenes.forEach((scene, k) => {
            const card = this.cards.children[k] as HTMLElement;
            card.setAttribute('aria-current', String(this.app.document?.name === scene.name));
            const picture = card.firstElementChild as HTMLElement;
            if (scene.picture && !picture.firstElementChild) picture.append(h('img', { src: `/gallery/${scene.name}.png`, alt: '', loading: 'lazy' }));
            // Asking for a picture that is not there has it drawn; the engine tells when it is.
            else if (this.element.open && !scene.picture && !picture.dataset.asked) {
                picture.dataset.asked = 'yes';
                void fetch(`/gallery/${scene.name}.png`);
            }
        });
    }

    private choose(name: string): void {
        this.app.send({ type: 'open', from: 'gallery', name });
        this.close();
    }
}
