// Edits of the document, and the controls that the scene's schema gives.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { namedWarning } from '../../src/panels/about_panel';
import { identityOf, pathOf, pointer, removeChanges, resetCommand, setChanges, setCommand, valueAt } from '../../src/scene_editing/commands';
import { type Group, bodyGroup, fromSlider, scaleOf, toSlider, worldGroup } from '../../src/scene_editing/controls';

const schema = JSON.parse(readFileSync('../schema/scene.schema.json', 'utf8'));
const scenes = readdirSync('../scenes').filter((name) => name.endsWith('.json')).map((name) => ({ name, scene: JSON.parse(readFileSync(`../scenes/${name}`, 'utf8')) }));

/** What RFC 6902 says the three operations do, with "@identity" for the numbers of entries. */
function apply(document: any, changes: Array<{ op: string; path: string; value?: any }>): any {
    const copy = structuredClone(document);
    for (const { op, path, value } of changes) {
        const parts = path.split('/').slice(1).map((p) => p.replace(/~1/g, '/').replace(/~0/g, '~'));
        const last = parts.pop()!;
        const around = parts.reduce((v, p) => (p.startsWith('@') ? v.find((entry: any, k: number) => identityOf(entry, k) === p.slice(1)) : v[p]), copy);
        assert.ok(around !== undefined, `nothing at ${path}`);
        if (op !== 'add') assert.ok(last in around, `${op} of what is not there: ${path}`);
        if (op === 'remove') delete around[last];
        else around[last] = value;
    }
    return copy;
}

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

/** Of all that runs: bodies without copies, and copies. */
function identities(scene: any): string[] {
    return scene.bodies.flatMap((body: any, k: number) => {
        const own = identityOf(body, k);
        return body.instances ? body.instances.map((copy: any, n: number) => `${own}/${identityOf(copy, n)}`) : [own];
    });
}

test('a path by identity leads to the same body wherever it stands, and to none when it is gone', () => {
    const a = { name: 'a' }, b = { name: 'renamed', id: 'b', instances: [{}, { id: 'x' }, { color: '#ff0000' }] };
    for (const bodies of [[a, b], [b, a], [b]]) {
        assert.equal(valueAt({ bodies }, pathOf('b')), b);
        assert.equal(valueAt({ bodies }, [...pathOf('b/3'), 'color']), '#ff0000');
        assert.equal(valueAt({ bodies }, pathOf('b/x')), b.instances[1]);
        for (const gone of ['renamed', 'c', 'b/2', 'b/4']) assert.equal(valueAt({ bodies }, pathOf(gone)), undefined, gone);
    }
    assert.equal(valueAt({ bodies: [b] }, [...pathOf('a'), 'matching']), undefined);
    assert.equal(pointer([...pathOf('b/3'), 'color']), '/bodies/@b/instances/@3/color');
});

test('a copy shows its own controls and those of its body, and none of the other copies', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', instances: [{}, {}, {}] }] };
    const paths = all(bodyGroup(schema, scene, 'a/2')).map((c) => pointer(c.path));
    assert.ok(paths.includes('/bodies/@a/instances/@2/translate') && paths.includes('/bodies/@a/matching/alpha'));
    assert.ok(!paths.some((path) => /@[13]/.test(path)));
});

function all(group: Group): Group['controls'] {
    return [...group.controls, ...group.groups.flatMap(all)];
}

test('every scene has controls, each with words, and each edit of one lands where it should', () => {
    assert.ok(scenes.length >= 5);
    for (const { name, scene } of scenes) {
        const groups = [worldGroup(schema, scene), ...identities(scene).map((id) => bodyGroup(schema, scene, id))];
        const controls = groups.flatMap(all);
        assert.ok(controls.length > 8, name);
        for (const control of controls) {
            assert.ok(control.about.length > 3, `${name} ${pointer(control.path)} says what it does`);
            assert.notEqual(control.value, undefined, pointer(control.path));
            const after = apply(scene, setChanges(scene, control.path, 'marked'));
            assert.equal(valueAt(after, control.path), 'marked');
        }
        for (const group of groups) {
            const paths = all(group).map((c) => pointer(c.path));
            assert.equal(new Set(paths).size, paths.length, `${name}: every control once`);
        }
    }
});

test('what the issue of tuning needs is there: alpha, damping, gravity, friction, time step', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', solid: { bar: { size: [1, 1, 1], cells: [2, 2, 2] } } }], obstacles: [{ plane: {}, friction: 0.2 }] };
    const paths = [...all(bodyGroup(schema, scene, 'a')), ...all(worldGroup(schema, scene))].map((c) => pointer(c.path));
    for (const path of ['/bodies/@a/matching/alpha', '/bodies/@a/matching/passes', '/bodies/@a/matching/damping', '/step/dt', '/step/substeps', '/step/gravity', '/obstacles/@1/friction'])
        assert.ok(paths.includes(path), path);
});

test('no name of a group stammers, in any scene', () => {
    const names = (group: Group): string[] => [group.name, ...group.groups.flatMap(names)];
    for (const { name, scene } of scenes)
        for (const title of [...names(worldGroup(schema, scene)), ...identities(scene).flatMap((id) => names(bodyGroup(schema, scene, id)))]) {
            const parts: string[] = title.split(': ');
            assert.ok(parts.every((part, k) => k === 0 || part !== parts[k - 1]), `${name}: ${title}`);
        }
});

test('a body of finite elements has no matching to tune', () => {
    const scene = { yawara: 1, bodies: [{ name: 'a', fem: {} }] };
    assert.ok(!all(bodyGroup(schema, scene, 'a')).some((c) => c.path.includes('matching')));
});

test('sliders cover their range and come back to where they were', () => {
    const cases = [
        { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 1 }, { type: 'number', minimum: 0, maximum: 1, default: 0.03 },
        { type: 'integer', minimum: 1, maximum: 1000, default: 1 }, { type: 'number', minimum: 0, maximum: 1000, default: 0 }, { type: 'number', exclusiveMinimum: 0, maximum: 1e12 },
    ];
    for (const schema of cases) {
        for (const value of [schema.default ?? 5000, 1]) {
            const scale = scaleOf(schema, value)!;
            assert.ok(scale.low < scale.high, JSON.stringify(schema));
            assert.ok(scale.low >= (schema.minimum ?? schema.exclusiveMinimum ?? 0) && scale.high <= schema.maximum);
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
