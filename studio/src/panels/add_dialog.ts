// Meshes were dropped on a scene that has bodies: they join them, or become a scene of their own.
import type { App } from '../app';
import { h } from '../dom';

export type AddChoice = 'add' | 'open' | 'cancel';

export class AddDialog {
    readonly element: HTMLDialogElement;
    private readonly names = h('b');
    private readonly addButton = h('button.primary', { type: 'button', onclick: () => this.choose('add') }, 'Add to this scene');
    private answer: ((choice: AddChoice) => void) | null = null;

    constructor(private readonly app: App) {
        const button = (words: string, choice: AddChoice, about: string) => h('button', { type: 'button', title: about, onclick: () => this.choose(choice) }, words);
        this.element = h('dialog.question', { 'aria-labelledby': 'add-title' },
            h('h1', { id: 'add-title' }, 'Add to this scene?'), h('p', {}, this.names),
            h('p.hint', {}, 'Hold Shift while you drop to add without being asked.'),
            h('div.buttons', {}, this.addButton, button('Open alone', 'open', 'In a new scene; this one is left'), button('Cancel', 'cancel', 'Nothing happens')));
        this.element.addEventListener('cancel', () => this.choose('cancel'));  // Escape
    }

    private choose(choice: AddChoice): void {
        const { answer } = this;
        this.answer = null;
        if (this.element.open) this.element.close();
        answer?.(choice);
    }

    ask(files: File[]): Promise<AddChoice> {
        const { title, name } = this.app.document!;
        this.names.textContent = files.map((file) => file.name).join(', ');
        this.addButton.title = `Beside the bodies of “${title || name}”, as one step of undo`;
        this.answer?.('cancel');
        return new Promise((done) => {
            this.answer = done;
            this.element.showModal();
            this.addButton.focus();
        });
    }
}
