// Edits of the document, and the controls that the scene's schema gives.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { found, methodNames, methodOf } from '../../src/panels/gallery_words';
import { namedWarning } from '../../src/panels/about_panel';
import { pathOf, pathOfPlace, pointer, removeChanges, resetCommand, setChanges, setCommand, valueAt } from '../../src/scene_editing/commands';
import { Form, allFields } from '../../src/scene_editing/form';
import type { JsonObject, Part, Schema } from '../../src/scene_editing/schema';
import { fromSlider, scaleOf, toSlider } from '../../src/scene_editing/sliders';
import { apply, identities } from './documents';

const schema = JSON.parse(readFileSync('../schema/scene.schema.json', 'utf8')) as Schema;
const scenes = readdirSync('../scenes').filter((name) => name.endsWith('.json')).map((name) => ({ name, scene: JSON.parse(readFileSync(`../scenes/${name}`, 'utf8')) as JsonObject }));

test('setting a value makes the objects around it, and resetting takes only it out', () => {
    const scene = { bodies: [{ name: 'a' }] };
    const path = ['bodies', '@a', 'matching', 'alpha'];
    const after = apply(scene, setChanges(scene, path, 0.5));
    assert.deepEqual(after, { bodies: [{ name: 'a', matching: { alpha: 0.5 } }] });
    const again = apply(after, setChanges(after, path, 0.25));
    assert.equal(valueAt(again, path), 0.25);
    assert.deepEqual(apply(again, removeChanges(again, path)), { bodies: [{ name: 'a', matching: {} }] });
    assert.deepEqual(removeChanges(scene, path), []);
    assert.equal(resetCommand(scene, path, 'alpha'), null);
});

test('moves of one slider carry the same word, two sliders different ones', () => {
    const merge = (path: Array<string | number>) => setCommand({ step: {} }, path, 1, 'x').merge;
    assert.equal(merge(['step', 'dt']), merge(['step', 'dt']));
    assert.notEqual(merge(['step', 'dt']), merge(['step', 'substeps']));
});

test('pointers escape what they have to', () => {
    assert.equal(pointer(['a/b', '~', 0]), '/a~1b/~0/0');
    assert.equal(pointer([]), '');
});

test('a path by identity leads to the same body wherever it stands, and to none when it is gone', () => {
    const a: JsonObject = { name: 'a' }, b: JsonObject = { name: 'renamed', id: 'b', instances: [{}, { id: 'x' }, { color: '#ff0000' }] as JsonObject[] };
    for (const bodies of [[a, b], [b, a], [b]]) {
        assert.equal(valueAt({ bodies }, pathOf('b')), b);
        assert.equal(valueAt({ bodies }, [...pathOf('b/3'), 'color']), '#ff0000');
        assert.equal(valueAt({ bodies }, pathOf('b/x')), (b.instances as JsonObject[])[1]);
        for (const gone of ['renamed', 'c', 'b/2', 'b/4']) assert.equal(valueAt({ bodies }, pathOf(gone)), undefined, gone);
    }
    assert.equal(valueAt({ bodies: [b] }, [...pathOf('a'), 'matching']), undefined);
    assert.equal(pointer([...pathOf('b/3'), 'color']), '/bodies/@b/instances/@3/color');
});

test('a copy shows its own controls and those of its body, and none of the other copies', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', solid: {}, instances: [{}, {}, {}] }] };
    const [own, ...body] = new Form(schema, scene).ofBody('a/2');
    assert.ok(allFields([own]).some((f) => pointer(f.path) === '/bodies/@a/instances/@2/translate'));
    assert.ok(allFields(body).some((f) => pointer(f.path) === '/bodies/@a/matching/alpha'));
    assert.ok(!allFields([own]).some((f) => /@[13]/.test(pointer(f.path))));
});

test('every control has words, and each edit of one lands where it should', () => {
    for (const { name, scene } of scenes) {
        const form = new Form(schema, scene);
        for (const field of allFields([...form.ofScene(), ...identities(scene).flatMap((id) => form.ofBody(id))])) {
            assert.ok(field.name.length > 0 && field.about.length > 0, `${name} ${pointer(field.path)} says what it does`);
            if (['group', 'list', 'absent', 'constant', 'choice', 'boolean'].includes(field.control) || ['name', 'id'].includes(String(field.path.at(-1)))) continue;
            assert.notEqual(field.value, undefined, pointer(field.path));
            assert.equal(valueAt(apply(scene, field.set('marked').changes), field.path), 'marked');
        }
    }
});

test('a body of finite elements has no matching to tune', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', solid: {}, fem: { materials: [{ young: 1 }] } }] };
    assert.ok(!allFields(new Form(schema, scene).ofBody('a')).some((f) => f.path.includes('matching')));
});

test('a place as the engine names it leads to the control of the value', () => {
    const scene = { bodies: [{ name: 'a' }, { id: 'b', name: 'c', matching: { examples: { poses: [{}, {}] } }, instances: [{}, { id: 'x' }] }] as JsonObject[] };
    assert.equal(pointer(pathOfPlace(scene, 'bodies[1].matching.examples.poses[1].name')), '/bodies/@b/matching/examples/poses/1/name');
    assert.equal(pointer(pathOfPlace(scene, 'bodies[1].instances[1].color')), '/bodies/@b/instances/@x/color');
    assert.equal(pointer(pathOfPlace(scene, 'step.dt')), '/step/dt');
});

test('sliders cover their range and come back to where they were', () => {
    const cases: Part[] = [
        { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 1 }, { type: 'number', minimum: 0, maximum: 1, default: 0.03 },
        { type: 'integer', minimum: 1, maximum: 1000, default: 1 }, { type: 'number', minimum: 0, maximum: 1000, default: 0 }, { type: 'number', exclusiveMinimum: 0, maximum: 1e12 },
    ];
    for (const schema of cases) {
        for (const value of [Number(schema.default ?? 5000), 1]) {
            const scale = scaleOf(schema, value)!;
            assert.ok(scale.low < scale.high, JSON.stringify(schema));
            assert.ok(scale.low >= (schema.minimum ?? schema.exclusiveMinimum ?? 0) && scale.high <= schema.maximum!);
            if (schema.exclusiveMinimum === 0) assert.ok(scale.low > 0, 'an open end is not reached');
            for (const t of [0, 0.25, 0.5, 1]) assert.ok(Math.abs(toSlider(scale, fromSlider(scale, t)) - t) < (scale.whole ? 0.2 : 0.02), `${JSON.stringify(schema)} at ${t}`);
            if (value >= scale.low && value <= scale.high && value > 0) assert.ok(Math.abs(fromSlider(scale, toSlider(scale, value)) / value - 1) < 0.01);
        }
    }
    assert.equal(scaleOf({ type: 'number', minimum: -1e9, maximum: 1e9 }, 0), undefined);
});

test('a warning tells the name of its body where there are several', () => {
    const warning = 'bodies[1].solid: The surface is open (42 border edges); its holes were closed.';
    assert.equal(namedWarning(warning, ['duck', 'spot']), 'spot: The surface is open (42 border edges); its holes were closed.');
    assert.equal(namedWarning(warning.replace('1', '0'), ['duck']), 'The surface is open (42 border edges); its holes were closed.');
    assert.equal(namedWarning('step.dt: is large', ['duck']), 'step.dt: is large');
});

test('the gallery is searched by texts, by names and by what a scene is made of', () => {
    const uses = (value: unknown): string[] => (value === null || typeof value !== 'object' ? [] : Object.entries(value).flatMap(([key, inner]) => [...(Array.isArray(value) ? [] : [key]), ...uses(inner)]));
    const search = (words: string) => scenes.filter(({ name, scene }) => found(words.split(' '), `${scene.title} ${scene.description}`, name.replace('.json', ''), [...new Set(uses(scene))])).map(({ name }) => name.replace('.json', ''));
    for (const [word, key] of [['fem', 'fem'], ['muscle', 'stretch'], ['volume', 'prim'], ['pose', 'examples']] as const) {
        const expected = scenes.filter(({ scene }) => uses(scene).includes(key)).map(({ name }) => name.replace('.json', ''));
        assert.ok(expected.length > 2, word);
        for (const name of expected) assert.ok(search(word).includes(name), `${word} finds ${name}`);
        assert.ok(search(word).length < scenes.length / 2, `${word} finds ${search(word)}`);
    }
    assert.deepEqual(search('muscle water drawn').filter((name) => !/^(jellyfish|octopus_arm|starfish)/.test(name)), []);
    assert.deepEqual(search('Examples figure 5'), ['examples_beta']);
    assert.deepEqual(search('FEM, figure 8'), ['fem_beams']);
    assert.ok(search('procdef heart').includes('heart_ventricles'));
    assert.deepEqual(search('none of these?'), []);
});

test('the gallery groups scenes by method', () => {
    const uses = (value: unknown): string[] => (value === null || typeof value !== 'object' ? [] : Object.entries(value).flatMap(([key, inner]) => [...(Array.isArray(value) ? [] : [key]), ...uses(inner)]));
    const of = (name: string) => methodOf(uses(scenes.find((entry) => entry.name === `${name}.json`)!.scene));
    assert.equal(of('caterpillar'), 'Muscles');
    assert.equal(of('examples_cars'), 'Example poses');
    assert.equal(of('cvg_peach'), 'Volumes with stiffness inside');
    assert.equal(of('fem_muscle'), 'Finite elements');
    assert.equal(of('ducks_on_water'), 'Rigid bodies, joints, water, moving obstacles');
    assert.equal(of('rabbit'), 'Shape matching and contact');
    for (const { scene } of scenes) assert.ok(methodNames.includes(methodOf(uses(scene))));
});
