// Things that have to be easy at the Scene desk, with the real pointer: a pile of toys of one material, a wall that pushes, a
// bowl from a file, the distance of two points, and what happens when, on tracks.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './engine.mjs';
import { clickOn, content, folder, idle, newScene, openScene, page, pageErrors, pixelOf, shown, step, thing, toStart, toastWith, until } from './harness.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function openDesk(name) {
    if ((await page.getAttribute(`[data-desk=${name}]`, 'aria-expanded')) !== 'true') await page.click(`[data-desk=${name}]`);
}

async function add(what) {
    await openDesk('scene');
    await page.click('.add-button');
    await page.click(`[data-add="${what}"]`);
}

test('a pile of 30 duplicated toys is renamed as a group, and one click makes all of them of another material', async () => {
    await newScene();
    await add('bar');
    await shown(1);
    for (const [all, take] of [[2, 1], [4, 2], [8, 4], [16, 8], [30, 14]]) {
        await page.evaluate((n) => window.studio.app.choose(window.studio.app.document.content.bodies.slice(0, n).map(({ id, name }) => `/bodies/@${id ?? name}`)), take);
        await page.locator('.view canvas').focus();
        await page.keyboard.press('Control+d');
        await shown(all);
    }
    await page.locator('.tree [tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await page.evaluate(() => window.studio.app.choose(window.studio.app.document.content.bodies.map(({ id, name }) => `/bodies/@${id ?? name}`)));
    await page.locator('.tree [tabindex="0"]').focus();
    await page.keyboard.press('F2');
    await page.locator('.thing-name input').waitFor();
    await page.keyboard.type('toy');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies.every(({ name }) => /^toy(_\d+)?$/.test(name)));
    assert.equal((await page.evaluate(() => window.studio.app.get('chosen').length)), 30);
    await openDesk('material');
    assert.equal(await page.textContent('.material-shelf .who'), '30 bodies');
    const before = JSON.stringify(await content());
    await page.click('[data-material=sponge]');
    await until(() => window.studio.app.document.content.bodies.every(({ matching, density }) => matching.young === 100000 && density === 45));
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
});

test('a wall is led by two keys and pushes a bar; tracks show its keys and every take, and a click goes there', async () => {
    await newScene();
    await add('bar');
    await shown(1);
    await add('block');
    await until(() => window.studio.app.document.content.obstacles.length === 2);
    await toStart();
    await page.click('.rail [data-tool=move]');
    await thing('Box').click();
    await page.locator('.view canvas').focus();
    await page.keyboard.press('1');
    const lane = await page.locator('.key-track .lane').boundingBox();
    assert.equal(await page.evaluate(([x, y]) => document.elementFromPoint(x, y).className, [lane.x + lane.width / 2, lane.y + 12]), 'lane');
    await page.mouse.click(lane.x + lane.width / 2, lane.y + 12);
    await until(() => window.studio.app.get('keyTime') !== null);
    const x = Number(await page.inputValue('.numbers [data-axis=x] input'));
    await page.fill('.numbers [data-axis=x] input', String(x - 1));
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.obstacles[1].path?.length === 2);
    await page.click('.timeline [aria-label=Tracks]');
    await until(() => document.querySelectorAll('.tracks .moment').length === 2);
    await toStart();
    await step(70);
    await until(() => document.querySelectorAll('.tracks [data-take]').length >= 1 && window.studio.app.status.last === 70);
    const second = page.locator('.tracks .moment >> nth=1');
    assert.match(await second.getAttribute('aria-label'), /Key of obstacle/);
    const time = (await content()).obstacles[1].path[1].time;
    await second.click();
    await until((t) => Math.abs(window.studio.app.status.frame * window.studio.app.status.frame_time - t) < 0.02, time);
    await page.evaluate(axeSource);
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
        const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')})`)));
        assert.deepEqual(found, [], theme);
    }
    await page.click('.timeline [aria-label=Tracks]');
});

test('the distance of two clicked points is plotted while it runs', async () => {
    await openScene('b_sag');
    await toStart();
    await openDesk('scene');
    await page.click('.rail [data-tool=measure]');
    await page.click('[data-desk=scene]');  // its panel out of the way
    await page.getByLabel('Zoom to the bodies').click();
    await page.click('[data-measure=points]');
    const [one, other] = [await pixelOf([-0.3, 2.1, 0.1]), await pixelOf([0.2, 2.1, 0.1])];
    assert.equal(await page.evaluate(({ x, y }) => document.elementFromPoint(x, y).tagName, one), 'CANVAS');
    await clickOn(one);
    await until(() => document.querySelector('.measure-panel .hint').textContent.includes('second'));
    await clickOn(other);
    await until(() => window.studio.app.document.content.measures?.[0]?.what === 'points');
    const [measure] = (await content()).measures, apart = Math.hypot(...measure.from.map((v, k) => v - measure.to[k]));
    assert.ok(apart > 0.3 && apart < 0.7, JSON.stringify(measure));
    await until(() => document.querySelector('.plot'));
    await step(10);
    await until(() => /Distance between two points/.test(document.querySelector('.plot').textContent));
});

test('a bowl and a solid mesh come from files as obstacles; a volume mesh cannot become one, and a broken file says so', async () => {
    await newScene();
    const choose = async (what, file) => {
        const chooser = page.waitForEvent('filechooser');
        await add(what);
        await (await chooser).setFiles(file);
    };
    await choose('bowl', join(root, 'data', 'bowl.obj'));
    await until(() => window.studio.app.document.content.obstacles.length === 2);
    assert.deepEqual([(await content()).obstacles[1].mesh.container, (await content()).bodies.length], [true, 0]);
    await thing('Bowl').waitFor();
    const before = JSON.stringify(await content());
    await choose('mesh', join(root, 'data', 'ring.obj'));
    await until(() => window.studio.app.document.content.obstacles.length === 3);
    assert.equal((await content()).obstacles[2].mesh.container, undefined);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
    await choose('mesh', join(root, 'data', 'tet.mesh'));
    await toastWith('an obstacle is a closed surface');
    const broken = join(folder, 'broken.obj');
    writeFileSync(broken, 'this is no mesh\n');
    await choose('file', broken);
    await until(() => window.toasts.some((t) => t.includes('toast error') && t.includes('broken.obj')));
    await idle();
    assert.equal(JSON.stringify(await content()), before, 'nothing is lost');
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
