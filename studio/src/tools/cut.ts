// Cut: opens the bodies towards the viewer; the plane itself is dragged. X again closes them.
import { Vector3 } from 'three';
import { h } from '../dom';
import { CutFrame } from '../overlays/cut_frame';
import { segmented } from '../panels/segmented';
import type { Axis, Cut } from '../state/look';
import type { Tool } from '../toolbox/tool';
import { Cutting, normalOf } from '../viewport/cutting';

export const tool: Tool = {
    id: 'cut', name: 'Cut', key: 'X', about: 'Look inside while it moves: drag the cut itself; X again closes it', order: 6,
    icon: 'M4 15.5 14 5.5l6 3-10 10zM9 10.5l6 3',
    cursor: 'move', anywhere: true,
    make(app) {
        const { viewport } = app;
        const overlay = new CutFrame();
        let toolBefore = 'grab';
        const change = (part: Partial<Cut>) => { if (app.look.cut) app.setLook({ cut: { ...app.look.cut, ...part } }); };

        const axis = segmented<Axis>('Across', [['x', 'X'], ['y', 'Y'], ['z', 'Z']], () => app.look.cut?.axis ?? 'x', (value) => change({ axis: value }));
        const offset = h('input', { type: 'range', min: -1, max: 1, step: 0.005, value: 0, 'aria-label': 'Place of the cut', oninput: () => change({ offset: Number(offset.value) }) });
        offset.addEventListener('dblclick', () => change({ offset: 0 }));
        const panel = h('div.cut-panel', {}, axis.element, h('label.row', {}, h('span', {}, 'Place'), offset),
            h('div.row', {}, h('button', { type: 'button', onclick: () => change({ flip: !app.look.cut?.flip }) }, 'Other side'), h('button', { type: 'button', onclick: () => close() }, 'Close the cut')));

        const open = () => {
            viewport.cutting.anchorAt(viewport.extent);
            app.setLook({ cut: Cutting.facing(viewport.view.toEye) });
        };
        const close = () => {
            app.setLook({ cut: null });
            if (app.get('tool') === 'cut') app.set('tool', toolBefore);
        };
        const update = () => {
            const { cut: now, dark } = app.look, chosen = app.get('tool') === 'cut';
            axis.update();
            overlay.object.visible = Boolean(now) && chosen;
            if (now) overlay.place(now, viewport.cutting.pointOf(now), 0.75 * viewport.extent.high.distanceTo(viewport.extent.low), dark);
            if (now) offset.value = String(now.offset);
            viewport.draw();
        };
        app.on(['look', 'tool'], update);
        return {
            overlay, panel,
            choose() {
                if (app.look.cut) return close();
                toolBefore = app.get('tool');
                open();
                app.set('tool', 'cut');
            },
            press(at) {
                const before = app.look.cut;
                if (!before) return null;
                const { ray } = viewport.picking.rayAt(at.x, at.y);
                const on = ray.intersectPlane(viewport.cutting.plane, new Vector3());
                if (!on || !overlay.contains(on, before.axis)) return null;
                // The point of the axis that the pointer is nearest to.
                const along = (x: number, y: number) => {
                    const far = 1e3 * viewport.extent.size, normal = normalOf(before.axis), place = new Vector3();
                    viewport.picking.rayAt(x, y).ray.distanceSqToSegment(on.clone().addScaledVector(normal, -far), on.clone().addScaledVector(normal, far), undefined, place);
                    return viewport.cutting.offsetAt(before.axis, place);
                };
                const start = along(at.x, at.y);
                return {
                    move: (to) => change({ offset: Math.min(1, Math.max(-1, before.offset + along(to.x, to.y) - start)) }),
                    cancel: () => change(before),
                };
            },
        };
    },
};
