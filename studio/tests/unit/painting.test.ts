// Materials of the shelf and coats of paint: on documents, without a page.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import Ajv from 'ajv/dist/2020';
import { type Coat, painted, tidyPlace } from '../../src/painting/coat';
import { materialTargets } from '../../src/painting/material_targets';
import { type TargetField, coatChanges } from '../../src/painting/target';
import { shareOf, valueAtShare, withUnit } from '../../src/painting/value_scale';
import { type Material, type Range, bodyChanges, dampingOf, lackOf, materialChanges, materials, switched, viscosityOf } from '../../src/scene_editing/materials';
import type { JsonObject } from '../../src/scene_editing/schema';
import { apply } from './documents';

const accepts = new Ajv({ strict: false, formats: { file: true } }).compile(JSON.parse(readFileSync('../schema/scene.schema.json', 'utf8')));
const bar: JsonObject = { bar: { size: [1, 0.2, 0.2], cells: [10, 2, 2] } };
const sceneOf = (...bodies: JsonObject[]): JsonObject => ({ yawara: 1, bodies });
const allowed = (scene: JsonObject, words: string) => assert.ok(accepts(scene), `${words}: ${JSON.stringify(accepts.errors)}`);
const bodyOf = (scene: JsonObject, k = 0) => (scene.bodies as JsonObject[])[k];
const target = (id: string, body: JsonObject): TargetField => {
    const field = materialTargets.find((one) => one.id === id)!.of(body);
    assert.notEqual(typeof field, 'string', String(field));
    return field as TargetField;
};

test('every material lies within what its source says, and there are the ones people ask for', () => {
    assert.ok(materials.length >= 16);
    for (const { id, density, young, poisson, loss, source } of materials) {
        for (const [value, low, high] of [density, young, poisson, loss]) assert.ok(low <= value && value <= high, `${id}: ${[value, low, high]}`);
        assert.ok(source.length > 30, id);
    }
    assert.equal(new Set(materials.map(({ id }) => id)).size, materials.length);
    for (const id of ['jelly', 'silicone_soft', 'silicone_hard', 'rubber', 'sponge', 'memory_foam', 'gelatin', 'flesh', 'fat', 'liver', 'heart', 'wood_along', 'wood_across', 'cork', 'clay', 'dough', 'sheet', 'cored'])
        assert.ok(materials.some((material) => material.id === id), id);
});

test('a body of any material, by either method, is a document that the schema allows, and keeps what is no material', () => {
    const own: JsonObject = { name: 'bar', solid: bar, pins: [{ select: 'all' }], place: { translate: [0, 1, 0] } };
    for (const material of materials) {
        for (const kind of [{ matching: { alpha: 0.4, hops: 2 } }, { fem: { levels: 1, materials: [{ lame: [1e5, 1e5] }] } }] as JsonObject[]) {
            const before = sceneOf({ ...own, ...kind }), after = apply(before, materialChanges(before, ['bar'], material, () => ({ center: [0, 0.1, 0], radius: 0.06 }), () => 0.4));
            allowed(after, material.id);
            const body = bodyOf(after);
            assert.deepEqual([body.pins, body.place, body.solid], [own.pins, own.place, own.solid]);
            assert.equal((body.matching as JsonObject | undefined)?.alpha, undefined, 'a modulus says it all');
            assert.equal('fem' in body, 'fem' in kind);
        }
        assert.ok(lackOf(material, 'matching').length > 0, 'shape matching has no Poisson’s ratio');
    }
});

test('several bodies get a material in one edit, and only what differs is changed', () => {
    const scene = sceneOf({ name: 'a', solid: bar }, { name: 'b', solid: bar, fem: { materials: [{ young: 1e5 }] } });
    const rubber = materials.find(({ id }) => id === 'rubber')!, changes = materialChanges(scene, ['a', 'b'], rubber, () => null, () => 0.4), after = apply(scene, changes);
    assert.equal((bodyOf(after, 0).matching as JsonObject).young, 2e6);
    assert.equal(((bodyOf(after, 1).fem as JsonObject).materials as JsonObject[])[0].young, 2e6);
    assert.deepEqual(materialChanges(after, ['a', 'b'], rubber, () => null, () => 0.4), []);
});

test('from matching to finite elements and back: modulus, density, holds, look and paint stay, and what goes is named', () => {
    const coat: Coat = { value: 0.9, radius: 0.1, path: [[0, 0.2, 0]] };
    const matching: JsonObject = { damping: 0.02, drag: 2, regions: { law: 'young', range: [1e4, 1e6], stiffness: painted(0.5, coat, [0, 1]) }, examples: { poses: [] }, stretch: [] };
    const body: JsonObject = { name: 'a', solid: bar, density: 900, matching, pins: [{ select: 'all' }], look: { gloss: 0.5 } };
    const fem = switched(body, 'fem');
    assert.deepEqual(fem.dropped, ['its example shapes']);
    const material = ((fem.body.fem as JsonObject).materials as JsonObject[])[0];
    assert.equal(material.young, 1e5);
    assert.equal(((material.factor as JsonObject).coats as JsonObject[])[0].value, Number((10 ** 0.8).toPrecision(4)));
    assert.deepEqual([fem.body.density, fem.body.pins, fem.body.look, (fem.body.fem as JsonObject).drag], [900, body.pins, body.look, 2]);
    allowed(sceneOf(fem.body), 'finite elements');
    const back = switched(fem.body, 'matching');
    assert.deepEqual(back.dropped, ['Poisson’s ratio']);
    const regions = (back.body.matching as JsonObject).regions as JsonObject, [low, high] = regions.range as number[];
    const stiffness = (((regions.stiffness as JsonObject).coats as JsonObject[])[0] as { value: number }).value;
    assert.ok(Math.abs((low * (high / low) ** stiffness) / (1e5 * 10 ** 0.8) - 1) < 1e-3, 'the painted modulus is what it was');
    assert.equal((back.body.matching as JsonObject).damping, 0.02);
    allowed(sceneOf(back.body), 'matching');
    assert.deepEqual(switched({ name: 'a', solid: bar, matching: { alpha: 0.3 } }, 'fem').dropped, ['alpha and passes, which are not a modulus: it is 100 kPa now']);
});

test('the first coat of a plain body keeps its modulus under the paint; every further one is one short change', () => {
    const scene = sceneOf({ name: 'a', solid: bar, matching: { young: 3e4, damping: 0.1 } }), coat: Coat = { value: 0.2, radius: 0.1, path: [[0, 0.2, 0]] };
    const first = target('stiffness', bodyOf(scene)), once = apply(scene, coatChanges(scene, 'a', first, coat));
    allowed(once, 'painted once');
    assert.ok(Math.abs(first.shown(0.5) - 3e4) < 1e-6 && Math.abs(first.stored(first.shown(0.3)) - 0.3) < 1e-9);
    const again = target('stiffness', bodyOf(once));
    assert.ok(Math.abs(again.shown(0.5) - 3e4) < 1e-6, 'the scale in Pa is the same after the first coat');
    const changes = coatChanges(once, 'a', again, { ...coat, value: 0.8 });
    assert.deepEqual(changes.map(({ op, path }) => [op, path]), [['add', '/bodies/@a/matching/regions/stiffness/coats/-']]);
    const twice = apply(once, changes);
    assert.equal((((bodyOf(twice).matching as JsonObject).regions as JsonObject).stiffness as { coats: unknown[] }).coats.length, 2);
});

test('targets say why they cannot be painted, and read in pascals where the law is real', () => {
    const why = (id: string, body: JsonObject) => materialTargets.find((one) => one.id === id)!.of(body);
    assert.match(String(why('modulus', { name: 'a', solid: bar })), /shape matching/);
    assert.match(String(why('stiffness', { name: 'a', solid: bar, fem: { materials: [{ young: 1 }] } })), /finite elements/);
    assert.match(String(why('stiffness', { name: 'a', solid: bar, matching: { alpha: 0.4 } })), /alpha/);
    assert.match(String(why('groups', { name: 'a', solid: bar })), /example/);
    const factor = target('modulus', { name: 'a', solid: bar, fem: { materials: [{ young: 2e5 }] } });
    assert.equal(withUnit(factor.shown(10), factor.unit), '2 MPa');
    assert.deepEqual(factor.path, ['fem', 'materials', 0, 'factor']);
    const groups = target('groups', { name: 'a', solid: bar, matching: { examples: { poses: [] } } });
    const body = { name: 'a', solid: bar, matching: { examples: { poses: [] } } };
    const after = apply(sceneOf(body), coatChanges(sceneOf(body), 'a', groups, { brush: 'select', value: 2, select: 'all' }));
    assert.deepEqual(((bodyOf(after).matching as JsonObject).examples as JsonObject).groups, { labels: { base: 0, coats: [{ brush: 'select', value: 2, select: 'all' }], range: [0, 1000] } });
});

test('a palette goes from value to colour and back, and a long stroke is a short text', () => {
    for (const scale of [{ low: 0.01, high: 100, log: true }, { low: 0, high: 1, log: false }])
        for (const share of [0, 0.25, 1]) assert.ok(Math.abs(shareOf(scale, valueAtShare(scale, share)) - share) < 1e-12);
    const path = Array.from({ length: 200 }, (_, k) => tidyPlace([Math.cos(k), Math.sin(k) / 3, k / 700], 1));
    assert.ok(JSON.stringify(path).length < 6000);
    assert.ok(Math.abs(path[7][0] - Math.cos(7)) < 1e-4);
});

test('an edit of a body changes no other key', () => {
    const scene = sceneOf({ name: 'a', solid: bar, density: 500, look: { gloss: 1 } });
    assert.deepEqual(bodyChanges(scene, 'a', ({ look: _, ...rest }) => ({ ...rest, density: 600 })).map(({ op, path }) => [op, path]), [['remove', '/bodies/@a/look'], ['replace', '/bodies/@a/density']]);
});

test('docs/materials.md has the shelf as it is; YAWARA_UPDATE_DOCS=1 in the environment writes it anew', () => {
    const page = '../docs/materials.md', text = readFileSync(page, 'utf8'), [begin, end] = ['<!-- shelf -->\n', '<!-- end of the shelf -->'];
    const from = text.indexOf(begin) + begin.length, to = text.indexOf(end);
    assert.ok(from >= begin.length && to >= from, 'the page has a place for the table');
    const fresh = text.slice(0, from) + tableOf(materials) + text.slice(to);
    if (process.env.YAWARA_UPDATE_DOCS) writeFileSync(page, fresh);
    else assert.equal(text, fresh);
});

function tableOf(all: readonly Material[]): string {
    const range = ([value, low, high]: Range, unit = '') => `${unit ? withUnit(value, unit) : value} (${unit ? withUnit(low, unit) : low} – ${unit ? withUnit(high, unit) : high})`;
    const direction = ({ fibres, orthotropic }: Material) => (fibres ? `along its fibres ${range(fibres.young_along, 'Pa')}, shear ${range(fibres.shear_along, 'Pa')}` : orthotropic ? `grain: ${(orthotropic.young as number[]).map((e) => withUnit(e, 'Pa')).join(', ')}` : '–');
    const rows = all.map((m) => `| ${m.name} | ${range(m.density)} | ${range(m.young, 'Pa')} | ${range(m.poisson)} | ${range(m.loss)}: ${dampingOf(m.loss[0])}, ${viscosityOf(m.loss[0])} s | ${direction(m)} | ${m.source} |`);
    return ['| material | density, kg/m³ | Young\'s modulus (across, if it has a direction) | Poisson\'s ratio | loss: `damping`, `viscosity.time` | direction | source |', '|---|---|---|---|---|---|---|', ...rows, ''].join('\n');
}
