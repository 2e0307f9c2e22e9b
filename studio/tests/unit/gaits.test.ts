// Gaits: blends of charts, and a beat that goes on whatever the periods.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BeatFollower, cyclesAt, frequencyAt, gaitNames, gaitPath, keyJson, readKeys, renamedGait, weightsAt, withGaitKey, withoutGait } from '../../src/scene_editing/gaits';
import type { JsonObject } from '../../src/scene_editing/schema';

const layer = (gait: JsonObject[] = []): JsonObject => ({ charts: { period: 2 }, gaits: [{ name: 'flee', charts: { period: 0.5 } }, { name: 'rest', charts: { period: 4 } }], gait });

test('the first gait is the layer itself', () => {
    assert.deepEqual(gaitNames(layer()), ['main', 'flee', 'rest']);
    assert.deepEqual(gaitPath(layer(), 'main'), []);
    assert.deepEqual(gaitPath(layer(), 'rest'), ['gaits', 1]);
    assert.deepEqual(weightsAt(layer(), 3), [1, 0, 0]);
});

test('weights are straight lines between keys and hold beyond them', () => {
    const keyed = layer([{ time: 1 }, { time: 3, name: 'flee' }, { time: 4, name: 'flee', to: 'rest', share: 0.25 }]);
    assert.deepEqual(weightsAt(keyed, 0), [1, 0, 0]);
    assert.deepEqual(weightsAt(keyed, 2), [0.5, 0.5, 0]);
    assert.deepEqual(weightsAt(keyed, 9), [0, 0.75, 0.25]);
});

test('beats are the integral of the frequency', () => {
    const keyed = layer([{ time: 1 }, { time: 3, name: 'flee' }]), step = 1e-3;
    let sum = 0;
    for (let k = 0; k < 5000; ++k) sum += step * frequencyAt(keyed, (k + 0.5) * step);
    assert.ok(Math.abs(cyclesAt(keyed, 5) - sum) < 1e-9, `${cyclesAt(keyed, 5)} against ${sum}`);
    assert.equal(cyclesAt(keyed, -2), -1);
});

test('a period that changes under way lets the beat go on, and a start begins it anew', () => {
    const beat = new BeatFollower(), slow = layer(), fast: JsonObject = { ...layer(), charts: { period: 0.7 } };
    beat.follow('bar 0', slow, 0);
    beat.follow('bar 0', slow, 3.3);
    const before = beat.at(3.3);
    beat.follow('bar 0', fast, 3.3);
    assert.ok(Math.abs(beat.at(3.3) - before) < 1e-9);
    assert.ok(Math.abs(beat.at(3.3 + 0.7) - before) < 1e-9);
    beat.at(0);
    assert.ok(Math.abs(beat.at(0.35) - 0.5) < 1e-9);
});

test('keys stay in order, one for a time, and say no more than they must', () => {
    const keys = withGaitKey([{ time: 0, name: 'main' }, { time: 2, name: 'flee' }], { time: 1, name: 'main', to: 'flee', share: 0.5 });
    assert.deepEqual(keys.map(({ time }) => time), [0, 1, 2]);
    assert.equal(withGaitKey(keys, { time: 1, name: 'rest' }).length, 3);
    assert.deepEqual(keyJson({ time: 0, name: 'main', to: 'flee', share: 0 }), { name: 'main' });
    assert.deepEqual(keyJson({ time: 2, name: 'main', to: 'flee', share: 1 }), { time: 2, name: 'flee' });
});

test('a gait that goes or gets another name takes its keys along', () => {
    const keyed = layer([{ time: 0, name: 'rest' }, { time: 3, name: 'flee', to: 'rest', share: 0.5 }]);
    assert.deepEqual(readKeys(withoutGait(keyed, 'rest')), [{ time: 0, name: 'main' }, { time: 3, name: 'flee', to: 'main', share: 0.5 }]);
    assert.deepEqual(gaitNames(renamedGait(keyed, 'rest', 'sleep')), ['main', 'flee', 'sleep']);
    assert.equal(readKeys(renamedGait(keyed, 'rest', 'sleep'))[1].to, 'sleep');
});
