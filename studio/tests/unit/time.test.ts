// Takes, measures over time, and the frames of a film.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filmedFrames } from '../../src/exporting/film';
import { whenInWords } from '../../src/panels/recent';
import type { ServerStatus, Take } from '../../src/protocol/messages';
import { MeasureTable, curve, ticksOf } from '../../src/state/measure_table';
import { aboutTake, canGoOn, comparedNames, playWords, shownTake } from '../../src/state/takes';

const take = (id: number, more: Partial<Take> = {}): Take => ({ id, name: `Take ${id}`, first: 0, last: 120, bytes: 1, kept: false, shown: false, ...more });
const status = (more: Partial<ServerStatus>): ServerStatus => ({ type: 'status', playing: false, speed: 1, frame: 0, first: 0, last: 0, time: 0, frame_time: 1 / 60, comparing: false, threads: 0, hold: [], take: 1, replaying: false, pages: 1, ...more });

test('when a document was left is told as people say it', () => {
    const now = new Date(2026, 10, 17, 18, 30);
    assert.equal(whenInWords('2026-11-17 10:00:52', now), 'today at 10:00');
    assert.equal(whenInWords('2026-11-16 23:59:59', now), 'yesterday at 23:59');
    assert.equal(whenInWords('2026-10-01 10:00:00', now), '1 October 2026');
    assert.equal(whenInWords('long ago', now), 'long ago');
});

test('a take is told with its length, and the one on the timeline is known', () => {
    assert.equal(aboutTake(take(1), 1 / 60), '2.0 s');
    assert.equal(aboutTake(take(1, { first: 60, kept: true }), 1 / 60), '1.0 s, kept');
    assert.equal(shownTake([take(1), take(2, { shown: true })])?.id, 2);
});

test('the halves of a comparison are named by their takes, or by time where there is one take only', () => {
    const takes = [take(1), take(2, { shown: true }), take(3, { name: 'Soft' })];
    assert.deepEqual(comparedNames(takes, 3), ['Take 2', 'Soft']);
    assert.deepEqual(comparedNames(takes, undefined), ['Now', 'Before']);
});

test('going on from here is offered before the end of a take alone, and play says that it replays', () => {
    assert.ok(!canGoOn(status({ frame: 120, last: 120 })));
    assert.ok(canGoOn(status({ frame: 3, last: 120 })));
    assert.ok(!canGoOn(status({ frame: 3, last: 120, playing: true })));
    assert.equal(playWords(status({ frame: 120, last: 120 })), 'Play');
    assert.match(playWords(status({ frame: 3, last: 120 })), /^Replay/);
    assert.equal(playWords(status({ playing: true })), 'Pause');
});

test('rows of measures follow one another in time, whatever is told twice or again', () => {
    const table = new MeasureTable(), names = [{ name: 'a', label: 'm' }, { name: 'b', label: 'm' }];
    table.add({ restart: true, names, rows: [[0, 1, null], [0.1, 2, 5], [0.2, 3, 6]] });
    table.add({ restart: false, names, rows: [[0.1, 9, 5], [0.2, 8, 4]] });
    assert.deepEqual(table.rows, [[0, 1, null], [0.1, 9, 5], [0.2, 8, 4]]);
    assert.deepEqual(table.span, { from: 0, to: 0.2 });
    assert.equal(table.valueAt(0, 0.15), 9);
    assert.equal(table.valueAt(0, 5), 8);
    assert.ok(Number.isNaN(table.valueAt(1, 0.05)));
    const [low, high] = table.range([0, 1]);
    assert.ok(low < 1 && high > 9);
    table.add({ restart: true, names, rows: [] });
    assert.deepEqual(table.rows, []);
});

test('a curve of many rows keeps its peaks, and is cut where a value is missing', () => {
    const rows = Array.from({ length: 10000 }, (_, k) => [k, k === 5003 ? 100 : 0]);
    const path = curve(rows, 0, (t) => t / 100, (v) => v, 100);
    assert.ok(path.length < 5000, 'no more points than pixels can show');
    assert.match(path, / 100\.0/);
    assert.equal(curve([[0, 1], [1, null], [2, 3]], 0, (t) => t, (v) => v, 100), 'M0.0 1.0M2.0 3.0');
});

test('ticks are round numbers inside the range', () => {
    for (const [low, high] of [[0, 1], [-0.013, 0.4], [1e5, 3e5], [0.1234, 0.1238]]) {
        const ticks = ticksOf(low, high);
        assert.ok(ticks.length >= 1 && ticks.length <= 6, `${low} ${high}: ${ticks}`);
        assert.ok(ticks.every((t) => t >= low && t <= high + 1e-12));
    }
});

test('a film runs in real time, whatever the step of the simulation, and shows both ends', () => {
    assert.deepEqual(filmedFrames({ first: 0, last: 6, rate: 30 }, 1 / 60), [0, 2, 4, 6]);
    assert.deepEqual(filmedFrames({ first: 10, last: 12, rate: 30 }, 1 / 30), [10, 11, 12]);
    assert.equal(filmedFrames({ first: 0, last: 100, rate: 20 }, 0.01).length, 21);
    assert.deepEqual(filmedFrames({ first: 5, last: 5, rate: 30 }, 1 / 60), [5]);
});
