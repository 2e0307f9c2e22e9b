// Poses of a body in the document: what a hand does to them, and the words about loads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Quaternion, Vector3 } from 'three';
import { apply } from './documents';
import { addPose, beforeHandles, deformerKinds, deformersOf, insertPose, mirroredName, mirroredPose, movePose, newDeformer, originOf, posesOf, refusal, removePose, renamePose, turnedBy, withDeformer } from '../../src/scene_editing/poses';
import { applyLoad, bestLoad, loadHandles, loadWords } from '../../src/scene_editing/pose_loads';
import type { Edit } from '../../src/scene_editing/commands';
import type { JsonObject } from '../../src/scene_editing/schema';

const twist: JsonObject = { name: 'twist', deform: [{ twist: { degrees: 90 } }] };
const followed = (content: JsonObject, edit: Edit) => apply(content, edit.changes);
const plain = (): JsonObject => ({ yawara: 1, bodies: [{ name: 'bar', solid: { bar: { size: [1, 2, 1], cells: [2, 4, 2] } } }] });
const names = (content: JsonObject) => posesOf(content, 'bar').map(({ name }) => name);

test('the first pose makes examples, the next is added, and the last takes them along', () => {
    let content = followed(plain(), addPose(plain(), 'bar', twist, 'x'));
    content = followed(content, addPose(content, 'bar', twist, 'x'));
    assert.deepEqual(names(content), ['twist', 'twist_2']);
    content = followed(content, removePose(content, 'bar', 0)!);
    assert.deepEqual(names(content), ['twist_2']);
    content = followed(content, removePose(content, 'bar', 0)!);
    assert.equal((content.bodies as JsonObject[])[0].matching && ((content.bodies as JsonObject[])[0].matching as JsonObject).examples, undefined);
});

test('poses are moved far, copied, and renamed together with their plots', () => {
    let content = plain();
    for (const name of ['a', 'b', 'c']) content = followed(content, addPose(content, 'bar', { ...twist, name }, 'x'));
    content.measures = [{ name: 'w', what: 'weight', body: 'bar', example: 'a' }, { name: 'h', what: 'extent', body: 'bar', axis: 'y' }];
    content = followed(content, movePose(content, 'bar', 0, 2)!);
    assert.deepEqual(names(content), ['b', 'c', 'a']);
    content = followed(content, renamePose(content, 'bar', 2, 'bow')!);
    assert.equal((content.measures as JsonObject[])[0].example, 'bow');
    content = followed(content, insertPose(content, 'bar', 1, posesOf(content, 'bar')[0], 'x'));
    assert.deepEqual(names(content), ['b', 'b_2', 'c', 'bow']);
    content = followed(content, removePose(content, 'bar', 3)!);
    assert.deepEqual((content.measures as JsonObject[]).map(({ name }) => name), ['h']);
    assert.equal(renamePose(content, 'bar', 0, 'b'), null);
});

test('what hands made is mirrored place by place, twice is the same; what they did not make is marked', () => {
    const middle = new Vector3(1, 0, 0);
    const pulled: JsonObject = { name: 'smile left', handles: [{ at: [2, 1, 0], radius: 0.1, move: [0.5, 0.2, 0], turn: [10, 20, 30] }], touches: [{ brush: 'twist', at: [1.5, 0, 0], radius: 0.2, by: [0, 0, 15] }, { brush: 'grab', at: [1.5, 0, 0], radius: 0.2, by: [0.1, 0, 0] }] };
    const other = mirroredPose(pulled, 'x', middle);
    assert.equal(other.name, 'smile right');
    assert.deepEqual((other.handles as JsonObject[])[0], { at: [0, 1, 0], radius: 0.1, move: [-0.5, 0.2, 0], turn: [10, -20, -30] });
    assert.deepEqual((other.touches as JsonObject[]).map(({ by }) => by), [[0, 0, -15], [-0.1, 0, 0]]);
    assert.deepEqual(mirroredPose(other, 'x', middle), pulled);
    assert.equal(mirroredPose(twist, 'x', middle).mirror, 'x');
    assert.equal(mirroredPose(mirroredPose(twist, 'x', middle), 'x', middle).mirror, undefined);
    assert.equal(mirroredName('brow_l'), 'brow_r');
    assert.equal(mirroredName('bow'), 'bow mirrored');
});

test('turns add up past half a turn about one axis, and combine about two', () => {
    const quarter = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
    let turn = [0, 0, 0];
    for (let k = 0; k < 3; ++k) turn = turnedBy(turn, quarter);
    assert.deepEqual(turn.map(Math.round), [0, 270, 0]);
    const both = turnedBy([0, 90, 0], new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2));
    assert.ok(Math.abs(Math.hypot(...both) - 120) < 0.01, String(both));
});

test('deformers go along the longest axis, change and go', () => {
    for (const kind of deformerKinds) {
        const [one] = deformersOf({ deform: [newDeformer(kind, new Vector3(1, 3, 2))] });
        assert.equal(one.axis, 'y');
        assert.equal(one.value, kind.first);
        assert.notEqual(one.towards, one.axis);
    }
    const more = withDeformer(twist, 0, { degrees: 45 });
    assert.equal(deformersOf(more)[0].value, 45);
    assert.equal('deform' in withDeformer(twist, 0, null), false);
    assert.equal(beforeHandles({ name: 'x', handles: [] }), null);
    assert.deepEqual(beforeHandles({ ...twist, handles: [], touches: [] }), twist);
    assert.equal(originOf({ name: 'x', surface: 'a/face.glb', shape: 'smile', handles: [{}, {}], touches: [{}, {}] }), 'face.glb, smile · 2 handles · 2 touches');
});

test('bodies that can have no poses say why', () => {
    assert.equal(refusal(plain(), 'bar'), null);
    assert.match(refusal({ bodies: [{ name: 'bar', fem: {} }] }, 'bar')!, /finite elements/);
    assert.match(refusal({ bodies: [{ name: 'bar', rigid: {} }] }, 'bar')!, /rigid/);
    assert.match(refusal(plain(), 'nobody')!, /Choose/);
});

test('loads are told in words, and applied by handles at both ends that let go again', () => {
    const loads = [{ load: 'squeeze along y', weights: [0.4, 0] }, { load: 'stretch along y', weights: [-0.5, 0] }, { load: 'twist about y', weights: [0.2, 0] }];
    assert.equal(loadWords(loads, 0), 'Awakened by a squeeze along y and a twist about y; a stretch along y works against it.');
    assert.match(loadWords(loads, 1), /^No squeeze/);
    assert.equal(bestLoad(loads, 0)!.load, 'squeeze along y');
    assert.equal(bestLoad(loads, 1), null);
    const body = { size: new Vector3(1, 2, 1), center: new Vector3(), turn: new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), Math.PI / 2), scale: 0.5 };
    const [foot, head] = loadHandles('squeeze along y', body).map(({ path }) => ((path as JsonObject[])[1].move as number[]).map((x) => Number(x.toFixed(6)) || 0));
    // The body lies on its side: its y is the scene's -x.
    assert.deepEqual([foot, head], [[-0.14, 0, 0], [0.14, 0, 0]]);
    const done = followed(plain(), applyLoad(plain(), 'bar', 'twist about y', { ...body, turn: new Quaternion(), scale: 1 })!);
    const handles = (done.bodies as JsonObject[])[0].handles as JsonObject[];
    assert.deepEqual(handles.map(({ path }) => ((path as JsonObject[])[1].turn as JsonObject).degrees), [-60, 60]);
});
