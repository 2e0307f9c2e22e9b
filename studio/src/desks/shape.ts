// The Shape desk: solids with hard and soft inside, built from simple ones by constructive volume geometry.
import { Vector3 } from 'three';
import { h, icon } from '../dom';
import { plainModel } from '../scene_editing/add_items';
import { setChanges } from '../scene_editing/commands';
import type { JsonObject } from '../scene_editing/schema';
import { type ShapeKind, addNode, boxOf, nodeWords, operatorAbout, operators, repeats, shapes, sizedShape } from '../scene_editing/volume_tree';
import { addThing } from '../panels/add_menu';
import { ModelTree } from '../panels/model_tree';
import { NodePanel } from '../panels/node_panel';
import { menuButton } from '../panels/popup_menu';
import { SliceView } from '../panels/slice_view';
import { SoftPanel } from '../panels/soft_panel';
import { toast } from '../panels/toasts';
import { StiffnessTimes } from '../panels/stiffness_times';
import { shapeModelOf } from '../shaping/shape_model';
import type { Desk } from '../toolbox/desk';

export const desk: Desk = {
    id: 'shape', name: 'Shape', about: 'Solids with hard and soft inside, built from simple ones', order: 1.5,
    icon: 'M9 5.500a6 6 0 1 0 3 11.200 6 6 0 1 0 0-10.400 6 6 0 0 0-3-.8zM12 6.300v10.400',
    make(app, { toolbox, actions, openFiles }) {
        const model = shapeModelOf(app), tree = new ModelTree(model), node = new NodePanel(model), soft = new SoftPanel(model), slice = new SliceView(model), times = new StiffnessTimes(model);

        /** In the middle of the model, small and hard: a stone. */
        const addShape = (prim: ShapeKind) => {
            if (!model.stored) return;
            const { low, high } = boxOf(model.stored.root as JsonObject), half = high.clone().sub(low).multiplyScalar(0.2), middle = low.clone().add(high).multiplyScalar(0.5);
            const side = Math.max(half.x, half.y, half.z);
            const made: JsonObject = { ...sizedShape(prim, new Vector3(side, side, side)), stiffness: 1, color: [0.42, 0.24, 0.12], transform: { translate: middle.toArray().map((c) => Number(c.toFixed(4))) } };
            const at = model.node?.path ?? ['root'];
            if (model.edit((now) => addNode(now, at, made))) toolbox.choose('shape');
        };
        const newBody = () => addThing(app, actions, plainModel);
        const add = menuButton('plain', 'Add a part', () => [
            ...shapes.map((prim) => ({ words: nodeWords[prim], act: () => addShape(prim) })),
            { words: 'Tube along a drawn line', apart: true, act: () => toolbox.choose('tube') },
            { words: 'Mesh or volume file …', act: () => openFiles('part') },
        ], icon('plus'), 'Add');
        const combine = menuButton('plain', 'Combine, wrap or repeat what is chosen', () => [
            ...operators.map((op) => ({ words: nodeWords[op], note: operatorAbout[op], act: () => tree.wrap(op) })),
            ...repeats.map((kind, k) => ({ words: { mirror: 'Mirror', line: 'Row', ring: 'Ring' }[kind], note: { mirror: 'Itself and its image', line: 'Several along a line', ring: 'Several around an axis' }[kind], apart: k === 0, act: () => tree.repeat(kind) })),
        ], 'Combine');
        const more = menuButton('icon-button', 'More for what is chosen', () => tree.menu(), icon('more'));

        const from = h('input', { type: 'range', min: 0, max: 1, step: 0.01, value: 0, 'aria-label': 'Only what is stiffer than', oninput: () => {
            model.from = Number(from.value);
            model.refresh();
        } });
        const threshold = h('output'), colors = h('input', { type: 'checkbox', onchange: () => {
            model.byStiffness = colors.checked;
            model.tell();
        } });
        const cut = h('button', { type: 'button', title: 'Look inside: drag the cut (X)', onclick: () => toolbox.choose('cut') }, 'Cut');
        const seeing = h('section.seeing', { 'aria-label': 'See inside' },
            h('div.row', {}, h('span', {}, 'See inside'), cut, h('label.check', { title: 'Hard blue, soft orange' }, colors, 'Stiffness')),
            h('div.row', { title: 'Only what is at least this stiff is drawn' }, h('span', {}, 'Stiffer than'), from, threshold),
            h('div.stiffness-legend', { 'aria-hidden': 'true' }, h('span', {}, 'soft'), h('i'), h('span', {}, 'hard')), slice.element);

        const takeIn = async () => {
            const identity = model.identity, file = String(model.solid!.volume);
            const answer = await app.ask('model_file', { body: identity, file }).catch((error: Error) => { toast(error.message, 'error'); return null; });
            if (answer) model.send('Copy the model into the document', (content) => setChanges(content, model.path, answer.model as JsonObject));
        };
        /** A body of another kind, as a model: a surface file, or a box. */
        const remodel = () => {
            const solid = model.entry!.solid as JsonObject, bar = solid.bar as JsonObject | undefined;
            const root: JsonObject | null = bar ? { prim: 'cube', side: bar.size, stiffness: 0.3, color: [1, 0.72, 0.35], transform: { translate: [0, Number((bar.size as number[])[1]) / 2, 0] } } : typeof solid.from === 'string' ? { prim: 'mesh', file: solid.from, stiffness: 0.3, color: [1, 0.72, 0.35] } : null;
            if (!root) return toast('Only boxes and surface files can become a volume model.', 'warning');
            const size = bar ? Math.max(...(bar.size as number[])) : Number(solid.size ?? solid.height ?? 1);
            if (!bar && (solid.size ?? solid.height) !== undefined) return toast('Drop the file here instead: as a part of a model it has its own size.', 'warning');
            model.send('Make it a volume model', (content) => setChanges(content, model.path.slice(0, -1), { volume: { format: 'yawara-cvg', version: 1, root }, cell: Number((size / 20).toPrecision(2)) }));
        };
        const empty = h('div.lack', {}), problem = h('p.why', { role: 'alert', hidden: true });
        const work = h('div.model-work', {}, h('div.buttons', {}, add, combine, more), tree.element, problem, node.element, times.element, seeing, soft.element);
        const update = () => {
            const { lack } = model;
            work.hidden = lack !== null;
            empty.hidden = lack === null;
            problem.hidden = !model.problem;
            problem.textContent = model.problem?.words ?? '';
            threshold.textContent = model.from > 0 ? String(model.from) : 'all';
            from.style.setProperty('--share', `${100 * model.from}%`);
            cut.setAttribute('aria-pressed', String(app.look.cut !== null));
            if (empty.dataset.lack === String(lack)) return;
            empty.dataset.lack = String(lack);
            const button = (words: string, act: () => void, primary = true) => h('button', { type: 'button', class: primary ? 'primary' : undefined, onclick: act }, words);
            empty.replaceChildren(...(lack === 'nothing' ? [h('p', {}, 'Begin with a ball of flesh, or drop a mesh here.'), button('New model', newBody)]
                : lack === 'file' ? [h('p', {}, 'This body is made of a model in a file of its own.'), button('Copy it into the document', () => void takeIn())]
                : lack === 'other' ? [h('p', {}, 'This body is not a volume model.'), button('New model', newBody), button('Make it one', remodel, false)] : []));
        };
        model.on(update);
        app.on(['look', 'document', 'selection', 'desk'], update);
        app.on('desk', (now) => { if (now === 'shape' && ['grab', 'move'].includes(app.get('tool'))) toolbox.choose('shape'); });
        update();
        return { panel: h('section.desk-panel.shape-desk', { 'aria-label': 'Shape' }, h('header', {}, h('h2', {}, 'Shape')), h('div.desk-scroll', {}, empty, work)) };
    },
};
