// Stiffness of parts over time: which particles they are, and that changes go with their parts. Lines that are drawn lose no corner.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vector3 } from 'three';
import { patched } from '../../src/scene_editing/patch';
import type { Json, JsonObject } from '../../src/scene_editing/schema';
import { type StiffnessChange, changesOfPart, followParts, selectionOf, withChange } from '../../src/scene_editing/stiffness_times';
import { simplified } from '../../src/shaping/node_geometry';

const ball = (x: number, more: JsonObject = {}): JsonObject => ({ prim: 'sphere', radius: 0.2, transform: { translate: [x, 0, 0], ...more } });
const scene = (...args: Json[]): JsonObject => ({ bodies: [{ name: 'peach', solid: { volume: { format: 'yawara-cvg', version: 1, root: { op: 'union', args } }, cell: 0.1 } }] });
const body = ['bodies', '@peach'], solidOf = (content: JsonObject) => (content.bodies as JsonObject[])[0].solid as JsonObject;
const apply = (content: JsonObject, changes: Parameters<typeof patched>[1]) => patched(content, changes.map((change) => ({ ...change, path: change.path.replace('/@peach', '/0') }))) as JsonObject;
const change = (select: Json): StiffnessChange => ({ select, from: 1, until: 2, value: 0.1 });

test('a ball, a turned and moved tube and a box are selected with half a cell around; others say why not', () => {
    const select = (node: Json, around: JsonObject = {}) => selectionOf(solidOf(scene({ op: 'union', args: [node, ball(0)], ...around })), ['root', 'args', 0, 'args', 0]);
    assert.deepEqual(select(ball(1)), { sphere: { center: [1, 0, 0], radius: 0.25 } });
    assert.deepEqual(select(ball(1), { transform: { translate: [0, 2, 0], scale: 2 } }), { sphere: { center: [2, 2, 0], radius: 0.45 } });
    assert.deepEqual(select({ prim: 'cube', side: 0.4, transform: { translate: [0, 1, 0] } }), { box: { low: [-0.25, 0.75, -0.25], high: [0.25, 1.25, 0.25] } });
    const tube = select({ prim: 'tube', radius: 0.05, points: [[0, 0, 0], [1, 0, 0]], transform: { rotate: [0, 0, Math.SQRT1_2, Math.SQRT1_2] } }) as { any: Array<{ sphere: { center: number[]; radius: number } }> };
    assert.deepEqual(tube.any[0].sphere.center, [0, 0, 0]);
    assert.ok(Math.abs(tube.any[tube.any.length - 1].sphere.center[1] - 1) < 1e-5);
    for (const [k, { sphere }] of tube.any.slice(1).entries()) assert.ok(sphere.center[1] - tube.any[k].sphere.center[1] <= 0.5 * sphere.radius + 1e-6, 'no gaps');
    assert.match(String(select(ball(1, { scale: [1, 2, 1] }))), /scaled evenly/);
    assert.match(String(select({ prim: 'cube', side: 1, transform: { rotate: [0, 0.2, 0, 0.98] } })), /not turned/);
    assert.match(String(selectionOf(solidOf(scene({ repeat: 'mirror', normal: [1, 0, 0], of: ball(1) }, ball(0))), ['root', 'args', 0, 'of'])), /repeated/);
    assert.match(String(selectionOf(solidOf(scene(ball(0), ball(1))), ['root'])), /Choose one shape/);
});

test('a change goes with its part: moved, put into another order, taken away; those of other parts stay', () => {
    let content = scene(ball(0), ball(1));
    for (const k of [0, 1]) content = apply(content, withChange(content, body, null, change(selectionOf(solidOf(content), ['root', 'args', k]) as JsonObject)));
    const partOf = (now: JsonObject, k: number) => changesOfPart(now, body, ['root', 'args', k]).map(({ index }) => index);
    assert.deepEqual([partOf(content, 0), partOf(content, 1)], [[0], [1]]);
    const move = [{ op: 'replace' as const, path: '/bodies/@peach/solid/volume/root/args/1/transform', value: { translate: [3, 0, 0] } }];
    const moved = apply(content, [...move, ...followParts(content, body, move, (key) => key)]);
    assert.deepEqual([partOf(moved, 0), partOf(moved, 1)], [[0], [1]]);
    const cell = [{ op: 'replace' as const, path: '/bodies/@peach/solid/cell', value: 0.2 }];
    const coarse = apply(content, [...cell, ...followParts(content, body, cell, (key) => key)]);
    assert.deepEqual([partOf(coarse, 0), partOf(coarse, 1)], [[0], [1]]);
    const only = [{ op: 'replace' as const, path: '/bodies/@peach/solid/volume/root', value: ball(1) }];
    const left = apply(content, [...only, ...followParts(content, body, only, (key) => (key === 'root/args/1' ? 'root' : undefined))]);
    assert.equal(changesOfPart(left, body, ['root']).length, 1);
    assert.equal(((left.bodies as JsonObject[])[0].matching as { regions: { changes: Json[] } }).regions.changes.length, 1);
});

test('a drawn line keeps its corners and loses what lies between', () => {
    const points = [...Array.from({ length: 11 }, (_, k) => new Vector3(k / 10, 0.001 * (k % 2), 0)), ...Array.from({ length: 10 }, (_, k) => new Vector3(1, (k + 1) / 10, 0))];
    assert.deepEqual(simplified(points, 0.01).map((p) => p.toArray()), [[0, 0, 0], [1, 0, 0], [1, 1, 0]]);
    assert.equal(simplified(points.slice(0, 2), 0.01).length, 2);
});
