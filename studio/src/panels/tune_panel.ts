// Everything in the document as a form: the bodies, the chosen one's values, and what is around them.
import type { App } from '../app';
import { h, icon, isTyped } from '../dom';
import { type Edit, pathOf, pathOfPlace, pointer, valueAt } from '../scene_editing/commands';
import { type Field, Form } from '../scene_editing/form';
import { arrangedBody, arrangedScene } from '../scene_editing/layout';
import type { JsonObject } from '../scene_editing/schema';
import { spreadEdit } from '../scene_editing/spread';
import { kindOfKey, pathOfKey } from '../state/things';
import { type FormHost, menuItems } from './field_row';
import { FilePrompt } from './file_prompt';
import { FieldsView } from './form_view';
import { menuButton } from './popup_menu';

/** What the form needs of the page: the document, the bodies that run, which one is chosen, and a way to change things. */
export interface FormSource {
    schema(): unknown;
    /** The content of the document; null: none is open. */
    content(): unknown;
    bodies(): Array<{ id: string; name: string; color: number[] }>;
    selected(): string;
    select(body: string): void;
    /** Bodies that get the same values: all that are chosen. */
    together(): number;
    edit: FormHost['edit'];
    /** The camera that the scene is looked at with. */
    view(): JsonObject | null;
}

export class TunePanel {
    readonly element: HTMLElement;
    private readonly heading = h('h2');
    private readonly chips = h('div.bodies', { role: 'group', 'aria-label': 'Bodies' });
    private readonly body = h('div');
    private readonly scene: FieldsView;
    private readonly host: FormHost;
    private readonly files = new FilePrompt();
    private list: Field | null = null;
    private view: FieldsView | null = null;
    private shown = '';

    constructor(private readonly source: FormSource, extra: HTMLElement) {
        this.host = { edit: source.edit, askFile: (ending, what, use) => this.files.ask(ending, what, source.content(), use) };
        this.scene = new FieldsView(this.host, 'scene');
        const add = h('button.more', { type: 'button', title: 'Add a body', 'aria-label': 'Add a body', onclick: () => this.host.edit(() => this.list!.add!.to()) }, icon('plus'));
        const more = menuButton('more', 'More for the chosen body', () => this.bodyMenu(), icon('more'));
        this.element = h('div.tune', {},
            h('section.panel-section', {}, h('header', {}, this.heading, add, more), this.chips, this.body),
            h('section.panel-section', {}, h('header', {}, h('h2', {}, 'Scene')), this.scene.element, extra), this.files.element);
    }

    /** The document, the bodies or the choice among them changed. */
    update(): void {
        const schema = this.source.schema(), content = this.source.content() as JsonObject | null, bodies = this.source.bodies();
        if (!schema || !content) return;
        const form = new Form(schema as ConstructorParameters<typeof Form>[0], content, this.source.view);
        if (!bodies.length) return this.showEmpty(form);
        const selected = this.source.selected();
        // The document comes before the scene that is built from it: a body may be in one of them only.
        if (!bodies.some((body) => body.id === selected) || !valueAt(content, pathOf(selected))) return;
        this.list = form.bodies();
        const together = this.source.together();
        this.heading.textContent = together > 1 ? `${together} bodies together` : bodies.length > 1 ? `${bodies.length} bodies` : 'Body';
        this.heading.title = together > 1 ? 'What you set here is set for all that are chosen' : '';
        this.updateChips(bodies, selected);
        if (!this.view || this.shown !== selected) {
            this.shown = selected;
            this.view = new FieldsView(this.host, selected);
            this.body.replaceChildren(this.view.element);
        }
        this.view.update(arrangedBody(form.ofBody(selected), pathOf(selected.split('/')[0])));
        this.scene.update(arrangedScene(form.ofScene()));
    }

    private showEmpty(form: Form): void {
        this.list = form.bodies();
        this.heading.textContent = 'No bodies yet';
        this.chips.hidden = true;
        this.view = null;
        this.shown = '';
        this.body.replaceChildren();
        this.scene.update(arrangedScene(form.ofScene()));
    }

    /** Shows a mistake at the field it is about; false: there is no such field in view. */
    showError(place: string, what: string): boolean {
        const content = this.source.content();
        if (!content || !place) return false;
        const path = pathOfPlace(content as JsonObject, place);
        if (path[0] === 'bodies' && typeof path[1] === 'string' && this.shown.split('/')[0] !== path[1].slice(1)) return false;
        const row = this.view?.reveal(pointer(path)) ?? this.scene.reveal(pointer(path));
        row?.showError(what);
        row?.element.scrollIntoView({ block: 'nearest' });
        return row !== undefined && row !== null;
    }

    private bodyMenu(): ReturnType<typeof menuItems> {
        const [identity, copy] = this.shown.split('/');
        const at = (field: Field | undefined, key: string) => field?.children().find((child) => child.path[child.path.length - 1] === `@${key}`);
        const body = at(this.list ?? undefined, identity);
        const copies = body?.children().find((field) => field.path[field.path.length - 1] === 'instances');
        const chosen = copy === undefined ? body : at(copies, copy);
        return chosen ? menuItems(chosen, this.host) : [];
    }

    private updateChips(bodies: ReturnType<FormSource['bodies']>, selected: string): void {
        this.chips.hidden = bodies.length < 2;
        this.chips.replaceChildren(...bodies.map((body) => h('button.body', { type: 'button', 'aria-pressed': String(body.id === selected), onclick: () => this.source.select(body.id) },
            h('i', { style: `background: rgb(${body.color.map((c) => Math.round(255 * c)).join(' ')})` }), body.name)));
        // Only the row of bodies scrolls, not the panel that somebody works in.
        const chosen = this.chips.querySelector<HTMLElement>('[aria-pressed=true]');
        if (chosen && (chosen.offsetTop < this.chips.scrollTop || chosen.offsetTop + chosen.offsetHeight > this.chips.scrollTop + this.chips.clientHeight)) this.chips.scrollTop = chosen.offsetTop;
    }
}

export function tunePanel(app: App): HTMLElement {
    const threads = h('input', { type: 'number', min: 0, max: 256, step: 1, 'aria-label': 'Threads' });
    threads.addEventListener('change', () => app.send({ type: 'threads', count: Math.max(0, Math.round(Number(threads.value))) }));
    app.on('status', () => { if (!isTyped(threads) && app.status) threads.value = String(app.status.threads); });
    /** Other bodies that are chosen, by their paths. */
    const others = () => (app.isChosen(app.selected) ? app.get('chosen') : []).filter((key) => kindOfKey(key) === 'body').map(pathOfKey).filter((path) => pointer(path) !== pointer(pathOf(app.selected.split('/')[0])));
    const forAll = (make: () => Edit) => (content: unknown) => spreadEdit(content as JsonObject, make(), pathOf(app.selected.split('/')[0]), others());
    const panel = new TunePanel({
        schema: () => app.schema, content: () => app.document?.content ?? null, bodies: () => app.scene?.bodies ?? [], selected: () => app.selected, select: (body) => app.select(body),
        view: () => app.viewport.view.asCamera(), edit: (make, control) => (control === undefined ? app.edits.once(forAll(make)) : app.edits.edit(control, forAll(make))),
        together: () => others().length + 1,
    }, h('div.control', {}, h('span.name', { title: 'Worker threads of the simulation; 0: all cores. The motion is the same for any number.' }, 'Threads'), h('div.value.plain', {}, h('span'), h('div.number', {}, threads))));
    app.on(['document', 'scene', 'selection', 'chosen'], () => panel.update());
    app.showMistake = (place, what) => panel.showError(place, what);
    return panel.element;
}
