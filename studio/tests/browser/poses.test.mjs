// The Poses desk with the real pointer: poses by a gizmo, by handles, by a brush, captured and from a blend shape; cards; what
// awakens them; and what is said of bad ones.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clickOn, content, drawn, drop, idle, letGo, openScene, page, pageErrors, pause, pixelOf, scenes, step, thereAndBack, toStart, toastWith, until } from './harness.mjs';

writeFileSync(join(scenes, 'q_bar.json'), JSON.stringify({
    yawara: 1, title: 'A bar to pose', camera: { eye: [0, 1.5, 5], target: [0, 1.3, 0] }, obstacles: [{ plane: {}, friction: 0.5 }],
    bodies: [{ name: 'bar', solid: { bar: { size: [0.5, 1.4, 0.5], cells: [4, 12, 4] } }, masses: 'uniform', matching: { alpha: 1 }, place: { translate: [0, 1, 0] } }],
}));

const poses = async () => (await content()).bodies[0].matching.examples?.poses ?? [];
/** The pose of the document is in the picture. */
const poseShown = () => until(() => {
    const { poses: stage, app } = window.studio;
    return app.edits.pending === 0 && stage.pose !== null && stage.drawn === JSON.stringify([stage.pose, stage.blend]);
}).catch(async (error) => {
    throw new Error(`${error.message} ${JSON.stringify(await page.evaluate(() => { const { refusal, drawn: shown, pose } = window.studio.poses; return { refusal, shown, pose, toasts: window.toasts }; }))}`);
});
const restShown = () => until(() => window.studio.poses.drawn === JSON.stringify(['rest', 1]));
const tab = async (id) => {
    await page.click(`.poses-desk [data-tab=${id}]`);
    await drawn();
};

async function drag(from, to) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    for (let k = 1; k <= 5; ++k) {
        await page.mouse.move(from.x + ((to.x - from.x) * k) / 5, from.y + ((to.y - from.y) * k) / 5);
        await drawn();
    }
    await page.mouse.up();
}

/** A pixel of a tool's gizmo. */
const gizmoPixel = (tool) => page.evaluate((id) => {
    const parts = window.studio.toolbox.of(id), box = window.studio.app.viewport.canvas.getBoundingClientRect();
    for (let y = box.top + 4; y < box.bottom; y += 3) for (let x = box.left + box.width / 2; x < box.right; x += 3) if (parts.hover({ x, y, pressure: 0.5 })) return { x, y };
    return null;
}, tool);

/** Degrees between the top and the foot of the bar about y. */
const twist = () => page.evaluate(() => {
    const p = window.studio.app.viewport.bodyViews()[0].positions, ys = p.filter((_, k) => k % 3 === 1), low = Math.min(...ys), high = Math.max(...ys);
    const at = (test) => {
        let x = 0, z = 0, n = 0;
        for (let k = 0; k < p.length; k += 3) if (test(p[k + 1])) x += p[k], z += p[k + 2], ++n;
        let xx = 0, xz = 0, zz = 0;
        for (let k = 0; k < p.length; k += 3) if (test(p[k + 1])) { const a = p[k] - x / n, b = p[k + 2] - z / n; xx += a ** 4 - 6 * a * a * b * b + b ** 4; xz += 4 * a * b * (a * a - b * b); zz += 1; }
        return Math.atan2(xz, xx) / 4;
    };
    const turn = at((y) => y > high - 0.08) - at((y) => y < low + 0.08);
    return Math.abs(((turn * 180) / Math.PI + 45 + 360) % 90 - 45);
});

test('a twist with the gizmo is a pose: one step of undo, numbers beside it, a name of its own', async () => {
    await openScene('q_bar');
    await toStart();
    await page.click('[data-desk=poses]');
    await tab('pose-deform');
    await restShown();
    await page.getByLabel('Deform by').selectOption('twist');
    await poseShown();
    assert.deepEqual(await poses(), [{ name: 'twist', deform: [{ twist: { axis: 'y', degrees: 90 } }] }]);
    const before = JSON.stringify(await content()), from = await gizmoPixel('pose-deform');
    assert.ok(from, 'the gizmo is there');
    await drag(from, { x: from.x + 60, y: from.y + 4 });
    await poseShown();
    const [{ deform: [{ twist: { degrees } }] }] = await poses();
    assert.ok(Math.abs(degrees - 90) > 5, String(degrees));
    await thereAndBack(before);
    await tab('cards');
    await page.getByLabel('Amount of twist 1').fill('180');
    await page.keyboard.press('Enter');
    await page.getByLabel('Add a deformer', { exact: true }).selectOption('stretch');
    await page.getByLabel('Name of pose 1').fill('wound');
    await page.keyboard.press('Enter');
    await idle();
    assert.deepEqual(await poses(), [{ name: 'wound', deform: [{ twist: { axis: 'y', degrees: 180 } }, { stretch: { axis: 'y', factor: 0.8 } }] }]);
});

test('it falls and winds up', async () => {
    await page.getByLabel('Work on pose 1').click();
    let most = 0;
    await toStart();
    for (let k = 0; k < 12; ++k) {
        await step(10);
        most = Math.max(most, await twist());
    }
    assert.ok(most > 10, `it turned by ${most} degrees`);
});

test('an S by handles: held, pulled across the picture, kept as handles', async () => {
    await toStart();
    await tab('pose-handles');
    await restShown();
    const at = (y) => pixelOf([0, 1.7 + y, 0.25]);
    const foot = await at(-0.62);
    await clickOn(foot);
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses.length === 2);
    await poseShown();
    const head = await at(0.62);
    await clickOn(head);
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].handles.length === 2);
    await poseShown();
    const before = JSON.stringify(await content()), upper = await at(0.25);
    await drag(upper, { x: upper.x + 30, y: upper.y });
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].handles.length === 3);
    await poseShown();
    await thereAndBack(before);
    await poseShown();
    const lower = await page.evaluate(() => {
        // Where the front of the pose is, a third of the way up.
        const { poses: stage, app } = window.studio, { positions, rests } = stage.mesh, p = app.viewport.view.camera.position.clone();
        let best = 0, least = Infinity;
        for (let k = 0; k < rests.length; k += 3) {
            const away = Math.hypot(rests[k], rests[k + 1] - 0.45, rests[k + 2] - 0.25);
            if (away < least) least = away, best = k;
        }
        return app.viewport.picking.toPage(p.fromArray(positions, best).applyMatrix4(stage.mesh.object.matrix));
    });
    await drag(lower, { x: lower.x - 30, y: lower.y });
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].handles.length === 4);
    await poseShown();
    const { handles } = (await poses())[1];
    assert.ok(handles[2].move[0] > 0.1 && handles[3].move[0] < -0.1, JSON.stringify(handles));
    assert.equal(await page.locator('.pose-facts').textContent(), '');
});

test('the chosen handle is turned by its numbers, Escape drops a drag, Delete takes it away', async () => {
    await page.click('.pose-handles button:text-is("Turn")');
    await page.getByLabel('Turned about y').fill('40');
    await page.keyboard.press('Enter');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].handles[3].turn[1] === 40);
    await poseShown();
    const turned = JSON.stringify(await content());
    const dot = await page.evaluate(() => {
        const { poses: stage, app } = window.studio, [first] = stage.pose.handles, p = app.viewport.view.camera.position.clone();
        return app.viewport.picking.toPage(p.set(...first.at).applyMatrix4(stage.frame));
    });
    await page.mouse.move(dot.x, dot.y);
    await page.mouse.down();
    await page.mouse.move(dot.x + 40, dot.y);
    await drawn();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await idle();
    assert.equal(JSON.stringify(await content()), turned);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Delete');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].handles.length === 3);
});

test('a brush pushes a place of the chosen pose, as one touch', async () => {
    await tab('pose-brush');
    await poseShown();
    const at = await pixelOf([0, 1.7 - 0.62, 0.25]), before = JSON.stringify(await content());
    await drag(at, { x: at.x + 40, y: at.y });
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].touches?.length === 1);
    const [touch] = (await poses())[1].touches;
    assert.equal(touch.brush, 'grab');
    assert.ok(touch.by[0] > 0.1, JSON.stringify(touch));
    await poseShown();
    await thereAndBack(before);
    await page.click('.pose-brush button:text-is("Bulge")');
    await poseShown();
    await drag(at, { x: at.x, y: at.y - 50 });
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[1].touches?.length === 2);
    assert.ok((await poses())[1].touches[1].amount > 0.1);
});

test('what is on the screen is captured, and at rest there is nothing to capture', async () => {
    await tab('cards');
    await poseShown();
    await page.getByLabel('Work on pose 2').click();
    await page.mouse.move(5, 5);
    await until(() => window.studio.poses.drawn === '');
    await toStart();
    await page.click('button:text-is("Capture now")');
    await toastWith('nothing to capture');
    await step(60);
    await page.click('button:text-is("Capture now")');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses.length === 3);
    await poseShown();
    const caught = (await poses())[2];
    assert.ok(caught.captured.at.length > 8 && caught.captured.at.length === caught.captured.to.length);
    await page.getByLabel('Name of pose 3').fill('left landing');
    await page.keyboard.press('Enter');
    await idle();
});

test('cards: hover shows, the slider blends, mirrored, copied, ordered and deleted', async () => {
    await openScene('q_bar');
    await toStart();
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [k & 1 ? 0.25 : -0.25, k & 2 ? 1.4 : 0, k & 4 ? 0.25 : -0.25]);
    await page.evaluate((value) => window.studio.app.edits.once(() => ({ label: 'x', changes: [{ op: 'add', path: '/bodies/@bar/matching/examples', value }] })), { poses: [
        { name: 'wound', deform: [{ twist: { degrees: 180 } }, { stretch: { factor: 0.8 } }] },
        { name: 'pulled', handles: [{ at: [0, 0, 0], radius: 0.3 }, { at: [0, 1.4, 0], radius: 0.3, move: [0.2, 0, 0] }] },
        { name: 'left landing', captured: { at: corners, to: corners.map(([x, y, z]) => [x + 0.2 * y, y, z]) } },
    ] });
    if (await page.locator('.poses-desk').isHidden()) await page.click('[data-desk=poses]');
    await tab('cards');
    await page.getByLabel('Work on pose 3').click();
    await page.mouse.move(5, 5);
    await poseShown();
    await page.locator('.pose-card').nth(0).hover();
    await until(() => window.studio.poses.drawn.includes('"wound"'));
    await page.mouse.move(5, 5);
    await poseShown();
    const slider = page.getByLabel('Blend from rest to the pose');
    await slider.fill('0.5');
    await until(() => window.studio.poses.blend === 0.5);
    await poseShown();
    await until(() => document.querySelectorAll('.pose-card canvas').length === 3 && [...document.querySelectorAll('.pose-card canvas')].every((c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)));
    const before = JSON.stringify(await content());
    await page.click('.pose-chosen button:text-is("Mirrored copy")');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses.length === 4);
    await page.mouse.move(5, 5);
    await poseShown();
    const [, , caught, mirrored] = await poses();
    assert.equal(mirrored.name, 'right landing');
    caught.captured.to.forEach((p, k) => assert.ok(Math.abs(p[0] + mirrored.captured.to[k][0]) < 1e-3));
    await thereAndBack(before);
    await page.getByLabel('Move pose 4 up').click();
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[2].name === 'right landing');
    await page.getByLabel('Delete pose 4').click();
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses.length === 3);
    await page.getByLabel('Duplicate pose 1').click();
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses.length === 4);
    assert.deepEqual((await poses()).map(({ name }) => name), ['wound', 'wound_2', 'pulled', 'right landing']);
    await page.getByLabel('Strength of pose 2').fill('0.5');
    await idle();
    assert.equal((await poses())[1].strength, 0.5);
});

test('groups are painted on the body', async () => {
    await toStart();
    await tab('pose-groups');
    await until(() => window.studio.poses.drawn === '' || window.studio.app.get('tool') === 'pose-groups');
    const at = await pixelOf([0.15, 1.7, 0.25]), to = await pixelOf([0.15, 2.1, 0.25]);
    await drag(at, to);
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.groups?.labels !== undefined);
    const before = JSON.stringify(await content());
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.groups === undefined);
    await page.keyboard.press('Control+y');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
});

test('what awakens a pose is told, tried by a button, and its weights are plotted', async () => {
    await tab('pose-watch');
    await page.locator('.pose-loads li').first().waitFor();
    const words = await page.locator('.pose-loads li').first().innerText();
    assert.match(words, /Awakened by/);
    await page.click('button:text-is("Plot the weights")');
    await until(() => window.studio.app.document.content.measures?.some(({ what, example }) => what === 'weight' && example === 'wound'));
    await idle();
    const load = await page.locator('.pose-loads button').first().getAttribute('data-load');
    await page.locator('.pose-loads button').first().click();
    await until(() => window.studio.app.document.content.bodies[0].handles?.length === 2);
    assert.match(load, /squeeze|stretch|twist|bend|shear/);
    await pause();
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until(() => window.studio.app.document.content.bodies[0].handles === undefined);
});

test('a pose that is the rest shape, and one with tets inside out, say so with the place', async () => {
    await tab('cards');
    await page.evaluate(() => window.studio.app.edits.once(() => ({ label: 'x', changes: [{ op: 'add', path: '/bodies/@bar/matching/examples/poses/-', value: { name: 'same', handles: [{ at: [0, 0.7, 0], radius: 0.2 }] } }] })));
    await page.getByLabel('Work on pose 5').click();
    await poseShown();
    await page.locator('.pose-facts:has-text("rest shape")').waitFor();
    await page.evaluate(() => window.studio.app.edits.once(() => ({ label: 'x', changes: [{ op: 'replace', path: '/bodies/@bar/matching/examples/poses/4', value: { name: 'crushed', handles: [{ at: [0, 0, 0], radius: 0.35 }, { at: [0, 1.4, 0], radius: 0.35, move: [0, -1.5, 0] }] } }] })));
    await poseShown();
    await page.locator('.pose-facts:has-text("inside out, the worst at [")').waitFor();
});

/** A box with one blend shape that widens its top, or an animation that widens all of it, as GLB. */
function boxGlb({ animated = false } = {}) {
    const n = 4, points = [], faces = [];
    for (const [axis, sign] of [[0, 1], [0, -1], [1, 1], [1, -1], [2, 1], [2, -1]]) {
        const first = points.length, u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (let i = 0; i <= n; ++i) for (let j = 0; j <= n; ++j) {
            const p = [0, 0, 0];
            p[axis] = 0.5 * sign, p[u] = i / n - 0.5, p[v] = j / n - 0.5;
            points.push(p);
        }
        for (let i = 0; i < n; ++i) for (let j = 0; j < n; ++j) {
            const a = first + i * (n + 1) + j, b = a + n + 1;
            for (const t of [[a, b, a + 1], [b, b + 1, a + 1]]) faces.push(sign > 0 ? t : [t[0], t[2], t[1]]);
        }
    }
    const positions = new Float32Array(points.flat()), moves = new Float32Array(points.flatMap(([x, y, z]) => [x * (y + 0.5), 0, z * (y + 0.5)])), indices = new Uint16Array(faces.flat());
    const keys = new Float32Array([0, 1]), scales = new Float32Array([1, 1, 1, 1.6, 1, 1]);
    const bin = Buffer.concat([positions, moves, keys, scales, indices].map((a) => Buffer.from(a.buffer)));
    const json = JSON.stringify({
        asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        meshes: [animated ? { primitives: [{ attributes: { POSITION: 0 }, indices: 2 }] } : { extras: { targetNames: ['wide top'] }, primitives: [{ attributes: { POSITION: 0 }, indices: 2, targets: [{ POSITION: 1 }] }] }],
        ...(animated ? { animations: [{ channels: [{ sampler: 0, target: { node: 0, path: 'scale' } }], samplers: [{ input: 3, output: 4 }] }] } : {}),
        accessors: [
            { bufferView: 0, componentType: 5126, count: points.length, type: 'VEC3', min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] },
            { bufferView: 1, componentType: 5126, count: points.length, type: 'VEC3' }, { bufferView: 2, componentType: 5123, count: indices.length, type: 'SCALAR' },
            { bufferView: 3, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [1] }, { bufferView: 4, componentType: 5126, count: 2, type: 'VEC3' },
        ],
        bufferViews: [[0, positions], [positions.byteLength, moves], [2 * positions.byteLength + 32, indices], [2 * positions.byteLength, keys], [2 * positions.byteLength + 8, scales]].map(([byteOffset, { byteLength }]) => ({ buffer: 0, byteOffset, byteLength })),
        buffers: [{ byteLength: bin.length }],
    });
    const text = Buffer.from(json.padEnd(Math.ceil(json.length / 4) * 4)), data = Buffer.concat([bin, Buffer.alloc((4 - (bin.length % 4)) % 4)]);
    const head = (...words) => Buffer.from(new Uint32Array(words).buffer);
    return Buffer.concat([head(0x46546c67, 2, 28 + text.length + data.length, text.length, 0x4e4f534a), text, head(data.length, 0x004e4942), data]);
}

test('a pose from a blend shape of a GLB: dropped as a body, then on the Poses desk', async () => {
    const glb = [...boxGlb()];
    await page.click('[data-desk=scene]');
    await drop('box.glb', glb);
    await until(() => window.studio.app.document.content.bodies[0]?.name === 'box' && window.studio.app.scene.bodies.length === 1);
    await pause();
    await page.click('[data-desk=poses]');
    await tab('cards');
    await until(() => window.studio.app.selected === 'box');
    await page.evaluate(() => window.studio.app.edits.once(() => ({ label: 'x', changes: [{ op: 'add', path: '/bodies/@box/solid/particles', value: 120 }] })));
    await idle();
    const before = JSON.stringify(await content());
    await letGo('box.glb', glb);
    await until(() => window.studio.app.document.content.bodies[0].matching?.examples?.poses?.length === 1);
    const [pose] = (await content()).bodies[0].matching.examples.poses;
    assert.equal(pose.shape, 'wide top');
    assert.match(pose.surface, /\.glb$/);
    await page.getByLabel('Work on pose 1').click();
    await poseShown();
    const width = await page.evaluate(() => { const p = window.studio.poses.mesh.positions; let most = 0; for (let k = 0; k < p.length; k += 3) most = Math.max(most, p[k]); return most; });
    const rest = await page.evaluate(() => { const p = window.studio.poses.mesh.rests; let most = 0; for (let k = 0; k < p.length; k += 3) most = Math.max(most, p[k]); return most; });
    assert.ok(width > 1.6 * rest, `${rest} becomes ${width}`);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
    assert.deepEqual(pageErrors, []);
});

test('a pose from a frame of the animation of a GLB, which is chosen on its card', async () => {
    const glb = [...boxGlb({ animated: true })];
    await page.click('[data-desk=scene]');
    await drop('grown.glb', glb);
    await until(() => window.studio.app.document.content.bodies[0]?.name === 'grown' && window.studio.app.scene.bodies.length === 1);
    await pause();
    await page.click('[data-desk=poses]');
    await tab('cards');
    await until(() => window.studio.app.selected === 'grown');
    await page.evaluate(() => window.studio.app.edits.once(() => ({ label: 'x', changes: [{ op: 'add', path: '/bodies/@grown/solid/particles', value: 120 }] })));
    await idle();
    await letGo('grown.glb', glb);
    await until(() => window.studio.app.document.content.bodies[0].matching?.examples?.poses?.length === 1);
    await idle();
    const widening = async () => {
        await poseShown();
        return page.evaluate(() => {
            const most = (p) => Math.max(...p.filter((_, k) => k % 3 === 0));
            return most(window.studio.poses.mesh.positions) / most(window.studio.poses.mesh.rests);
        });
    };
    const last = (await poses())[0].frame;
    assert.ok(last >= 1, String(last));
    await page.getByLabel('Work on pose 1').click();
    const wide = await widening();
    assert.ok(wide > 1.5, `of the last frame: ${wide}`);
    const before = JSON.stringify(await content()), half = Math.ceil(last / 2);
    if (half < last) {
        await page.getByLabel('Frame of pose 1').fill(String(half));
        await page.keyboard.press('Enter');
        await until((n) => window.studio.app.document.content.bodies[0].matching.examples.poses[0].frame === n, half);
        const between = await widening();
        assert.ok(between > 1.1 && between < wide - 0.1, `of frame ${half}: ${between}`);
        await thereAndBack(before);
    }
    // One that is not there is refused with the count, and the last good one stays.
    const good = JSON.stringify(await content());
    await page.getByLabel('Frame of pose 1').fill(String(last + 50));
    await page.keyboard.press('Enter');
    await until(() => [...window.toasts, ...[...document.querySelectorAll('.error')].map((said) => said.textContent)].some((words) => words.includes('the first is 0')));
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, good);
    assert.deepEqual(pageErrors, []);
});

test('a line that is drawn on a body is a handle: it moves as one', async () => {
    await openScene('q_bar');
    await toStart();
    if (await page.locator('.poses-desk').isHidden()) await page.click('[data-desk=poses]');
    await tab('pose-handles');
    await restShown();
    const at = (x, y) => pixelOf([x, 1.7 + y, 0.25]), foot = await at(0, -0.6);
    await clickOn(foot);
    await until(() => window.studio.app.document.content.bodies[0].matching.examples?.poses[0].handles.length === 1);
    await poseShown();
    await page.click('.pose-handles button:text-is("Line")');
    const before = JSON.stringify(await content());
    await drag(await at(-0.2, 0.5), await at(0.2, 0.5));
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[0].handles.length === 2);
    await poseShown();
    const [, line] = (await poses())[0].handles;
    assert.ok(line.to[0] - line.at[0] > 0.25 && Math.abs(line.to[1] - line.at[1]) < 0.05, JSON.stringify(line));
    await thereAndBack(before);
    await poseShown();
    // Its dot in the middle drags all of it.
    const middle = await at(0, 0.5);
    await drag(middle, { x: middle.x + 40, y: middle.y });
    await until(() => window.studio.app.document.content.bodies[0].matching.examples.poses[0].handles[1].move[0] > 0.1);
    await poseShown();
    const moved = await page.evaluate(() => {
        const { positions, rests } = window.studio.poses.mesh, by = [];
        for (let k = 0; k < rests.length; k += 3) if (Math.abs(rests[k + 1] - 1.2) < 0.05 && rests[k + 2] > 0.2) by.push(positions[k] - rests[k]);
        return { least: Math.min(...by), most: Math.max(...by), count: by.length };
    });
    const { move } = (await poses())[0].handles[1];
    assert.ok(moved.count > 2 && moved.least > 0.8 * move[0] && moved.most < 1.2 * move[0], JSON.stringify([moved, move]));
    assert.deepEqual(pageErrors, []);
});
