// What is done with things of a scene as wholes, and where they are put: on documents, without a page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Box3, Quaternion, Vector3 } from 'three';
import type { Change } from '../../src/protocol/messages';
import { addItems } from '../../src/scene_editing/add_items';
import { valueAt } from '../../src/scene_editing/commands';
import { eventsOf } from '../../src/scene_editing/events';
import { keysOf, placeOf, poseAt, removeKey, setKey, shiftKey } from '../../src/scene_editing/path_keys';
import { degreesOf, fromDegrees, motion, moveChanges, startOfBody } from '../../src/scene_editing/placement';
import { type Json, type JsonObject, type Schema, problem } from '../../src/scene_editing/schema';
import { spreadEdit } from '../../src/scene_editing/spread';
import { unscaled } from '../../src/scene_editing/selections';
import { duplicateThings, orderThing, pasteThings, removeThings, renameThings, thingsAsText } from '../../src/scene_editing/thing_commands';
import { allThings, belongsTo, thingsOf } from '../../src/state/things';
import { snapToFaces } from '../../src/viewport/face_snap';
import { apply } from './documents';

const schema = JSON.parse(readFileSync('../schema/scene.schema.json', 'utf8')) as Schema;

const bar: JsonObject = { bar: { size: [1, 1, 1], cells: [2, 2, 2] } };
const scene = (): JsonObject => ({
    yawara: 1, bodies: [
        { name: 'a', solid: bar, place: { translate: [1, 0, 0] }, pins: [{ select: 'all' }, { select: { vertices: [0] } }] },
        { name: 'b', solid: bar, place: { rotate: { axis: [0, 1, 0], degrees: 90 }, translate: [0, 1, 0] }, instances: [{}, { translate: [2, 0, 0] }, { id: 'last', rotate: { axis: [0, 0, 1], degrees: 30 } }] },
    ],
    obstacles: [{ plane: {} }, { box: { size: [1, 2, 3] } }, { id: 'post', capsule: { from: [0, 0, 0], to: [0, 1, 0], radius: 0.1 } }],
    measures: [{ name: 'h', what: 'extent', body: 'a' }, { name: 'i', what: 'extent', body: 'b_2' }],
});

/** Changed as the engine does, and allowed. */
function applied(content: JsonObject, changes: Change[]): JsonObject {
    const after = apply(content, changes);
    assert.equal(problem(schema, schema, after), null, JSON.stringify(after));
    return after;
}
const bodies = (content: JsonObject) => content.bodies as JsonObject[];
const names = (content: JsonObject) => bodies(content).map(({ name }) => name);

test('every thing of a scene is in the tree, under the key that leads to it', () => {
    const content = scene(), all = allThings(thingsOf(content));
    assert.deepEqual(all.map(({ name }) => name), ['a', 'Pin 1', 'Pin 2', 'b', 'Copy 1', 'Copy 2', 'Copy last', 'Floor', 'Box', 'post']);
    for (const { path, key } of all) assert.ok(valueAt(content, path) !== undefined, key);
    assert.ok(belongsTo('b/last', '/bodies/@b/instances/@last') && belongsTo('b/2', '/bodies/@b') && !belongsTo('b/2', '/bodies/@b/instances/@1') && !belongsTo('bb', '/bodies/@b'));
});

test('removing several things takes exactly those, with their plots, and a body with its last copy', () => {
    const gone = applied(scene(), removeThings(scene(), ['/bodies/@a/pins/0', '/bodies/@b/instances/@1', '/obstacles/@1', '/obstacles/@post'])!.changes);
    assert.deepEqual(bodies(gone)[0].pins, [{ select: { vertices: [0] } }]);
    assert.equal((bodies(gone)[1].instances as Json[]).length, 2);
    assert.deepEqual((gone.obstacles as JsonObject[]).map((o) => Object.keys(o)[0]), ['box']);
    const copies = applied(scene(), removeThings(scene(), ['/bodies/@b/instances/@1', '/bodies/@b/instances/@2', '/bodies/@b/instances/@last'])!.changes);
    assert.deepEqual(names(copies), ['a']);
    assert.deepEqual((copies.measures as JsonObject[]).map(({ body }) => body), ['a']);
    assert.equal(removeThings(scene(), ['/bodies/@nobody']), null);
});

test('a duplicate has a name of its own and stands beside; an instance shares the body', () => {
    const { edit, keys } = duplicateThings(scene(), ['/bodies/@a', '/obstacles/@2'], 'copy', new Vector3(2, 0, 0))!;
    const copied = applied(scene(), edit.changes);
    assert.deepEqual(names(copied), ['a', 'b', 'a_2']);
    assert.deepEqual(bodies(copied)[2].place, { translate: [3, 0, 0] });
    assert.deepEqual(keys, ['/bodies/@a_2', '/obstacles/@4']);
    assert.deepEqual((valueAt(copied, ['obstacles', 3, 'box']) as JsonObject).center, [2, 0, 0]);
    const shared = duplicateThings(scene(), ['/bodies/@a'], 'instance', new Vector3(2, 0, 0))!, after = applied(scene(), shared.edit.changes);
    assert.deepEqual(bodies(after)[0].instances, [{}, { translate: [2, 0, 0] }]);
    assert.deepEqual((after.measures as JsonObject[])[0].body, 'a_1', 'the plot follows the body');
    assert.deepEqual(shared.keys, ['/bodies/@a/instances/@2']);
});

test('several things are renamed as a group; names that cannot be are made ones that can', () => {
    const after = applied(scene(), renameThings(scene(), ['/bodies/@a', '/bodies/@b', '/obstacles/@2'], 'my toy!')!.changes);
    assert.deepEqual(names(after), ['my_toy', 'my_toy_2']);
    assert.deepEqual((after.measures as JsonObject[]).map(({ body }) => body), ['my_toy', 'my_toy_2_2']);
    assert.equal((after.obstacles as JsonObject[])[1].id, 'my_toy');
    assert.equal(renameThings(scene(), ['/bodies/@a'], ' !! '), null);
});

test('a thing is put before another one of its list, or at the end', () => {
    const order = (key: string, before: string | null) => (applied(scene(), orderThing(scene(), key, before)!.changes).obstacles as JsonObject[]).map((o) => Object.keys(o).find((k) => k !== 'id'));
    assert.deepEqual(order('/obstacles/@post', '/obstacles/@1'), ['capsule', 'plane', 'box']);
    assert.deepEqual(order('/obstacles/@1', null), ['box', 'capsule', 'plane']);
    assert.deepEqual(order('/obstacles/@1', '/obstacles/@post'), ['box', 'plane', 'capsule']);
    assert.equal(orderThing(scene(), '/obstacles/@1', '/bodies/@a'), null);
    assert.equal(orderThing(scene(), '/obstacles/@1', '/obstacles/@2'), null, 'it is there already');
});

test('what is copied starts in another scene where it started in its own, copies as bodies', () => {
    const text = thingsAsText(scene(), ['/bodies/@a', '/bodies/@b/instances/@last', '/obstacles/@post'])!;
    const other: JsonObject = { yawara: 1, bodies: [{ name: 'a', solid: bar }] };
    const pasted = applied(other, pasteThings(other, text, undefined)!.edit.changes);
    assert.deepEqual(names(pasted), ['a', 'a_2', 'b']);
    const apart = startOfBody(pasted, 'b').elements.map((x, k) => Math.abs(x - startOfBody(scene(), 'b/last').elements[k]));
    assert.ok(Math.max(...apart) < 1e-4, String(apart));
    assert.equal(pasteThings(other, 'hello', undefined), null);
    assert.equal(pasteThings(other, '{"bodies": []}', undefined), null);
    const pin = thingsAsText(scene(), ['/bodies/@a/pins/1'])!;
    assert.deepEqual(bodies(applied(other, pasteThings(other, pin, '/bodies/@a')!.edit.changes))[0].pins, [{ select: { vertices: [0] } }]);
});

test('things that are moved together keep their places to each other: every point goes where the motion takes it', () => {
    const m = motion({ about: new Vector3(0.3, 0.2, -1), move: new Vector3(1, 2, 3), turn: fromDegrees(new Vector3(20, -40, 70)) });
    const moved = moveChanges(scene(), ['/bodies/@a', '/bodies/@b'], m);
    assert.ok('changes' in moved);
    const after = applied(scene(), moved.changes);
    for (const body of ['a', 'b/1', 'b/2', 'b/last']) {
        for (const point of [[0, 0, 0], [1, 0.5, -2]]) {
            const before = new Vector3().fromArray(point).applyMatrix4(startOfBody(scene(), body));
            const wanted = before.sub(m.about).applyQuaternion(m.turn).add(m.about).add(m.move);
            assert.ok(wanted.distanceTo(new Vector3().fromArray(point).applyMatrix4(startOfBody(after, body))) < 2e-4, body);
        }
    }
});

test('a scale of zero, and one of some copies only, is refused in words', () => {
    for (const scale of [0, -1, NaN]) assert.match(JSON.stringify(moveChanges(scene(), ['/bodies/@a'], motion({ scale }))), /zero/);
    assert.match(JSON.stringify(moveChanges(scene(), ['/bodies/@b/instances/@1'], motion({ scale: 2 }))), /share/);
    const all = moveChanges(scene(), ['/bodies/@b'], motion({ scale: 2 }));
    assert.ok('changes' in all);
    const after = applied(scene(), all.changes);
    const at = (content: JsonObject, size: number) => new Vector3(size, 0, 0).applyMatrix4(startOfBody(content, 'b/2'));
    assert.ok(at(scene(), 1).multiplyScalar(2).distanceTo(at(after, 2)) < 1e-4, 'the rest shape is twice as large, and all goes away from the origin');
});

test('joints are things: they follow the names of their bodies and go with them', () => {
    const content: JsonObject = { ...scene(), joints: [
        { body: 'a', point: [0, 1, 0], ball: {} }, { body: 'b_2', to: 'a', point: [0, 0, 0], hinge: {} }, { body: 'b_1', point: [0, 2, 0], rope: { length: 1 } }] };
    assert.deepEqual(thingsOf(content).filter(({ kind }) => kind === 'joint').map(({ key, name }) => [key, name]), [['/joints/0', 'Ball joint of a'], ['/joints/1', 'Hinge of b_2 and a'], ['/joints/2', 'Rope of b_1']]);
    const renamed = applied(content, renameThings(content, ['/bodies/@a'], 'wheel')!.changes).joints as JsonObject[];
    assert.deepEqual([renamed[0].body, renamed[1].to, renamed[2].body], ['wheel', 'wheel', 'b_1']);
    assert.deepEqual((applied(content, removeThings(content, ['/joints/1'])!.changes).joints as JsonObject[]).map(({ body }) => body), ['a', 'b_1']);
    // With one of those that go anyway, and with one that stays.
    for (const also of [[], ['/joints/1'], ['/joints/0', '/joints/1']]) {
        const left = applied(content, removeThings(content, ['/bodies/@a', ...also])!.changes);
        assert.deepEqual((left.joints as JsonObject[]).map(({ body }) => body), ['b_1']);
    }
    const none = applied(content, removeThings(content, ['/bodies/@a', '/joints/2'])!.changes);
    assert.deepEqual(none.joints, []);
});

test('a joint on the Add menu holds two chosen bodies, or one to the world, and none without a body', () => {
    const content = scene(), hinge = addItems.find(({ id }) => id === 'hinge')!;
    const adding = { at: new Vector3(), view: {}, onto: undefined, between: new Vector3(0, 1, 0) };
    assert.equal(hinge.make(content, { ...adding, bodies: [] }), null);
    assert.deepEqual((applied(content, hinge.make(content, { ...adding, bodies: ['a'] })!.edit.changes).joints as JsonObject[])[0], { body: 'a', point: [0, 1, 0], hinge: { axis: [0, 0, 1] } });
    assert.equal((applied(content, hinge.make(content, { ...adding, bodies: ['a', 'b_1'] })!.edit.changes).joints as JsonObject[])[0].to, 'b_1');
});

test('degrees that are shown and typed are the same turn', () => {
    const turn = new Quaternion().setFromAxisAngle(new Vector3(1, 2, -0.5).normalize(), 1.1);
    assert.ok(Math.abs(fromDegrees(degreesOf(turn)).dot(turn)) > 1 - 1e-9);
});

test('everything on the Add menu makes a scene that its schema allows, several times over', () => {
    const empty: JsonObject = { yawara: 1, bodies: [] };
    for (const item of addItems) {
        let content = item.id === 'force' ? scene() : empty;
        for (let k = 0; k < 2; ++k) {
            const made = item.make(content, { at: new Vector3(1, 0, 2), view: { eye: [1, 1, 1], target: [0, 0, 0] }, onto: '/bodies/@a', bodies: ['a', 'b_1'], between: new Vector3(0, 1, 0) })!;
            content = applied(content, made.edit.changes);
            for (const key of made.keys) assert.ok(valueAt(content, key.split('/').slice(1).map((p) => (/^\d+$/.test(p) ? Number(p) : p))) !== undefined, `${item.id}: ${key}`);
        }
    }
});

test('a key set by hand is where the hand was, and the first one starts from rest', () => {
    const content = scene(), center = new Vector3(1, 0.5, 0), handle = ['bodies', '@a', 'handles', 0];
    (bodies(content)[0] as JsonObject).handles = [{ select: 'all' }];
    const turn = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI);
    const turned = applied(content, setKey(content, handle, center, 2, motion({ turn }))!.changes);
    assert.deepEqual(valueAt(turned, [...handle, 'path']), [{ time: 0 }, { time: 2, turn: { axis: [1, 0, 0], degrees: 180 } }]);
    const moved = applied(turned, setKey(turned, handle, center, 1, motion({ move: new Vector3(0, 1, 0) }))!.changes);
    const keys = keysOf(valueAt(moved, handle), center);
    assert.deepEqual(keys.map(({ time }) => time), [0, 1, 2]);
    assert.ok(placeOf(poseAt(keys, 1, true, center), center).distanceTo(new Vector3(1, 1.5, 0)) < 1e-6);
    assert.ok(Math.abs(keys[1].turn.length() - Math.PI / 2) < 1e-4, 'half-way of the turn, where it was');
    assert.deepEqual(keysOf(valueAt(applied(moved, shiftKey(moved, handle, 1, 3)!.changes), handle), center).map(({ time }) => time), [0, 2, 3]);
    assert.equal(shiftKey(moved, handle, 1, 2), null, 'not onto another key');
    assert.equal(keysOf(valueAt(applied(moved, removeKey(moved, handle, 0)!.changes), handle), center).length, 2);
});

test('selections are kept in the coordinates before the scale of a body', () => {
    assert.deepEqual(unscaled({ any: [{ sphere: { center: [2, 4, 6], radius: 1 } }, { box: { low: [0, 0, 0], high: [1, 1, 1] } }] }, 2), { any: [{ sphere: { center: [1, 2, 3], radius: 0.5 } }, { box: { low: [0, 0, 0], high: [0.5, 0.5, 0.5] } }] });
    assert.equal(unscaled('all', 2), 'all');
});

test('a value that is set for several bodies is set at the same place of each, and their own stays theirs', () => {
    const content = scene();
    (bodies(content)[1] as JsonObject).matching = { damping: 0.3 };
    const set = (path: string, value: Json): Change[] => [{ op: 'add', path: '/bodies/@a/matching', value: {} }, { op: 'add', path, value }];
    const both = applied(content, spreadEdit(content, { label: 'Set stiffness', changes: set('/bodies/@a/matching/young', 5000) }, ['bodies', '@a'], [['bodies', '@b']]).changes);
    assert.deepEqual(bodies(both).map(({ matching }) => matching), [{ young: 5000 }, { damping: 0.3, young: 5000 }]);
    const place = { label: 'Set place', changes: [{ op: 'replace' as const, path: '/bodies/@a/place/translate', value: [0, 0, 0] }] };
    assert.equal(spreadEdit(content, place, ['bodies', '@a'], [['bodies', '@b']]), place);
});

test('faces that come near meet, along the ways that a thing was moved and only beside what is there', () => {
    const box = (low: number[], high: number[]) => new Box3(new Vector3().fromArray(low), new Vector3().fromArray(high));
    const wall = box([2, 0, -1], [3, 1, 1]);
    assert.deepEqual(snapToFaces(box([0.9, 0, 0], [1.96, 1, 0.5]), [wall], new Vector3(1, 0, 0), 0.05).toArray().map((x) => Number(x.toFixed(6))), [0.04, 0, 0]);
    assert.deepEqual(snapToFaces(box([2.1, 1.03, 0], [2.5, 2, 0.5]), [wall], new Vector3(0.5, -1, 0), 0.05).toArray().map((x) => Number(x.toFixed(6))), [0, -0.03, 0]);
    assert.deepEqual(snapToFaces(box([0.9, 5, 0], [1.96, 6, 0.5]), [wall], new Vector3(1, 0, 0), 0.05).toArray(), [0, 0, 0], 'high above it');
    assert.deepEqual(snapToFaces(box([0.9, 0, 0], [1.9, 1, 0.5]), [wall], new Vector3(1, 0, 0), 0.05).toArray(), [0, 0, 0], 'too far');
});

test('what happens at a time in a scene is listed in the order of time, with what it is about', () => {
    const events = eventsOf({
        yawara: 1, obstacles: [{ box: {}, path: [{ time: 1 }, { time: 3 }] }],
        bodies: [
            { name: 'a', handles: [{ select: 'all', path: [{ time: 0.5 }] }], forces: [{ acceleration: [1, 0, 0], from: 2, until: 2.5 }], instances: [{ forces: [{ acceleration: [1, 0, 0] }] }] },
            { name: 'b', matching: { regions: { changes: [{ from: 1.5, value: 0 }] } } }, { name: 'c', fem: { fronts: [{ time: 4 }] } },
        ],
    });
    assert.deepEqual(events.map(({ from, until, words }) => [from, until, words]), [
        [0, Infinity, 'Push on a 1'], [0.5, 0.5, 'Key of the handle of a'], [1, 1, 'Key of obstacle 1'], [1.5, 1.5, 'Stiffness of b changes'],
        [2, 2.5, 'Push on a'], [3, 3, 'Key of obstacle 1'], [4, 4, 'Another front in c'],
    ]);
    assert.deepEqual(eventsOf({ yawara: 1, bodies: [] }), []);
});
