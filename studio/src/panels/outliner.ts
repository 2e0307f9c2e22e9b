// The tree of things in the scene: choose, name, hide, lock, colour and order them, with the pointer or with keys alone.
import type { App } from '../app';
import type { SceneActions } from './scene_actions';
import { h, icon, pathIcon, withCommas } from '../dom';
import { setCommand, valueAt } from '../scene_editing/commands';
import type { JsonObject } from '../scene_editing/schema';
import { type Thing, allThings, belongsTo, kindOfKey, obstacleNumber, pathOfKey, sensorsOf, thingsOf } from '../state/things';
import { type MenuItem, popupMenu } from './popup_menu';

const mostRows = 300;         // of a tree that is drawn at once; the others are found by searching
const mostUnfolded = 12;      // copies that are listed without being asked for

const icons: Record<Thing['kind'], string> = {
    body: 'M12 4l7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8', instance: 'M8 5h11v11M5 8h11v11H5z',
    pin: 'M9 4.5h6l-.8 5 3 3.2H6.8l3-3.2zM12 12.7V20', handle: 'M12 4v16M4 12h16M9 7l3-3 3 3M9 17l3 3 3-3',
    force: 'M4 12h14M13 7l5 5-5 5', joint: 'M9 9a3 3 0 1 0 6 0 3 3 0 0 0-6 0zM9.500 11 5 19M14.500 11l4.500 8', obstacle: 'M3.500 19h17M6.500 19v-9.500h11V19M6.500 14h11M12 9.500V14', water: 'M4 9c2.5-2 4 2 8 0s5.500 2 8 0M4 15c2.500-2 4 2 8 0s5.500 2 8 0', camera: 'M4 8h10v9H4zM14 11l6-3v9l-6-3',
};
const eye = 'M3 12c3-5 6-6.500 9-6.500s6 1.500 9 6.500c-3 5-6 6.500-9 6.500S6 17 3 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z';
const closedEye = 'M3 10c3 4 6 5.500 9 5.500s6-1.500 9-5.500M6.500 14 5 16.500M12 15.500V18.500M17.500 14l1.500 2.500';
const lock = 'M6.500 11h11v8h-11zM8.500 11V8a3.500 3.500 0 0 1 7 0v3';
const openLock = 'M6.500 11h11v8h-11zM8.500 11V8a3.500 3.500 0 0 1 6.800-1.200';

interface Row {
    thing: Thing;
    level: number;
    parent: string | null;
    folded: boolean;
}

export class Outliner {
    readonly element: HTMLElement;
    private readonly tree = h('ul.tree', { role: 'tree', 'aria-label': 'Things in the scene', 'aria-multiselectable': 'true' });
    private readonly find = h('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search things', oninput: () => this.draw() });
    private readonly count = h('p.about');
    private readonly color = h('input', { type: 'color', 'aria-label': 'Colour', tabindex: -1, 'aria-hidden': 'true', class: 'color-picker' });
    private rows: Row[] = [];
    /** Where keys act. */
    private at = '';
    /** The other end of a range of chosen rows. */
    private anchor = '';
    /** What a person folded or unfolded against the rule. */
    private readonly folding = new Map<string, boolean>();
    private renaming = '';

    constructor(private readonly app: App, private readonly actions: SceneActions) {
        this.element = h('div.outliner', {}, this.find, this.tree, this.count, this.color);
        this.tree.addEventListener('keydown', (event) => this.key(event));
        this.tree.addEventListener('click', (event) => this.click(event));
        this.tree.addEventListener('dblclick', (event) => {
            const row = this.rowAt(event);
            if (row?.thing.renamable && (event.target as Element).closest('.thing-name')) this.rename(row.thing.key);
        });
        this.tree.addEventListener('contextmenu', (event) => {
            const row = this.rowAt(event);
            if (!row) return;
            event.preventDefault();
            if (!app.get('chosen').includes(row.thing.key)) this.choose([row.thing.key]);
            popupMenu(this.itemOf(row.thing.key)!, 'Things', this.menu());
        });
        this.listenToDrags();
        this.color.addEventListener('input', () => this.paint(this.color.value));
        this.color.addEventListener('change', () => app.edits.endGesture());
        app.on(['document', 'scene', 'chosen', 'hidden', 'locked'], () => this.draw());
        app.on('stats', () => this.tellSensed());
        app.on('opened', () => {
            app.set('hidden', new Set());
            app.set('locked', new Set());
            this.folding.clear();
        });
    }

    // ---- what is shown

    private get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    private rowsOf(things: Thing[], level: number, parent: string | null): Row[] {
        return things.flatMap((thing) => {
            const folded = this.folding.get(thing.key) ?? thing.children.length > mostUnfolded;
            return [{ thing, level, parent, folded }, ...(folded ? [] : this.rowsOf(thing.children, level + 1, thing.key))];
        });
    }

    private drawn = '';

    private draw(): void {
        const { content, app } = this;
        if (!content || this.renaming) return;
        const words = this.find.value.trim().toLowerCase();
        const all = thingsOf(content);
        const rows = words ? allThings(all).filter(({ name }) => name.toLowerCase().includes(words)).map((thing): Row => ({ thing, level: 1, parent: null, folded: true })) : this.rowsOf(all, 1, null);
        this.rows = rows.slice(0, mostRows);
        if (!this.rows.some(({ thing }) => thing.key === this.at)) this.at = this.rows[0]?.thing.key ?? '';
        const chosen = app.get('chosen');
        const sign = JSON.stringify([this.rows.map(({ thing, level, folded }) => [thing.key, thing.name, level, folded, thing.children.length]), chosen, [...app.get('hidden')], [...app.get('locked')], this.at, app.scene?.bodies.map(({ id, color, particles }) => [id, color, particles])]);
        if (sign === this.drawn) return;
        this.drawn = sign;
        const hadFocus = this.tree.contains(document.activeElement);
        this.tree.replaceChildren(...this.rows.map((row, k) => this.item(row, k)));
        this.tellSensed();
        const hidden = rows.length - this.rows.length;
        this.count.textContent = hidden ? `… and ${withCommas(hidden)} more: search for them.` : words && !rows.length ? 'Nothing has that name.' : '';
        this.count.hidden = !this.count.textContent;
        if (hadFocus) this.itemOf(this.at)?.focus({ preventScroll: true });
    }

    private item({ thing, level, folded, parent }: Row, index: number): HTMLElement {
        const { key, kind, name, children } = thing, { app } = this;
        const siblings = this.rows.filter((row) => row.parent === parent && row.level === level);
        const off = app.get('hidden').has(key), fixed = app.get('locked').has(key);
        const toggle = (words: string, path: string, on: boolean, act: () => void, shown: string) => h('button.toggle', { type: 'button', tabindex: -1, title: words, 'aria-label': `${words}: ${name}`, 'aria-pressed': String(on), class: `toggle ${shown}`, onclick: (event: Event) => { event.stopPropagation(); act(); } }, pathIcon(path));
        const seen = ['body', 'instance', 'obstacle'].includes(kind);
        return h('li.thing', {
            role: 'treeitem', 'aria-level': level, 'aria-setsize': siblings.length, 'aria-posinset': siblings.findIndex((row) => row.thing.key === key) + 1,
            'aria-selected': String(app.get('chosen').includes(key)), 'aria-expanded': children.length ? String(!folded) : undefined, 'aria-label': this.spoken(thing),
            'data-key': key, 'data-kind': kind, tabindex: key === this.at ? 0 : -1, draggable: ['body', 'instance', 'obstacle'].includes(kind) ? 'true' : undefined,
            style: `--level: ${level - 1}`, class: off ? 'thing is-off' : 'thing', 'data-index': index,
        },
            h('span.fold', { 'aria-hidden': 'true' }, children.length ? icon('down') : null), this.swatch(thing), h('span.thing-name', {}, name), h('span.cost', { title: this.costWords(thing) }, this.cost(thing)),
            seen ? toggle(off ? 'Show' : 'Hide', off ? closedEye : eye, off, () => this.actions.toggleHidden(this.meant(key)), off ? 'is-on' : '') : null,
            seen ? toggle(fixed ? 'Unlock' : 'Lock', fixed ? lock : openLock, fixed, () => this.actions.toggleLocked(this.meant(key)), fixed ? 'is-on' : '') : null);
    }

    /** Beside each sensor, what is in it. */
    private tellSensed(): void {
        if (!this.content) return;
        const sensors = sensorsOf(this.content, this.app.stats?.sensed ?? []);
        if (!sensors.size) return;
        for (const { thing } of this.rows.filter((row) => row.thing.kind === 'obstacle')) {
            const inside = sensors.get(obstacleNumber(this.content, thing.key)), told = this.itemOf(thing.key)?.querySelector<HTMLElement>('.cost');
            if (!inside || !told) continue;
            told.title = inside.length ? `In it: ${inside.join(', ')}` : 'Nothing is in it';
            told.textContent = inside.length > 1 ? `${inside.length} bodies` : inside[0] ?? 'empty';
        }
    }

    private spoken(thing: Thing): string {
        const state = [this.app.get('hidden').has(thing.key) && 'hidden', this.app.get('locked').has(thing.key) && 'locked'].filter(Boolean).join(', ');
        return [thing.name, thing.name.toLowerCase().startsWith(thing.kind) ? '' : thing.kind, this.costWords(thing), state].filter(Boolean).join(', ');
    }

    private bodiesOf(thing: Thing) {
        return ['body', 'instance'].includes(thing.kind) ? (this.app.scene?.bodies ?? []).filter(({ id }) => belongsTo(id, thing.key)) : [];
    }

    private cost(thing: Thing): string {
        const particles = this.bodiesOf(thing).reduce((sum, body) => sum + body.particles, 0);
        return particles >= 1000 ? `${(particles / 1000).toFixed(particles < 10000 ? 1 : 0)}k` : particles ? String(particles) : '';
    }

    private costWords(thing: Thing): string {
        const own = this.bodiesOf(thing).reduce((sum, body) => sum + body.particles, 0), all = (this.app.scene?.bodies ?? []).reduce((sum, body) => sum + body.particles, 0);
        return own ? `${withCommas(own)} particles${all > own ? `, ${Math.round((100 * own) / all)} % of the scene` : ''}` : '';
    }

    /** The colour of a body, which a click changes; an icon of everything else. */
    private swatch(thing: Thing): HTMLElement {
        const [body] = this.bodiesOf(thing);
        if (!body) return h('span.kind', { 'aria-hidden': 'true' }, pathIcon(icons[thing.kind]));
        const rgb = body.color.map((c) => Math.round(255 * c));
        return h('button.swatch', {
            type: 'button', tabindex: -1, title: 'Colour', 'aria-label': `Colour of ${thing.name}`, style: `background: rgb(${rgb.join(' ')})`,
            onclick: (event: Event) => {
                event.stopPropagation();
                this.painted = this.meant(thing.key).filter((key) => ['body', 'instance'].includes(kindOfKey(key)));
                this.color.value = `#${rgb.map((c) => c.toString(16).padStart(2, '0')).join('')}`;
                this.color.click();
            },
        });
    }

    private painted: string[] = [];

    private paint(color: string): void {
        const keys = this.painted;
        this.app.edits.edit(`color ${keys.join(' ')}`, (now) => {
            const content = now as unknown as JsonObject;
            const changes = keys.flatMap((key) => setCommand(content, [...pathOfKey(key), ...(kindOfKey(key) === 'body' ? ['look', 'color'] : ['color'])], color, 'colour').changes);
            return { label: 'Set colour', changes };
        });
    }

    // ---- choosing

    /** All that is chosen, if this is among it. */
    private meant(key: string): string[] {
        const chosen = this.app.get('chosen');
        return chosen.includes(key) ? [...chosen] : [key];
    }

    private choose(keys: string[], at = keys[keys.length - 1]): void {
        if (at !== undefined) this.at = at;
        this.app.choose(keys);
        this.itemOf(this.at)?.scrollIntoView({ block: 'nearest' });
    }

    private range(to: string): string[] {
        const keys = this.rows.map(({ thing }) => thing.key);
        const [a, b] = [keys.indexOf(this.anchor), keys.indexOf(to)];
        return a < 0 || b < 0 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
    }

    private rowAt(event: Event): Row | undefined {
        const key = (event.target as Element).closest<HTMLElement>('.thing')?.dataset.key;
        return this.rows.find(({ thing }) => thing.key === key);
    }

    private itemOf(key: string): HTMLElement | null {
        return [...this.tree.children].find((item) => (item as HTMLElement).dataset.key === key) as HTMLElement | undefined ?? null;
    }

    private click(event: MouseEvent): void {
        const row = this.rowAt(event);
        if (!row || (event.target as Element).closest('input')) return;
        const { key } = row.thing, chosen = this.app.get('chosen');
        if ((event.target as Element).closest('.fold') && row.thing.children.length) return this.fold(row, !row.folded);
        if (event.shiftKey) return this.choose(this.range(key), key);
        this.anchor = key;
        if (event.ctrlKey || event.metaKey) this.choose(chosen.includes(key) ? chosen.filter((other) => other !== key) : [...chosen, key], key);
        else this.choose([key]);
        this.itemOf(key)?.focus({ preventScroll: true });
    }

    private fold(row: Row, folded: boolean): void {
        this.folding.set(row.thing.key, folded);
        this.draw();
    }

    private key(event: KeyboardEvent): void {
        if ((event.target as Element).closest('input')) return;
        const keys = this.rows.map(({ thing }) => thing.key), at = keys.indexOf(this.at), row = this.rows[at];
        if (!row) return;
        const go = (to: number) => {
            const next = keys[Math.min(keys.length - 1, Math.max(0, to))];
            if (event.shiftKey) this.choose(this.range(next), next);
            else {
                this.anchor = next;
                this.choose([next]);
            }
            this.itemOf(next)?.focus({ preventScroll: true });
        };
        const control = event.ctrlKey || event.metaKey;
        switch (event.key) {
            case 'ArrowDown': case 'ArrowUp':
                if (event.altKey) this.moveBy(row, event.key === 'ArrowUp' ? -1 : 1);
                else go(at + (event.key === 'ArrowUp' ? -1 : 1));
                break;
            case 'Home': go(0); break;
            case 'End': go(keys.length - 1); break;
            case 'ArrowRight':
                if (row.thing.children.length && row.folded) this.fold(row, false);
                else if (row.thing.children.length) go(at + 1);
                break;
            case 'ArrowLeft':
                if (row.thing.children.length && !row.folded) this.fold(row, true);
                else if (row.parent) go(keys.indexOf(row.parent));
                break;
            case 'Enter': case 'F2': this.rename(row.thing.key); break;
            case ' ': {
                const chosen = this.app.get('chosen');
                this.anchor = row.thing.key;
                this.choose(chosen.includes(row.thing.key) ? chosen.filter((key) => key !== row.thing.key) : [...chosen, row.thing.key], row.thing.key);
                break;
            }
            case 'a':
                if (!control) return this.typeAhead(event, at);
                this.choose(keys.filter((key) => this.rows.find(({ thing }) => thing.key === key)!.level === 1));
                break;
            case 'ContextMenu': popupMenu(this.itemOf(row.thing.key)!, 'Things', this.menu()); break;
            default: return this.typeAhead(event, at);
        }
        event.preventDefault();
        event.stopPropagation();
    }

    private typed = { text: '', at: 0 };

    /** Letters go to the next thing that begins with them. */
    private typeAhead(event: KeyboardEvent, at: number): void {
        if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey || /[^\p{L}\p{N}]/u.test(event.key)) return;
        const fresh = event.timeStamp - this.typed.at > 700;
        this.typed = { text: (fresh ? '' : this.typed.text) + event.key.toLowerCase(), at: event.timeStamp };
        const turned = [...this.rows.slice(at + (fresh ? 1 : 0)), ...this.rows.slice(0, at + 1)];
        const found = turned.find(({ thing }) => thing.name.toLowerCase().startsWith(this.typed.text));
        event.preventDefault();
        event.stopPropagation();
        if (!found) return;
        this.anchor = found.thing.key;
        this.choose([found.thing.key]);
        this.itemOf(found.thing.key)?.focus({ preventScroll: true });
    }

    // ---- names

    rename(key: string): void {
        const item = this.itemOf(key), row = this.rows.find(({ thing }) => thing.key === key);
        if (!item || !row?.thing.renamable) return;
        const keys = this.meant(key).filter((other) => this.rows.find(({ thing }) => thing.key === other)?.thing.renamable);
        const before = row.thing.kind === 'instance' ? row.thing.name.replace(/^Copy /, '') : row.thing.name;
        const field = h('input', { type: 'text', value: before, maxlength: 60, spellcheck: 'false', 'aria-label': keys.length > 1 ? `Name of ${keys.length} things` : `Name of ${row.thing.name}` });
        const done = (keep: boolean) => {
            if (this.renaming !== key) return;
            if (keep && field.value.trim() !== before && !this.actions.rename(keys, field.value)) return field.focus();
            this.renaming = '';
            this.drawn = '';
            this.draw();
            this.itemOf(key)?.focus({ preventScroll: true });
        };
        field.addEventListener('keydown', (event) => {
            if (event.key === 'Enter' || event.key === 'Escape') done(event.key === 'Enter');
            event.stopPropagation();
        });
        field.addEventListener('blur', () => done(true));
        this.renaming = key;
        item.querySelector('.thing-name')!.replaceChildren(field);
        field.select();
        field.focus();
    }

    // ---- order

    private moveBy({ thing, parent }: Row, by: -1 | 1): void {
        const list = this.rows.filter((row) => row.parent === parent && row.thing.kind === thing.kind).map((row) => row.thing.key), at = list.indexOf(thing.key);
        if (at + by < 0 || at + by >= list.length) return;
        this.actions.order(thing.key, by < 0 ? list[at - 1] : list[at + 2] ?? null);
    }

    private listenToDrags(): void {
        let dragged: Row | undefined;
        const aim = (event: DragEvent): { row: Row; before: boolean } | null => {
            const row = this.rowAt(event);
            if (!dragged || !row || row.parent !== dragged.parent || row.thing.kind !== dragged.thing.kind) return null;
            const box = this.itemOf(row.thing.key)!.getBoundingClientRect();
            return { row, before: event.clientY < box.top + box.height / 2 };
        };
        const clear = () => { for (const item of this.tree.querySelectorAll('.drop-before, .drop-after')) item.classList.remove('drop-before', 'drop-after'); };
        this.tree.addEventListener('dragstart', (event) => {
            dragged = this.rowAt(event);
            event.dataTransfer?.setData('text/x-thing', dragged?.thing.key ?? '');
        });
        this.tree.addEventListener('dragover', (event) => {
            const to = aim(event);
            clear();
            if (to) this.itemOf(to.row.thing.key)!.classList.add(to.before ? 'drop-before' : 'drop-after');
        });
        this.tree.addEventListener('drop', (event) => {
            const to = aim(event);
            clear();
            if (!to || !dragged) return;
            const list = this.rows.filter((row) => row.parent === dragged!.parent && row.thing.kind === dragged!.thing.kind).map((row) => row.thing.key);
            this.actions.order(dragged.thing.key, to.before ? to.row.thing.key : list[list.indexOf(to.row.thing.key) + 1] ?? null);
        });
        this.tree.addEventListener('dragend', () => { clear(); dragged = undefined; });
    }

    /** What can be done with what is chosen. */
    menu(): MenuItem[] {
        const { app, actions } = this, chosen = app.get('chosen'), [last] = chosen.slice(-1);
        const kinds = new Set(chosen.map(kindOfKey)), item = (words: string, act: () => void, apart = false): MenuItem => ({ words, act, apart });
        if (!last) return [];
        const hasCopies = chosen.some((key) => kindOfKey(key) === 'body' && !valueAt(this.content!, [...pathOfKey(key), 'instances']));
        return [
            ...(kinds.has('body') || kinds.has('instance') || kinds.has('obstacle') ? [item('Rename', () => this.rename(last))] : []),
            ...(kinds.has('camera') ? [item('Look through it', () => app.viewport.frameScene())] : []),
            item('Duplicate', () => actions.duplicate('copy'), true), ...(kinds.has('body') && hasCopies ? [item('Duplicate as instance', () => actions.duplicate('instance'))] : []),
            item('Copy', () => { const text = actions.copy(); if (text) void navigator.clipboard?.writeText(text).catch(() => {}); }), ...(actions.canPaste ? [item('Paste', () => void actions.paste())] : []),
            item('Delete', () => actions.remove(), true),
        ];
    }
}
