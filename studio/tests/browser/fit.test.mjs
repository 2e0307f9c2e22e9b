// Muscles from a motion, with the real pointer: a worm is recorded, its charts are flattened, and Fit finds them again from
// the take, and from a file that is let go over the page.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { content, idle, letGo, openScene, page, pageErrors, scenes, send, step, toStart, toastWith, until } from './harness.mjs';

const period = 0.5, keys = [[0, 1], [0.1, 0.8], [0.2, 0.8], [0.35, 1]];
writeFileSync(join(scenes, 'q_fit.json'), JSON.stringify({
    yawara: 1, title: 'A worm to be found', camera: { eye: [0, 1, 6], target: [0, 0.3, 0] }, step: { substeps: 2, gravity: [0, 0, 0] },
    bodies: [{
        name: 'worm', solid: { bar: { size: [1.2, 0.3, 0.3], cells: [12, 2, 2] } },
        matching: { passes: 8, region_damping: 0.1, stretch: [{ active: { fields: { direction: [1, 0, 0], phase: '0.5 + x / 1.2' }, speed: 2.5, charts: { period, d1: { keys, smooth: true } } } }] },
    }, { name: 'stone', solid: { bar: { size: [0.2, 0.2, 0.2], cells: [2, 2, 2] } }, place: { translate: [0, 0, 2] } }],
}));

const active = async () => (await content()).bodies[0].matching.stretch[0].active;
/** Values of the first chart over a period, as straight lines between its keys: root mean square of the difference, as a share of the range. */
function chartError(found, shift) {
    const at = (list, time) => {
        const t = ((time % period) + period) % period, sorted = [...list].sort((a, b) => a[0] - b[0]);
        const after = sorted.findIndex(([s]) => s > t), b = sorted[after < 0 ? 0 : after], a = sorted[(after < 0 ? sorted.length : after || sorted.length) - 1];
        const start = a[0] <= t ? a[0] : a[0] - period, end = b[0] > t ? b[0] : b[0] + period;
        return a[1] + (b[1] - a[1]) * (t - start) / (end - start);
    };
    let sum = 0;
    for (let k = 0; k < 100; ++k) sum += (at(found, period * k / 100 + shift) - at(keys, period * k / 100)) ** 2 / 100;
    return Math.sqrt(sum) / 0.2;
}
/** A beat that begins later with places that are less late is the same motion: the best shift counts. */
const leastError = (found) => Math.min(...Array.from({ length: 100 }, (_, k) => chartError(found, period * k / 100)));
const fitted = (count) => until((n) => (window.heardCount.fitted ?? 0) >= n, count);

test('a take that was recorded gives the charts back that made it, in one step of undo', async () => {
    await openScene('q_fit');
    await page.click('[data-desk=muscles]');
    await page.locator('.fit-panel').waitFor();
    await toStart();
    await step(90);  // three periods
    await page.selectOption('[aria-label="Shape of along the fibres"]', 'rest');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === 0);
    await idle();
    const before = JSON.stringify(await content());
    await page.click('.fit-panel button:text-is("Fit the take")');
    await fitted(1);
    await idle();
    const { charts, fields, speed } = await active();
    assert.ok(leastError(charts.d1.keys) < 0.05, `${leastError(charts.d1.keys)} ${JSON.stringify(charts)}`);
    assert.ok(Math.abs(speed - 2.5) < 0.05 * 2.5, `the wave takes 1 / 2.5 s: ${speed} ${fields.phase}`);
    const said = await toastWith('explains');
    assert.ok(Number(said.match(/explains (\d+) %/)[1]) >= 95, said);
    assert.equal(await page.locator('.fit-result').textContent(), said.replace(/^.*?: /, ''));
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
});

test('a clip that is let go over the page does the same', async () => {
    await page.keyboard.press('Control+z');  // the charts that made the motion
    await until((n) => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === n, keys.length);
    await idle();
    const before = JSON.stringify(await content());
    await toStart();
    await step(90);
    const [download] = await Promise.all([page.waitForEvent('download'), send({ type: 'export', document: await page.evaluate(() => window.studio.app.document.id), format: 'ywc' })]);
    const bytes = readFileSync(await download.path());
    await letGo('crawl.ywc', [...bytes]);
    await fitted(2);
    await idle();
    const { charts } = await active();
    assert.ok(leastError(charts.d1.keys) < 0.05, `${leastError(charts.d1.keys)} ${JSON.stringify(charts)}`);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
});

test('a fit is cancelled, and what cannot be fitted is told in words', async () => {
    await idle();
    const before = JSON.stringify(await content());
    const wasCancelled = () => page.evaluate(() => window.toasts.some((t) => t.includes('The fit was cancelled')));
    // At once, and again if this one was found, or refused, before the engine heard of the second click.
    for (let tries = 0; tries < 20 && !(await wasCancelled()); ++tries) {
        const said = await page.evaluate(() => window.toasts.length);  // a fit that was found says so, too
        await page.evaluate(() => {
            [...document.querySelectorAll('.fit-panel button')].find(({ textContent }) => textContent === 'Fit the take').click();
            document.querySelector('.progress button').click();
        });
        await until((n) => window.toasts.length > n, said);
        await idle();
        if (JSON.stringify(await content()) === before) continue;  // it was cancelled, or found what was there
        await page.locator('.view canvas').focus();
        await page.keyboard.press('Control+z');
        await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
    }
    await toastWith('The fit was cancelled');
    await letGo('other.pc2', [...Buffer.from('POINTCACHE2\0'), ...new Uint8Array(new Int32Array([1, 1]).buffer), ...new Uint8Array(new Float32Array([0, 1]).buffer), ...new Uint8Array(new Int32Array([1]).buffer), ...new Uint8Array(12)]);
    await toastWith('it is the motion of another body');
    await toStart();
    await page.click('.fit-panel button:text-is("Fit the take")');
    await toastWith('the take has a single frame');
    await page.click('.fit-panel button:text-is("Fit this pose")');
    await toastWith('does not move');
    await page.evaluate(() => window.studio.app.select('stone'));
    await letGo('crawl.ywc', [0]);
    await toastWith('has no muscles');
    assert.equal(JSON.stringify(await content()), before);
    assert.deepEqual(pageErrors, []);
});
