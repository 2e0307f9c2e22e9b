// Watching muscles with the real pointer: curves of a place that is clicked, colours, and warnings that show their place.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clickOn, content, idle, openScene, page, pageErrors, pixelOf, scenes, step, toStart, until } from './harness.mjs';

writeFileSync(join(scenes, 's_watched.json'), JSON.stringify({
    yawara: 1, title: 'A snake of two cells', camera: { eye: [0, 1, 6], target: [0, 0.3, 0] }, step: { gravity: [0, 0, 0] },
    bodies: [{
        name: 'bar', solid: { bar: { size: [2, 0.4, 0.4], cells: [20, 2, 2] } },
        matching: { passes: 8, stretch: [{ active: { fields: { direction: [1, 0, 0], amplitude: '(y - 0.2) / 0.2', phase: '0.5 + x / 2' }, charts: { period: 0.5, d1: { keys: [[0, 1.2], [0.25, 0.8]], smooth: true } }, speed: 1 } }] },
    }],
}));

test('a place that is clicked is followed by two curves, asked and achieved, and so are the wave and the advance', async () => {
    await openScene('s_watched');
    await page.click('[data-desk=muscles]');
    await page.click('.muscles-desk [data-tab=muscle-watch]');
    await toStart();
    const at = await pixelOf([0.1, 0.3, 0.2]);
    await clickOn(at);
    await until(() => window.studio.app.document.content.measures?.length === 2);
    const [asked, achieved] = (await content()).measures;
    assert.deepEqual([asked.what, achieved.what], ['asked', 'fiber']);
    assert.ok(Math.abs(asked.at[0] - 0.1) < 0.03 && Math.abs(asked.at[1] - 0.3) < 0.03, JSON.stringify(asked));
    await page.click('.watch-panel [data-measure=wave]');
    await page.click('.watch-panel [data-measure=advance]');
    await until(() => window.studio.app.document.content.measures.length === 4);
    await idle();
    await toStart();
    await step(90);
    await page.locator('.measures :text("Speed of the wave (m/s)")').waitFor();
    assert.equal(await page.locator('.measures :text("Stretch at place 1 (1)")').count(), 1, 'both curves are in one plot');
});

test('colours show what is achieved, asked and missed', async () => {
    for (const name of ['asked', 'shortfall', 'fiber']) {
        await page.click(`.watch-panel [data-colour=${name}]`);
        await until((n) => window.studio.app.look.color === n, name);
        assert.equal(await page.getAttribute(`.watch-panel [data-colour=${name}]`, 'aria-pressed'), 'true');
    }
});

test('a warning about a bend over two cells shows its place', async () => {
    const warnings = await page.evaluate(() => window.studio.app.document.warnings);
    assert.equal(warnings.filter((text) => text.includes('changes sign within') && text.includes('near (')).length, 1, JSON.stringify(warnings));
    const before = await page.evaluate(() => window.studio.app.viewport.view.asCamera().target);
    await page.click('.warnings summary');
    await page.locator('.warnings .show-place').first().click();
    await until((target) => window.studio.app.viewport.view.asCamera().target.some((x, k) => Math.abs(x - target[k]) > 0.05), before);
    assert.deepEqual(pageErrors, []);
});
