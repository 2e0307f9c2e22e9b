// What the form of the page makes of a scene is built by the engine: no choice on offer fails.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { program, root, scratchFolder } from './engine.mjs';

/** A module of the page's tests, as Node.js can load it. */
async function load(path) {
    const { outputFiles: [file] } = await build({ entryPoints: [join(root, 'studio', path)], bundle: true, write: false, format: 'esm', platform: 'node', logLevel: 'warning' });
    return import(`data:text/javascript;base64,${Buffer.from(file.contents).toString('base64')}`);
}

/** A small body of each kind, with one of everything that can be switched. */
const bar = { bar: { size: [0.4, 1, 0.4], cells: [2, 4, 2] } };
const floor = { plane: { normal: [0, 1, 0] } };
const simple = {
    matching: { yawara: 1, step: {}, bodies: [{ name: 'a', solid: bar, place: { translate: [0, 1, 0] }, pins: [{ select: { box: { low: [-1, 0.9, -1], high: [1, 1, 1] } } }],
        handles: [{ select: { nearest: [0, 0, 0] }, path: [{ time: 0 }, { time: 1, move: [0, 0.2, 0] }] }], forces: [{ force: [0, 1, 0] }],
        matching: { examples: { poses: [{ name: 'bent', deform: [{ bend: { degrees: 40 } }] }] } } }], obstacles: [floor] },
    muscles: { yawara: 1, bodies: [{ name: 'a', solid: bar, matching: { stretch: [{ active: { fields: { depth: 'x', direction: [0, 1, 0], phase: { paint: [{ value: 1, at: [0, 0, 0] }] } },
        charts: { period: 1, d1: { keys: [[0, 1], [0.3, 0.8]] } } } }] } }], obstacles: [floor] },
    elements: { yawara: 1, bodies: [{ name: 'a', solid: bar, fem: { levels: 1, materials: [{ young: 1e5, viscosity: { time: 0.001 }, plasticity: { yield: 0.1 } }] } }], obstacles: [floor] },
    laws: { yawara: 1, bodies: [{ name: 'a', solid: bar, fem: { levels: 1, law: 'neo-hookean', materials: [{ young: 1e5, poisson: 0.45 }], muscles: [{ direction: [0, 1, 0], stiffness: 1e4 }] } }], obstacles: [floor] },
    volume: { yawara: 1, bodies: [{ name: 'a', solid: { volume: { format: 'yawara-cvg', version: 1, root: { op: 'union', args: [
        { prim: 'cube', side: 0.6, stiffness: 0.2 }, { prim: 'sphere', radius: 0.2, stiffness: 1 }] } }, cell: 0.1 }, matching: { regions: {} } }], obstacles: [{ box: { size: [1, 1, 1], center: [0, -2, 0] } }],
        measures: [{ name: 'height', what: 'extent', body: 'a' }] },
};

function check(files) {
    return new Promise((done) => execFile(program, ['check', '--json', ...files], { maxBuffer: 1 << 26 }, (_, out) => done(JSON.parse(out))));
}

test('every switch on simple scenes makes a scene that the engine builds', { timeout: 300_000 }, async () => {
    const { Form, allFields } = await load('src/scene_editing/form.ts');
    const { pointer } = await load('src/scene_editing/commands.ts');
    const { apply } = await load('tests/unit/documents.ts');
    const schema = JSON.parse(readFileSync(join(root, 'schema', 'scene.schema.json'), 'utf8'));
    const folder = scratchFolder();
    const made = new Map();
    for (const [name, scene] of Object.entries(simple)) {
        const form = new Form(schema, scene);
        const add = (what, edit) => {
            const path = join(folder, `${made.size}.json`);
            writeFileSync(path, JSON.stringify(apply(scene, edit.changes)));
            made.set(path, `${name}: ${what}`);
        };
        for (const field of allFields([form.bodies(), ...form.ofScene()])) {
            const at = pointer(field.path);
            for (const kind of field.kinds) if (!kind.file) add(`${at} becomes ${kind.name}`, kind.to());
            if (field.control === 'choice') for (const choice of field.choices) if (!choice.file) add(`${at} is ${choice.name}`, field.set(choice.value));
            if (field.control === 'boolean') add(`${at} is switched`, field.set(!field.value));
            if (field.add && !field.add.file) add(`${at} gets one more`, field.add.to());
            for (const [what, edit] of Object.entries(field.entry ?? {})) if (edit) add(`${at} ${what}`, edit());
        }
    }
    const paths = [...made.keys()], mistakes = [];
    assert.ok(paths.length > 200, `${paths.length} documents`);
    const { scenes } = await check(paths);
    scenes.forEach((scene, k) => { if (!scene.ok) mistakes.push(`${made.get(paths[k])}: ${JSON.stringify(scene.errors)}`); });
    assert.deepEqual(mistakes, []);
});
