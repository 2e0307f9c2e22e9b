// The Scene desk with the real pointer: a scene from nothing, things chosen, moved, held, led by keys, and taken back.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { add, content, drawn, idle, letGo, newScene, openScene, page, pageErrors, pause, pixelOf, send, shown, thereAndBack, thing, toastWith, toStart, until } from './harness.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const chosen = () => page.evaluate(() => window.studio.app.get('chosen'));
const hill = 'v 0 0 0\nv 3 0 0\nv 0 3 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n';

/** Opens the tree of things. */
async function openTree() {
    if (await page.isHidden('.desk-panel')) await page.click('[data-desk=scene]');
}

async function drag(from, to) {
    await page.mouse.move(from.x, from.y);
    await drawn();
    await page.mouse.down();
    for (const share of [0.3, 0.7, 1]) await page.mouse.move(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
    await drawn();
    await page.mouse.up();
    await idle();
}

test('from nothing: a dropped mesh, two balls of different stiffness and a ramp, placed by hand, played and shared', async () => {
    await newScene();
    await openTree();
    await letGo('hill.obj', hill);
    await shown(1);
    await add('ball');
    await shown(2);
    await add('ball');
    await shown(3);
    await add('ramp');
    await until(() => window.studio.app.document.content.obstacles.length === 2);
    await thing('ball_2').click();
    assert.deepEqual(await chosen(), ['/bodies/@ball_2']);
    await page.fill('.tune input[aria-label^="Stiffness"][type=number]', '5000');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[2].matching.young === 5000 && window.studio.app.document.content.bodies[1].matching.young === 50000);

    // The handle: its arrow upwards.
    await page.click('[data-tool=move]');
    await until(() => window.studio.toolbox.of('move').overlay.ghosts.children.length === 1);
    await drawn();
    const middle = await page.evaluate(() => window.studio.toolbox.of('move').overlay.middle.toArray());
    const at = await pixelOf(middle), above = await pixelOf([middle[0], middle[1] + 0.5, middle[2]]), far = Math.hypot(above.x - at.x, above.y - at.y);
    const along = (pixels) => ({ x: at.x + ((above.x - at.x) * pixels) / far, y: at.y + ((above.y - at.y) * pixels) / far });
    const before = JSON.stringify(await content()), start = (await content()).bodies[2].place.translate;
    await drag(along(42), along(102));
    const [x, y, z] = (await content()).bodies[2].place.translate;
    assert.ok(y - start[1] > 0.05 && Math.abs(x - start[0]) < 1e-4 && Math.abs(z - start[2]) < 1e-4, `it went up alone: ${[x, y, z]}`);
    assert.equal(await page.evaluate(() => window.studio.app.document.undo), 'Move ball_2');
    await thereAndBack(before);
    await page.keyboard.press('End');  // down again onto the floor
    await until(() => window.studio.app.document.undo === 'Drop ball_2' && Math.abs(window.studio.app.document.content.bodies[2].place.translate[1]) < 0.05);

    await send({ type: 'play', playing: true });
    await until(() => window.studio.shownFrame() > 5);
    await pause();
    const file = page.waitForEvent('download');
    await page.click('.actions [aria-label=Export]');
    await page.click('[role=menuitem]:has-text("Scene with its meshes")');
    const zip = readFileSync(await (await file).path());
    assert.equal(zip.toString('latin1', 0, 2), 'PK');
    assert.ok(zip.includes('hill.obj'));
});

test('several things move about their common middle by typed numbers, in one step of undo; a scale of zero is refused', async () => {
    await openScene('e_two');
    await toStart();
    await page.click('[data-tool=move]');
    await openTree();
    await thing('left').click();
    await thing('right').click({ modifiers: ['Control'] });
    assert.equal((await chosen()).length, 2);
    const before = JSON.stringify(await content());
    await page.locator('.view canvas').focus();
    await page.keyboard.press('2');
    await page.fill('.numbers [data-axis=y] input', '90');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.undo.startsWith('Turn'));
    const places = (await content()).bodies.map(({ place }) => place.translate);
    assert.ok(places.every(([x], k) => Math.abs(x) < 1e-3 && Math.abs(Math.abs(places[k][2]) - 0.5) < 1e-3), JSON.stringify(places));
    await thereAndBack(before);
    await page.keyboard.press('3');
    await page.fill('.numbers [data-axis=x] input', '0');
    await page.keyboard.press('Enter');
    await toastWith('zero');
    await idle();
    assert.deepEqual((await content()).bodies.map(({ place }) => place.translate), places, 'nothing changed');
});

test('by keys alone: things are added, chosen, renamed as a group, duplicated, copied to another scene and deleted', async () => {
    await openScene('e_two');
    await pause();
    await openTree();
    await page.locator('.view canvas').focus();
    await page.keyboard.press('a');
    await page.locator('.add-item:focus').waitFor();
    await page.keyboard.press('Enter');  // the first: a ball
    await shown(3);
    await page.locator('.tree [tabindex="0"]').focus();
    await page.keyboard.press('Home');
    assert.deepEqual(await chosen(), ['/bodies/@left']);
    await page.keyboard.press('Shift+ArrowDown');
    assert.equal((await chosen()).length, 2);
    await page.keyboard.press('F2');
    await page.locator('.thing-name input').waitFor();
    await page.keyboard.type('toy');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies.map(({ name }) => name).join() === 'toy,toy_2,ball');
    await page.keyboard.press('Control+d');
    await shown(5);
    await until(() => window.studio.app.get('chosen').length === 2 && window.studio.app.get('chosen').every((key) => /toy_[34]/.test(key)));
    const copied = await page.evaluate(() => {
        const data = new DataTransfer();
        document.querySelector('.tree').dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true }));
        return data.getData('text/plain');
    });
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Delete');
    await shown(3);
    await newScene();
    await page.evaluate((text) => {
        const data = new DataTransfer();
        data.setData('text/plain', text);
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }, copied);
    await shown(2);
    assert.deepEqual((await content()).bodies.map(({ name }) => name), ['toy_3', 'toy_4']);
    await page.evaluate(() => window.studio.app.choose(['/bodies/@toy_3', '/bodies/@toy_4']));
    await page.fill('.tune input[aria-label^="Weight"][type=number]', '500');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies.every(({ density }) => density === 500));
});

test('a bar is held at one end by a lasso and turned at the other by two keys; an empty lasso says so and changes nothing', async () => {
    await newScene();
    await add('bar');
    await shown(1);
    const lasso = async (middle, wide, tall) => {
        const around = Array.from({ length: 13 }, (_, k) => ({ x: middle.x + wide * Math.cos((k * Math.PI) / 6), y: middle.y + tall * Math.sin((k * Math.PI) / 6) }));
        await page.mouse.move(around[0].x, around[0].y);
        await page.mouse.down();
        for (const { x, y } of around) await page.mouse.move(x, y, { steps: 2 });
        await drawn();
        await page.mouse.up();
    };
    await page.click('[data-tool=hold]');
    const before = JSON.stringify(await content()), end = await pixelOf([-0.8, 0.2, 0]), other = await pixelOf([0.8, 0.2, 0]);
    const tall = 1.2 * Math.abs((await pixelOf([0.8, 0.6, 0])).y - other.y), wide = 0.25 * Math.abs(other.x - end.x);
    const sky = await page.locator('.view canvas').boundingBox();
    await lasso({ x: sky.x + sky.width - 30, y: sky.y + 30 }, 12, 12);
    await toastWith('nothing is held');
    assert.equal(JSON.stringify(await content()), before);
    await lasso(end, wide, tall);
    await until(() => window.studio.app.document.content.bodies[0].pins?.length === 1);
    assert.ok(!JSON.stringify((await content()).bodies[0].pins).includes('vertices'), 'kept by where it is, for any mesh');
    await page.click('.hold-panel button:text-is("Handle")');
    await page.click('.hold-panel label:has-text("Through")');
    await lasso(other, wide, tall);
    await until(() => window.studio.app.document.content.bodies[0].handles?.length === 1 && window.studio.app.get('chosen')[0] === '/bodies/@bar/handles/0');

    await page.click('[data-tool=move]');
    await page.locator('.lane').waitFor();
    const lane = await page.locator('.lane').boundingBox();
    await page.mouse.click(lane.x + lane.width - 1, lane.y + 12);
    await until(() => Math.abs(window.studio.app.get('keyTime') - 2) < 0.02);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('2');
    await page.fill('.numbers [data-axis=x] input', '180');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].handles[0].path?.length === 2);
    const [first, last] = (await content()).bodies[0].handles[0].path;
    assert.deepEqual(first, { time: 0 });
    assert.deepEqual(last.turn, { axis: [1, 0, 0], degrees: 180 });
    await page.locator('.lane .key >> nth=1').focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await until((time) => window.studio.app.document.content.bodies[0].handles[0].path[1].time < time - 0.1, last.time);
    await page.locator('.lane .key >> nth=1').focus();
    await page.keyboard.press('Delete');
    await until(() => window.studio.app.document.content.bodies[0].handles[0].path.length === 1);
});

test('axe finds no barrier at the desk: in the tree, the menu of things to add, the track and the panels of its tools, light and dark', async () => {
    await openTree();
    await page.evaluate(axeSource);
    const violations = async (what) => {
        const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')})`)));
        assert.deepEqual(found, [], what);
    };
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
        await page.evaluate(() => window.studio.app.choose(['/bodies/@bar/handles/0']));
        await until(() => !document.querySelector('.key-track').hidden);
        for (const tool of ['move', 'hold', 'measure']) {
            await page.click(`[data-tool=${tool}]`);
            await violations(`${tool}, ${theme}`);
        }
        await page.click('.add-button');
        await violations(`add, ${theme}`);
        await page.keyboard.press('Escape');
    }
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
