// The Poses desk: example shapes of a body, made by hand, and what they do.
import { h } from '../dom';
import { PoseCards } from '../panels/pose_cards';
import { poseStageOf } from '../posing/pose_stage';
import type { Desk } from '../toolbox/desk';
import { toolBeneath } from '../toolbox/tool_beneath';

const tabs: Array<[string, string]> = [['', 'Poses'], ['pose-handles', 'Pull'], ['pose-brush', 'Push'], ['pose-deform', 'Deform'], ['pose-groups', 'Groups'], ['pose-watch', 'Watch']];

export const desk: Desk = {
    id: 'poses', name: 'Poses', about: 'Shapes that a body prefers to deform towards', order: 4,
    icon: 'M12 4.500a1.800 1.800 0 1 0 0 3.600 1.800 1.800 0 0 0 0-3.600zM5 9.500l5 1.500v4l-2.500 5M19 9.500 14 11v4l2.500 5M10 11h4',
    make(app, { toolbox }) {
        const panels = [new PoseCards(app).element, ...tabs.slice(1).map(([tool]) => toolbox.of(tool).panel!)];
        const buttons = tabs.map(([tool, name]) => h('button', { type: 'button', 'data-tab': tool || 'cards', onclick: () => (tool ? toolbox.choose(tool) : app.set('tool', 'grab')) }, name));
        const update = () => {
            const shown = Math.max(0, tabs.findIndex(([tool]) => tool !== '' && tool === toolBeneath(app)));
            buttons.forEach((button, k) => button.setAttribute('aria-pressed', String(k === shown)));
            panels.forEach((panel, k) => { panel.hidden = k !== shown; });
            poseStageOf(app).lookAt(null);
        };
        app.on(['tool', 'desk'], update);
        queueMicrotask(update);
        return {
            panel: h('section.desk-panel.poses-desk', { 'aria-label': 'Poses' }, h('header', {}, h('h2', {}, 'Poses')),
                h('div.segmented.tabs', { role: 'group', 'aria-label': 'Part of the desk' }, ...buttons), h('div.desk-scroll', {}, ...panels)),
        };
    },
};
