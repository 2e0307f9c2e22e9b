// Strokes: what a hand does to them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dragged, extended, hasWay, mirrored, reversed, smoothed } from '../../src/painting/strokes';

const line = Array.from({ length: 9 }, (_, k) => [k, 0, 0]);

test('a dragged point arrives, its neighbours follow ever less, and far ones stay', () => {
    const bent = dragged(line, 4, [4, 1, 0]);
    assert.deepEqual(bent[4], [4, 1, 0]);
    assert.ok(bent[3][1] < 1 && bent[3][1] > bent[2][1] && bent[3][1] === bent[5][1]);
    assert.deepEqual([bent[0], bent[8]], [line[0], line[8]]);
});

test('smoothing keeps the ends and a straight line, and takes a kink down', () => {
    assert.deepEqual(smoothed(line), line);
    const kinked = line.map((p, k) => (k === 4 ? [4, 1, 0] : p)), smooth = smoothed(kinked);
    assert.ok(smooth[4][1] < 0.5);
    assert.deepEqual([smooth[0], smooth[8]], [line[0], line[8]]);
});

test('mirrored twice and reversed twice is the same; the middle plane stays', () => {
    assert.deepEqual(mirrored(mirrored(line, 0, 1.5), 0, 1.5), line);
    assert.deepEqual(mirrored(line, 1, 0), line.map(([x]) => [x, 0, 0]));
    assert.deepEqual(mirrored([[2, 5, 7]], 0, 1.5), [[1, 5, 7]]);
    assert.deepEqual(reversed(reversed(line)), line);
});

test('a stroke goes on from the end that is nearer', () => {
    assert.deepEqual(extended(line, [[8.1, 0, 0], [9, 0, 0]]).slice(-2), [[8.1, 0, 0], [9, 0, 0]]);
    assert.deepEqual(extended(line, [[-0.1, 0, 0], [-1, 0, 0]]).slice(0, 3), [[-1, 0, 0], [-0.1, 0, 0], [0, 0, 0]]);
});

test('one point, or several at one place, have no way', () => {
    assert.equal(hasWay([[1, 1, 1]], 1), false);
    assert.equal(hasWay([[1, 1, 1], [1, 1, 1]], 1), false);
    assert.equal(hasWay(line, 1), true);
});
