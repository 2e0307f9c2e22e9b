// The Shape desk with the real pointer: a peach with a stone that is moved while it bounces, a mesh with a spine drawn into it,
// the tree by hand and by keys, and bad ends that are said where they are.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { program } from './engine.mjs';
import { clickOn, content, drawn, folder, idle, letGo, page, pageErrors, pause, pixelOf, shown, thereAndBack, toastWith, until } from './harness.mjs';
import { addPart, arrow, desk, drag, emptyDesk, newModel, node, root, settled } from './shape_desk.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const bar = ['v -0.5 0 -0.1', 'v 0.5 0 -0.1', 'v 0.5 0.2 -0.1', 'v -0.5 0.2 -0.1', 'v -0.5 0 0.1', 'v 0.5 0 0.1', 'v 0.5 0.2 0.1', 'v -0.5 0.2 0.1',
    'f 1 4 3 2', 'f 5 6 7 8', 'f 1 2 6 5', 'f 4 8 7 3', 'f 1 5 8 4', 'f 2 3 7 6', ''].join('\n');

test('a peach: a ball, a hard ball inside, blended, cut open, soft; its stone is moved while it bounces', async () => {
    await newModel();
    await addPart('Ball');
    await node('Ball').waitFor();
    await settled();
    assert.equal((await root()).op, 'union');
    assert.deepEqual(await desk((m) => m.keys), ['root/args/0'], 'the new part is chosen');
    await node('Ball').dblclick();
    await page.keyboard.type('stone');
    await page.keyboard.press('Enter');
    await node('stone').waitFor();
    await node('Union').click();
    await page.selectOption('.node-panel [aria-label=Operator]', 'blend');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.op === 'blend');
    await settled();

    // Cut: the stone shows on the face.
    await page.click('.shape-desk button:text-is("Cut")');
    await until(() => (window.studio.toolbox.of('shape').overlay.model.cut?.stiffness.length ?? 0) > 0);
    const inside = await desk((m) => [...new Set([...m.cut.stiffness].map((s) => Math.round(100 * s) / 100))].sort());
    assert.deepEqual(inside, [0.3, 1]);
    await page.click('.shape-desk button:text-is("Cut")');
    await page.click('[data-tool=shape]');

    // Only what is stiffer than: the stone alone is drawn.
    const reach = (m) => Math.max(...m.surface.positions.filter((_, k) => k % 3 === 0));
    assert.ok((await desk(reach)) > 0.48);
    await page.locator('[aria-label="Only what is stiffer than"]').fill('0.9');
    await until(() => Math.max(...window.studio.toolbox.of('shape').overlay.model.surface.positions.filter((_, k) => k % 3 === 0)) < 0.25);
    await page.locator('[aria-label="Only what is stiffer than"]').fill('0');

    await page.click('button:text-is("Let it fall")');
    await until(() => window.studio.shownFrame() > 20);
    await node('stone').click();
    await until(() => window.studio.toolbox.of('shape').overlay.gizmo.isShown);
    await drawn();
    const before = JSON.stringify(await content()), scenes = await page.evaluate(() => window.heardCount.scene), along = await arrow();
    await drag(along(42), along(82));
    const stone = (await root()).args[0].transform.translate;
    assert.ok(stone[0] > 0.05 && Math.abs(stone[1] - 0.5) < 1e-4 && Math.abs(stone[2]) < 1e-4, `along x alone: ${stone}`);
    await until((count) => window.heardCount.scene > count, scenes);
    assert.ok(await page.evaluate(() => window.studio.shownFrame()) > 20, 'time went on');
    await pause();
    await thereAndBack(before);
});

test('sizes are dragged by their dots; Escape drops a drag; each is one step of undo', async () => {
    await newModel();
    await node('flesh').click();
    await drawn();
    const before = JSON.stringify(await content());
    const place = (await content()).bodies[0].place.translate, half = Math.SQRT1_2, at = (r) => [place[0] - half * r, place[1] + 0.5 + half * r, place[2]];
    const from = await pixelOf(at(0.5)), to = await pixelOf(at(0.7));
    await drag(from, to);
    const { radius } = await root();
    assert.ok(Math.abs(radius - 0.7) < 0.03, String(radius));
    await thereAndBack(before);
    await settled();
    const now = JSON.stringify(await content()), middle = await arrow();
    await page.mouse.move(middle(42).x, middle(42).y);
    await drawn();
    await page.mouse.down();
    await page.mouse.move(middle(90).x, middle(90).y);
    await drawn();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await idle();
    assert.equal(JSON.stringify(await content()), now);
});

test('the tree by hand and by keys: wrap, regroup, duplicate, repeat, hide, solo, delete', async () => {
    await newModel();
    await addPart('Box');
    await node('Box').waitFor();
    await settled();
    await addPart('Capsule');
    await node('Capsule').waitFor();
    await settled();
    assert.deepEqual((await root()).args.map(({ prim }) => prim), ['capsule', 'cube', 'sphere']);

    // Two of them become the parts of an intersection.
    await node('Box').click();
    await node('flesh').click({ modifiers: ['Control'] });
    await page.click('.shape-desk [aria-label^="Combine"]');
    await page.click('[role=menuitem]:has-text("Intersection")');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args.length === 2);
    await settled();
    assert.equal((await root()).args[1].op, 'intersection');

    // The capsule is dropped onto the intersection, and goes up by Alt and an arrow.
    await node('Capsule').dragTo(node('Intersection'));
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.op === 'intersection');
    await settled();
    assert.deepEqual((await root()).args.map(({ prim }) => prim), ['cube', 'sphere', 'capsule'], 'a union of one part is that part');
    await page.locator('.model-tree .thing[aria-selected=true]').focus();
    await page.keyboard.press('Alt+ArrowUp');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args[1].prim === 'capsule');
    await settled();

    const seen = await desk((m) => m.surface.triangles.length);
    await page.keyboard.press('h');
    await until((n) => window.studio.toolbox.of('shape').overlay.model.surface.triangles.length !== n, seen);
    assert.equal(await desk((m) => m.hidden.size), 1);
    await page.keyboard.press('h');
    await page.keyboard.press('Control+d');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args.length === 4);
    await settled();
    await page.keyboard.press('Delete');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args.length === 3);
    await settled();
    await page.click('.shape-desk [aria-label^="Combine"]');
    await page.click('[role=menuitem]:has-text("Ring")');
    await until(() => JSON.stringify(window.studio.app.document.content.bodies[0].solid.volume).includes('"repeat":"ring"'));
    await settled();
    await page.fill('.node-panel input[type=number][aria-label=Count]', '4');
    await page.keyboard.press('Enter');
    await until(() => JSON.stringify(window.studio.app.document.content.bodies[0].solid.volume).includes('"count":4'));
    assert.deepEqual(pageErrors, []);
});

test('a dropped mesh becomes a model, and a line drawn over it a stiff spine through its middle', async () => {
    await emptyDesk();
    await letGo('bar.obj', bar);
    await shown(1);
    await node('bar').waitFor();
    await until(() => (window.studio.toolbox.of('shape').overlay.model.surface?.triangles.length ?? 0) > 0 && window.studio.app.status.frame === 0);
    await page.getByLabel('Zoom to the bodies').click();
    await settled();
    await page.click('[data-tool=tube]');
    await drawn();
    const box = await desk((m) => {
        const p = m.surface.positions, low = [9, 9, 9], high = [-9, -9, -9], place = m.start.elements.slice(12, 15);
        p.forEach((c, k) => { low[k % 3] = Math.min(low[k % 3], c); high[k % 3] = Math.max(high[k % 3], c); });
        return { low: low.map((c, k) => c + place[k]), high: high.map((c, k) => c + place[k]) };
    });
    const middle = [0, 1, 2].map((k) => (box.low[k] + box.high[k]) / 2), at = (share) => pixelOf([box.low[0] + share * (box.high[0] - box.low[0]), middle[1], middle[2]]);
    await drag(await at(0.15), await at(0.85));
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args?.[0].prim === 'tube');
    const [tube, mesh] = (await root()).args;
    assert.equal(mesh.prim, 'mesh');
    assert.equal(tube.stiffness, 1);
    const xs = tube.points.map(([x]) => x), height = box.high[1] - box.low[1];
    assert.ok(Math.max(...xs) - Math.min(...xs) > 0.5 * (box.high[0] - box.low[0]), JSON.stringify(tube.points));
    assert.ok(tube.points.every(([, y, z]) => y > 0 && y < height && Math.abs(z) < 0.5 * (box.high[2] - box.low[2])), `inside: ${JSON.stringify(tube.points)}`);
    await settled();
    assert.ok(await desk((m) => Math.max(...m.lattice.stiffness)) > 0.9, 'the lattice has a hard core');
});

test('points of a tube are dragged, added and deleted, each in one step of undo', async () => {
    await newModel();
    await addPart('Tube');
    await node('Tube').waitFor();
    await settled();
    const points = async () => (await root()).args[0].points, there = async (k) => {
        const at = await page.evaluate((n) => {
            const { places } = window.studio.toolbox.of('shape').overlay.points;
            return (typeof n === 'number' ? places[n] : window.studio.toolbox.of('shape').overlay.points.between[0]).toArray();
        }, k);
        return pixelOf(at);
    };
    const [first, last] = await points(), up = ({ x, y }, far) => ({ x, y: y - far });

    const start = JSON.stringify(await content());
    const end = await there(1);
    await drag(end, up(end, 40));
    assert.deepEqual((await points())[0], first);
    assert.ok((await points())[1][1] > last[1] + 0.03, JSON.stringify(await points()));
    await thereAndBack(start);
    await settled();

    const two = JSON.stringify(await content()), middle = await there('middle');
    await drag(middle, up(middle, 30));
    assert.equal((await points()).length, 3);
    assert.ok((await points())[1][1] > 0.02, JSON.stringify(await points()));
    await thereAndBack(two);
    await settled();

    // Shift and a drag from its end go on from there.
    const three = JSON.stringify(await content()), tail = await there(2);
    await page.keyboard.down('Shift');
    await drag(tail, up(tail, -40));
    await page.keyboard.up('Shift');
    assert.equal((await points()).length, 4);
    await thereAndBack(three);
    await settled();

    // The new point is chosen: Delete takes it away; of two points none.
    const four = JSON.stringify(await content());
    const tip = await there(3);
    await clickOn(tip);
    await drawn();
    await page.keyboard.press('Delete');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args[0].points.length === 3);
    await thereAndBack(four);
    await settled();
    for (const left of [2, 2]) {
        const place = await there(0);
        await clickOn(place);
        await drawn();
        if ((await points()).length === 3) {
            await page.keyboard.press('Delete');
            await until((n) => window.studio.app.document.content.bodies[0].solid.volume.root.args[0].points.length === n, left);
        } else await page.keyboard.press('Delete');
        await settled();
    }
    await toastWith('A tube needs two points');
    assert.equal((await points()).length, 2);
    assert.deepEqual(pageErrors, []);
});

test('a .vdb and a polygon model that are dropped become parts of the model; a broken one is refused with its reason', async () => {
    const tree = join(folder, 'stone.cvg.json'), file = join(folder, 'stone.vdb');
    writeFileSync(tree, JSON.stringify({ format: 'yawara-cvg', version: 1, root: { prim: 'sphere', radius: 0.2, stiffness: 0.95, color: [0.4, 0.2, 0.1] } }));
    execFileSync(program, ['convert', tree, file, '--quiet', '--voxel', '0.04']);
    const bytes = readFileSync(file);
    await newModel();
    await letGo('stone.vdb', [...bytes]);
    await node('stone').waitFor();
    await settled();
    const parts = (await root()).args, [, stone] = parts;
    assert.equal(parts.length, 2);
    assert.equal(stone.prim, 'volume');
    assert.match(stone.file, /stone\.vdb$/);
    assert.deepEqual(stone.transform.translate.map((c) => Math.round(100 * c) / 100 + 0), [0, 0.5, 0], 'in the middle of the model');
    assert.ok(await desk((m) => Math.max(...m.lattice.stiffness)) > 0.9, 'its stiffness is in the lattice');

    // It is sized and moved like any part.
    await node('stone').click();
    await settled();
    const before = JSON.stringify(await content()), along = await arrow();
    await drag(along(42), along(72));
    assert.ok((await root()).args[1].transform.translate[0] > 0.03);
    await thereAndBack(before);
    await settled();

    await letGo('bar.obj', bar);
    await node('bar').waitFor();
    await settled();
    assert.deepEqual((await root()).args.map(({ prim }) => prim), ['sphere', 'volume', 'mesh']);

    const now = JSON.stringify(await content());
    await letGo('broken.vdb', [...bytes.subarray(0, 300)]);
    await toastWith('broken.vdb');
    await settled();
    assert.equal(JSON.stringify(await content()), now, 'nothing is lost');

    // Alone on an empty floor it is a model of its own.
    await emptyDesk();
    await letGo('stone.vdb', [...bytes]);
    await shown(1);
    await node('stone').waitFor();
    await settled();
    assert.equal((await root()).prim, 'volume');
    assert.ok(await desk((m) => m.surface.triangles.length) > 0);
    assert.deepEqual(pageErrors, []);
});

test('a part changes its stiffness over time, wherever it is moved; a slice shows what is inside', async () => {
    await newModel();
    await addPart('Ball');
    await node('Ball').waitFor();
    await settled();
    const changes = async () => (await content()).bodies[0].matching?.regions?.changes;
    const before = JSON.stringify(await content());
    await page.click('.part-times button:text-is("Change from now")');
    await until(() => window.studio.app.document.content.bodies[0].matching?.regions?.changes?.length === 1);
    await thereAndBack(before);
    await settled();
    const [first] = await changes();
    assert.deepEqual([first.from, first.until, first.value, first.select.sphere.center], [0, 0.5, 0.2, [0, 0.5, 0]]);
    await page.getByLabel('Start of change 1').fill('0.1');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.regions.changes[0].from === 0.1);
    await page.getByLabel('Stiffness of change 1').fill('0.05');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.regions.changes[0].value === 0.05);
    await settled();

    // The change goes with the part, in the same step.
    const still = JSON.stringify(await content()), along = await arrow();
    await drag(along(42), along(72));
    const [stone] = (await root()).args, [moved] = await changes();
    assert.ok(stone.transform.translate[0] > 0.03);
    assert.ok(Math.abs(moved.select.sphere.center[0] - stone.transform.translate[0]) < 1e-4, JSON.stringify(moved));
    await thereAndBack(still);
    await settled();

    await page.click('.slice-view summary');
    const painted = (k) => page.waitForFunction((n) => {
        const canvas = document.querySelectorAll('.slice-view canvas')[n], { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let blue = 0, orange = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200) data[at + 2] > 150 ? ++blue : ++orange;
        return blue + orange > 0 ? { blue, orange } : null;
    }, k).then((found) => found.jsonValue());
    const middle = await painted(1);
    assert.ok(middle.blue > 500 && middle.orange > 5 * middle.blue, JSON.stringify(middle));
    await page.getByLabel('Place of the slice').fill('0.95');
    await page.waitForFunction(() => {
        const canvas = document.querySelectorAll('.slice-view canvas')[1], { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let blue = 0, any = 0;
        for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 200) { ++any; if (data[at + 2] > 150) ++blue; }
        return any > 0 && blue === 0;  // beyond the stone
    });

    await node('Ball').click();
    await page.keyboard.press('Delete');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.prim === 'sphere');
    assert.deepEqual(await changes(), [], 'a part that is gone changes no more');
    assert.deepEqual(pageErrors, []);
});

test('bad ends are said where they are: a part that takes everything away, a model without parts', async () => {
    await newModel();
    await addPart('Box');
    await node('Box').waitFor();
    await settled();
    await page.fill('.node-panel input[type=number][aria-label=Side]', '1.2');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args[0].side === 1.2);
    await node('flesh').click();
    await page.keyboard.press('Alt+ArrowUp');  // the flesh first, so that the box is what is taken away
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.args[0].prim === 'sphere');
    await settled();
    await node('Union').click();
    await page.selectOption('.node-panel [aria-label=Operator]', 'difference');
    await until(() => [...window.toasts, ...[...document.querySelectorAll('.error')].map((said) => said.textContent)].some((words) => words.includes('leaves nothing of its parts')));
    await until(() => window.studio.app.document.content.bodies[0].solid.volume.root.op === 'union');
    await settled();
    assert.equal((await root()).op, 'union', 'the last good model stays');
    assert.equal(await page.inputValue('.node-panel [aria-label=Operator]'), 'union');

    await newModel();
    await node('flesh').click();
    await page.keyboard.press('Delete');
    await toastWith('The last part of a model cannot be removed');
    assert.equal((await root()).prim, 'sphere');
});

test('the cell size is chosen by its count, and the desk is readable for all', async () => {
    await newModel();
    const few = await desk((m) => m.lattice.numbers[1]);
    await page.fill('.soft-panel input[type=number][aria-label="Cell size"]', '0.05');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].solid.cell === 0.05);
    await until((n) => window.studio.toolbox.of('shape').overlay.model.lattice.numbers[1] > 1.5 * n, few);
    await until(() => window.studio.app.scene.bodies[0].particles === window.studio.toolbox.of('shape').overlay.model.lattice.numbers[1]);
    await page.click('.soft-panel button:text-is("In pascals")');
    await until(() => window.studio.app.document.content.bodies[0].matching?.regions.law === 'young');
    await page.evaluate(axeSource);
    const found = await page.evaluate(() => window.axe.run('.shape-desk', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`), []);
    assert.deepEqual(pageErrors, []);
});
