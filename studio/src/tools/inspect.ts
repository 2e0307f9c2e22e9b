// Inspect: the particle next to a click, its region and its numbers, measured again while time passes.
import { h } from '../dom';
import type { Spot } from '../protocol/messages';
import type { Tool } from '../toolbox/tool';

export const tool: Tool = {
    id: 'inspect', name: 'Inspect', key: 'I', about: 'Click a point to see its region and its numbers', order: 5,
    icon: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM14.6 14.6 19.5 19.5',
    cursor: 'crosshair',
    make(app) {
        const { viewport } = app;
        const panel = h('div.picked'), card = h('div', { hidden: true });
        panel.append(h('p.hint', {}, 'Click a point of a body.'), card);
        let spot: Spot | null = null;
        const clear = () => {
            spot = null;
            app.set('picked', null);
            app.sendView();
        };
        const measure = async () => {
            const picked = spot && (await app.ask('pick', { spot }).catch(() => null));
            if (!picked || !spot) return;
            const again = app.get('picked')?.particle === picked.particle;
            app.set('picked', picked);
            if (!again) app.sendView();
        };
        app.on('stats', () => { if (app.status?.playing) void measure(); });
        app.on(['scene', 'tool'], () => { if (spot) clear(); });
        app.on('picked', (picked) => {
            for (const view of viewport.bodyViews()) view.showRegion(view.body.id !== picked?.body ? [] : picked.region.length ? picked.region : [picked.particle]);
            viewport.draw();
            card.hidden = !picked;
            (panel.firstElementChild as HTMLElement).hidden = Boolean(picked);
            if (!picked) return;
            card.replaceChildren(
                h('header', {}, h('b', {}, `Particle ${picked.particle}`), h('button', { type: 'button', 'aria-label': 'Close', onclick: clear }, '×')),
                h('p', {}, [viewport.bodyView(picked.body)?.body.name, picked.region.length && `${picked.region.length} in its region`, picked.held && 'held'].filter(Boolean).join('; ')),
                h('dl', {}, ...picked.values.map((v) => h('div', {}, h('dt', {}, v.label), h('dd', {}, Number(v.value.toPrecision(4)).toString())))));
        });
        return {
            panel,
            press(_, hit) {
                if (!hit) return null;
                ({ spot } = hit);
                void measure();
                return { cancel: clear };
            },
        };
    },
};
