// From nothing to something: an empty floor, bodies that are put on it, files that join a scene or become one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, letGo, openScene, page, pageErrors, patience } from './harness.mjs';

const until = (condition, argument) => page.waitForFunction(condition, argument, patience);
const bodies = () => page.evaluate(() => window.studio.app.document.content.bodies.map((body) => body.name));
const hill = 'v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';
const shown = (count) => until((n) => window.studio.app.scene.bodies.length === n && window.studio.app.document.content.bodies.length === n, count);

/** How much the lower half of the picture differs from one colour: 0 for a picture of nothing. */
const contrast = async () => {
    await drawn();
    return page.evaluate(async () => {
        const { painter } = window.studio.app.viewport;
        const picture = await createImageBitmap(await painter.picture());
        const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
        context.drawImage(picture, 0, 0);
        const { data } = context.getImageData(0, Math.floor(picture.height / 2), picture.width, Math.floor(picture.height / 2));
        let low = 255, high = 0;
        for (let k = 0; k < data.length; k += 4) { low = Math.min(low, data[k]); high = Math.max(high, data[k]); }
        return high - low;
    });
};

test('New gives an empty floor that can be seen, by button, key and gallery, and asks about unsaved work', async () => {
    await openScene('a_cube');
    await page.click('.new-scene');
    await shown(0);
    assert.equal(await page.evaluate(() => window.studio.app.document.title), 'Untitled');
    assert.ok(await page.isVisible('.empty-scene'));
    assert.match(await page.textContent('.tune'), /No bodies yet/);
    assert.ok(await contrast() > 25, 'the floor has lines');
    await page.click('.empty-scene button');
    await shown(1);
    await until(() => window.studio.app.selected === window.studio.app.scene.bodies[0].id && !window.studio.app.viewport.showsNothing);
    assert.ok(await page.isHidden('.empty-scene'));

    await page.locator('.view canvas').focus();
    await page.keyboard.press('Shift+N');
    await page.click('.question[open] button:text-is("Cancel")');
    assert.equal((await bodies()).length, 1, 'nobody lost anything');
    await page.locator('.view canvas').focus();
    await page.keyboard.press('n');
    await page.click('.gallery button:has-text("New scene")');
    await page.click('.question[open] button:text-is("Discard")');
    await shown(0);
    assert.ok(await page.isHidden('.gallery'));
});

test('the words on an empty floor cover no tool, on a laptop, at 200 % zoom and on a phone', async () => {
    const before = page.viewportSize();
    for (const size of [{ width: 1280, height: 720 }, { width: 640, height: 360 }, { width: 390, height: 780 }]) {
        await page.setViewportSize(size);
        await drawn();
        const words = await page.locator('.empty-scene').boundingBox();
        assert.ok(words.x >= 0 && words.x + words.width <= size.width, JSON.stringify([size, words]));
        for (const other of ['.tools', '.tool-panel', '.frame-button']) {
            const box = await page.locator(other).boundingBox();
            const apart = box.y + box.height <= words.y || words.y + words.height <= box.y || box.x + box.width <= words.x || words.x + words.width <= box.x;
            assert.ok(apart, `${other}, ${size.width}: ${JSON.stringify([words, box])}`);
        }
    }
    await page.setViewportSize(before);
});

test('a mesh dropped on an empty scene is added to it, in one step of undo', async () => {
    const before = await page.evaluate(() => window.studio.app.document.id);
    await page.click('.new-scene');
    await until((id) => window.studio.app.document.id !== id, before);  // what was there before is empty, too
    await shown(0);
    await letGo('hill.obj', hill);
    await shown(1);
    assert.deepEqual(await bodies(), ['hill']);
    await page.keyboard.press('Control+z');
    await shown(0);
    await page.keyboard.press('Control+y');
    await shown(1);
});

test('a mesh dropped on a scene with bodies joins them or is opened alone, as a person says; Shift does not ask', async () => {
    await openScene('a_cube');
    await letGo('hill.obj', hill);
    await page.click('.question[open] button:text-is("Cancel")');
    assert.deepEqual(await bodies(), ['cube']);
    await letGo('hill.obj', hill);
    await page.click('.question[open] button:text-is("Add to this scene")');
    await shown(2);
    assert.deepEqual(await bodies(), ['cube', 'hill']);
    await until(() => window.studio.app.selected === 'hill');
    await letGo('hill.obj', hill, true);
    await shown(3);
    assert.deepEqual(await bodies(), ['cube', 'hill', 'hill_2']);
    assert.equal(await page.evaluate(() => window.studio.app.document.title), 'A falling cube');
    const apart = await page.evaluate(() => {
        const [, one, other] = window.studio.app.viewport.bodyViews().map((view) => view.positions.filter((_, k) => k % 3 === 0));
        return Math.min(...other) - Math.max(...one);
    });
    assert.ok(apart > 0, 'they do not lie in each other');
    await letGo('hill.obj', hill);
    await page.click('.question[open] button:text-is("Open alone")');
    await page.click('.question[open] button:text-is("Discard")');
    await until(() => window.studio.app.document.title === 'hill' && window.studio.app.scene.bodies.length === 1);
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
