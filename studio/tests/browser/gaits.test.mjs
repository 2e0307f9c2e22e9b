// Layers and gaits of the Muscles desk with the real pointer: layers are added, named, weakened, switched off and taken away;
// a second set of charts is blended in by a slider and by keys.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { content, idle, openScene, page, pageErrors, scenes, step, toStart, until } from './harness.mjs';

writeFileSync(join(scenes, 'p_gaits.json'), JSON.stringify({
    yawara: 1, title: 'A bar with muscles', camera: { eye: [0, 1, 6], target: [0, 0.3, 0] }, obstacles: [{ plane: {} }],
    bodies: [{
        name: 'bar', solid: { bar: { size: [2, 0.4, 0.4], cells: [10, 2, 2] } },
        matching: { passes: 6, stretch: [{ active: { fields: { direction: [1, 0, 0] }, charts: { period: 1, d1: { keys: [[0, 1], [0.5, 0.7]] } } } }] },
    }],
}));

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const layers = async () => (await content()).bodies[0].matching.stretch;
/** How far the bar's length changes in some frames. */
async function swing(frames) {
    const found = [];
    for (let k = 0; k < frames / 5; ++k) {
        await step(5);
        found.push(await page.evaluate(() => {
            const xs = window.studio.app.viewport.bodyViews()[0].positions.filter((_, i) => i % 3 === 0);
            return Math.max(...xs) - Math.min(...xs);
        }));
    }
    return Math.max(...found) - Math.min(...found);
}
const type = async (label, text) => {
    await page.fill(`.muscles-desk [aria-label="${label}"]`, text);
    await page.keyboard.press('Enter');
};
/** Takes a slider by its thumb to a share of its way. */
async function slide(label, share) {
    const slider = page.locator(`.muscles-desk [aria-label="${label}"]`);
    await slider.scrollIntoViewIfNeeded();
    const box = await slider.boundingBox();
    await page.mouse.click(box.x + 8 + share * (box.width - 16), box.y + box.height / 2);
}

test('a layer is weakened and switched off while it runs, and the body hears it', async () => {
    await openScene('p_gaits');
    await page.click('[data-desk=muscles]');
    await page.locator('.muscle-layers li').first().waitFor();
    await toStart();
    const full = await swing(120);
    assert.ok(full > 0.3, String(full));
    await slide('Strength of layer 1', 0.25);
    await until(() => Math.abs(window.studio.app.document.content.bodies[0].matching.stretch[0].strength - 0.5) < 0.11);
    await idle();
    const half = await swing(120);
    assert.ok(half < 0.75 * full && half > 0.2 * full, `${half} of ${full}`);
    await page.uncheck('[aria-label="layer 1 acts"]');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].on === false);
    await step(200);
    assert.ok(await swing(60) < 0.1 * full);
});

test('a second layer is added, named, edited, moved and taken away', async () => {
    await page.click('[aria-label="Add a muscle layer"]');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch.length === 2);
    await type('Name of layer 2', 'breathing');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[1].name === 'breathing');
    await page.check('[aria-label="Edit layer 2"]');
    await type('Period', '3');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[1].active.charts.period === 3);
    assert.equal((await layers())[0].active.charts.period, 1);
    await page.click('[aria-label="Move layer 1 down"]');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].name === 'breathing');
    assert.equal(await page.isChecked('[aria-label="Edit layer 1"]'), true, 'the edited layer is the one it was');
    await page.click('[aria-label="Remove layer 1"]');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch.length === 1);
    await page.check('[aria-label="layer 1 acts"]');
    await slide('Strength of layer 1', 0.5);
    await idle();
});

test('a gait is a copy of the charts with a name; the slider goes from one to the other', async () => {
    await page.click('[aria-label="Add a gait: a copy of these charts"]');
    await page.locator('[data-gait=walk][aria-checked=true]').waitFor();
    await type('Name of the gait', 'rest');
    await page.locator('[data-gait=rest][aria-checked=true]').waitFor();
    await page.selectOption('[aria-label="Shape of along the fibres"]', 'rest');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gaits[0].charts.d1.keys.length === 0);
    assert.equal((await layers())[0].active.charts.d1.keys.length, 2, 'the charts of the other gait stay');
    await toStart();
    const awake = await swing(120);
    assert.ok(awake > 0.3, String(awake));
    await page.selectOption('[aria-label="Blend to"]', 'rest');
    await slide('Blend of the two gaits', 1);
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gait?.[0].name === 'rest');
    await step(200);
    assert.ok(await swing(60) < 0.1 * awake, 'it rests');
});

test('keys change the gait over time; each is listed and can be taken away', async () => {
    await toStart();
    await slide('Blend of the two gaits', 0);
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gait[0].name === 'main');
    await step(60);
    await page.click('button:text-is("Set a key now")');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gait.length === 2);
    await step(30);
    await slide('Blend of the two gaits', 1);
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gait.length === 3);
    const keys = (await layers())[0].active.gait;
    assert.deepEqual(keys.map(({ name }) => name), ['main', 'main', 'rest'], JSON.stringify(keys));
    assert.ok(Math.abs(keys[1].time - 1) < 0.05 && Math.abs(keys[2].time - 1.5) < 0.05, JSON.stringify(keys));
    assert.equal(await page.locator('.gait-keys li').count(), 3);
    await page.locator('.gait-keys li button').nth(2).click();
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.gait.length === 2);
});

test('axe finds nothing on the lists', async () => {
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => window.axe.run('.muscles-desk'));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    assert.deepEqual(pageErrors, []);
});
