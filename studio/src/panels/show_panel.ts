// How things are shown: surface, lines, points, colors with their range, and the cut.
import type { App } from '../app';
import { brief, h, isTyped } from '../dom';
import { colorBy } from '../state/color_by';
import { type BodyShow, type SurfaceMode, finishes } from '../state/look';
import type { Toolbox } from '../toolbox/toolbox';
import { colorMapNames, gradientOf } from '../viewport/color_maps';
import { segmented } from './segmented';

export function showPanel(app: App, toolbox: Toolbox): HTMLElement {
    const setShow = (change: Partial<BodyShow>) => app.setLook({ show: { ...app.look.show, ...change } });
    const surface = segmented<SurfaceMode>('Surface', [['solid', 'Solid'], ['glass', 'Glass'], ['hidden', 'Hidden']], () => app.look.show.surface, (value) => setShow({ surface: value }));
    const finish = h('select', { 'aria-label': 'Finish', onchange: () => setShow({ finish: finish.value as BodyShow['finish'] }) },
        h('option', { value: 'own' }, 'Of each body'), ...finishes.map((name) => h('option', { value: name }, `All ${name}`)));
    const lines = segmented<'solid' | 'surface'>('Lines', [['solid', 'Of the solid'], ['surface', 'Of the surface']], () => (app.look.show.outerLines ? 'surface' : 'solid'), (value) => setShow({ outerLines: value === 'surface' }));
    const wires = h('input', { type: 'checkbox', onchange: () => setShow({ wireframe: wires.checked }) });
    const points = h('input', { type: 'checkbox', onchange: () => setShow({ particles: points.checked }) });
    const color = h('select', { 'aria-label': 'Colour by', onchange: () => colorBy(app, color.value) });
    const about = h('p.about');
    const map = h('select', { 'aria-label': 'Colour map', onchange: () => app.setLook({ map: map.value }) }, ...colorMapNames.map((name) => h('option', { value: name }, name)));
    const low = h('input', { type: 'number', step: 'any', 'aria-label': 'Lowest value', onchange: () => setRange() });
    const high = h('input', { type: 'number', step: 'any', 'aria-label': 'Highest value', onchange: () => setRange() });
    const auto = h('button', { type: 'button', onclick: () => app.setLook({ range: null }) }, 'Auto');
    const setRange = () => {
        const range: [number, number] = [Number(low.value), Number(high.value)];
        if (range[0] < range[1]) app.setLook({ range });
    };
    const cut = h('input', { type: 'checkbox', onchange: () => toolbox.choose('cut') });
    const scaleRows = h('div.sub', {}, about,
        h('div.row', {}, h('span', {}, 'Range'), h('div.pair', {}, low, high, auto)), h('div.row', {}, h('span', {}, 'Colours'), map));

    const update = () => {
        const { look } = app;
        surface.update();
        finish.value = look.show.finish;
        wires.checked = look.show.wireframe;
        lines.element.hidden = !look.show.wireframe;
        lines.update();
        points.checked = look.show.particles;
        const names = ['', ...app.quantities().map((q) => q.name)];
        if (color.options.length !== names.length || names.some((n, k) => color.options[k].value !== n))
            color.replaceChildren(...names.map((name) => h('option', { value: name }, name ? app.quantities().find((q) => q.name === name)!.label : 'Own colours')));
        color.value = look.color;
        about.textContent = app.quantities().find((q) => q.name === look.color)?.about ?? '';
        scaleRows.hidden = !look.color;
        cut.checked = look.cut !== null;
        map.value = look.map;
        const range = look.range ?? app.viewport.colors.seen;
        for (const [input, value] of [[low, range[0]], [high, range[1]]] as const) if (!isTyped(input)) input.value = brief(value);
        auto.setAttribute('aria-pressed', String(!look.range));
    };
    app.on(['look', 'scene', 'range'], update);
    return h('section.panel-section', {}, h('h2', {}, 'Show'),
        surface.element, h('label.row', {}, h('span', {}, 'Finish'), finish),
        h('div.row', {}, h('span', {}, 'Inside'), h('div.checks', {}, h('label', {}, wires, 'Lines'), h('label', {}, points, 'Particles'), h('label', { title: 'Look inside while it moves (X)' }, cut, 'Cut'))), lines.element,
        h('label.row', {}, h('span', {}, 'Colour by'), color), scaleRows);
}

/** The scale of the colors, over the picture. */
export function legend(app: App): HTMLElement {
    const title = h('strong'), strip = h('div.strip'), low = h('span'), middle = h('span'), high = h('span');
    const element = h('div.legend', { hidden: true }, title, strip, h('div.ends', {}, low, middle, high));
    app.on(['look', 'range', 'scene'], () => {
        const { look } = app;
        element.hidden = !look.color;
        const [a, b] = look.range ?? app.viewport.colors.seen;
        const quantity = app.quantities().find((q) => q.name === look.color);
        title.textContent = quantity?.label ?? look.color;
        strip.style.background = gradientOf(look.map);
        low.textContent = brief(a);
        middle.textContent = quantity?.counts && !Number.isInteger((a + b) / 2) ? '' : brief((a + b) / 2);
        high.textContent = brief(b);
    });
    return element;
}
