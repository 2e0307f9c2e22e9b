// Fields as rows, groups that fold and lists, kept in place while the document changes: a slider in hand stays, and what
// is folded is not even made.
import { h, icon } from '../dom';
import { pointer } from '../scene_editing/commands';
import type { Field } from '../scene_editing/form';
import { partsOf } from '../scene_editing/layout';
import { FieldRow, type FormHost, hintOf, isLeaf, menuItems, switchKind } from './field_row';
import { type MenuItem, menuButton } from './popup_menu';

/** Groups that were opened, by path; they stay so. */
const opened = new Set<string>();
const mostButtons = 3;

interface View {
    readonly element: HTMLElement;
    update(field: Field): void;
    /** The row of a value below, with the groups around it opened. */
    reveal(path: string): FieldRow | null;
}

/** The same path with the same control: it is updated, not made anew. */
function identity(field: Field): string {
    return `${pointer(field.path)} ${field.control} ${field.control === 'vector' || field.control === 'components' ? field.count : ''} ${field.scale ? 'slides' : ''} ${field.unit}`;
}

function add(field: Field, host: FormHost): void {
    const { file, name, to } = field.add!;
    opened.add(pointer(field.path));
    if (file) host.askFile(file, name, (chosen) => host.edit(() => to(chosen)));
    else host.edit(() => to());
}

class RowView implements View {
    readonly row: FieldRow;
    readonly element: HTMLElement;

    constructor(host: FormHost, field: Field) {
        this.row = new FieldRow(host, field);
        this.element = this.row.element;
    }

    update(field: Field): void {
        this.row.update(field);
    }

    reveal(path: string): FieldRow | null {
        return pointer(this.row.field.path) === path ? this.row : null;
    }
}

/** The content of a group: rows and groups, what is behind *Advanced*, and what can be added. */
export class FieldsView {
    readonly element = h('div.fields');
    private readonly views = new Map<string, View>();
    private readonly advanced = h('button.disclosure.advanced', { type: 'button', 'aria-expanded': 'false' }, 'Advanced');
    private readonly hidden = h('div.fields');
    private readonly adders = h('div.adders');
    private fields: Field[] = [];

    constructor(private readonly host: FormHost, private readonly key: string) {
        this.advanced.addEventListener('click', () => {
            this.open(!opened.has(`${this.key}#advanced`));
            this.update(this.fields);
        });
    }

    private open(yes: boolean): void {
        if (yes) opened.add(`${this.key}#advanced`);
        else opened.delete(`${this.key}#advanced`);
    }

    update(fields: Field[]): void {
        this.fields = fields;
        const { plain, advanced, addable } = partsOf(fields);
        const isOpen = opened.has(`${this.key}#advanced`);
        const expertAddable = addable.filter((field) => field.expert), usual = addable.filter((field) => !field.expert);
        const hasAdvanced = plain.length > 0 && (advanced.length > 0 || (expertAddable.length > 0 && plain.some((field) => !field.expert)));
        const shown = [...plain, ...(isOpen ? advanced : [])];
        const known = new Set(shown.map(identity));
        for (const [key, view] of this.views) if (!known.has(key)) {
            view.element.remove();
            this.views.delete(key);
        }
        const elements = (some: Field[]) => some.map((field) => this.view(field).element);
        arrange(this.element, [...elements(plain), ...(usual.length ? [this.adders] : []), ...(hasAdvanced ? [this.advanced, this.hidden] : [])]);
        this.advanced.setAttribute('aria-expanded', String(isOpen));
        this.hidden.hidden = !isOpen;
        if (isOpen) arrange(this.hidden, [...elements(advanced), ...(expertAddable.length ? [this.adderRow(expertAddable)] : [])]);
        else arrange(this.hidden, []);
        if (!hasAdvanced && expertAddable.length) usual.push(...expertAddable);
        this.adders.replaceChildren(...this.addButtons(usual));
        if (usual.length && !this.adders.parentElement) this.element.append(this.adders);
    }

    private adderRow(fields: Field[]): HTMLElement {
        return h('div.adders', {}, ...this.addButtons(fields));
    }

    private addButtons(fields: Field[]): HTMLElement[] {
        if (fields.length <= mostButtons)
            return fields.map((field) => h('button.adder', { type: 'button', title: hintOf(field), onclick: () => add(field, this.host) }, icon('plus'), field.add!.name));
        const items = (): MenuItem[] => fields.map((field) => ({ words: field.add!.name, about: hintOf(field), act: () => add(field, this.host) }));
        return [menuButton('adder', 'Add', items, icon('plus'), 'Add')];
    }

    private view(field: Field): View {
        const key = identity(field);
        const known = this.views.get(key);
        if (known) {
            known.update(field);
            return known;
        }
        const view = isLeaf(field) ? new RowView(this.host, field) : new GroupView(this.host, field);
        this.views.set(key, view);
        return view;
    }

    reveal(path: string): FieldRow | null {
        const inside = (field: Field) => pointer(field.path) === path || (!isLeaf(field) && this.holds(field, path));
        if (partsOf(this.fields).advanced.some(inside) && !opened.has(`${this.key}#advanced`)) {
            this.open(true);
            this.update(this.fields);
        }
        for (const view of this.views.values()) {
            const row = view.reveal(path);
            if (row) return row;
        }
        return null;
    }

    private holds(field: Field, path: string): boolean {
        return field.children().some((child) => pointer(child.path) === path || (!isLeaf(child) && this.holds(child, path)));
    }
}

/** The same children in the same order are left alone, so that the focus stays. */
function arrange(parent: HTMLElement, children: HTMLElement[]): void {
    children.forEach((child, k) => { if (parent.children[k] !== child) parent.insertBefore(child, parent.children[k] ?? null); });
    while (parent.children.length > children.length) parent.lastElementChild!.remove();
}

class GroupView implements View {
    readonly element: HTMLElement;
    private readonly key: string;
    private readonly toggle = h('button.disclosure', { type: 'button' });
    private readonly count = h('span.count');
    private readonly kinds = h('select.kinds');
    private readonly plus: HTMLButtonElement;
    private readonly more: HTMLButtonElement;
    private content: FieldsView | null = null;

    constructor(private readonly host: FormHost, private field: Field) {
        this.key = pointer(field.path);
        this.more = menuButton('more', `More for ${field.name}`, () => menuItems(this.field, host), icon('more'));
        this.plus = h('button.more', { type: 'button', onclick: () => add(this.field, host) }, icon('plus'));
        this.kinds.addEventListener('change', () => {
            const k = this.kinds.selectedIndex;
            this.kinds.selectedIndex = this.field.kind;
            opened.add(this.key);
            switchKind(this.field, k, host);
        });
        this.toggle.addEventListener('click', () => {
            if (opened.has(this.key)) opened.delete(this.key);
            else opened.add(this.key);
            this.update(this.field);
        });
        this.element = h('div.group', { 'data-path': this.key }, h('div.head', {}, this.toggle, this.kinds, this.plus, this.more));
        this.update(field);
    }

    update(field: Field): void {
        this.field = field;
        const folds = field.control !== 'constant';
        const open = folds && opened.has(this.key);
        this.toggle.replaceChildren(field.name, ...(field.control === 'list' ? [this.count] : []));
        this.count.textContent = String(field.count);
        this.toggle.title = hintOf(field);
        this.toggle.disabled = !folds;
        if (folds) this.toggle.setAttribute('aria-expanded', String(open));
        else this.toggle.removeAttribute('aria-expanded');
        this.element.classList.toggle('is-set', field.isSet);
        this.kinds.hidden = field.kinds.length < 2;
        this.kinds.setAttribute('aria-label', `${field.name}: kind`);
        const names = field.kinds.map((kind) => kind.name);
        if ([...this.kinds.options].map((option) => option.text).join() !== names.join()) this.kinds.replaceChildren(...names.map((name) => h('option', {}, name)));
        this.kinds.selectedIndex = field.kind;
        this.plus.hidden = !(field.control === 'list' && field.add);
        this.plus.title = `Add ${field.add?.name.toLowerCase() ?? ''}`;
        this.plus.setAttribute('aria-label', this.plus.title);
        this.more.hidden = menuItems(field, this.host).length === 0;
        if (!open) {
            this.content?.element.remove();
            this.content = null;
            return;
        }
        if (!this.content) {
            this.content = new FieldsView(this.host, this.key);
            this.element.append(this.content.element);
        }
        this.content.update(field.children());
    }

    reveal(path: string): FieldRow | null {
        if (!path.startsWith(this.key.replace(/\/#.*/, ''))) return null;
        const was = opened.has(this.key);
        opened.add(this.key);
        this.update(this.field);
        const row = this.content?.reveal(path) ?? null;
        if (!row && !was) {
            opened.delete(this.key);
            this.update(this.field);
        }
        return row;
    }
}

/** Opens what people look at first. */
export function openAtFirst(path: string): void {
    opened.add(path);
}
