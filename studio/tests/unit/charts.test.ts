// Charts: the curve that is drawn, the keys a hand moves, presets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chart, chartJson, chartValue, directionValue, firstLayer, muscleLayers, preset, presetNames, readCharts, rescaled, withKey, withMovedKeys, withoutKeys } from '../../src/scene_editing/charts';

const pulse: Chart = { keys: [[0, 1], [0.25, 0.5], [0.4, 0.5], [0.65, 1]], smooth: true };

test('a chart goes through its keys, begins again after its period, and stays between neighbouring keys', () => {
    for (const smooth of [false, true]) {
        const chart = { ...pulse, smooth };
        for (const [time, value] of chart.keys) for (const later of [-1.6, 0, 1.6, 16]) assert.ok(Math.abs(chartValue(chart, 1.6, 2, time + later) - value) < 1e-9);
        for (let t = 0; t < 1.6; t += 0.01) {
            const value = chartValue(chart, 1.6, 2, t);
            assert.ok(value > 0.5 - 1e-9 && value < 1 + 1e-9, `${value} at ${t}`);
            assert.ok(Math.abs(chartValue(chart, 1.6, 2, t + 3.2) - value) < 1e-9);
        }
    }
});

test('straight lines are straight between the logarithms, also across the end of the period', () => {
    const chart: Chart = { keys: [[0.2, 0.5], [0.8, 2]], smooth: false };
    assert.ok(Math.abs(chartValue(chart, 1, 2, 0.5) - 1) < 1e-12);
    assert.ok(Math.abs(chartValue(chart, 1, 2, 0) - 1) < 1e-12);
    assert.ok(Math.abs(chartValue(chart, 1, 2, 0.9) - Math.SQRT2) < 1e-12);
});

test('values are held to the limit, no keys are 1, one key is constant', () => {
    assert.equal(chartValue({ keys: [[0, 0.1]], smooth: false }, 1, 2, 0.3), 0.5);
    assert.equal(chartValue({ keys: [], smooth: false }, 1, 2, 0.3), 1);
});

test('the volume is kept if the charts are to', () => {
    const all = readCharts({ period: 1.6, d1: { keys: pulse.keys, smooth: true }, d2: { keys: [[0, 2]] }, preserve_volume: true });
    for (const t of [0, 0.1, 0.3, 1]) assert.ok(Math.abs(directionValue(all, 'd1', t) * directionValue(all, 'd2', t) * directionValue(all, 'd3', t) - 1) < 1e-12);
});

test('a key can be added between others, but not where one is, nor at the seam of the period', () => {
    assert.equal(withKey(pulse, 1.6, 0.25, 0.9), null);
    assert.equal(withKey(pulse, 1.6, 1.6, 0.9), null);
    assert.deepEqual(withKey(pulse, 1.6, 1.2 + 1.6, 0.9)!.keys[4].map((x) => Number(x.toFixed(6))), [1.2, 0.9]);
});

test('keys move together, and neither past others nor beyond the limit or the period', () => {
    const moved = withMovedKeys(pulse, 1.6, 2, new Set([1, 2]), { time: 0.1, factor: 1.5 });
    assert.deepEqual(moved.keys.map(([t]) => Number(t.toFixed(6))), [0, 0.35, 0.5, 0.65]);
    assert.deepEqual(moved.keys.map(([, v]) => v), [1, 0.75, 0.75, 1]);
    const far = withMovedKeys(pulse, 1.6, 2, new Set([1, 2]), { time: 9, factor: 0.01 });
    assert.ok(far.keys[2][0] < 0.65 && far.keys[2][0] > 0.63);
    assert.deepEqual(far.keys.slice(1, 3).map(([, v]) => v), [0.5, 0.5]);
    assert.ok(withMovedKeys(pulse, 1.6, 2, new Set([3]), { time: 9, factor: 1 }).keys[3][0] < 1.6);
    assert.equal(withMovedKeys(pulse, 1.6, 2, new Set([0]), { time: -9, factor: 1 }).keys[0][0], 0);
});

test('keys are taken out, and keep their shares of another period', () => {
    assert.deepEqual(withoutKeys(pulse, new Set([0, 3])).keys, [[0.25, 0.5], [0.4, 0.5]]);
    assert.deepEqual(rescaled(pulse, 1.6, 0.8).keys.map(([t]) => Number(t.toFixed(9))), [0, 0.125, 0.2, 0.325]);
});

test('every preset but rest contracts to what is asked for, and never elongates', () => {
    for (const [id] of presetNames) {
        const chart = preset(id, 2, 0.6), values = Array.from({ length: 400 }, (_, k) => chartValue(chart, 2, 2, k / 200));
        assert.ok(Math.max(...values) < 1 + 1e-9, id);
        assert.ok(Math.abs(Math.min(...values) - (id === 'rest' ? 1 : 0.6)) < 0.01, id);
    }
});

test('a document is read, written and given a first layer', () => {
    assert.deepEqual(chartJson(readCharts({ d1: { keys: pulse.keys, smooth: true } as never }).charts.d1), { keys: pulse.keys, smooth: true });
    assert.deepEqual(readCharts(undefined).charts.d2, { keys: [], smooth: false });
    const layer = firstLayer(2);
    assert.deepEqual(muscleLayers({ matching: { stretch: [{ examples: {} }, layer] } } as never), [1]);
    assert.deepEqual(muscleLayers({ matching: {} }), []);
    assert.deepEqual(muscleLayers(null), []);
});
