// The Poses desk: a slider that awakens a pose while the body runs, poses that stay, and soft borders between groups.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { content, drawn, idle, openScene, page, pageErrors, scenes, step, thereAndBack, toStart, until } from './harness.mjs';

writeFileSync(join(scenes, 'q_senses.json'), JSON.stringify({
    yawara: 1, title: 'A bar that listens', camera: { eye: [0, 0.7, 4], target: [0, 0.7, 0] }, step: { gravity: [0, 0, 0] },
    bodies: [{
        name: 'bar', solid: { bar: { size: [0.5, 1.4, 0.5], cells: [3, 9, 3] } }, matching: {
            alpha: 1, damping: 0.1, examples: { poses: [{ name: 'low', deform: [{ stretch: { axis: 'y', factor: 0.6 } }] }], groups: [{ plane: { point: [0, 0.7, 0], normal: [0, 1, 0] } }] },
        },
    }],
}));

const examples = async () => (await content()).bodies[0].matching.examples;
const height = () => page.evaluate(() => {
    const ys = window.studio.app.viewport.bodyViews()[0].positions.filter((_, k) => k % 3 === 1);
    return Math.max(...ys) - Math.min(...ys);
});
/** A range input by its keys, as one gesture. */
async function slide(label, key) {
    await page.getByLabel(label, { exact: true }).focus();
    await page.keyboard.press(key);
    await page.keyboard.press('Tab');
    await idle();
}

test('a slider awakens a pose while the body runs, and lets it go again', async () => {
    await openScene('q_senses');
    await toStart();
    await page.click('[data-desk=poses]');
    await page.click('.poses-desk [data-tab=cards]');
    const before = JSON.stringify(await content());
    await page.getByLabel('Awaken the pose by').selectOption('control');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.controls?.length === 1);
    await idle();
    assert.deepEqual((await examples()).cues, [{ pose: 'low', listens: 'control', control: 'low' }]);
    await thereAndBack(before);
    const rest = await height();
    await slide('Control low', 'End');
    assert.deepEqual((await examples()).controls, [{ name: 'low', value: 1 }]);
    await step(90);
    await drawn();
    const low = await height();
    assert.ok(low < 0.7 * rest, `${rest} became ${low}`);
    await slide('Control low', 'Home');
    await step(150);
    await drawn();
    const again = await height();
    assert.ok(again > 0.95 * rest, `${rest} became ${again}`);
});

test('a body that keeps its poses stays in them when the slider is back', async () => {
    const before = JSON.stringify(await content()), rest = await height();
    await page.getByLabel('Keeps its poses').check();
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.plasticity !== undefined);
    await idle();
    await thereAndBack(before);
    await slide('Control low', 'End');
    await step(120);
    await slide('Control low', 'Home');
    await step(60);
    await drawn();
    const stays = await height();
    assert.ok(stays < 0.9 * rest, `${rest} became ${stays}`);
});

test('groups fade into each other by a slider, and a cue goes with its control', async () => {
    await page.click('.poses-desk [data-tab=pose-groups]');
    await slide('Soft border', 'End');
    const { border } = await examples();
    assert.ok(border > 0.5, String(border));
    await page.click('.poses-desk [data-tab=cards]');
    await page.getByLabel('low no longer listens to control').click();
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.cues.length === 0);
    await idle();
    assert.deepEqual((await examples()).controls, []);
    assert.deepEqual(pageErrors, []);
});
