// Measure: point at a body and choose what of it is followed over time; it is plotted while the scene runs.
import { h } from '../dom';
import { tidyPlace } from '../painting/coat';
import { scaleOfBody } from '../scene_editing/placement';
import type { Hit } from '../viewport/picking';
import { toast } from '../panels/toasts';
import { addCommand } from '../scene_editing/commands';
import type { JsonObject } from '../scene_editing/schema';
import { freeName } from '../scene_editing/starts';
import type { Tool } from '../toolbox/tool';

const kinds: Array<{ words: string; about: string; what: string; axis?: string; name: string }> = [
    { words: 'Height', about: 'How far the body reaches upwards, m', what: 'extent', axis: 'y', name: 'height' },
    { words: 'Width', about: 'How far it reaches along x, m', what: 'extent', axis: 'x', name: 'width' },
    { words: 'Depth', about: 'How far it reaches along z, m', what: 'extent', axis: 'z', name: 'depth' },
    { words: 'Volume', about: 'Inside its surface, m³', what: 'volume', name: 'volume' },
    { words: 'Altitude', about: 'Height of its centre of mass, m', what: 'center', axis: 'y', name: 'altitude' },
    { words: 'Way x', about: 'Where its centre of mass is along x, m', what: 'center', axis: 'x', name: 'x' },
    { words: 'Way z', about: 'Where its centre of mass is along z, m', what: 'center', axis: 'z', name: 'z' },
    { words: 'Twist', about: 'Angle between both ends about x, degrees', what: 'twist', axis: 'x', name: 'twist' },
];

export const tool: Tool = {
    id: 'measure', name: 'Measure', key: 'U', about: 'Point at a body to plot its height, volume, way …', order: 13, desk: 'scene',
    icon: 'M4 15.500 15.500 4l4.500 4.500L8.500 20zM7.500 12l2 2M10.500 9l2.500 2.500M13.500 6l2 2', cursor: 'crosshair',
    make(app) {
        const who = h('b'), hint = h('p.hint', {}, 'Click a body, then choose what to plot.');
        const add = (kind: (typeof kinds)[number]) => {
            const body = app.selected, name = app.viewport.bodyView(body)?.body.name ?? body;
            app.edits.once((now) => {
                const content = now as unknown as JsonObject, several = content.bodies && (content.bodies as unknown[]).length > 1;
                const value: JsonObject = { name: freeName(content.measures, several ? `${kind.name} of ${name}` : kind.name), what: kind.what, body, ...(kind.axis ? { axis: kind.axis } : {}) };
                return addCommand(content, ['measures'], value, `${kind.words.toLowerCase()} of ${name}`);
            });
            toast(`${kind.words} of ${name} is plotted in the panel on the right.`);
        };
        const buttons = h('div.measure-kinds', {}, ...kinds.map((kind) => h('button', { type: 'button', title: kind.about, 'data-measure': kind.name, onclick: () => add(kind) }, kind.words)));
        // Two clicks: from one point to another, of the same body or of two.
        interface RestPoint {
            body: string;
            place: number[];
        }
        let from: RestPoint | null = null, pointing = false;
        const points = h('button', { type: 'button', title: 'Click two points: their distance is plotted, m', 'data-measure': 'points', 'aria-pressed': 'false', onclick: () => aim(!pointing) }, 'Two points');
        const aim = (on: boolean) => {
            pointing = on;
            from = null;
            points.setAttribute('aria-pressed', String(on));
            tell();
        };
        const tell = () => { hint.textContent = !pointing ? 'Click a body, then choose what to plot.' : from ? 'Now click the second point.' : 'Click the first point.'; };
        /** Where a point that was hit is at rest, as the document says it. */
        const restPoint = async ({ body, spot }: Hit): Promise<RestPoint | null> => {
            const answer = await app.ask('rest_place', { spot }).catch(() => null), scale = scaleOfBody(app.document!.content as unknown as JsonObject, body);
            return answer && { body, place: tidyPlace(answer.place.map((x) => x / scale), (app.viewport.bodyView(body)?.body.size ?? 1) / scale) };
        };
        const point = async (hit: Hit) => {
            const found = await restPoint(hit);
            if (!found || !pointing) return;
            if (!from) {
                from = found;
                return tell();
            }
            const first = from;
            app.edits.once((now) => {
                const content = now as unknown as JsonObject;
                const value: JsonObject = { name: freeName(content.measures, 'distance'), what: 'points', body: first.body, from: first.place, to: found.place, ...(found.body === first.body ? {} : { other: found.body }) };
                return addCommand(content, ['measures'], value, 'distance between two points');
            });
            toast('The distance between the points is plotted in the panel on the right.');
            aim(false);
        };
        buttons.append(points);
        const panel = h('div.measure-panel', {}, h('div.row', {}, who, hint), buttons);
        const update = () => {
            const body = app.viewport.bodyView(app.selected);
            who.textContent = body?.body.name ?? '';
            for (const button of buttons.children) (button as HTMLButtonElement).disabled = !body;
            if (app.get('tool') !== 'measure') aim(false);
        };
        app.on(['selection', 'scene', 'tool'], update);
        return {
            panel,
            press(_, hit) {
                if (!hit) return null;
                return { cancel() {}, end: () => { if (pointing) void point(hit); } };
            },
        };
    },
};
