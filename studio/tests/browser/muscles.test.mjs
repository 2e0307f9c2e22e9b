// The Muscles desk with the real pointer: a plain bar gets muscles, its charts are bent by hand and heard at once, a gradient
// of the phase makes a wave of them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { content, drawn, dragOver, idle, line, openScene, page, pageErrors, painted, pixelOf, scenes, step, toStart, until } from './harness.mjs';

writeFileSync(join(scenes, 'o_bar.json'), JSON.stringify({
    yawara: 1, title: 'A plain bar', made: ['A bar.', 'Strokes: None yet.'], camera: { eye: [0, 1, 6], target: [0, 0.3, 0] }, obstacles: [{ plane: {}, friction: 0.8 }],
    bodies: [{ name: 'bar', solid: { bar: { size: [2, 0.4, 0.4], cells: [15, 3, 3] } }, matching: { passes: 6 } }],
}));

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const muscles = async () => (await content()).bodies[0].matching.stretch?.[0]?.active;
/** Shortest and longest length of the bar in some steps. */
async function lengths(count) {
    const found = [];
    await toStart();
    for (let k = 0; k < count; ++k) {
        await step(5);
        found.push(await page.evaluate(() => {
            const xs = window.studio.app.viewport.bodyViews()[0].positions.filter((_, i) => i % 3 === 0);
            return Math.max(...xs) - Math.min(...xs);
        }));
    }
    return [Math.min(...found), Math.max(...found)];
}

async function keyPlace(number) {
    const box = await page.locator('.chart').first().locator(`[data-key="${number}"] .dot`).boundingBox();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function drag(from, to) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let k = 1; k <= 6; ++k) {
        await page.mouse.move(from.x + ((to.x - from.x) * k) / 6, from.y + ((to.y - from.y) * k) / 6);
        await drawn();
    }
    await page.mouse.up();
}

test('a plain bar gets muscles along its longest axis, and moves', async () => {
    await openScene('o_bar');
    await page.click('[data-desk=muscles]');
    await page.click('button:text-is("Give it muscles")');
    await page.locator('.chart').first().waitFor();
    assert.deepEqual((await muscles()).fields.direction, [1, 0, 0]);
    await idle();
    const [shortest, longest] = await lengths(14);
    assert.ok(longest - shortest > 0.25, `${shortest} to ${longest}`);
});

test('a key dragged up is heard: the bar contracts less; and one undo takes the drag back', async () => {
    const before = JSON.stringify(await content()), from = await keyPlace(1);
    await drag(from, { x: from.x, y: from.y - 18 });
    await idle();
    const [, value] = (await muscles()).charts.d1.keys[1];
    assert.ok(value > 0.75, String(value));
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
});

test('a click adds a key, Delete removes it, Escape drops a drag', async () => {
    const box = await page.locator('.chart').first().boundingBox(), count = (await muscles()).charts.d1.keys.length;
    await page.mouse.click(box.x + 0.55 * box.width, box.y + 0.3 * box.height);
    await until((n) => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === n, count + 1);
    const added = await keyPlace(count);
    await page.mouse.click(added.x, added.y);
    await page.keyboard.press('Delete');
    await until((n) => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === n, count);
    await idle();
    const before = JSON.stringify(await content()), from = await keyPlace(1);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, from.y - 20);
    await drawn();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await until((text) => window.studio.app.edits.pending === 0 && JSON.stringify(window.studio.app.document.content) === text, before);
});

test('the keyboard alone adds, moves and removes a key', async () => {
    const chart = page.locator('.chart').first(), count = (await muscles()).charts.d1.keys.length;
    await chart.focus();
    await page.keyboard.press('Enter');
    await until((n) => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === n, count + 1);
    await idle();
    const [, before] = (await muscles()).charts.d1.keys[count];
    await chart.locator(`[data-key="${count}"]`).focus();
    await page.keyboard.press('ArrowDown');
    await idle();
    assert.ok((await muscles()).charts.d1.keys[count][1] < before);
    await page.keyboard.press('Delete');
    await until((n) => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === n, count);
});

test('a preset replaces the curve, and the period takes its keys along', async () => {
    await page.selectOption('[aria-label="Shape of along the fibres"]', 'quick');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys.length === 4 && window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.d1.keys[1][0] === 0.12);
    await page.fill('.charts-panel [aria-label=Period]', '2');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.charts.period === 2);
    assert.equal((await muscles()).charts.d1.keys[1][0], 0.24);
});

test('a gradient of the phase, dragged from end to end, makes a wave', async () => {
    await toStart();
    await page.click('.muscles-desk [data-tab=muscle-paint]');
    await page.selectOption('.muscles-desk [aria-label="What is painted"]', 'phase');
    await page.click('.muscles-desk .paint-panel button:text-is("Grade")');
    await painted('muscle-paint');
    await dragOver(line(await pixelOf([-0.95, 0.2, 0.2]), await pixelOf([0.95, 0.2, 0.2])));
    await idle();
    const { phase } = (await muscles()).fields;
    assert.equal(phase.coats.length, 1);
    assert.deepEqual([phase.coats[0].brush, phase.coats[0].value, phase.coats[0].to], ['gradient', 0, 1]);
});

test('a stroke on the body is what its muscles pull along', async () => {
    await page.click('.muscles-desk [data-tab=muscle-strokes]');
    await idle();
    await dragOver(line(await pixelOf([-0.8, 0.3, 0.2]), await pixelOf([0.8, 0.1, 0.2])));
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction.strokes?.length === 1);
    const { points } = (await muscles()).fields.direction.strokes[0];
    assert.ok(points.length > 4 && points.every(([, y, z]) => y > 0 && y < 0.4 && Math.abs(z - 0.2) < 0.02), JSON.stringify(points));
    await page.click('.muscles-desk button:text-is("Clear"):visible');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction === undefined);
});

test('axe finds nothing on the desk', async () => {
    await page.click('.muscles-desk [data-tab=charts]');
    await page.evaluate(axeSource);
    const { violations } = await page.evaluate(() => window.axe.run('.muscles-desk'));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    assert.deepEqual(pageErrors, []);
});

test('the steps of how a scene was made are listed, and one that names a part of the desk opens it', async () => {
    await openScene('o_bar');
    await page.click('[data-desk=scene]');
    await page.click('.made summary');
    assert.deepEqual(await page.locator('.made li').allTextContents(), ['A bar.', 'Strokes: None yet.']);
    await page.click('.made-part');
    await page.locator('.muscles-desk [data-tab=muscle-strokes][aria-pressed=true]').waitFor();
    assert.deepEqual(pageErrors, []);
});
