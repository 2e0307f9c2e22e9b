// The Poses desk for everybody: axe-core on its cards, tools and what awakens poses, and on the form of a body's inside; light and dark.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawn, idle, openScene, page, pageErrors, pause, scenes, until } from './harness.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
writeFileSync(join(scenes, 'q_posed.json'), JSON.stringify({
    yawara: 1, title: 'A bar with two poses', obstacles: [{ plane: {} }],
    bodies: [{
        name: 'bar', solid: { bar: { size: [0.5, 1.4, 0.5], cells: [3, 8, 3] } }, masses: 'uniform', place: { translate: [0, 1, 0] },
        matching: { alpha: 1, examples: { poses: [{ name: 'twist', deform: [{ twist: { axis: 'y', degrees: 60 } }] }, { name: 'bend', deform: [{ bend: { axis: 'y', degrees: 40 } }] }] } },
        look: { inside: { layers: [{ thickness: 0.05, color: '#ffffff' }], grain: { kind: 'rings', color: '#803010' } } },
    }],
}));

const barriers = (where) => page.evaluate((part) => window.axe.run(part, { resultTypes: ['violations'] })
    .then(({ violations }) => violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')})`)), where);

async function inTheme(theme) {
    await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
    await until((t) => window.studio.app.look.dark === (t === 'dark'), theme);
    await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
}

test('axe finds no barrier on the cards and tools of the Poses desk', async () => {
    await openScene('q_posed');
    await pause();
    await idle();
    await page.click('[data-desk=poses]');
    await page.evaluate(axe);
    const tabs = await page.locator('.poses-desk [data-tab]').evaluateAll((all) => all.map((tab) => tab.dataset.tab));
    assert.ok(tabs.length >= 5, tabs.join(' '));
    for (const theme of ['light', 'dark']) {
        await inTheme(theme);
        for (const tab of tabs) {
            await page.click(`.poses-desk [data-tab=${tab}]`);
            await drawn();
            assert.deepEqual(await barriers('.poses-desk'), [], `${tab}, ${theme}`);
        }
    }
    assert.deepEqual(pageErrors, []);
});

test('axe finds no barrier in the form of what a cut shows', async () => {
    await page.click('[data-desk=poses]');  // closes the desk: the panel has the form
    for (const path of ['/bodies/@bar/look', '/bodies/@bar/look/inside', '/bodies/@bar/look/inside/layers', '/bodies/@bar/look/inside/grain']) {
        const head = page.locator(`.tune .group[data-path="${path}"] > .head .disclosure`);
        await head.waitFor();
        if (await head.getAttribute('aria-expanded') === 'false') await head.click();
    }
    for (const theme of ['light', 'dark']) {
        await inTheme(theme);
        assert.deepEqual(await barriers('.side'), [], theme);
    }
});
