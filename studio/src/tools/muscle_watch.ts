// Watch muscles: what they ask for and what the body does, as colours and as curves; how far it gets, how fast its wave runs.
import type { App } from '../app';
import { h } from '../dom';
import { tidyPlace } from '../painting/coat';
import { spotsOf } from '../painting/spots';
import { bodyEntry } from '../painting/target';
import { toast } from '../panels/toasts';
import { muscleLayers } from '../scene_editing/charts';
import { addCommand } from '../scene_editing/commands';
import type { JsonObject } from '../scene_editing/schema';
import { freeName } from '../scene_editing/starts';
import { colorBy } from '../state/color_by';
import type { Tool } from '../toolbox/tool';

const colours: Array<[name: string, words: string, about: string]> = [
    ['fiber', 'Achieved', 'Stretch along the fibres: red contracts, blue lengthens'],
    ['asked', 'Asked', 'What the muscles ask for along the fibres'],
    ['shortfall', 'Off', 'Where the body does not reach what it is asked for: red is shorter, blue longer, white as asked'],
];
const numbers: Array<{ words: string; about: string; what: string; name: string; axis?: string }> = [
    { words: 'Advance x', about: 'How far it gets along x in a period, m', what: 'advance', name: 'advance', axis: 'x' },
    { words: 'Advance y', about: 'How far it gets upwards in a period, m', what: 'advance', name: 'rise', axis: 'y' },
    { words: 'Advance z', about: 'How far it gets along z in a period, m', what: 'advance', name: 'advance z', axis: 'z' },
    { words: 'Wave speed', about: 'How fast the contraction runs along it, m/s', what: 'wave', name: 'wave' },
    { words: 'Cavity', about: 'Volume of the hollow whose wall has depth 0, m³', what: 'cavity', name: 'cavity' },
];

function hasMuscles(app: App): boolean {
    const content = (app.document?.content ?? null) as unknown as JsonObject | null;
    return content !== null && muscleLayers(bodyEntry(content, app.selected)).length > 0;
}

export const tool: Tool = {
    id: 'muscle-watch', name: 'Watch muscles', key: '', about: 'See what muscles ask for and what the body does', order: 24, desk: 'muscles',
    icon: 'M3 17c3 0 4-10 7-10s4 8 6 8 2-3 5-3', cursor: 'crosshair',
    make(app) {
        const colour = colours.map(([name, words, about]) => h('button', { type: 'button', title: about, 'data-colour': name, onclick: () => colorBy(app, app.look.color === name ? '' : name) }, words));
        const add = (value: (content: JsonObject, name: string) => JsonObject[], words: string) => {
            const name = app.viewport.bodyView(app.selected)?.body.name ?? app.selected;
            app.edits.once((now) => {
                const content = now as unknown as JsonObject, made = value(content, name);
                const changes = made.flatMap((one, k) => (k === 0 ? addCommand(content, ['measures'], one, words).changes : [{ op: 'add' as const, path: '/measures/-', value: one }]));
                return { label: `Watch ${words} of ${name}`, changes };
            });
            toast('It is plotted in the panel on the right.');
        };
        const buttons = numbers.map(({ words, about, what, name, axis }) => h('button', {
            type: 'button', title: about, 'data-measure': name,
            onclick: () => add((content) => [{ name: freeName(content.measures, name), what, body: app.selected, ...(axis ? { axis } : {}) }], words.toLowerCase()),
        }, words));
        const hint = h('p.hint');
        const panel = h('div.watch-panel', {}, hint, h('h3', {}, 'Colours'), h('div.segmented', { role: 'group', 'aria-label': 'Colours' }, ...colour),
            h('h3', {}, 'Curves'), h('div.measure-kinds', {}, ...buttons));
        const update = () => {
            const muscles = hasMuscles(app);
            hint.textContent = muscles ? 'Click a place of the body: what is asked there and what it does are plotted.' : 'This body has no muscles yet: give it some under Charts.';
            for (const button of [...colour, ...buttons]) button.disabled = !muscles;
            colours.forEach(([name], k) => colour[k].setAttribute('aria-pressed', String(app.look.color === name)));
        };
        app.on(['selection', 'scene', 'document', 'look', 'tool'], update);
        queueMicrotask(update);
        return {
            panel,
            press({ x, y }, hit) {
                if (!hit) return null;
                return {
                    cancel() {},
                    end() {
                        const spot = spotsOf(app).at(x, y), view = spot && app.viewport.bodyView(spot.body);
                        if (!spot || !view || !hasMuscles(app)) return;
                        const at = tidyPlace(spot.rest.toArray(), view.body.size / spotsOf(app).scaleOf(spot.body));
                        add((content) => {
                            const count = ((content.measures ?? []) as JsonObject[]).filter(({ what }) => what === 'asked').length + 1, label = `Stretch at place ${count} (1)`;
                            return [
                                { name: freeName(content.measures, `asked ${count}`), what: 'asked', body: spot.body, at, label },
                                { name: freeName(content.measures, `achieved ${count}`), what: 'fiber', body: spot.body, at, label },
                            ];
                        }, 'the stretch');
                    },
                };
            },
            hover({ x, y }) {
                spotsOf(app).prepare(app.selected);
                return spotsOf(app).at(x, y) !== null;
            },
        };
    },
};
