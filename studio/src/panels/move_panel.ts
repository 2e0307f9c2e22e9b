// Beside the handle: what it does, in which directions, its grid, and the numbers themselves, to be typed.
import type { Vector3 } from 'three';
import { h, isTyped } from '../dom';
import type { GizmoMode } from '../overlays/gizmo';

export interface MovePanel {
    element: HTMLElement;
    /** `values`: of the mode; null: nothing is chosen. */
    update(values: Vector3 | null, words: string, later: boolean): void;
    /** Other numbers of the same, while it is dragged. */
    show(values: Vector3): void;
    readonly mode: GizmoMode;
    readonly local: boolean;
    /** m; 0: no grid. */
    readonly grid: number;
    choose(mode: GizmoMode): void;
}

export interface MoveActions {
    changed(): void;
    /** A number was typed. */
    type(axis: 0 | 1 | 2, value: number): void;
    drop(): void;
    reset(): void;
}

const modes: Array<[GizmoMode, string, string]> = [['translate', 'Move', '1'], ['rotate', 'Turn', '2'], ['scale', 'Scale', '3']];
const units: Record<GizmoMode, string> = { translate: 'm', rotate: '°', scale: '×' };

export function movePanel(actions: MoveActions): MovePanel {
    let mode: GizmoMode = 'translate';
    let local = false;
    const choose = (wanted: GizmoMode) => {
        mode = wanted;
        showMode();
        actions.changed();
    };
    const modeButtons = modes.map(([value, name, key]) => h('button', { type: 'button', title: `${name} (${key})`, onclick: () => choose(value) }, name));
    const showMode = () => modeButtons.forEach((button, k) => button.setAttribute('aria-pressed', String(modes[k][0] === mode)));
    const space = h('button', { type: 'button', 'aria-pressed': 'false', title: 'Along its own directions', onclick: () => {
        local = !local;
        space.setAttribute('aria-pressed', String(local));
        actions.changed();
    } }, 'Local');
    const snap = h('input', { type: 'checkbox', 'aria-label': 'Snap to a grid', onchange: () => actions.changed() });
    const step = h('input', { type: 'number', value: 0.1, min: 0.001, step: 'any', 'aria-label': 'Grid, m', title: 'Grid in m; turns snap to 15°, scales to a tenth', onchange: () => actions.changed() });
    const fields = (['x', 'y', 'z'] as const).map((name, axis) => {
        const input = h('input', { type: 'number', step: 'any', inputmode: 'decimal', 'aria-label': name });
        input.addEventListener('change', () => { if (input.value !== '') actions.type(axis as 0 | 1 | 2, Number(input.value)); });
        return h('label.axis', { 'data-axis': name }, h('span', {}, name), input);
    });
    const unit = h('span.unit'), who = h('b'), hint = h('p.hint', {}, 'Click a body or an obstacle. Shift adds to what is chosen.');
    const later = h('div.later', { hidden: true }, h('span', {}, 'This is where it starts.'), h('button', { type: 'button', title: 'Back to the start (R)', onclick: () => actions.reset() }, 'Reset'));
    const numbers = h('div.numbers', {}, ...fields, unit);
    const drop = h('button', { type: 'button', title: 'Put it down onto what is below (End)', onclick: () => actions.drop() }, 'Drop');
    const element = h('div.move-panel', {},
        h('div.row', {}, h('div.segmented', { role: 'group', 'aria-label': 'What the handle does' }, ...modeButtons), space, h('label.snap', { title: 'Snap to a grid, to the floor and to the faces of other things' }, snap, 'Snap'), step, drop),
        h('div.row.values', {}, who, numbers), hint, later);
    showMode();
    const show = (values: Vector3) => fields.forEach((field, k) => {
        const input = field.querySelector('input')!;
        if (!isTyped(input)) input.value = String(Math.round(1e4 * values.getComponent(k)) / 1e4);
    });
    return {
        element, choose, show,
        get mode() { return mode; },
        get local() { return local; },
        get grid() { return snap.checked ? Math.max(1e-4, Number(step.value) || 0.1) : 0; },
        update(values, words, isLater) {
            who.textContent = words;
            hint.hidden = values !== null;
            numbers.hidden = who.hidden = values === null;
            drop.disabled = values === null;
            step.hidden = !snap.checked;
            later.hidden = !isLater || values === null;
            unit.textContent = units[mode];
            fields.forEach((field, k) => {
                const input = field.querySelector('input')!;
                field.hidden = mode === 'scale' && k > 0;
                field.querySelector('span')!.textContent = mode === 'scale' ? 'size' : 'xyz'[k];
                input.setAttribute('aria-label', mode === 'scale' ? 'Scale' : `${mode === 'rotate' ? 'Turn about' : 'Position'} ${'xyz'[k]}`);
            });
            if (values) show(values);
        },
    };
}
