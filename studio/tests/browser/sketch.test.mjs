// Muscles sketched by hand with the real pointer: depth guessed and painted, layers peeled, strokes drawn on them and edited,
// the directions that follow from them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { clickOn, content, drawn, hover, idle, openScene, page, pageErrors, painted, pixelOf, step, thereAndBack, toastWith, toStart, until } from './harness.mjs';
import { drag, layer, onEgg, peel, strokeCount, strokes } from './hollow_egg.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const view = () => page.evaluate(() => {
    const shown = window.studio.toolbox.of('muscle-strokes').overlay;
    return { lines: shown.lineCount, layer: shown.layer.object.visible, range: shown.range, places: shown.places.map((points) => points.map((p) => p.toArray())), took: shown.lastAnswer };
});

test('depth of a hollow egg is guessed between its walls, and the guess is one step of undo', async () => {
    await openScene('p_egg');
    await toStart();
    await page.click('[data-desk=muscles]');
    await page.click('button:text-is("Give it muscles")');
    await page.locator('.chart').first().waitFor();
    await idle();
    await page.click('.muscles-desk [data-tab=muscle-paint]');
    await page.selectOption('.muscles-desk [aria-label="What is painted"]', 'depth');
    const before = JSON.stringify(await content());
    await page.click('.muscles-desk button:text-is("Between walls")');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.depth?.distance === 'walls');
    await thereAndBack(before);
    await painted('muscle-paint');
});

test('a single face is marked before the click that paints it, and the eraser brings the guess back', async () => {
    const depth = async () => (await layer()).fields.depth, values = () => page.evaluate(() => [...window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value').array]);
    const guess = await values(), at = await onEgg([0, -0.5, 0.95]);
    await page.click('.muscles-desk .paint-panel:visible button:text-is("Face")');
    await page.fill('.muscles-desk .paint-panel:visible [aria-label="Value"]', '0');
    await page.keyboard.press('Enter');
    await hover(at);
    await until(() => window.studio.toolbox.of('muscle-paint').overlay.object.children.some((child) => child.visible && child.geometry?.getIndex()?.count === 3));
    await page.mouse.click(at.x, at.y);
    await idle();
    assert.deepEqual((await depth()).coats.map(({ brush, value }) => [brush, value]), [['polygon', 0]]);
    assert.deepEqual((await depth()).base, { distance: 'walls' });
    await until((old) => window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value').array.some((v, k) => v < old[k] - 0.5), guess);
    await page.click('.muscles-desk .paint-panel:visible button:text-is("Erase")');
    await page.click('.muscles-desk .paint-panel:visible button:text-is("Whole body")');
    await until((old) => window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value').array.every((v, k) => Math.abs(v - old[k]) < 1e-3), guess);
    await page.click('.muscles-desk .paint-panel:visible button:text-is("Clear")');
    await until(() => window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.depth.distance === 'walls');
    await page.click('.muscles-desk .paint-panel:visible button:text-is("Set")');
    await idle();
});

test('the body is peeled to a layer by the slider and by Alt and the wheel, and a stroke lies on the layer', async () => {
    await toStart();
    await page.click('.muscles-desk [data-tab=muscle-strokes]');
    await peel(0.5);
    assert.deepEqual((await view()).range.map((x) => Math.round(10 * x)), [0, 10]);
    await drag(await onEgg([-0.35, -0.6, 0.7]), await onEgg([0.35, 0, 0.75]));
    await strokeCount(1);
    const [{ points, depth }] = await strokes();
    assert.equal(depth, 0.5);
    assert.ok(points.length > 4);
    for (const [x, y, z] of points) assert.ok(Math.abs(Math.hypot(x, y / 1.4, z) - 0.8) < 0.06, `half way between the walls: ${[x, y, z]}`);
    await page.keyboard.down('Alt');
    await page.mouse.wheel(0, 100);
    await page.keyboard.up('Alt');
    await until(() => Math.abs(window.studio.toolbox.of('muscle-strokes').overlay.wanted.level - 0.45) < 1e-9);
});

test('streamlines follow from the first stroke, along it', async () => {
    await until(() => window.studio.toolbox.of('muscle-strokes').overlay.lineCount > 10);
});

test('strokes go along with the moving body', async () => {
    const before = (await view()).places[0];
    await idle();
    await step(12);
    await until((x) => window.studio.toolbox.of('muscle-strokes').overlay.places[0]?.some((p, k) => Math.hypot(...p.toArray().map((c, i) => c - x[k][i])) > 0.01), before);
    await toStart();
});

test('a stroke is chosen, bent, extended, smoothed, reversed, mirrored, copied and deleted, each one step of undo', async () => {
    await peel(0.5);
    await until((n) => window.studio.toolbox.of('muscle-strokes').overlay.places.length === n, 1);
    const pixelsOf = async (k) => Promise.all((await view()).places[k].map(pixelOf));
    let pixels = await pixelsOf(0);
    const middle = pixels[Math.floor(pixels.length / 2)];
    await clickOn(middle);
    await until(() => document.querySelector('.stroke-panel:not([hidden]) .foot').textContent.includes('Stroke 1 of 1'));
    const check = async (label, act) => {
        await idle();
        const before = JSON.stringify(await content()), old = (await strokes())[0].points;
        await act();
        await until((words) => window.studio.app.document.undo === words, label);
        const now = await strokes();
        await thereAndBack(before);
        return { old, now };
    };
    const bent = await check('Bend a muscle stroke', () => drag(middle, { x: middle.x, y: middle.y - 30 }));
    const index = Math.floor(bent.old.length / 2);
    assert.ok(bent.now[0].points[index][1] - bent.old[index][1] > 0.08, JSON.stringify(bent));
    await until(() => window.studio.app.edits.pending === 0);
    await drawn();
    pixels = await pixelsOf(0);
    const end = pixels[pixels.length - 1];
    await page.keyboard.down('Shift');
    const longer = await check('Extend a muscle stroke', async () => {
        await drag(end, { x: end.x + 40, y: end.y - 20 });
        await page.keyboard.up('Shift');
    });
    assert.ok(longer.now[0].points.length > longer.old.length);
    await page.locator('.view canvas').focus();
    const turned = await check('Reverse a muscle stroke', () => page.keyboard.press('r'));
    assert.deepEqual(turned.now[0].points, [...turned.old].reverse());
    const smooth = await check('Smooth a muscle stroke', () => page.keyboard.press('s'));
    assert.notDeepEqual(smooth.now[0].points, smooth.old);
    const mirrored = await check('Mirror a muscle stroke', () => page.keyboard.press('m'));
    for (const [k, [x]] of mirrored.now[0].points.entries()) assert.ok(Math.abs(x + mirrored.old[k][0]) < 0.05);
    const copied = await check('Copy a muscle stroke to the other side', () => page.keyboard.press('Shift+M'));
    assert.equal(copied.now.length, 2);
    const deleted = await check('Delete a muscle stroke', () => page.keyboard.press('Delete'));
    assert.equal(deleted.now.length, 1);
    await page.click('.stroke-panel:visible button:text-is("Clear")');
    await strokeCount(0);
});

test('without any direction the page offers the longest axis', async () => {
    await page.click('.stroke-panel:visible button:text-is("Start along the longest axis")');
    await until(() => JSON.stringify(window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction) === '[1,0,0]' || JSON.stringify(window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction) === '[0,1,0]');
    await until(() => window.studio.toolbox.of('muscle-strokes').overlay.lineCount > 10);
});

test('a stroke without a way and one that leaves the body say so', async () => {
    await peel(null);
    const on = await onEgg([0, -0.5, 0.95]);
    await clickOn(on);
    await toastWith('needs some length');
    await drag(await onEgg([0.3, -0.5, 0.85]), await onEgg([3, -0.5, 0]));
    await toastWith('left the body');
    await strokeCount(1);
    await page.click('.stroke-panel:visible button:text-is("Clear")');
    await strokeCount(0);
});

test('axe finds nothing on the tabs of paint and strokes', async () => {
    await page.evaluate(axeSource);
    for (const tab of ['muscle-paint', 'muscle-strokes']) {
        await page.click(`.muscles-desk [data-tab=${tab}]`);
        const { violations } = await page.evaluate(() => window.axe.run('.muscles-desk'));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    }
    assert.deepEqual(pageErrors, []);
});
