// The tree of a volume model: choose, name, hide and solo nodes, regroup them, with the pointer or with keys alone.
import { h, icon, pathIcon } from '../dom';
import type { JsonObject } from '../scene_editing/schema';
import {
    type NodePath, type Operator, type RepeatKind, changeOperator, childrenOf, duplicateNodes, isLeaf, keyOf, kindOf, moveNodes, nodeAt, nodeName, nodeWords, operatorAbout, operators, parentOf, pathOf,
    removeNodes, repeatNode, repeats, sizedShape, wrapNodes, boxOf,
} from '../scene_editing/volume_tree';
import type { ShapeModel } from '../shaping/shape_model';
import { type MenuItem, popupMenu } from './popup_menu';

const mostRows = 400;     // that are drawn at once
const mostUnfolded = 60;  // parts of an operator that are listed without being asked for

const icons: Record<string, string> = {
    union: 'M9 6a6 6 0 1 0 0 12 6 6 0 0 0 3-.8A6 6 0 1 0 12 6.800 6 6 0 0 0 9 6z', intersection: 'M9 6a6 6 0 1 0 0 12A6 6 0 0 0 9 6zM15 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z', difference: 'M9 6a6 6 0 1 0 3 11.200A6 6 0 0 1 12 6.800 6 6 0 0 0 9 6zM16 12h5',
    blend: 'M9 6a6 6 0 1 0 0 12A6 6 0 0 0 9 6zM15 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM12 9v6M10.500 12h3', cap: 'M5 16V8h14v8M5 12h14', trim: 'M5 8v8h14V8M5 12h14', mirror: 'M12 4v16M9 8 4 16h5zM15 8l5 8h-5z', line: 'M4 10h4v4H4zM10 10h4v4h-4zM16 10h4v4h-4z', ring: 'M12 4v4M12 16v4M4 12h4M16 12h4M6.500 6.500 9 9M15 15l2.500 2.500M17.500 6.500 15 9M9 15l-2.500 2.500',
    sphere: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15z', cube: 'M12 4l7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8', cylinder: 'M6 7c0-3 12-3 12 0v10c0 3-12 3-12 0zM6 7c0 3 12 3 12 0', cone: 'M12 4 5 17c0 3.500 14 3.500 14 0z', capsule: 'M8 8a4 4 0 0 1 8 0v8a4 4 0 0 1-8 0z',
    torus: 'M12 6.500c5 0 8.500 2 8.500 5.500s-3.500 5.500-8.500 5.500S3.500 15.500 3.500 12 7 6.500 12 6.500zM12 10.500c2 0 3.500.6 3.500 1.500s-1.500 1.500-3.500 1.500-3.500-.6-3.500-1.500 1.500-1.500 3.500-1.500z', tube: 'M4 17c5 0 4-10 8-10s3 6 8 6', noise: 'M6 8h.01M11 6h.01M17 9h.01M8 13h.01M14 14h.01M18 16h.01M6 18h.01M12 18h.01', mesh: 'M4 18 9 6l5 6 6-5v11z', volume: 'M5 5h14v14H5zM5 9.700h14M5 14.300h14M9.700 5v14M14.300 5v14',
};
const eye = 'M3 12c3-5 6-6.500 9-6.500s6 1.500 9 6.500c-3 5-6 6.500-9 6.500S6 17 3 12zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z';
const closedEye = 'M3 10c3 4 6 5.500 9 5.500s6-1.500 9-5.500M6.500 14 5 16.500M12 15.500V18.500M17.500 14l1.500 2.500';
const target = 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM12 9.500a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5zM12 3v3M12 18v3M3 12h3M18 12h3';

interface Row {
    key: string;
    path: NodePath;
    node: JsonObject;
    level: number;
    folded: boolean;
}

/** Where something that is dragged would go. */
interface Aim {
    key: string;
    where: 'before' | 'after' | 'into';
}

export class ModelTree {
    readonly element: HTMLElement;
    private readonly tree = h('ul.tree.model-tree', { role: 'tree', 'aria-label': 'Parts of the model', 'aria-multiselectable': 'true' });
    private readonly more = h('p.about', { hidden: true });
    private rows: Row[] = [];
    private at = 'root';
    private anchor = 'root';
    private readonly folding = new Map<string, boolean>();
    private renaming = '';
    private drawn = '';

    constructor(private readonly model: ShapeModel) {
        this.element = h('div.model-tree-box', {}, this.tree, this.more);
        this.tree.addEventListener('keydown', (event) => this.key(event));
        this.tree.addEventListener('click', (event) => this.click(event));
        this.tree.addEventListener('dblclick', (event) => { if ((event.target as Element).closest('.thing-name')) this.rename(this.rowAt(event)?.key); });
        this.tree.addEventListener('contextmenu', (event) => {
            const row = this.rowAt(event);
            if (!row) return;
            event.preventDefault();
            if (!model.keys.includes(row.key)) this.choose([row.key]);
            popupMenu(this.itemOf(row.key)!, 'Node', this.menu());
        });
        this.listenToDrags();
        model.on(() => this.draw());
    }

    // ---- what is shown

    private rowsOf(path: NodePath, level: number): Row[] {
        const node = nodeAt(this.model.model!, path);
        if (!node) return [];
        const key = keyOf(path), children = childrenOf(node), folded = children.length > 0 && (this.folding.get(key) ?? children.length > mostUnfolded);
        return [{ key, path, node, level, folded }, ...(folded ? [] : children.flatMap(({ step }) => this.rowsOf([...path, ...step], level + 1)))];
    }

    private draw(): void {
        if (this.renaming || !this.model.model) return;
        const all = this.rowsOf(['root'], 1), { problem } = this.model;
        this.rows = all.slice(0, mostRows);
        const last = this.model.keys[this.model.keys.length - 1];
        if (last !== undefined && this.rows.some(({ key }) => key === last)) this.at = last;
        if (!this.rows.some(({ key }) => key === this.at)) this.at = 'root';
        const sign = JSON.stringify([this.rows.map(({ key, node, level, folded }) => [key, nodeName(node), kindOf(node), node.color, node.stiffness, level, folded, childrenOf(node).length]), this.model.keys, [...this.model.hidden], this.model.solo, problem, this.at]);
        if (sign === this.drawn) return;
        this.drawn = sign;
        const hadFocus = this.tree.contains(document.activeElement);
        this.tree.replaceChildren(...this.rows.map((row) => this.item(row)));
        this.more.hidden = all.length <= mostRows;
        this.more.textContent = `${all.length - mostRows} more nodes: fold some to see them.`;
        if (hadFocus) this.itemOf(this.at)?.focus({ preventScroll: true });
    }

    private item({ key, path, node, level, folded }: Row): HTMLElement {
        const { model } = this, off = model.hidden.has(key), alone = model.solo === key, wrong = model.problem?.key === key, children = childrenOf(node), name = nodeName(node);
        const siblings = parentOf(path) ? childrenOf(nodeAt(model.model!, parentOf(path)!)!) : [];
        const taken = siblings.length > 1 && ['difference'].includes(kindOf(nodeAt(model.model!, parentOf(path)!)!)) && path[path.length - 1] !== 0;
        const toggle = (words: string, picture: string, on: boolean, act: () => void) => h('button.toggle', {
            type: 'button', tabindex: -1, title: words, 'aria-label': `${words} ${name}`, 'aria-pressed': String(on), class: `toggle${on ? ' is-on' : ''}`,
            onclick: (event: Event) => { event.stopPropagation(); act(); },
        }, pathIcon(picture));
        const stiffness = isLeaf(node) ? Number(node.stiffness ?? 0) : null;
        return h('li.thing', {
            role: 'treeitem', 'aria-level': level, 'aria-selected': String(model.keys.includes(key)), 'aria-expanded': children.length ? String(!folded) : undefined, 'aria-label': [name, name === nodeWords[kindOf(node)] ? '' : nodeWords[kindOf(node)].toLowerCase(), taken && 'taken away', off && 'hidden', alone && 'alone', wrong && model.problem!.words].filter(Boolean).join(', '),
            tabindex: key === this.at ? 0 : -1, draggable: path.length > 1 ? 'true' : undefined, 'data-key': key, style: `--level: ${level - 1}`, class: `thing${off ? ' is-off' : ''}${wrong ? ' is-wrong' : ''}${taken ? ' is-taken' : ''}`, title: wrong ? model.problem!.words : undefined,
        },
            h('span.fold', { 'aria-hidden': 'true' }, children.length ? icon('down') : null), h('span.kind', { 'aria-hidden': 'true' }, pathIcon(icons[kindOf(node)])),
            isLeaf(node) ? h('span.node-color', { 'aria-hidden': 'true', style: `background: ${colorOf(node)}` }) : null,
            h('span.thing-name', {}, taken ? `− ${name}` : name), stiffness === null ? null : h('span.cost', { title: `Stiffness ${stiffness}` }, String(Math.round(100 * stiffness) / 100)),
            toggle(alone ? 'Show all but' : 'Show only', target, alone, () => model.toggleSolo(key)), toggle(off ? 'Show' : 'Hide', off ? closedEye : eye, off, () => model.toggleHidden(key)));
    }

    // ---- choosing

    private rowAt(event: Event): Row | undefined {
        const key = (event.target as Element).closest<HTMLElement>('.thing')?.dataset.key;
        return this.rows.find((row) => row.key === key);
    }

    private itemOf(key: string): HTMLElement | null {
        return [...this.tree.children].find((item) => (item as HTMLElement).dataset.key === key) as HTMLElement | undefined ?? null;
    }

    private choose(keys: string[], at = keys[keys.length - 1]): void {
        if (at !== undefined) this.at = at;
        this.model.choose(keys);
        this.itemOf(this.at)?.scrollIntoView({ block: 'nearest' });
    }

    private range(to: string): string[] {
        const keys = this.rows.map(({ key }) => key), [a, b] = [keys.indexOf(this.anchor), keys.indexOf(to)];
        return a < 0 || b < 0 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
    }

    private click(event: MouseEvent): void {
        const row = this.rowAt(event);
        if (!row || (event.target as Element).closest('input')) return;
        const { keys } = this.model;
        if ((event.target as Element).closest('.fold') && childrenOf(row.node).length) return this.fold(row, !row.folded);
        if (event.shiftKey) return this.choose(this.range(row.key), row.key);
        this.anchor = row.key;
        if (event.ctrlKey || event.metaKey) this.choose(keys.includes(row.key) ? keys.filter((key) => key !== row.key) : [...keys, row.key], row.key);
        else this.choose([row.key]);
        this.itemOf(row.key)?.focus({ preventScroll: true });
    }

    private fold(row: Row, folded: boolean): void {
        this.folding.set(row.key, folded);
        this.draw();
    }

    private key(event: KeyboardEvent): void {
        if ((event.target as Element).closest('input')) return;
        const at = this.rows.findIndex(({ key }) => key === this.at), row = this.rows[at], { model } = this;
        if (!row) return;
        const go = (to: number) => {
            const { key } = this.rows[Math.min(this.rows.length - 1, Math.max(0, to))];
            if (event.shiftKey) this.choose(this.range(key), key);
            else {
                this.anchor = key;
                this.choose([key]);
            }
            this.itemOf(key)?.focus({ preventScroll: true });
        };
        const children = childrenOf(row.node).length > 0, control = event.ctrlKey || event.metaKey;
        switch (event.key) {
            case 'ArrowDown': case 'ArrowUp':
                if (event.altKey) this.moveBy(row, event.key === 'ArrowUp' ? -1 : 1);
                else go(at + (event.key === 'ArrowUp' ? -1 : 1));
                break;
            case 'ArrowRight':
                if (event.altKey) this.moveIn(row);
                else if (children && row.folded) this.fold(row, false);
                else if (children) go(at + 1);
                break;
            case 'ArrowLeft':
                if (event.altKey) this.moveOut(row);
                else if (children && !row.folded) this.fold(row, true);
                else if (parentOf(row.path)) go(this.rows.findIndex(({ key }) => key === keyOf(parentOf(row.path)!)));
                break;
            case 'Home': go(0); break;
            case 'End': go(this.rows.length - 1); break;
            case 'Enter': case 'F2': this.rename(row.key); break;
            case 'Delete': case 'Backspace': this.remove(); break;
            case 'd': if (!control) return; this.duplicate(); break;
            case 'h': if (control) return; model.toggleHidden(row.key); break;
            case 's': if (control) return; model.toggleSolo(row.key); break;
            case 'ContextMenu': popupMenu(this.itemOf(row.key)!, 'Node', this.menu()); break;
            default: return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    // ---- what is done with nodes

    remove(): void {
        const { paths } = this.model;
        if (paths.length) this.model.edit((model) => removeNodes(model, paths));
    }

    duplicate(): void {
        const { paths } = this.model;
        if (paths.length) this.model.edit((model) => duplicateNodes(model, paths));
    }

    wrap(op: Operator): void {
        const { paths, node } = this.model;
        if (!node) return;
        const { low, high } = boxOf(node.node), half = high.clone().sub(low).multiplyScalar(0.25);
        const partner: JsonObject = { ...sizedShape('sphere', half), stiffness: 0.3, color: [0.9, 0.4, 0.3], transform: { translate: low.add(high).multiplyScalar(0.5).setY(high.y).toArray().map((c) => Number(c.toFixed(4))) } };
        this.model.edit((model) => wrapNodes(model, paths, op, partner));
    }

    repeat(kind: RepeatKind): void {
        const { node } = this.model;
        if (node) this.model.edit((model) => repeatNode(model, node.path, kind));
    }

    rename(key: string | undefined): void {
        const item = key === undefined ? null : this.itemOf(key), row = this.rows.find((other) => other.key === key);
        if (!item || !row) return;
        const before = typeof row.node.name === 'string' ? row.node.name : '';
        const field = h('input', { type: 'text', value: before, maxlength: 60, spellcheck: 'false', placeholder: nodeWords[kindOf(row.node)], 'aria-label': `Name of ${nodeName(row.node)}` });
        const done = (keep: boolean) => {
            if (this.renaming !== row.key) return;
            this.renaming = '';
            if (keep && field.value.trim() !== before) this.model.set(row.path, { name: field.value.trim() || undefined }, 'Name node');
            this.model.app.edits.endGesture();
            this.drawn = '';
            this.draw();
            this.itemOf(row.key)?.focus({ preventScroll: true });
        };
        field.addEventListener('keydown', (event) => {
            if (event.key === 'Enter' || event.key === 'Escape') done(event.key === 'Enter');
            event.stopPropagation();
        });
        field.addEventListener('blur', () => done(true));
        this.renaming = row.key;
        item.querySelector('.thing-name')!.replaceChildren(field);
        field.select();
        field.focus();
    }

    menu(): MenuItem[] {
        const { node, keys } = this.model;
        if (!node) return [];
        const several = keys.length > 1;
        return [
            ...(several ? [] : [{ words: 'Rename', act: () => this.rename(keyOf(node.path)) }]), { words: 'Duplicate', act: () => this.duplicate() },
            ...('op' in node.node && !several ? operators.filter((op) => op !== node.node.op).map((op, k): MenuItem => ({ words: `Change to ${op}`, about: operatorAbout[op], apart: k === 0, act: () => this.model.edit((model) => changeOperator(model, node.path, op)) })) : []),
            ...operators.map((op, k): MenuItem => ({ words: several ? `Combine by ${op}` : `Wrap in ${op}`, about: operatorAbout[op], apart: k === 0, act: () => this.wrap(op) })),
            ...(several ? [] : repeats.map((kind, k): MenuItem => ({ words: { mirror: 'Mirror it', line: 'Repeat in a row', ring: 'Repeat in a ring' }[kind], apart: k === 0, act: () => this.repeat(kind) }))),
            { words: 'Delete', apart: true, act: () => this.remove() },
        ];
    }

    // ---- order

    /** What a drag of this node moves: all that is chosen, if it is among it. */
    private meant(key: string): NodePath[] {
        return this.model.keys.includes(key) ? this.model.paths : [pathOf(key)];
    }

    private move(key: string, to: NodePath, index: number): void {
        const paths = this.meant(key);
        this.model.edit((model) => moveNodes(model, paths, to, index));
    }

    private moveBy({ key, path }: Row, by: -1 | 1): void {
        const parent = parentOf(path), at = Number(path[path.length - 1]), args = parent && nodeAt(this.model.model!, parent)?.args;
        if (!parent || !Array.isArray(args) || at + by < 0 || at + by >= args.length) return;
        this.move(key, parent, by < 0 ? at - 1 : at + 2);
    }

    /** Into the operator before it. */
    private moveIn({ key, path }: Row): void {
        const parent = parentOf(path), at = Number(path[path.length - 1]);
        if (!parent || !(at > 0)) return;
        const to = [...parent, 'args', at - 1], before = nodeAt(this.model.model!, to);
        if (before && Array.isArray(before.args)) this.move(key, to, before.args.length);
    }

    /** Out of its operator, to after it. */
    private moveOut({ key, path }: Row): void {
        const parent = parentOf(path), around = parent && parentOf(parent);
        if (around && Array.isArray(nodeAt(this.model.model!, around)?.args)) this.move(key, around, Number(parent[parent.length - 1]) + 1);
    }

    private listenToDrags(): void {
        let dragged: string | null = null;
        const aim = (event: DragEvent): Aim | null => {
            const row = this.rowAt(event);
            if (dragged === null || !row || row.key === dragged || row.key.startsWith(`${dragged}/`)) return null;
            const box = this.itemOf(row.key)!.getBoundingClientRect(), share = (event.clientY - box.top) / box.height;
            const parent = parentOf(row.path), ordered = parent !== null && Array.isArray(nodeAt(this.model.model!, parent)?.args);
            if (!ordered || (share > 0.3 && share < 0.7)) return { key: row.key, where: 'into' };
            return { key: row.key, where: share < 0.5 ? 'before' : 'after' };
        };
        const clear = () => { for (const item of this.tree.children) item.classList.remove('drop-before', 'drop-after', 'drop-into'); };
        this.tree.addEventListener('dragstart', (event) => {
            dragged = this.rowAt(event)?.key ?? null;
            event.dataTransfer?.setData('text/x-node', dragged ?? '');
        });
        this.tree.addEventListener('dragover', (event) => {
            const to = aim(event);
            clear();
            if (!to) return;
            event.preventDefault();
            this.itemOf(to.key)!.classList.add(`drop-${to.where}`);
        });
        this.tree.addEventListener('drop', (event) => {
            const to = aim(event);
            clear();
            if (!to || dragged === null) return;
            event.preventDefault();
            const path = pathOf(to.key), args = nodeAt(this.model.model!, path)?.args;
            if (to.where === 'into') this.move(dragged, path, Array.isArray(args) ? args.length : 0);
            else this.move(dragged, parentOf(path)!, Number(path[path.length - 1]) + (to.where === 'after' ? 1 : 0));
        });
        this.tree.addEventListener('dragend', () => { clear(); dragged = null; });
    }
}

export function colorOf(node: JsonObject): string {
    const rgb = (Array.isArray(node.color) ? (node.color as number[]) : [1, 1, 1]).map((c) => Math.round(255 * c));
    return `rgb(${rgb.join(' ')})`;
}
