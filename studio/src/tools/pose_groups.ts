// Paint of groups: parts of a body whose example shapes have weights of their own.
import { brief, h, isTyped } from '../dom';
import { materialTargets } from '../painting/material_targets';
import { PaintHand } from '../painting/paint_hand';
import { poseStageOf } from '../posing/pose_stage';
import { setChanges } from '../scene_editing/commands';
import { examplesOf, posesPath, tidy } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { Tool } from '../toolbox/tool';

export const tool: Tool = {
    id: 'pose-groups', name: 'Paint groups', key: '', about: 'Paint parts of a body that follow its poses on their own', order: 28, desk: 'poses',
    icon: 'M4.500 19.500c2.500 0 4.500-1 4.500-3.500l-1.500-1.500c-2.500 0-2 3-3 5zM9.500 13.500 18 4.500l1.500 1.500-9 8.500M8.500 14l2 2',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make(app) {
        const { parts } = new PaintHand(app, materialTargets.filter(({ id }) => id === 'groups'), 'pose-groups', 'poses');
        const how = h('select', { 'aria-label': 'Groups', onchange: () => choose() },
            h('option', { value: '' }, 'As painted or selected'), h('option', { value: 'one' }, 'One: the whole body together'), h('option', { value: 'each' }, 'Each place for itself'));
        const choose = () => {
            const { value } = how, body = app.selected;
            if (value) app.edits.once((now) => ({ label: `Groups of poses: ${value}`, changes: setChanges(now as unknown as JsonObject, [...posesPath(body).slice(0, -1), 'groups'], value) }));
        };
        const row = h('label.row', {}, h('span', {}, 'Groups'), how);
        const border = h('input', {
            type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': 'Soft border', title: 'How far groups reach into each other: no seam shows where they meet',
            oninput: () => app.edits.set([...posesPath(app.selected).slice(0, -1), 'border'], tidy(Number(border.value) ** 2 * size()), 'Soft border of the groups'), onchange: () => app.edits.endGesture(),
        });
        const borderWords = h('output'), borderRow = h('label.row', {}, h('span', {}, 'Border'), border, borderWords);
        const size = () => { const box = poseStageOf(app).middle()?.size; return box ? Math.max(box.x, box.y, box.z) : 1; };
        parts.panel!.append(row, borderRow);
        const update = () => {
            const stage = poseStageOf(app), examples = examplesOf(stage.content, stage.body);
            row.hidden = !examples;
            const width = typeof examples?.border === 'number' ? examples.border : 0;
            borderRow.hidden = !examples || typeof examples.groups !== 'object';
            if (!isTyped(border)) border.value = String(Math.sqrt(width / size()));
            borderWords.textContent = width ? `${brief(width)} m` : 'hard';
            how.value = examples?.groups === undefined ? 'one' : typeof examples.groups === 'string' ? examples.groups : '';
        };
        app.on(['document', 'selection', 'scene', 'tool'], update);
        queueMicrotask(update);
        return parts;
    },
};
