// How things are shown: surface, lines, points, colours with their range, and the cut.
import type { App } from '../app';
import { brief, h } from '../dom';
import type { SurfaceMode } from '../viewport/body_view';
import { colorMapNames, gradientOf } from '../viewport/color_maps';
import { type Stuff, stuffs } from '../viewport/materials';

function choice<T extends string>(words: string, options: Array<[T, string]>, current: () => T, choose: (value: T) => void): { element: HTMLElement; update: () => void } {
    const buttons = options.map(([value, name]) => h('button', { type: 'button', onclick: () => choose(value) }, name));
    const update = () => buttons.forEach((b, k) => b.setAttribute('aria-pressed', String(options[k][0] === current())));
    return { element: h('div.row', {}, h('span', {}, words), h('div.segmented', { role: 'group', 'aria-label': words }, ...buttons)), update };
}

export function toggleCut(app: App): void {
    app.viewport.anchorCut();
    app.setLook({ cut: app.look.cut ? null : app.viewport.facingCut() });
}

/** Shows a quantity with the colours that fit it. */
export function colorBy(app: App, name: string): void {
    const quantity = app.quantities().find((q) => q.name === name);
    const own = app.scene?.show === name;
    app.viewport.seenRange = [0, 0];
    app.setLook({
        color: name, map: own && app.scene?.map ? app.scene.map : quantity?.signed ? 'coolwarm' : 'viridis',
        range: own && app.scene?.range ? (app.scene.range as [number, number]) : null,
    });
}

export function showPanel(app: App): HTMLElement {
    const setShow = (change: Partial<App['look']['show']>) => app.setLook({ show: { ...app.look.show, ...change } });
    const surface = choice<SurfaceMode>('Surface', [['solid', 'Solid'], ['glass', 'Glass'], ['hidden', 'Hidden']], () => app.look.show.surface, (value) => setShow({ surface: value }));
    const stuff = choice<Stuff>('Material', stuffs.map((s) => [s, s.charAt(0).toUpperCase() + s.slice(1)]), () => app.look.show.stuff, (value) => setShow({ stuff: value }));
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
    const cut = h('input', { type: 'checkbox', id: 'cut', onchange: () => toggleCut(app) });
    const axis = choice<'x' | 'y' | 'z'>('Across', [['x', 'X'], ['y', 'Y'], ['z', 'Z']], () => app.look.cut?.axis ?? 'x', (value) => app.look.cut && app.setLook({ cut: { ...app.look.cut, axis: value } }));
    const offset = h('input', { type: 'range', min: -1, max: 1, step: 0.005, value: 0, 'aria-label': 'Place of the cut',
        oninput: () => app.look.cut && app.setLook({ cut: { ...app.look.cut, offset: Number(offset.value) } }) });
    offset.addEventListener('dblclick', () => app.look.cut && app.setLook({ cut: { ...app.look.cut, offset: 0 } }));
    const flip = h('button', { type: 'button', onclick: () => app.look.cut && app.setLook({ cut: { ...app.look.cut, flip: !app.look.cut.flip } }) }, 'Other side');
    const scaleRows = h('div.sub', {}, about,
        h('div.row', {}, h('span', {}, 'Range'), h('div.pair', {}, low, high, auto)), h('div.row', {}, h('span', {}, 'Colours'), map));
    const cutRows = h('div.sub', {}, axis.element, h('label.row', {}, h('span', {}, 'Place'), offset), h('div.row', {}, h('span'), flip));

    const update = () => {
        const { look } = app;
        surface.update();
        stuff.update();
        axis.update();
        wires.checked = look.show.wireframe;
        points.checked = look.show.particles;
        const names = ['', ...app.quantities().map((q) => q.name)];
        if (color.options.length !== names.length || names.some((n, k) => color.options[k].value !== n))
            color.replaceChildren(...names.map((name) => h('option', { value: name }, name ? app.quantities().find((q) => q.name === name)!.label : 'nothing, plain')));
        color.value = look.color;
        about.textContent = app.quantities().find((q) => q.name === look.color)?.about ?? '';
        scaleRows.hidden = !look.color;
        cutRows.hidden = !look.cut;
        cut.checked = look.cut !== null;
        if (look.cut) offset.value = String(look.cut.offset);
        map.value = look.map;
        const range = look.range ?? app.viewport.seenRange;
        for (const [input, value] of [[low, range[0]], [high, range[1]]] as const) if (document.activeElement !== input) input.value = brief(value);
        auto.setAttribute('aria-pressed', String(!look.range));
    };
    app.on(['look', 'scene', 'range'], update);
    return h('section.panel-section', {}, h('h2', {}, 'Show'),
        surface.element, stuff.element,
        h('div.row', {}, h('span', {}, 'Inside'), h('div.checks', {}, h('label', {}, wires, 'Lines'), h('label', {}, points, 'Particles'))),
        h('label.row', {}, h('span', {}, 'Colour by'), color), scaleRows,
        h('label.row', { title: 'Look inside while it moves (X)' }, h('span', {}, 'Cut'), cut), cutRows);
}

/** The scale of the colours, over the picture. */
export function legend(app: App): HTMLElement {
    const title = h('strong'), strip = h('div.strip'), low = h('span'), middle = h('span'), high = h('span');
    const element = h('div.legend', { hidden: true }, title, strip, h('div.ends', {}, low, middle, high));
    app.on(['look', 'range', 'scene'], () => {
        const { look } = app;
        element.hidden = !look.color;
        const [a, b] = look.range ?? app.viewport.seenRange;
        const quantity = app.quantities().find((q) => q.name === look.color);
        title.textContent = quantity?.label ?? look.color;
        strip.style.background = gradientOf(look.map);
        low.textContent = brief(a);
        middle.textContent = quantity?.counts && !Number.isInteger((a + b) / 2) ? '' : brief((a + b) / 2);
        high.textContent = brief(b);
    });
    return element;
}
