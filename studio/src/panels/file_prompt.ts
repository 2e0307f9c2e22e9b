// Asks for the name of a file: one that the scene uses already, or any other beside it.
import { h } from '../dom';

/** Every text of a document that looks like the name of a file. */
function filesIn(value: unknown): string[] {
    if (typeof value === 'string') return /^[^\n]{1,200}\.[a-z0-9]{2,5}$/i.test(value) && !/\s/.test(value) ? [value] : [];
    return value !== null && typeof value === 'object' ? Object.values(value).flatMap(filesIn) : [];
}

export class FilePrompt {
    readonly element: HTMLDialogElement;
    private readonly title = h('h1');
    private readonly about = h('p');
    private readonly names = h('datalist', { id: 'scene-files' });
    private readonly input = h('input', { type: 'text', list: 'scene-files', 'aria-label': 'File name', autocomplete: 'off', spellcheck: 'false', required: true });
    private use: (name: string) => void = () => {};

    constructor() {
        const form = h('form', { method: 'dialog' }, this.title, this.about, this.input, this.names,
            h('div.buttons', {}, h('button', { type: 'button', onclick: () => this.element.close() }, 'Cancel'), h('button.primary', { type: 'submit' }, 'Use')));
        form.addEventListener('submit', () => this.use(this.input.value.trim()));
        this.element = h('dialog.prompt', { 'aria-label': 'Choose a file' }, form);
    }

    ask(ending: string, what: string, document: unknown, use: (name: string) => void): void {
        this.use = use;
        this.title.textContent = what;
        this.about.textContent = ending === '*' ? 'Name of a file, relative to the folder of the scene.' : `Name of a ${ending} file, relative to the folder of the scene.`;
        this.input.value = '';
        this.input.pattern = ending === '*' ? '.+' : `.+\\${ending}`;
        this.names.replaceChildren(...[...new Set(filesIn(document))].filter((name) => ending === '*' || name.endsWith(ending)).map((name) => h('option', { value: name })));
        this.element.showModal();
        this.input.focus();
    }
}
