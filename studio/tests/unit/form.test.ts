// The form of a scene: every value of the gallery has a control, and whatever a person switches stays a valid scene.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020';
import { type Edit, identityOf, pathOf, pointer } from '../../src/scene_editing/commands';
import { type Field, Form, allFields } from '../../src/scene_editing/form';
import { formulaProblem, readWaves } from '../../src/scene_editing/formula';
import { arrangedBody, arrangedScene } from '../../src/scene_editing/layout';
import { type Json, type JsonObject, type Schema, isObject, problem } from '../../src/scene_editing/schema';
import { abridged, apply, identities, leaves } from './documents';

const schema = JSON.parse(readFileSync('../schema/scene.schema.json', 'utf8')) as Schema;
const scenes = readdirSync('../scenes').filter((name) => name.endsWith('.json')).map((name) => ({ name, scene: JSON.parse(readFileSync(`../scenes/${name}`, 'utf8')) as JsonObject }));
const accepts = new Ajv({ strict: false, formats: { file: true } }).compile(schema);

function fieldsOf(scene: JsonObject): Field[] {
    const form = new Form(schema, scene);
    return allFields([...form.ofScene(), form.bodies()]);
}

/** Every way to switch, add, remove or reorder that a form offers, with a file name where one is needed. */
function edits(fields: Field[]): Array<{ what: string; edit: Edit }> {
    const file = (ending: string) => (ending === '*' ? 'some.obj' : `some${ending}`);
    return fields.flatMap((field) => {
        const at = (what: string, edit: Edit) => ({ what: `${pointer(field.path)} ${what}`, edit });
        return [
            ...field.kinds.map((kind) => at(`becomes ${kind.name}`, kind.to(file(kind.file)))),
            ...(field.control === 'choice' ? field.choices.map((choice) => at(`is ${choice.name}`, field.set(choice.value, file(choice.file)))) : []),
            ...(field.control === 'boolean' ? [at('is switched', field.set(!field.value))] : []),
            ...(field.reset ? [at('is reset', field.reset())] : []),
            ...(field.add ? [at('gets one more', field.add.to(file(field.add.file)))] : []),
            ...Object.entries(field.entry ?? {}).flatMap(([what, edit]) => (edit ? [at(what, edit())] : [])),
        ];
    });
}

test('every value of every scene has a control', () => {
    assert.ok(scenes.length > 30);
    for (const { name, scene } of scenes) {
        const shown = new Set(fieldsOf(scene).filter((f) => !['group', 'list', 'absent'].includes(f.control)).map((f) => pointer(f.path)));
        for (const path of leaves(scene)) {
            const covered = path.some((_, k) => shown.has(pointer(path.slice(0, path.length - k))));
            assert.ok(covered, `${name}: ${pointer(path)} has no control`);
        }
    }
});

test('no value has two controls', () => {
    for (const { name, scene } of scenes) {
        const form = new Form(schema, scene);
        for (const fields of [form.ofScene(), ...identities(scene).map((id) => form.ofBody(id))]) {
            const paths = allFields(fields).filter((f) => !['group', 'list', 'absent', 'constant'].includes(f.control)).map((f) => pointer(f.path));
            assert.deepEqual(paths.filter((path, k) => paths.indexOf(path) !== k), [], name);
        }
    }
});

test('every switch, addition, removal and move on offer in the gallery makes a scene that the schema accepts', () => {
    let tried = 0;
    for (const { name, scene: whole } of scenes) {
        const scene = abridged(whole);
        assert.ok(accepts(scene), name);
        for (const { what, edit } of edits(fieldsOf(scene))) {
            const after = apply(scene, edit.changes);
            assert.ok(accepts(after), `${name}: ${what}: ${JSON.stringify(accepts.errors?.slice(0, 3))}`);
            ++tried;
        }
    }
    assert.ok(tried > 5000, `${tried} tried`);
});

test('the page finds the mistakes that the schema finds, and no others', () => {
    for (const { name, scene: whole } of scenes) {
        assert.equal(problem(schema, schema, whole), null, name);
        const scene = abridged(whole);
        for (const path of leaves(scene).filter((_, k) => k % 7 === 0)) {
            for (const wrong of [-1e30, 'wrong ', [], { nothing: 1 }, null] as Json[]) {
                const broken = apply(scene, [{ op: 'replace', path: pointer(path), value: wrong }]);
                assert.equal(problem(schema, schema, broken) === null, accepts(broken), `${name}: ${pointer(path)} = ${JSON.stringify(wrong)}`);
            }
        }
    }
});

test('switching to a kind makes it the present one', () => {
    for (const { name, scene: whole } of scenes) {
        const scene = abridged({ ...whole, bodies: (whole.bodies as Json[]).slice(0, 1), measures: [] });
        for (const field of fieldsOf(scene).filter((f) => f.kinds.length > 1)) {  // painted values are a kind only while they are there
            field.kinds.forEach((kind, k) => {
                const after = apply(scene, kind.to('some.npy').changes);
                const again = fieldsOf(after).find((f) => Math.abs(f.kinds.length - field.kinds.length) <= 1 && f.kinds[f.kind]?.name === kind.name && pointer(f.path.slice(0, field.path.length - 1)) === pointer(field.path.slice(0, -1)));
                assert.ok(again, `${name}: ${pointer(field.path)} does not become ${kind.name} (${k})`);
            });
        }
    }
});

test('a value without effect is not shown unless it is in the file', () => {
    const names = (measure: JsonObject) => fieldsOf({ yawara: 1, bodies: [{ name: 'a', solid: {} }, { name: 'b', solid: {} }], measures: [measure] }).map((f) => pointer(f.path));
    assert.ok(!names({ name: 'm', what: 'extent', body: 'a' }).includes('/measures/0/example'));
    assert.ok(names({ name: 'm', what: 'extent', body: 'a' }).includes('/measures/0/axis'));
    assert.ok(!names({ name: 'm', what: 'volume', body: 'a' }).includes('/measures/0/axis'));
    assert.ok(names({ name: 'm', what: 'volume', body: 'a', axis: 'x' }).includes('/measures/0/axis'));
});

test('what everybody tunes has plain names, and the solver’s numbers are for experts', () => {
    const fields = fieldsOf({ yawara: 1, bodies: [{ name: 'a', solid: { bar: { size: [1, 1, 1], cells: [2, 2, 2] } } }] });
    const named = (name: string) => fields.find((f) => f.name === name);
    assert.equal(pointer(named('Stiffness')!.path), '/bodies/@a/matching/alpha');
    assert.equal(pointer(named('Bounce')!.path), '/bodies/@a/contact/restitution');
    assert.equal(pointer(named('Friction')!.path), '/bodies/@a/contact/friction');
    assert.equal(pointer(named('Weight')!.path), '/bodies/@a/density');
    assert.equal(named('Weight')!.unit, 'kg/m³');
    assert.equal(named('Damping')!.range, 'from 0 to 1');
    for (const path of ['/bodies/@a/matching/passes', '/step/dt', '/step/substeps']) assert.ok(fields.find((f) => pointer(f.path) === path)!.expert, path);
    for (const name of ['Stiffness', 'Bounce', 'Friction', 'Weight']) assert.ok(!named(name)!.expert, name);
});

test('the order that people read keeps every field, once', () => {
    for (const { name, scene } of scenes) {
        const form = new Form(schema, scene), paths = (fields: Field[]) => allFields(fields).map((f) => pointer(f.path)).filter((path) => !path.includes('#')).sort();
        const emptied = (fields: Field[]) => new Set(allFields(fields).filter((f) => f.control === 'group').map((f) => pointer(f.path)));  // a group whose fields all come first is gone
        for (const id of identities(scene)) {
            const fields = form.ofBody(id), groups = emptied(fields);
            const after = paths(arrangedBody(fields, pathOf(id)));
            assert.deepEqual(after.filter((path, k) => after.indexOf(path) !== k), [], name);
            assert.deepEqual(paths(fields).filter((path) => !after.includes(path) && !groups.has(path)), [], name);
        }
        const after = paths(arrangedScene(form.ofScene())), groups = emptied(form.ofScene());
        assert.deepEqual(paths(form.ofScene()).filter((path) => !after.includes(path) && !groups.has(path)), [], name);
    }
});

test('a copy of an entry has a name of its own, no identity of another, and its own place', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', id: 'x', solid: {} }, { name: 'a_2', solid: {} }], obstacles: [{ plane: {}, id: 'floor' }] } as unknown as JsonObject;
    const form = new Form(schema, scene);
    const floor = form.ofScene().find((f) => f.path[0] === 'obstacles')!.children()[0];
    assert.deepEqual(floor.entry!.duplicate!().changes, [{ op: 'add', path: '/obstacles/1', value: { plane: {} } }]);
    const [first] = form.bodies().children();
    assert.deepEqual(first.entry!.duplicate!().changes, [{ op: 'add', path: '/bodies/1', value: { name: 'a_3', solid: {}, place: { translate: [1.5, 0, 0] } } }]);
});

test('plots follow the names of their bodies and go with them', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', solid: {} }, { name: 'b', solid: {} }],
        measures: [{ name: 'one', what: 'extent', body: 'a' }, { name: 'two', what: 'distance', body: 'b', other: 'a' }, { name: 'three', what: 'volume', body: 'b' }] } as unknown as JsonObject;
    const form = new Form(schema, scene);
    const names = (edit: Edit) => (apply(scene, edit.changes).measures as JsonObject[]).map((m) => [m.body, m.other].filter(Boolean).join());
    const [a] = form.bodies().children();
    const field = (key: string) => a.children().find((f) => f.path[f.path.length - 1] === key)!;
    assert.deepEqual(names(field('name').set('c')), ['c', 'b,c', 'b']);
    assert.deepEqual(names(a.entry!.remove!()), ['b']);
    assert.deepEqual(names(field('instances').add!.to()), ['a_1', 'b,a_1', 'b']);
});

test('a change of a base shape keeps what the new one has too, and drops what it has not', () => {
    const volume = { format: 'yawara-cvg', version: 1, root: { prim: 'cylinder', radius: 0.3, height: 2, stiffness: 0.7 } };
    const scene = { yawara: 1, bodies: [{ name: 'a', solid: { volume, cell: 0.1 } }] } as unknown as JsonObject;
    const prim = fieldsOf(scene).find((f) => f.path[f.path.length - 1] === 'prim')!;
    const root = (value: string) => ((apply(scene, prim.set(value, 'a.obj').changes) as any).bodies[0].solid.volume.root);
    assert.deepEqual(root('sphere'), { prim: 'sphere', radius: 0.3, stiffness: 0.7 });
    assert.deepEqual(root('capsule'), { prim: 'capsule', radius: 0.3, height: 2, stiffness: 0.7 });
    assert.deepEqual(root('mesh'), { prim: 'mesh', file: 'a.obj', stiffness: 0.7 });
    assert.equal(prim.choices.find((c) => c.value === 'mesh')!.file, '*');
});

test('formulas are checked as the engine checks them', () => {
    for (const good of ['1', '-x', 'x^-2', 'length(x, y, z) - 1', '2 * (x + pi)', 'clamp(1.1 - 0.75*y, 0, 1)', '.5e-3*z'])
        assert.equal(formulaProblem(good), null, good);
    for (const bad of ['', 'x +', 'sin(x', 'sinus(x)', 'max(x)', 'x y', '+x', '2 ** x', 'min(x, y, z)', '1..2'])
        assert.match(formulaProblem(bad) ?? '', /character \d+$/, bad);
    for (const { name, scene } of scenes)
        for (const field of fieldsOf(scene)) if (field.control === 'formula') assert.equal(field.check(field.value!), null, `${name}: ${field.value}`);
});

test('waves have the height that their formula says, of x, z and t', () => {
    const waves = readWaves('0.5 * sin(2*x - 3*t) + max(z, 0)^2 / 4 - -1')!;
    assert.ok(Math.abs(waves(0.3, 1.2, 0.7) - (0.5 * Math.sin(0.6 - 2.1) + 1.44 / 4 + 1)) < 1e-12);
    assert.equal(readWaves('1 - 2 - 3')!(0, 0, 0), -4);
    assert.equal(readWaves('1 / z')!(0, 0, 0), 0);
    assert.equal(readWaves('y'), null);
    assert.equal(readWaves('t)'), null);
});

test('entries are found by identity wherever they stand', () => {
    assert.equal(identityOf({ name: 'a' }, 3), 'a');
    assert.equal(identityOf({ name: 'a', id: 'b' }, 3), 'b');
    assert.equal(identityOf({}, 3), '4');
    assert.ok(isObject({}) && !isObject([]));
});
