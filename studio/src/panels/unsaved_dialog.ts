// Before another document is opened: what becomes of edits that were not saved.
import type { App } from '../app';
import { h } from '../dom';

type Choice = 'save' | 'keep' | 'discard' | 'cancel';

export class UnsavedDialog {
    readonly element: HTMLDialogElement;
    private readonly title = h('b');
    private readonly saveButton = h('button.primary', { type: 'button', onclick: () => this.choose('save') }, 'Save');
    private answer: ((choice: Choice) => void) | null = null;

    constructor(private readonly app: App) {
        const button = (words: string, choice: Choice, about: string) => h('button', { type: 'button', title: about, onclick: () => this.choose(choice) }, words);
        this.element = h('dialog.question', { 'aria-labelledby': 'unsaved-title' },
            h('h1', { id: 'unsaved-title' }, 'Keep your edits?'),
            h('p', {}, this.title, ' has edits that are not saved.'),
            h('div.buttons', {}, this.saveButton, button('Keep in Recent', 'keep', 'The gallery lists it under Recent'), button('Discard', 'discard', 'The edits are gone for good'), button('Cancel', 'cancel', 'Stay with this scene')));
        this.element.addEventListener('close', () => this.choose('cancel'));
        app.mayLeave = () => this.ask();
    }

    private choose(choice: Choice): void {
        const { answer } = this;
        this.answer = null;
        if (this.element.open) this.element.close();
        answer?.(choice);
    }

    private async ask(): Promise<{ keep: boolean } | null> {
        const { title, name, place } = this.app.document!;
        this.title.textContent = title || name;
        this.saveButton.textContent = place ? 'Save' : 'Save a copy';
        this.saveButton.title = place ? `To ${place}` : 'As one .zip with its meshes';
        this.answer?.('cancel');
        const choice = await new Promise<Choice>((done) => {
            this.answer = done;
            this.element.showModal();
            this.saveButton.focus();
        });
        if (choice === 'cancel') return null;
        if (choice === 'save' && !(await this.save())) return null;
        return { keep: choice !== 'discard' };
    }

    /** Waits until the file is written or handed out: only then the document may go. */
    private save(): Promise<boolean> {
        const { app } = this;
        return new Promise((done) => {
            const stop = [
                app.on('document', (document) => { if (document?.saved) finish(true); }),
                app.on('exported', () => finish(true)),
                app.on('refused', (about) => { if (about === 'save' || about === 'export') finish(false); }),
            ];
            const finish = (saved: boolean) => {
                for (const end of stop) end();
                done(saved);
            };
            saveDocument(app);
        });
    }
}

/** Scenes of the gallery stay as they are, and dropped files have no place of their own: then a copy is handed out. */
export function saveDocument(app: App): void {
    if (app.document?.place) app.edits.save();
    else app.export('scene');
}
