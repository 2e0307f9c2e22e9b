// The Material desk with the real pointer: materials from the shelf, paint on the surface and on the cut, fibres, and back.
import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './engine.mjs';
import { afterSteps, content, drawn, hover, idle, openPage, openScene, page, pageErrors, painted, pixelOf, scenes, setPage, step, thereAndBack, toastWith, toStart, until } from './harness.mjs';

copyFileSync(join(root, 'data', 'rabbit.obj'), join(scenes, 'rabbit.obj'));
const floor = [{ plane: { point: [0, 0, 0], normal: [0, 1, 0] } }];
writeFileSync(join(scenes, 'm_rabbit.json'), JSON.stringify({
    yawara: 1, title: 'A rabbit', camera: { eye: [2.2, 1.3, 2.2], target: [0, 0.7, 0] }, obstacles: floor,
    bodies: [{ name: 'rabbit', solid: { from: 'rabbit.obj', particles: 700 }, matching: { young: 30000, damping: 0.02 }, place: { translate: [0, 0.3, 0] } }],
}));
writeFileSync(join(scenes, 'n_beam.json'), JSON.stringify({
    yawara: 1, title: 'A beam', camera: { eye: [0, 0.8, 5], target: [0, 0.8, 0] },
    bodies: [{ name: 'beam', solid: { bar: { size: [1.6, 0.3, 0.3], cells: [16, 3, 3] } }, matching: { young: 300000 }, place: { translate: [0, 0.7, 0] }, pins: [{ select: { plane: { point: [-0.79, 0, 0], normal: [-1, 0, 0] } } }] }],
}));

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const body = async () => (await content()).bodies[0];

async function openDesk() {
    if ((await page.getAttribute('[data-desk=material]', 'aria-expanded')) !== 'true') await page.click('[data-desk=material]');
    await page.locator('.material-desk').waitFor();
}

/** The brush in hand, and the body shows what is painted. */
async function takeBrush(name = 'Brush') {
    await openDesk();
    if ((await page.evaluate(() => window.studio.app.get('tool'))) !== 'paint') await page.click('.rail [data-tool=paint]');
    await page.click(`.paint-panel button:text-is("${name}")`);
    await painted('paint');
}

/** Beginning beside the body, or on it. */
async function stroke(points, beside = false) {
    if (beside) await page.mouse.move(points[0].x, points[0].y);
    else await hover(points[0]);
    await drawn();
    await page.mouse.down();
    for (const { x, y } of points.slice(1)) {
        await page.mouse.move(x, y);
        await drawn();
    }
}

const along = (from, to, count = 8) => Array.from({ length: count + 1 }, (_, k) => ({ x: from.x + ((to.x - from.x) * k) / count, y: from.y + ((to.y - from.y) * k) / count }));

test('a rabbit: ears softened on both sides by one stroke, a stiff spine on the cut; it drops differently from the plain one', async () => {
    await openScene('m_rabbit');
    const plain = await afterSteps(45);
    await toStart();
    await takeBrush();
    const before = JSON.stringify(await content());

    // The tip of the ear that is nearer to the eye, and where it begins.
    const ear = await page.evaluate(() => {
        const p = window.studio.app.viewport.bodyViews()[0].positions;
        let tip = 0;
        for (let k = 0; k < p.length; k += 3) if (p[k] > 0.02 && p[k + 1] > p[tip + 1]) tip = k;
        return [p[tip], p[tip + 1], p[tip + 2]];
    });
    const tip = await pixelOf([ear[0], ear[1] - 0.05, ear[2]]), root = await pixelOf([ear[0], ear[1] - 0.22, ear[2]]);
    await page.click('.palette .strip', { position: { x: 6, y: 10 } });
    await page.click('.paint-panel [aria-label=Mirror] button:text-is("X")');
    await stroke(along(tip, root));
    // The draft shows before anything is in the document, and Escape throws it away.
    await until(() => Math.min(...window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value').array) < 0.1);
    assert.equal(JSON.stringify(await content()), before);
    await page.keyboard.press('Escape');
    await until(() => Math.min(...window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value').array) > 0.45);
    await page.mouse.up();
    assert.equal(JSON.stringify(await content()), before, 'nothing is left of it');

    await stroke(along(tip, root));
    await page.mouse.up();
    await until(() => window.studio.app.document.content.bodies[0].matching.regions?.stiffness?.coats?.length === 1);
    assert.equal(await page.evaluate(() => window.studio.app.document.undo), 'Paint stiffness on rabbit');
    await thereAndBack(before);
    const regions = (await body()).matching.regions;
    assert.deepEqual([regions.law, regions.range, regions.stiffness.coats[0].mirror], ['young', [3000, 300000], 'x']);
    await until(() => {  // soft on both sides
        const view = window.studio.app.viewport.bodyViews()[0], p = view.positions, v = view.surface.geometry.getAttribute('value').array;
        const soft = [...v.keys()].filter((k) => v[k] < 0.3);
        return soft.some((k) => p[3 * k] > 0.03) && soft.some((k) => p[3 * k] < -0.03);
    });

    // The spine, on the cut through the middle.
    await page.click('.paint-panel [aria-label=Mirror] button:text-is("Off")');
    await page.locator('.view canvas').focus();
    await page.keyboard.press('x');
    await page.evaluate(() => window.studio.app.setLook({ cut: { axis: 'x', offset: 0, flip: false } }));
    await takeBrush();
    await until(() => window.studio.app.viewport.bodyViews()[0].paintedSection);
    await page.click('.palette .strip', { position: { x: 240, y: 10 } });
    const middle = await page.evaluate(() => {
        const { viewport } = window.studio.app, positions = viewport.bodyViews()[0].paintedSection.geometry.getAttribute('position').array;
        let y = 0, z = 0;
        for (let k = 0; k < positions.length; k += 3) y += positions[k + 1], z += positions[k + 2];
        return [positions[0], (3 * y) / positions.length, (3 * z) / positions.length];
    });
    const low = await pixelOf([middle[0], middle[1] - 0.15, middle[2]]), high = await pixelOf([middle[0], middle[1] + 0.1, middle[2]]);
    await stroke(along(low, high));
    await page.mouse.up();
    await until(() => window.studio.app.document.content.bodies[0].matching.regions.stiffness.coats.length === 2);
    const spine = (await body()).matching.regions.stiffness.coats[1];
    assert.ok(spine.value > 0.8 && spine.path.length > 2 && spine.path.every(([x]) => Math.abs(x - spine.path[0][0]) < 2e-3), `inside, in the plane of the cut: ${JSON.stringify(spine)}`);
    await page.keyboard.press('x');

    await idle();
    const soft = await afterSteps(45);
    assert.ok(Math.hypot(soft.x - plain.x, soft.y - plain.y, soft.z - plain.z) > 1e-5, 'it moves differently');
});

test('painting a body that moves acts at once: its motion goes on, and the coat stays in the document', async () => {
    await openScene('m_rabbit');
    await takeBrush('Ball');
    await step(20);
    const at = await page.evaluate(() => { const { viewport } = window.studio.app; return viewport.picking.toPage(viewport.middleOf('rabbit')); });
    const height = await page.evaluate(() => window.studio.app.viewport.middleOf('rabbit').y);
    const scenesHeard = await page.evaluate(() => window.heardCount.scene);
    await stroke(along(at, { x: at.x + 50, y: at.y }));
    await page.mouse.up();
    await until((n) => window.studio.app.document.content.bodies[0].matching.regions?.stiffness && window.heardCount.scene > n, scenesHeard);
    const after = await page.evaluate(() => window.studio.app.viewport.middleOf('rabbit').y);
    assert.ok(Math.abs(after - height) < 0.05, `where it was: ${after}, ${height}`);
    assert.ok((await page.evaluate(() => window.studio.app.quantities().map(({ name }) => name))).includes('stiffness'));
});

test('a beam becomes finite elements with two levels, half of it a hundred times stiffer by one box, its fibres along one stroke', async () => {
    await openScene('n_beam');
    await toStart();
    await openDesk();
    await page.click('[data-tab=shelf]');
    await page.click('.material-shelf button:text-is("Elements")');
    await until(() => window.studio.app.document.content.bodies[0].fem?.materials[0].young === 300000);
    assert.deepEqual((await body()).pins.length, 1, 'what holds it stays');
    await toastWith('Simulated by finite elements');
    await page.evaluate(() => window.studio.app.edits.set(['bodies', '@beam', 'fem', 'levels'], 2, 'Levels'));
    await idle();

    await takeBrush('Box');
    assert.equal(await page.inputValue('.paint-panel select'), 'modulus');
    await page.click('.paint-panel [aria-label=Reach] button:text-is("Through")');
    await page.fill('.paint-panel input[aria-label="Value, Pa"]', '30000000');
    await page.keyboard.press('Enter');
    const before = JSON.stringify(await content()), from = await pixelOf([0, 1.2, 0]), to = await pixelOf([1, 0.5, 0]);
    const sky = await pixelOf([0.5, 1.35, 0]);
    await stroke(along(sky, { x: sky.x + 40, y: sky.y - 20 }, 2), true);
    await page.mouse.up();
    await toastWith('nothing was painted');
    assert.equal(JSON.stringify(await content()), before, 'an empty box changes nothing');
    await stroke(along(from, to, 4), true);
    await page.mouse.up();
    await until(() => window.studio.app.document.content.bodies[0].fem.materials[0].factor?.coats?.length === 1);
    await thereAndBack(before);
    const { factor } = (await body()).fem.materials[0];
    assert.deepEqual([factor.base, factor.coats[0].value, factor.coats[0].brush], [1, 100, 'select']);
    await until(() => {  // one half is at the hard end of the colours, the other in the middle
        const view = window.studio.app.viewport.bodyViews()[0], p = view.positions, v = view.surface.geometry.getAttribute('value').array;
        return [...v.keys()].every((k) => (p[3 * k] > 0.15 ? v[k] > 0.99 : p[3 * k] < -0.15 ? Math.abs(v[k] - 0.5) < 0.01 : true));
    });

    await page.click('.rail [data-tool=fibres]');
    const bare = JSON.stringify(await content());
    const one = await pixelOf([-0.6, 0.85, 0.15]), other = await pixelOf([0.6, 0.85, 0.15]);
    await stroke(along(one, one, 1));
    await page.mouse.up();
    await toastWith('A stroke needs some length');
    await stroke(along(one, other, 10));
    await page.mouse.up();
    await until(() => window.studio.app.document.content.bodies[0].fem.materials[0].fibres?.strokes.length === 1);
    await thereAndBack(bare);
    const { fibres } = (await body()).fem.materials[0];
    assert.deepEqual([fibres.young_along, fibres.young_across], [6e6, 300000]);
    await idle();
    const fallen = await step(30);
    assert.ok(Number.isFinite(fallen.y) && fallen.y < 0.86, 'it runs, and its free end sinks');
});

test('a material for several bodies is one step of undo; switching the method names what is dropped', async () => {
    await openScene('e_two');
    await toStart();
    await openDesk();
    await page.evaluate(() => window.studio.app.choose(['/bodies/@left', '/bodies/@right']));
    await page.click('[data-tab=shelf]');
    assert.equal(await page.locator('.material').count(), 19);
    const before = JSON.stringify(await content());
    await page.click('[data-material=jelly]');
    await until(() => window.studio.app.document.content.bodies.every(({ matching, density }) => matching.young === 5000 && density === 1000));
    assert.equal(await page.evaluate(() => window.studio.app.document.undo), 'Make 2 bodies of jelly');
    await toastWith('Shape matching has no Poisson');
    await thereAndBack(before);
    await page.click('[data-material=clay]');
    await toastWith('only finite elements keep a dent');
    await page.click('.material-shelf button:text-is("Elements")');
    await until(() => window.studio.app.document.content.bodies.every(({ fem }) => fem));
    await page.click('[data-material=cored]');
    await until(() => window.studio.app.document.content.bodies.every(({ fem, density }) => fem.materials[0].factor?.coats.length === 1 && density.coats.length === 1));
    await page.click('.material-shelf button:text-is("Matching")');
    await toastWith('Dropped: Poisson');
    await until(() => window.studio.app.document.content.bodies.every(({ matching }) => matching?.regions?.stiffness));
    await idle();
    assert.ok(Number.isFinite((await step(5)).y));
});

test('a stroke of 200 touches is one line of the journal, one array and less than 50 kB; a brush on nothing turns the view', async () => {
    await openScene('m_rabbit');
    await toStart();
    await takeBrush();
    await page.evaluate(() => window.studio.app.setPaint({ radius: 0.02, mirror: '' }));
    const at = await page.evaluate(() => { const { viewport } = window.studio.app; return viewport.picking.toPage(viewport.middleOf('rabbit')); });
    await hover(at);
    await page.mouse.down();
    for (let k = 0; k < 320; ++k) {
        await page.mouse.move(at.x + 30 * Math.cos(k / 5) * (1 + k / 640), at.y + 30 * Math.sin(k / 5) * (1 + k / 640));
        await drawn();
    }
    await page.mouse.up();
    await until(() => window.studio.app.document.content.bodies[0].matching.regions?.stiffness?.coats?.length === 1);
    const coat = (await body()).matching.regions.stiffness.coats[0];
    assert.ok(coat.path.length >= 200, `${coat.path.length} touches`);
    const text = await page.evaluate(() => JSON.stringify(window.studio.app.document.content));
    assert.ok(text.length < 50000, `${text.length} bytes`);
    const file = page.waitForEvent('download');
    await page.click('.actions [aria-label=Export]');
    await page.click('[role=menuitem]:has-text("Scene file")');
    const { size } = statSync(await (await file).path());
    assert.ok(size < 50000, `${size} bytes`);

    const before = JSON.stringify(await content()), sky = await page.locator('.view canvas').boundingBox();
    const eye = await page.evaluate(() => window.studio.app.viewport.view.camera.position.toArray());
    await stroke(along({ x: sky.x + sky.width - 60, y: sky.y + 60 }, { x: sky.x + sky.width - 160, y: sky.y + 80 }), true);
    await page.mouse.up();
    await until((old) => Math.hypot(...window.studio.app.viewport.view.camera.position.toArray().map((x, k) => x - old[k])) > 0.05, eye);
    assert.equal(JSON.stringify(await content()), before);
});

test('axe finds no barrier at the Material desk: shelf, brush and fibres, light and dark', async () => {
    await openDesk();
    await page.evaluate(axeSource);
    for (const theme of ['light', 'dark']) {
        await page.evaluate((t) => window.studio.app.setSettings({ theme: t }), theme);
        for (const tab of ['shelf', 'paint', 'fibres']) {
            await page.click(`[data-tab=${tab}]`);
            if (tab === 'shelf') await page.hover('[data-material=muscle]');
            const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')})`)));
            assert.deepEqual(found, [], `${tab}, ${theme}`);
        }
    }
});

test('fingers paint at the size of a tablet', async () => {
    const tablet = await openPage({ width: 834, height: 1112 }, { hasTouch: true });
    const desktop = page;
    setPage(tablet);
    try {
        await openScene('n_beam');
        await toStart();
        await tablet.tap('[data-desk=material]');
        await tablet.tap('[data-tab=paint]');
        await tablet.tap('[data-desk=material]');  // out of the way of the body
        await painted('paint');
        const at = await pixelOf([0.4, 0.85, 0.15]), touch = await tablet.context().newCDPSession(tablet);
        const send = (type, x, y) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
        await send('touchStart', at.x, at.y);
        for (let k = 1; k <= 6; ++k) {
            await send('touchMove', at.x - 6 * k, at.y);
            await drawn();
        }
        await send('touchEnd');
        await until(() => window.studio.app.document.content.bodies[0].matching.regions?.stiffness?.coats?.length === 1);
        assert.ok((await body()).matching.regions.stiffness.coats[0].path.length > 1);
    } finally {
        setPage(desktop);
        await tablet.context().close();
    }
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
