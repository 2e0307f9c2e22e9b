// What is kept: unsaved work, recordings, what was measured; and who is let in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterSteps, browser, engine, openScene, page, pageErrors, patience, pause, step } from './harness.mjs';

const alphaField = '[data-path="/bodies/@bar/matching/alpha"] input[type=number]';
const until = (condition, argument) => page.waitForFunction(condition, argument, patience);
const state = (slice) => page.evaluate((s) => window.studio.app.get(s), slice);
const focusCanvas = () => page.locator('.view canvas').focus();

test('unsaved edits can be kept in Recent, and are found there with what they were', async () => {
    await openScene('b_sag');
    await page.fill(alphaField, '0.25');
    await page.press(alphaField, 'Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.25 && !window.studio.app.document.saved);
    await focusCanvas();
    await page.keyboard.press('n');
    await page.click('[data-scene="a_cube"]');
    await page.click('.question button:text-is("Keep in Recent")');
    await until(() => window.studio.app.document.name === 'a_cube' && window.studio.app.get('recent').length === 1);
    await focusCanvas();
    await page.keyboard.press('n');
    assert.match(await page.textContent('.recent .card'), /A sagging bar/);
    await page.click('.recent .card');
    await until(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.25);
    assert.equal((await state('document')).saved, false, 'the edits are still not saved');
    await page.evaluate(() => window.studio.app.send({ type: 'open', from: 'gallery', name: 'a_cube', keep: false }));
    await until(() => window.studio.app.document.name === 'a_cube' && window.studio.app.get('recent').length === 0);
});

test('a recording is replayed and stepped in, and going on from a frame of it starts another take', async () => {
    await openScene('a_cube');
    const end = await afterSteps(40);
    const takes = () => page.evaluate(() => window.studio.app.get('takes').map((t) => [t.id, t.first, t.last, t.shown]));
    await until(() => window.studio.app.get('takes').some((t) => t.shown && t.id === window.studio.app.status.take));
    const count = (await takes()).length;
    const seek = async (frame) => {
        await page.evaluate((f) => window.studio.app.send({ type: 'seek', frame: f }), frame);
        await until((f) => window.studio.shownFrame() === f && window.studio.app.status.frame === f, frame);
    };
    await seek(10);
    await focusCanvas();
    await page.keyboard.press('.');
    await until(() => window.studio.shownFrame() === 11);
    assert.equal((await state('status')).last, 40, 'stepping keeps what follows');
    const replayed = await step(29);
    assert.deepEqual(replayed, end, 'and shows it again, bit for bit');

    await seek(20);
    await page.click('.go-on');
    await until(() => window.studio.app.status.playing && window.studio.app.status.frame > 21);
    await pause();
    const after = await takes();
    assert.equal(after.length, count + 1);
    assert.equal(after.find(([id]) => id === after[after.length - 2][0])[2], 40, 'the take before is whole');

    // Named, kept, shown again, removed.
    await page.click('.takes-button');
    await page.locator('.takes li').nth(1).getByLabel('Rename').click();
    await page.keyboard.type('The long one');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.get('takes').some((t) => t.name === 'The long one'));
    const row = page.locator('.takes li', { hasText: 'The long one' });
    await row.getByLabel('Keep').click();
    await until(() => window.studio.app.get('takes').find((t) => t.name === 'The long one').kept);
    await row.locator('.take').click();
    await until(() => window.studio.app.get('takes').find((t) => t.name === 'The long one').shown && window.studio.app.status.last === 40);

    // Compared with something: the takes stay.
    const before = (await takes()).length;
    await page.evaluate(() => window.studio.app.compare(true));
    await until(() => window.studio.app.status.comparing);
    await page.evaluate(() => window.studio.app.compare(false));
    await until(() => !window.studio.app.status.comparing);
    assert.ok((await takes()).length >= before, 'none was dropped');

    // One take beside another: the same frame of both, each as it was recorded.
    await until(() => window.studio.app.get('takes').some((t) => t.shown && t.id === window.studio.app.status.take));  // both are told
    await page.locator('.takes li').first().locator('.take').click();
    await until(() => document.querySelector('.takes li .take').getAttribute('aria-current') === 'true');
    const other = await page.textContent('.takes li:first-child b');
    await row.getByLabel('Compare with').click();
    await until(() => window.studio.app.status.beside !== undefined && window.studio.app.viewport.bodyViews(1).length === 1);
    assert.deepEqual(await page.locator('.compared span').allTextContents(), [other, 'The long one']);
    await row.getByLabel('Remove').click();
    await until(() => window.toasts.some((words) => words.includes('being compared')));
    await row.getByLabel('End the comparison').click();
    await until(() => !window.studio.app.status.comparing);
    await row.getByLabel('Remove').click();
    await until(() => !window.studio.app.get('takes').some((t) => t.name === 'The long one'));
    await page.keyboard.press('Escape');
});

test('what a scene measures is plotted while it runs, with its number', async () => {
    await openScene('d_measured');
    await step(30);
    await until(() => document.querySelectorAll('.plot .curve').length === 2 && document.querySelector('.plot .curve').getAttribute('d').includes('L'));
    const text = await page.textContent('.measures');
    assert.match(text, /height/);
    const told = Number(await page.textContent('.plot .keys b'));
    const low = await page.evaluate(() => window.studio.app.viewport.extent);
    assert.ok(Math.abs(told - (low.high.y - low.low.y)) < 0.05, `says ${told}, reaches from ${low.low.y} to ${low.high.y}`);
    await openScene('a_cube');
    await until(() => document.querySelector('.measures').hidden);
});

test('a wrong token is told apart from a dead engine, and one page too many is told so', async () => {
    const context = await browser.newContext();
    const stranger = await context.newPage();
    await stranger.goto(`http://127.0.0.1:${engine.port}/?token=wrong`);
    await stranger.waitForSelector('.away[data-connection="refused"]:not([hidden])');
    assert.match(await stranger.textContent('.away'), /no longer valid/);

    const sockets = await page.evaluate(async () => {
        window.crowd = Array.from({ length: 12 }, () => new WebSocket(`ws://${location.host}/stream${location.search}`));
        const settled = await Promise.all(window.crowd.map((socket) => new Promise((done) => {
            socket.onmessage = () => done('in');
            socket.onclose = ({ code }) => done(code);
        })));
        return settled;
    });
    assert.ok(sockets.includes(1013) && sockets.includes('in'), sockets.join());
    await stranger.goto(`${engine.url}&quality=low`);
    await stranger.waitForSelector('.away[data-connection="full"]:not([hidden])');
    await page.evaluate(() => window.crowd.forEach((socket) => socket.close()));
    await stranger.waitForSelector('.away', { state: 'hidden' });
    await context.close();
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
