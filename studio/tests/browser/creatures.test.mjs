// From plain shapes to animals with the real pointer, without a template: a bar that crawls, a bell that swims.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { content, dragOver, idle, line, openScene, page, pageErrors, painted, pixelOf, scenes, step, toStart, until } from './harness.mjs';

writeFileSync(join(scenes, 'q_plain_bar.json'), JSON.stringify({
    yawara: 1, title: 'A plain bar on a floor', camera: { eye: [0, 1, 6], target: [0, 0.3, 0] }, obstacles: [{ plane: {}, friction: 0 }],
    bodies: [{ name: 'bar', solid: { bar: { size: [2, 0.3, 0.3], cells: [20, 3, 3] } }, matching: { passes: 8 } }],
}));
writeFileSync(join(scenes, 'r_plain_bell.json'), JSON.stringify({
    yawara: 1, title: 'A plain bell in water', camera: { eye: [0, 6, 0.6], target: [0, 0.3, 0] },
    step: { gravity: [0, 0, 0] }, medium: { drag: 500 },
    bodies: [{
        name: 'bell', matching: { passes: 2, damping: 0.003, region_damping: 0.01 },
        solid: { formula: 'smoothmax(abs(length(x, 1.15*y, z) - 0.88) - 0.15, -0.1 - y, 0.08)', box: { low: [-1.3, -0.6, -1.3], high: [1.3, 1.15, 1.3] }, cell: 0.2 },
    }],
}));

const active = async () => (await content()).bodies[0].matching.stretch[0].active;
async function giveMuscles() {
    if (await page.getAttribute('[data-desk=muscles]', 'aria-expanded') !== 'true') await page.click('[data-desk=muscles]');
    await page.click('.muscles-desk [data-tab=charts]');
    await page.click('button:text-is("Give it muscles")');
    await page.locator('.chart').first().waitFor();
}
/** How far the body gets in some frames from the start. */
async function way(frames) {
    const from = await toStart(), to = await step(frames);
    return { x: to.x - from.x, y: to.y - from.y, z: to.z - from.z };
}

test('a plain bar becomes a crawler: muscles, one gradient, one preset, friction', async () => {
    await openScene('q_plain_bar');
    await giveMuscles();
    await page.selectOption('[aria-label="Shape of along the fibres"]', 'pulse');
    await page.uncheck('.charts-panel :text("Keep the volume") input');
    await toStart();
    await page.click('.muscles-desk [data-tab=muscle-paint]');
    await page.selectOption('.muscles-desk [aria-label="What is painted"]', 'phase');
    await page.click('.muscles-desk .paint-panel button:text-is("Grade")');
    await painted('muscle-paint');
    await dragOver(line(await pixelOf([-0.98, 0.15, 0.15]), await pixelOf([0.98, 0.15, 0.15])));
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.phase?.coats?.length === 1);
    await idle();
    const slips = await way(300);
    assert.ok(Math.abs(slips.x) < 0.05, `without friction it stays where it is: ${slips.x}`);

    for (const path of ['/obstacles', '/obstacles/@1']) await page.locator(`.group[data-path="${path}"] > .head .disclosure`).click();
    await page.fill('[data-path="/obstacles/@1/friction"] input[type=number]', '0.8');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.obstacles[0].friction === 0.8);
    await idle();
    const crawls = await way(300);
    // A shortening that covers less than half of the body carries it along with the wave, towards the end that is painted late.
    assert.ok(crawls.x > 0.5, `it crawls with the wave: ${crawls.x} m in 5 s`);
    assert.ok(Math.abs(crawls.z) < 0.1 * crawls.x, 'straight on');
});

test('a plain bell swims apex first: one ring drawn around it, one preset; a shorter period makes it faster', async () => {
    await openScene('r_plain_bell');
    await giveMuscles();
    await page.selectOption('[aria-label="Shape of along the fibres"]', 'quick');
    await toStart();
    await page.click('.muscles-desk [data-tab=muscle-strokes]');
    const ring = [];
    for (let k = 0; k <= 24; ++k) ring.push(await pixelOf([0.8 * Math.cos((2 * Math.PI * k) / 24), 0.55, 0.8 * Math.sin((2 * Math.PI * k) / 24)]));
    await dragOver(ring);
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction.strokes?.length === 1);
    await idle();
    const slow = await way(360);
    assert.ok(slow.y > 0.3, `apex first: ${slow.y} m in 6 s`);
    assert.ok(Math.hypot(slow.x, slow.z) < 0.5 * slow.y, JSON.stringify(slow));
    await page.click('.muscles-desk [data-tab=charts]');
    await page.fill('.charts-panel [aria-label=Period]', '0.7');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.period === 0.7);
    await idle();
    const fast = await way(360);
    assert.ok(fast.y > 1.15 * slow.y, `${fast.y} m instead of ${slow.y} m`);
    assert.ok(JSON.stringify(await active()).length < 20000);
    assert.deepEqual(pageErrors, []);
});
