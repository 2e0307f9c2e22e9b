// The chosen part over time: when it goes to which stiffness, typed or set at the time that is shown.
import { h, isTyped } from '../dom';
import { type StiffnessChange, changesOfPart, selectionOf, withChange } from '../scene_editing/stiffness_times';
import { nodeName } from '../scene_editing/volume_tree';
import type { ShapeModel } from '../shaping/shape_model';
import { toast } from './toasts';

const takes = 0.5;  // s, of a new change

export class StiffnessTimes {
    readonly element: HTMLElement;
    private readonly list = h('ol.stiffness-times', { 'aria-label': 'Changes of stiffness' });
    private drawn = '';

    constructor(private readonly model: ShapeModel) {
        this.element = h('section.part-times', { 'aria-label': 'Stiffness over time' },
            h('div.row', {}, h('span', {}, 'Over time'), h('button', { type: 'button', title: 'From the time shown on, it changes to another stiffness', onclick: () => this.add() }, 'Change from now')), this.list);
        model.on(() => this.draw());
    }

    private get body() {
        return this.model.path.slice(0, -2);
    }

    private get changes() {
        const { content, node } = this.model;
        return content && node && this.model.stored ? changesOfPart(content, this.body, node.path) : [];
    }

    private add(): void {
        const { model } = this, { node } = model, { solid } = model;
        if (!node || !solid) return;
        const select = selectionOf(solid, node.path);
        if (typeof select === 'string') return toast(select, 'warning');
        const from = Number(model.app.shownTime.toFixed(2)), soft = Number(node.node.stiffness ?? 0) < 0.5;
        const change: StiffnessChange = { select, from, until: Number((from + takes).toFixed(2)), value: soft ? 1 : 0.2 };
        model.send(`Stiffness of ${nodeName(node.node).toLowerCase()} over time`, (content) => withChange(content, this.body, null, change));
    }

    private set(index: number, change: StiffnessChange | null): void {
        this.model.send(change ? 'Change of stiffness' : 'Delete a change of stiffness', (content) => withChange(content, this.body, index, change));
    }

    private draw(): void {
        const { model } = this, chosen = model.active ? model.node : null;
        this.element.hidden = !chosen || !('prim' in chosen.node) || chosen.node.prim === 'volume';
        if (this.element.hidden) return;
        const { changes } = this, sign = JSON.stringify([chosen!.path, changes]);
        if (sign === this.drawn || [...this.list.querySelectorAll('input')].some((input) => isTyped(input))) return;
        this.drawn = sign;
        this.list.replaceChildren(...changes.map(({ index, change }, k) => {
            const number = (words: string, value: number, most: number, give: (value: number) => StiffnessChange) => {
                const input = h('input', { type: 'number', min: 0, max: most, step: 'any', value, 'aria-label': `${words} of change ${k + 1}`, onchange: () => { if (input.validity.valid && input.value !== '') this.set(index, give(Number(input.value))); } });
                return input;
            };
            const until = Number(change.until ?? change.from);
            return h('li', {}, number('Start', change.from, 1e9, (from) => ({ ...change, from, until: Math.max(from, until) })), ' to ', number('End', until, 1e9, (end) => ({ ...change, from: Math.min(change.from, end), until: end })), ' s: ',
                number('Stiffness', change.value, 1, (value) => ({ ...change, value })), h('button', { type: 'button', 'aria-label': `Delete change ${k + 1}`, title: 'Delete it', onclick: () => this.set(index, null) }, '×'));
        }));
    }
}
