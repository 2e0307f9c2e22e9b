// What an editor owes to those who work with it: no edit in the wrong document, keys that mean what has the focus, and a page
// for everybody.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { afterSteps, drawn, edit, letGo, openPage, openScene, page, pageErrors, patience, pause, pixelOf, send, step, takeHold, toStart } from './harness.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const alphaField = '[data-path="/bodies/@bar/matching/alpha"] input[type=number]';
const until = (condition, argument, where = page) => where.waitForFunction(condition, argument, patience);
const state = (slice) => page.evaluate((s) => window.studio.app.get(s), slice);
const focusCanvas = () => page.locator('.view canvas').focus();

/** Opens a scene as a gallery's click does, without the clicks. */
const open = (where, name) => where.evaluate((n) => window.studio.app.open({ from: 'gallery', name: n }), name);

test('an edit lands in its own document or in none, whoever opens another one meanwhile', async () => {
    await openScene('b_sag');
    await pause();
    const second = await openPage({ width: 700, height: 500 });
    await until(() => window.studio.app.status.pages === 2);
    assert.match(await page.textContent('.document .state'), /2 tabs share this scene/);

    // A slider that was let go just before another scene was opened: its last values die with their document.
    await page.evaluate(() => {
        const { app } = window.studio;
        for (let k = 0; k < 20; ++k) app.edits.set(['bodies', '@bar', 'matching', 'alpha'], 0.9 - 0.01 * k, 'alpha');
        app.send({ type: 'open', from: 'gallery', name: 'a_cube', keep: false });
        app.edits.set(['bodies', '@cube', 'matching', 'alpha'], 0.123, 'alpha');
    });
    for (const where of [page, second]) {
        await until(() => window.studio.app.document.name === 'a_cube' && window.studio.app.edits.pending === 0, null, where);
        assert.equal(await where.evaluate(() => window.studio.app.document.content.bodies[0].matching.alpha), 0.4);
    }

    // Typed in one tab for the scene that the other tab has just left.
    const old = await page.evaluate(() => ({ document: window.studio.app.document.id, revision: window.studio.app.document.revision }));
    await open(second, 'b_sag');
    await until(() => window.studio.app.document.name === 'b_sag');
    await send({ type: 'edit', ...old, edit: 9999, label: 'late', changes: [{ op: 'replace', path: '/bodies/0/matching/alpha', value: 0.111 }] });
    await until(() => window.toasts.some((text) => text.includes('no longer open')));
    assert.equal(await second.evaluate(() => window.studio.app.document.content.bodies[0].matching.alpha), 1);
    await second.context().close();
    await until(() => window.studio.app.status.pages === 1);
});

test('undo right after Enter in a field undoes, and the field shows the truth', async () => {
    await page.fill(alphaField, '0.3');
    await page.press(alphaField, 'Enter');
    await page.press(alphaField, 'Control+z');
    await until(() => window.studio.app.edits.pending === 0 && window.studio.app.document.redo !== '');
    assert.equal(await page.evaluate(() => window.studio.app.document.content.bodies[0].matching.alpha), 1);
    assert.equal(await page.inputValue(alphaField), '1');
    assert.equal(await page.evaluate(() => document.activeElement.type), 'number', 'the field still has the focus');

    // While letters wait to be entered, undo is about the letters.
    await page.fill(alphaField, '0.5');
    await page.press(alphaField, 'Control+z');
    assert.equal(await page.evaluate(() => window.studio.app.edits.pending), 0);
    await page.fill(alphaField, '1');
    await focusCanvas();
});

test('a drag of a slider is one step of undo, and Escape takes it back', async () => {
    await page.evaluate(() => window.studio.app.edits.once(() => ({ label: 'Set frames', changes: [{ op: 'add', path: '/frames', value: 77 }] })));
    await until(() => window.studio.app.document.content.frames === 77 && window.studio.app.edits.pending === 0);
    const slider = page.locator('[data-path="/bodies/@bar/matching/alpha"] input[type=range]');
    const box = await slider.boundingBox();
    await page.mouse.move(box.x + box.width - 3, box.y + box.height / 2);
    await page.mouse.down();
    for (const share of [0.8, 0.6, 0.4]) await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
    await until(() => window.studio.app.document.content.bodies[0].matching.alpha < 0.8);
    await page.keyboard.press('Escape');
    await until(() => window.studio.app.edits.pending === 0 && window.studio.app.document.content.bodies[0].matching.alpha === 1);
    await page.mouse.up();
    assert.equal((await state('document')).content.frames, 77, 'the edit before stays');
    await page.evaluate(() => window.studio.app.edits.undo());
    await until(() => window.studio.app.document.content.frames !== 77);
});

test('Space acts on what has the focus, and plays everywhere else', async () => {
    await pause();
    const playing = () => page.evaluate(() => window.studio.app.status.playing);
    for (const [what, changed] of [
        ['.checks input[type=checkbox]', () => document.querySelector('.checks input').checked],
        ['.side button[aria-expanded]', () => document.querySelector('.side button[aria-expanded]').getAttribute('aria-expanded')],
        ['[data-tool="throw"]', () => window.studio.app.get('tool') === 'throw'],
    ]) {
        const before = await page.evaluate(changed);
        await page.locator(what).first().focus();
        await page.keyboard.press(' ');
        assert.notEqual(await page.evaluate(changed), before, `${what} acted`);
        assert.equal(await playing(), false, `${what} did not play`);
    }
    await page.locator('.checks input[type=checkbox]').first().focus();
    await page.keyboard.press(' ');
    await page.click('[data-tool="grab"]');  // by mouse: the keys go on to mean the picture
    await page.keyboard.press(' ');
    await until(() => window.studio.app.status.playing);
    await pause();
});

test('the picture shows its focus, and arrow keys turn it', async () => {
    await page.locator('.frame-button').focus();
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'CANVAS');
    const outline = await page.locator('.view canvas').evaluate((canvas) => getComputedStyle(canvas).outlineStyle);
    assert.notEqual(outline, 'none');
    const eye = () => page.evaluate(() => window.studio.app.viewport.view.toEye.toArray());
    const before = await eye();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    const after = await eye();
    assert.ok(Math.hypot(after[0] - before[0], after[2] - before[2]) > 0.01 && after[1] > before[1] + 0.01, `${before} to ${after}`);
    assert.ok(Math.abs(Math.hypot(...after) - Math.hypot(...before)) < 1e-6, 'from the same distance');
    await page.keyboard.press('h');
});

test('a hand of the keyboard takes hold of the selected body, and Escape lets go', async () => {
    await toStart();
    await page.keyboard.press('f');
    await focusCanvas();
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.status.hold.length === 1);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Escape');
    await until(() => window.studio.app.status.hold.length === 0);
    assert.ok(await page.locator('.keyboard-hand').isHidden());
});

test('the wheel sets the size of the patch that is held, and a ring shows it', async () => {
    const rest = await toStart();
    const at = await pixelOf([rest.x, rest.y, rest.z]);
    await takeHold(at);
    const ring = () => page.evaluate(() => [...window.studio.toolbox.of('grab').overlay.rings.values()].map((r) => r.object.scale.x));
    const eye = () => page.evaluate(() => window.studio.app.viewport.view.toEye.length());
    const [before] = await ring(), far = await eye();
    await page.mouse.wheel(0, -300);
    await until((b) => [...window.studio.toolbox.of('grab').overlay.rings.values()][0].object.scale.x > b, before);
    assert.equal(await eye(), far, 'the view stays');
    await page.mouse.up();
    await until(() => window.studio.app.status.hold.length === 0);
    assert.deepEqual(await ring(), []);
});

test('single-key shortcuts can be switched off, and stay off', async () => {
    await focusCanvas();
    await page.keyboard.press('?');
    await page.click('.letter-keys input');
    await page.keyboard.press('Escape');
    await focusCanvas();
    await page.keyboard.press('b');
    assert.equal(await state('tool'), 'grab');
    await page.keyboard.press(' ');
    await until(() => window.studio.app.status.playing);
    await pause();
    assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('yawara-settings')).letterKeys), false);
    await page.evaluate(() => window.studio.app.setSettings({ letterKeys: true }));
    await page.keyboard.press('b');
    assert.equal(await state('tool'), 'ball');
    await page.keyboard.press('g');
});

test('unsaved edits are asked about before another scene opens: stay or discard', async () => {
    await openScene('b_sag');
    const changeAlpha = async (value) => {
        await page.fill(alphaField, String(value));
        await page.press(alphaField, 'Enter');
        await until((v) => window.studio.app.document.content.bodies[0].matching.alpha === v && !window.studio.app.document.saved, value);
        await focusCanvas();
    };
    const tryToLeave = async (answer) => {
        await page.keyboard.press('n');
        await page.click('[data-scene="a_cube"]');
        await page.click(`.question[open] button:text-is("${answer}")`);
    };
    await changeAlpha(0.25);
    await tryToLeave('Cancel');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => window.studio.app.document.content.bodies[0].matching.alpha), 0.25);

    // A dropped mesh that is to be opened alone asks as well.
    await letGo('x.obj', 'v 0 0 0');
    await page.click('.question[open] button:text-is("Open alone")');
    await page.click('.question[open] button:text-is("Cancel")');
    assert.equal(await page.evaluate(() => window.studio.app.document.name), 'b_sag');

    await tryToLeave('Discard');
    await until(() => window.studio.app.document.name === 'a_cube');
});

test('the selected body of several is outlined once a person selected it', async () => {
    await openScene('e_two');
    await pause();
    const outlined = () => page.evaluate(() => window.studio.app.viewport.bodyViews().filter((b) => b.outline.visible).map((b) => b.body.id));
    assert.deepEqual(await outlined(), []);
    await page.click('.bodies .body >> nth=1');
    assert.deepEqual(await outlined(), ['right']);
    assert.deepEqual(await state('selection'), { body: 'right', instance: null, part: null, byHand: true });
    await focusCanvas();
    await page.keyboard.press('Escape');
    assert.deepEqual(await outlined(), []);
});

test('a body that walks away stays in the picture, and the same scene opened again is seen', async () => {
    await openScene('f_walker');
    await step(150);
    await until(() => {
        const { viewport } = window.studio.app, { canvas } = viewport, box = canvas.getBoundingClientRect();
        const at = viewport.picking.toPage(viewport.extent.center);
        return at.x > box.left + 0.1 * box.width && at.x < box.right - 0.1 * box.width;
    });
    await page.evaluate(() => {
        const { camera, controls } = window.studio.app.viewport.view;
        for (const place of [camera.position, controls.target]) place.x += 50;
    });
    await openScene('f_walker');
    await until(() => !window.studio.app.viewport.showsNothing);
});

test('a video can be had as MP4, WebM or GIF, in a size and of a part, MP4 also where the browser has no encoder', async () => {
    await openScene('a_cube');
    await afterSteps(30);
    const film = async (format, from, to) => {
        await page.click('[title="Export"]');
        await page.click('.popup button:has(b:text-is("Video"))');
        await page.click(`.film .segmented button:text-is("${format}")`);
        await page.selectOption('.film select', '480x270');
        await page.fill('[aria-label="From, seconds"]', from);
        await page.fill('[aria-label="To, seconds"]', to);
        await page.locator('[aria-label="To, seconds"]').dispatchEvent('change');
        await until(() => document.querySelector('.film .about').textContent.length > 10);
        if (await page.locator('.film .primary').isDisabled()) {
            const lack = await page.textContent('.film .about');
            await page.click('.film .buttons button:text-is("Cancel")');
            return lack;
        }
        const [download] = await Promise.all([page.waitForEvent('download', patience), page.click('.film .primary')]);
        assert.ok(download.suggestedFilename().endsWith(`.${format.toLowerCase()}`));
        return readFileSync(await download.path());
    };
    const gif = await film('GIF', '0.1', '0.3');
    assert.equal(gif.toString('latin1', 0, 6), 'GIF89a');
    assert.deepEqual([gif.readUInt16LE(6), gif.readUInt16LE(8)], [480, 270]);
    const pictures = gif.toString('latin1').split('\x21\xf9\x04').length - 1;
    assert.equal(pictures, 5, '0.2 s at 20 a second, both ends included');
    const webm = await film('WebM', '0', '0.2');
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3);
    const mp4 = await film('MP4', '0', '0.2');
    assert.equal(mp4.toString('latin1', 4, 8), 'ftyp', 'by this browser, or by the engine where it cannot');
    assert.ok(mp4.includes('avc1'));
    await page.evaluate(() => { window.VideoEncoder.isConfigSupported = async () => ({ supported: false }); });
    const byEngine = await film('MP4', '0', '0.2');
    assert.equal(byEngine.toString('latin1', 4, 8), 'ftyp');
    assert.ok(byEngine.includes('x264'), 'the engine made it');
    assert.match(await film('WebM', '0', '0.2'), /no encoder for VP8 or VP9/);
    assert.notEqual(await page.evaluate(() => window.studio.app.viewport.canvas.width), 480, 'the picture is as it was');
});

test('nobody finds a barrier that axe knows, in light and dark, in any dialog', async () => {
    await page.evaluate(axeSource);
    const violations = async (what) => {
        const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')})`)));
        assert.deepEqual(found, [], what);
    };
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
        await drawn();
        await violations(`the page, ${theme}`);
        await focusCanvas();
        await page.keyboard.press('n');
        await violations(`the gallery, ${theme}`);
        await page.keyboard.press('Escape');
        await focusCanvas();
        await page.keyboard.press('?');
        await violations(`the help, ${theme}`);
        await page.keyboard.press('Escape');
        await page.click('.takes-button');
        await violations(`the takes, ${theme}`);
        await page.click('.takes-button');
        await page.click('[title="Export"]');
        await violations(`the export menu, ${theme}`);
        await page.click('.popup button:has(b:text-is("Video"))');
        await violations(`the video, ${theme}`);
        await page.keyboard.press('Escape');
        await letGo('hill.obj', 'v 0 0 0\n');
        await violations(`add or open alone, ${theme}`);
        await page.click('.question[open] button:text-is("Cancel")');
        await page.evaluate(() => void window.studio.app.mayLeave());
        await violations(`unsaved work, ${theme}`);
        await page.click('.question[open] button:text-is("Keep in Recent")');
    }
    // With a recent document in the gallery, and on an empty floor.
    await edit([{ op: 'replace', path: '/title', value: 'Kept' }]);
    await until(() => !window.studio.app.document.saved);
    await page.click('.new-scene');
    await page.click('.question[open] button:text-is("Keep in Recent")');
    await until(() => window.studio.app.isEmpty && window.studio.app.scene.bodies.length === 0 && window.studio.app.get('recent').length > 0);
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
        await drawn();
        await violations(`an empty scene, ${theme}`);
        await page.keyboard.press('n');
        await violations(`Recent, ${theme}`);
        await page.keyboard.press('Escape');
    }
    await page.evaluate(() => { for (const { name } of window.studio.app.get('recent')) window.studio.app.send({ type: 'forget', name }); });
    await page.evaluate(() => window.studio.app.setSettings({ theme: null }));
});

test('the export menu can be used at 200 % zoom', async () => {
    const before = page.viewportSize();
    await page.setViewportSize({ width: 640, height: 400 });
    await page.click('[title="Export"]');
    const box = await page.locator('.popup').boundingBox();
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 640 && box.y + box.height <= 400, JSON.stringify(box));
    const last = page.locator('.popup button').last();
    await last.scrollIntoViewIfNeeded();
    const place = await last.boundingBox();
    assert.ok(place.y + place.height <= 400, 'its last entry can be reached');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('.popup').isHidden());
    await page.setViewportSize(before);
});

test('a long press with a finger tells what a button does, and does not press it', async () => {
    const touch = await openPage({ width: 390, height: 780 }, { hasTouch: true });
    const devtools = await touch.context().newCDPSession(touch);
    const box = await touch.locator('[data-tool="ball"]').boundingBox();
    const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
    await touch.waitForSelector('.tooltip:not([hidden])');
    assert.equal(await touch.textContent('.tooltip'), await touch.getAttribute('[data-tool="ball"]', 'title'));
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    assert.equal(await touch.evaluate(() => window.studio.app.get('tool')), 'grab');
    assert.ok(await touch.locator('[data-tool="ball"] span').isVisible(), 'and there is a label');
    await touch.context().close();
});

test('the first words do not cover the body, which is grabbed at once; nothing moves for those who want no motion', async () => {
    await openScene('a_cube');
    for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 780 }]) {
        const fresh = await openPage(size, { reducedMotion: 'reduce' }, { welcomed: false });
        try {
            await fresh.waitForFunction(() => !window.studio.app.status.playing, null, patience);
            await fresh.evaluate(() => window.studio.app.send({ type: 'reset' }));
            await fresh.waitForFunction(() => window.studio.app.status.last === 0 && window.studio.shownFrame() === 0, null, patience);
            const card = await fresh.locator('.welcome').boundingBox();
            const at = await fresh.evaluate(() => {
                const { viewport } = window.studio.app, { low, high } = viewport.extent;
                const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => viewport.picking.toPage(viewport.extent.center.clone().set(k & 1 ? low.x : high.x, k & 2 ? low.y : high.y, k & 4 ? low.z : high.z)));
                return { ...viewport.picking.toPage(viewport.extent.center), left: Math.min(...corners.map((c) => c.x)), right: Math.max(...corners.map((c) => c.x)), bottom: Math.max(...corners.map((c) => c.y)), top: Math.min(...corners.map((c) => c.y)) };
            });
            await fresh.evaluate(() => window.studio.app.setLook({ color: 'speed' }));
            const legend = await fresh.locator('.legend').boundingBox();
            assert.ok(legend.y + legend.height <= card.y || legend.x >= card.x + card.width, `the legend is free: ${JSON.stringify([legend, card])}`);
            const apart = at.bottom <= card.y || at.top >= card.y + card.height || at.right <= card.x || at.left >= card.x + card.width;
            assert.ok(apart, `${size.width}: ${JSON.stringify([at, card])}`);
            assert.equal(await fresh.evaluate(() => window.studio.app.status.playing), false);
            await takeHold(at, fresh);
            await fresh.mouse.up();
            assert.ok(await fresh.locator('.welcome').isHidden(), 'whoever grabbed has understood');
        } finally {
            await fresh.context().close();  // as long as it is open, no scene plays by itself
        }
    }
});

test('a camera that is added to a scene is the present view', async () => {
    await openScene('a_cube');
    await pause();
    await focusCanvas();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowUp', '+']) await page.keyboard.press(key);
    await drawn();
    const eye = () => page.evaluate(() => window.studio.app.viewport.view.camera.position.toArray());
    await page.evaluate(() => { const controls = window.studio.app.viewport.view.controls; controls.enableDamping = false; controls.update(); });
    const now = await eye();
    await page.locator('.tune button', { hasText: 'Camera' }).first().click();
    await until(() => window.studio.app.document.content.camera);
    const camera = await page.evaluate(() => window.studio.app.document.content.camera);
    camera.eye.forEach((x, k) => assert.ok(Math.abs(x - now[k]) < 2e-3, JSON.stringify([camera, now])));
    await page.evaluate(() => { window.studio.app.viewport.view.controls.enableDamping = true; });
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
