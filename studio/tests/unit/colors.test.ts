// Colour maps: their ends, their meaning, and round numbers for a range.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colorMapNames, colorTable, gradientOf, roundUp } from '../../src/viewport/color_maps';
import { brief, withCommas } from '../../src/dom';

test('in coolwarm red is contraction and blue is elongation', () => {
    const table = colorTable('coolwarm');
    assert.ok(table[0] > table[2], 'low is red');
    assert.ok(table[4 * 255 + 2] > table[4 * 255], 'high is blue');
    const middle = [...table.slice(4 * 127, 4 * 127 + 3)];
    assert.ok(Math.max(...middle) - Math.min(...middle) < 12, 'the middle is grey');
});

test('viridis and cividis grow lighter all the way', () => {
    for (const name of ['viridis', 'cividis']) {
        const table = colorTable(name);
        const light = (k: number) => 0.2126 * table[4 * k] + 0.7152 * table[4 * k + 1] + 0.0722 * table[4 * k + 2];
        for (let k = 8; k < 256; k += 8) assert.ok(light(k) > light(k - 8), `${name} at ${k}`);
    }
    for (const name of colorMapNames) assert.match(gradientOf(name), /^linear-gradient/);
});

test('no colour is so dark that shading could not be seen on it', () => {
    const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    for (const name of colorMapNames) {
        const table = colorTable(name);
        for (let k = 0; k < 256; ++k) assert.ok(0.2126 * linear(table[4 * k] / 255) + 0.7152 * linear(table[4 * k + 1] / 255) + 0.0722 * linear(table[4 * k + 2] / 255) > 0.04, `${name} at ${k}`);
    }
});

test('ranges end at round numbers that are not too small', () => {
    for (const x of [0.0031, 0.9, 1, 1.01, 7.3, 950, 12345]) assert.ok(roundUp(x) >= x * 0.999 && roundUp(x) <= 2 * x, String(x));
    assert.equal(roundUp(0), 1);
    assert.equal(roundUp(NaN), 1);
});

test('numbers are told in a person’s length', () => {
    assert.equal(brief(0.123456), '0.123');
    assert.equal(brief(1000), '1000');
    assert.equal(brief(2e7), '2e7');
    assert.equal(brief(0), '0');
    assert.equal(withCommas(1234567), '1,234,567');
});
