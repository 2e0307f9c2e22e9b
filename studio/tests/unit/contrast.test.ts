// Words can be read: every color of text on every surface, in both themes, by the formula of WCAG 2.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const css = readFileSync('src/style.css', 'utf8');
const block = (selector: string) => Object.fromEntries([...css.slice(css.indexOf(selector)).split('}')[0].matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [name, color]));
const light = block(':root {'), dark = { ...light, ...block(':root[data-theme="dark"]') };

function luminance(color: string): number {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
    const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

test('text has a contrast of 4.5 at least on every surface, and edges of buttons 3', () => {
    assert.ok(Math.abs(contrast('#ffffff', '#000000') - 21) < 1e-9);
    for (const [theme, colors] of Object.entries({ light, dark })) {
        const pairs = ['ink', 'soft', 'accent', 'warn', 'bad', 'good'].flatMap((text) => ['panel', 'raised', 'back', 'accent-soft'].map((on) => [text, on]));
        for (const [text, on] of [...pairs, ['accent-ink', 'accent'], ['bad-ink', 'bad']]) {
            const found = contrast(colors[text], colors[on]);
            assert.ok(found >= 4.5, `${theme}: ${text} on ${on} has ${found.toFixed(2)}`);
        }
        assert.ok(contrast(colors.edge, colors.panel) >= 3, theme);
    }
});
