// The studio as a person uses it: real engine, real Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { root } from './engine.mjs';
import { afterSteps, alphaOf, browser, clickOn, drawn, drop, edit, engine, foreignRequests, inView, measure, openPage, openScene, page, pageErrors, patience, pause, pixelOf, send, setPage, settle, step, takeHold, toStart, toastWith } from './harness.mjs';

const validator = createRequire(import.meta.url)('gltf-validator');
let heard = {};

test('the gallery shows every scene of its folder, with a picture, and opens one', async () => {
    await page.keyboard.press('n');
    assert.deepEqual(await page.locator('.card strong').allTextContents(), ['A tetrahedron', 'A falling cube', 'A sagging bar', 'A measured cube', 'Two cubes', 'A cube on the way']);
    assert.deepEqual(await page.locator('.cards h2').allTextContents(), ['Finite elements', 'Shape matching and contact']);
    await page.waitForFunction(() => document.querySelector('.card img')?.naturalWidth > 100, null, patience);
    await page.keyboard.press('Escape');
    await openScene('b_sag');
    assert.equal(await page.textContent('.title'), 'A sagging bar');
});

test('the body falls, and comes to rest on the ground', async () => {
    await openScene('a_cube');
    const start = (await toStart()).y;
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.studio.shownFrame() > 20, null, patience);
    const rest = await settle();
    assert.ok(start - rest.y > 0.5, `fell from ${start} to ${rest.y}`);
    assert.ok(Math.abs(rest.low) < 0.05, `rests on the ground, at ${rest.low}`);
});

test('pause, single step, scrubbing back and going on from there', async () => {
    await pause();
    const { frame } = await page.evaluate(() => window.studio.app.status);
    await page.keyboard.press('.');
    await page.waitForFunction((f) => window.studio.shownFrame() === f + 1, frame, patience);
    await page.keyboard.press(',');
    await page.waitForFunction((f) => window.studio.shownFrame() === f, frame, patience);
    const later = await measure();
    await page.locator('.scrub').evaluate((input) => { input.value = '3'; input.dispatchEvent(new Event('input')); input.dispatchEvent(new Event('change')); });
    await page.waitForFunction(() => window.studio.shownFrame() === 3, null, patience);
    const early = await measure();
    assert.ok(early.y > later.y + 0.3, 'back in the air');
    await page.keyboard.press('.');
    await page.waitForFunction((f) => window.studio.shownFrame() === 4 && window.studio.app.status.last === f + 1, frame, patience);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.studio.app.status.playing && window.studio.app.status.frame > 30, null, patience);
    await pause();
    await page.keyboard.press('r');
    await page.waitForFunction(() => window.studio.app.status.last === 0 && window.studio.shownFrame() === 0, null, patience);
});

test('a grabbed point follows the mouse, and falls when it is let go', async () => {
    const rest = await settle();
    const at = await pixelOf([rest.x, rest.y, rest.z]);
    await takeHold(at);
    for (let k = 1; k <= 6; ++k) await page.mouse.move(at.x + 10 * k, at.y - 20 * k);
    await drawn();
    const held = await step(120);
    assert.ok(held.y > rest.y + 0.15, `lifted from ${rest.y} to ${held.y}: it hangs on the hand, which is higher`);
    const told = await page.evaluate(() => window.heardCount.stats);
    await page.waitForFunction((n) => window.heardCount.stats > n + 1, told, patience);
    const pull = await page.evaluate(() => window.studio.app.stats.pull);
    assert.ok(pull > 0 && pull < 0.1, `the held point is ${pull} m from the hand`);
    await page.mouse.up();
    await page.waitForFunction(() => window.studio.app.status.hold.length === 0, null, patience);
    assert.ok((await settle()).y < rest.y + 0.15, 'fell again');
});

test('a pulled point moves in the next frame of the simulation', async (t) => {
    const rest = await settle();
    const at = await inView(rest);
    await takeHold(at);
    const still = await step(1);
    await page.mouse.move(at.x, at.y - 100);
    await drawn();
    const pulled = await step(1);
    assert.ok(pulled.y > still.y + 1e-3, `one frame after the mouse moved: from ${still.y} to ${pulled.y}`);
    await page.mouse.up();
    await settle();

    // While it plays: frames that a page still gets from before it pulled. It has two on their way, and one may be in the making.
    await send({ type: 'play', playing: true });
    const late = await page.evaluate(async () => {
        const { app, shownFrame } = window.studio;
        const { viewport } = app, setFrame = viewport.setFrame, late = [];
        const spot = { body: app.scene.bodies[0].id, triangle: 0, weights: [1, 0, 0] };
        const corner = 3 * viewport.bodyViews()[0].surface.geometry.index.array[0];
        const place = () => [...viewport.bodyViews()[0].positions.subarray(corner, corner + 3)];
        const next = () => new Promise((done) => { viewport.setFrame = (frame) => { setFrame.call(viewport, frame); done(); }; });
        const moved = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
        for (let k = 0; k < 5; ++k) {
            const target = place();
            app.send({ type: 'grab', hold: 9, spot, target });
            for (let n = 0; n < 20; ++n) await next();
            const before = place(), from = shownFrame();
            app.send({ type: 'drag', hold: 9, target: [target[0], target[1] + 0.6, target[2]] });
            let heard = 0;
            do { await next(); ++heard; } while (moved(place(), before) < 2e-3);
            late.push({ heard, frames: shownFrame() - from });
            app.send({ type: 'release', hold: 9 });
            for (let n = 0; n < 40; ++n) await next();
        }
        viewport.setFrame = setFrame;
        return late;
    });
    t.diagnostic(`frames of the simulation from pull to motion seen: ${late.map((l) => l.frames).join(' ')}`);
    for (const { heard } of late) assert.ok(heard <= 4, `${heard} frames came`);
    await pause();
});

test('a ball pushes the body aside, and a throw sends it up', async () => {
    await toStart();
    const rest = await settle();
    const at = await inView(rest);
    const eye = await page.evaluate(() => window.studio.app.viewport.view.camera.position.toArray());
    await page.keyboard.press('b');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    // The ball goes deeper with the clock of the simulation, once a drawn frame.
    for (let k = 1; k <= 12; ++k) {
        await step(4);
        await drawn();
    }
    await page.mouse.up();
    await page.waitForFunction(() => !window.studio.toolbox.of('ball').overlay.object.visible, null, patience);
    const pushed = await settle();
    const away = (p) => Math.hypot(p.x - eye[0], p.z - eye[2]);
    assert.ok(away(pushed) > away(rest) + 0.05, `pushed from ${away(rest)} to ${away(pushed)} m from the eye`);

    await page.keyboard.press('t');
    const there = await pixelOf([pushed.x, pushed.y, pushed.z]);
    await page.mouse.move(there.x, there.y);
    await page.mouse.down();
    await page.mouse.move(there.x, there.y - 60);
    await page.mouse.move(there.x, there.y - 120);
    await page.mouse.up();
    const thrown = await step(15);
    assert.ok(thrown.y > pushed.y + 0.3, `flew from ${pushed.y} to ${thrown.y}`);
    await page.keyboard.press('g');
});

test('lines of finite elements are those of the front: one tetrahedron in the air, many after it lands', async () => {
    await openScene('c_tet');
    const lines = () => page.evaluate(() => window.studio.app.viewport.bodyViews()[0].lineCount);
    await afterSteps(5);
    assert.ok(await page.evaluate(() => window.studio.app.look.show.wireframe), 'the scene asks for lines');
    assert.equal(await lines(), 6);
    await step(60);
    const landed = await lines();
    assert.ok(landed > 20 && landed < 900, `${landed} lines after the impact; the finest level has 1,000 or so`);
    await page.evaluate(() => window.studio.app.setLook({ show: { ...window.studio.app.look.show, surface: 'hidden' } }));
    await toStart();
    assert.equal(await lines(), 6, 'back at the start it is one again');
    await page.evaluate(() => window.studio.app.setLook({ show: { ...window.studio.app.look.show, surface: 'solid' } }));
});

test('alpha changes the sag, undo takes it back and redo does it again', async () => {
    await openScene('b_sag');
    const stiff = (await afterSteps(30)).y;
    const input = page.locator('[data-path="/bodies/@bar/matching/alpha"] input[type=number]');
    await input.fill('0.3');
    await input.press('Enter');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.3, null, patience);
    const soft = (await afterSteps(30)).y;
    assert.ok(soft < stiff - 0.05, `${soft} is lower than ${stiff}`);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 1, null, patience);
    assert.equal(await page.evaluate(() => window.studio.app.document.redo), 'Set stiffness');
    assert.equal((await afterSteps(30)).y, stiff, 'the same motion as before, to the bit');
    await page.keyboard.press('Control+y');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.3, null, patience);
    await page.locator('[data-path="/bodies/@bar/matching/alpha"] button.more').click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === undefined, null, patience);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.3, null, patience);
});

test('an edit that makes no sense is refused, and the document stays', async () => {
    const before = await page.evaluate(() => JSON.stringify(window.studio.app.document.content));
    await edit([{ op: 'add', path: '/bodies/0/matching/alpha', value: 7 }]);
    await page.waitForFunction(() => /7/.test(document.querySelector('[data-path="/bodies/@bar/matching/alpha"].is-wrong .error')?.textContent ?? ''), null, patience);
    await edit([{ op: 'replace', path: '/bodies/0/solid', value: { from: '/etc/passwd' } }]);
    assert.match(await toastWith('outside'), /error/);
    assert.equal(await page.evaluate(() => JSON.stringify(window.studio.app.document.content)), before);
});

test('a pin holds a point where it is, is part of the document, and can be undone', async () => {
    await openScene('a_cube');
    const now = await toStart();
    await page.keyboard.press('p');
    const at = await pixelOf([now.x, now.y, now.z]);
    await clickOn(at);
    await page.waitForFunction(() => {
        const body = window.studio.app.document.content.bodies[0];
        return (body.pins?.length ?? 0) + (body.handles?.length ?? 0) === 1;
    }, null, patience);
    const pinned = (await afterSteps(40)).y;
    assert.ok(pinned > 1, `hangs on its pin, at ${pinned}`);
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => (window.studio.app.document.content.bodies[0].pins?.length ?? 0) === 0, null, patience);
    const free = (await afterSteps(40)).y;
    assert.ok(free < pinned - 0.3, `fell to ${free}`);

    // A second click on what is held frees it, also where it is held in the air.
    const there = await inView(await afterSteps(12));
    for (const count of [1, 0]) {
        await clickOn(there);
        await page.waitForFunction((n) => {
            const body = window.studio.app.document.content.bodies[0];
            return (body.pins?.length ?? 0) + (body.handles?.length ?? 0) === n && (window.studio.toolbox.of('pin').overlay.object.count > 0) === (n > 0);
        }, count, patience);
    }
    assert.ok((await step(30)).y < free + 0.3, 'it falls again');
    await page.keyboard.press('g');
});

test('a body that left the picture can be brought back', async () => {
    const rest = await afterSteps(150);
    assert.ok(await page.locator('.lost').isHidden());
    await page.evaluate(() => {
        const { camera, controls } = window.studio.app.viewport.view;
        for (const place of [camera.position, controls.target]) place.x += 50;
    });
    await page.click('.lost');
    const at = await pixelOf([rest.x, rest.y, rest.z]), box = await page.locator('.view canvas').boundingBox();
    assert.ok(Math.abs(at.x - box.x - box.width / 2) < 0.1 * box.width, `at ${at.x}`);
    await page.waitForSelector('.lost', { state: 'hidden' });
    await page.keyboard.press('h');
});

test('the gallery halts time, finds scenes by words, and time goes on when it is left', async () => {
    await send({ type: 'play', playing: true });
    await page.waitForFunction(() => window.studio.app.status.playing, null, patience);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('n');
    await page.waitForFunction(() => !window.studio.app.status.playing, null, patience);
    await page.fill('.gallery input', 'SAGGING bar');
    assert.deepEqual(await page.locator('.card:visible').evaluateAll((cards) => cards.map((c) => c.dataset.scene)), ['b_sag']);
    await page.fill('.gallery input', 'none of these?');
    assert.ok(await page.locator('.nothing').isVisible());
    await page.click('.gallery [aria-label="Close"]');
    await page.waitForFunction(() => window.studio.app.status.playing, null, patience);
    await pause();
});

test('inspecting a point tells its particle and its region', async () => {
    await page.keyboard.press('f');
    await page.keyboard.press('i');
    const now = await measure();
    const at = await pixelOf([now.x, now.y, now.z]);
    await clickOn(at);
    await page.waitForSelector('.picked header');
    assert.ok(await page.evaluate(() => window.studio.app.get('picked').region.length) > 4);
    await page.click('.picked button');
    await page.keyboard.press('g');
});

test('colours, lines, particles and a cut change the picture; the cut is filled with the colour', async () => {
    await pause();
    const picture = async () => {
        await drawn();
        return page.evaluate(() => {
            const { viewport } = window.studio.app;
            viewport.painter.drawNow();
            const small = document.createElement('canvas');
            small.width = 64, small.height = 40;
            small.getContext('2d').drawImage(viewport.canvas, 0, 0, 64, 40);
            return [...small.getContext('2d').getImageData(0, 0, 64, 40).data];
        });
    };
    const difference = (a, b) => a.reduce((sum, v, k) => sum + Math.abs(v - b[k]), 0) / a.length;
    const plain = await picture();
    await page.selectOption('[aria-label="Colour by"]', 'displacement');
    await page.waitForFunction(() => window.studio.app.viewport.bodyViews()[0].surface.geometry.getAttribute('value'), null, patience);
    await page.waitForSelector('.legend:not([hidden])');
    const colored = await picture();
    assert.ok(difference(plain, colored) > 0.5, 'colours are seen');
    await page.keyboard.press('x');
    await page.waitForFunction(() => window.studio.app.viewport.bodyViews()[0].sectionTriangles > 10, null, patience);
    const cut = await picture();
    assert.ok(difference(colored, cut) > 0.3, 'the cut is seen');
    await page.keyboard.press('x');
    await page.keyboard.press('w');
    await page.waitForFunction(() => window.studio.app.viewport.bodyViews()[0].particleCount > 100, null, patience);
    await page.keyboard.press('w');
    await page.selectOption('[aria-label="Colour by"]', '');
});

test('two settings run side by side, and only one is changed', async () => {
    await openScene('b_sag');
    await page.keyboard.press('m');
    await page.waitForFunction(() => window.studio.app.status.comparing && window.studio.app.viewport.bodyViews(1).length === 1, null, patience);
    const input = page.locator('[data-path="/bodies/@bar/matching/alpha"] input[type=number]');
    await input.fill('0.2');
    await input.press('Enter');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.2, null, patience);
    const now = await afterSteps(30), asItWas = await measure(0, 1);
    assert.ok(now.y < asItWas.y - 0.05, `${now.y} is lower than ${asItWas.y}`);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('m');
    await page.waitForFunction(() => !window.studio.app.status.comparing, null, patience);
});

test('a mesh dropped on the page becomes a body; one that cannot is told honestly', async () => {
    const octahedron = 'v 1 0 0\nv -1 0 0\nv 0 2 0\nv 0 -2 0\nv 0 0 1\nv 0 0 -1\n' +
        [[1, 3, 5], [3, 2, 5], [2, 4, 5], [4, 1, 5], [3, 1, 6], [2, 3, 6], [4, 2, 6], [1, 4, 6]].map((f) => `f ${f.join(' ')}`).join('\n');
    await drop('my gem.obj', octahedron);
    await page.waitForFunction(() => window.studio.app.scene.bodies[0].name === 'mygem', null, patience);
    assert.ok(await page.evaluate(() => window.studio.app.scene.bodies[0].particles) > 1000);
    await page.waitForFunction(() => window.studio.app.status.playing, null, patience);
    await page.waitForFunction(() => window.studio.app.viewport.extent.low.y < 0.08, null, patience);

    await drop('broken.obj', 'v 0 0 zero\nf 1 2 3\n');
    assert.match(await toastWith('broken.obj'), /error: broken\.obj:1: /, 'by its name and line, not by where uploads are kept');
    await drop('virus.exe', 'MZ');
    assert.match(await toastWith('virus.exe'), /error/);
    assert.equal(await page.evaluate(() => window.studio.app.scene.bodies[0].name), 'mygem');
});

async function exported(name) {
    await page.click('[title="Export"]');
    const [download] = await Promise.all([page.waitForEvent('download', patience), page.click(`.popup button:has(b:text-is("${name}"))`)]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The files of a .zip, by the list at its end. */
function unzip(bytes) {
    const files = {}, end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    for (let k = 0, at = bytes.readUInt32LE(end + 16); k < bytes.readUInt16LE(end + 10); ++k) {
        const [method, packed] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
        const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28)), local = bytes.readUInt32LE(at + 42);
        const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
        const data = bytes.subarray(start, start + packed);
        files[name] = method === 8 ? inflateRawSync(data) : data;
        at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    }
    return files;
}

test('exports: a GLB that the validator accepts, a picture, a scene with its mesh that opens again', async () => {
    await afterSteps(12);
    const glb = await exported('Animation');
    const report = await validator.validateBytes(new Uint8Array(glb.bytes));
    assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 3)));
    assert.equal(report.info.animationCount, 1);

    // Point caches hold every vertex exactly: their last frame is what is drawn, where sharp edges have a vertex for each side.
    const points = (floats) => new Set(Array.from({ length: floats.length / 3 }, (_, k) => [...floats.subarray(3 * k, 3 * k + 3)].join(' ')));
    const drawnPoints = points(Float32Array.from(await page.evaluate(() => [...window.studio.app.viewport.bodyViews()[0].positions])));
    const frames = 13;
    for (const [name, ending, header, read] of [['Point cache', '.pc2', 32, 'readFloatLE'], ['MDD cache', '.mdd', 8 + 4 * frames, 'readFloatBE']]) {
        const files = unzip((await exported(name)).bytes);
        const [file, bytes] = Object.entries(files).find(([f]) => f.endsWith(ending));
        const vertices = files[file.replace(ending, '.obj')].toString().split('\n').filter((line) => line.startsWith('v ')).length;
        assert.equal(bytes.length, header + 12 * vertices * frames, `${ending}: frames 0 to 12`);
        const last = bytes.subarray(bytes.length - 12 * vertices);
        assert.deepEqual(points(Float32Array.from({ length: 3 * vertices }, (_, k) => last[read](4 * k))), drawnPoints, ending);
    }

    const png = await exported('Picture');
    assert.deepEqual([...png.bytes.subarray(1, 4)].map((c) => String.fromCharCode(c)).join(''), 'PNG');

    const zip = await exported('Scene with its meshes');
    assert.ok(zip.name.endsWith('.zip') && zip.bytes.includes('my gem.obj'));
    await openScene('a_cube');
    await drop('shared.zip', [...zip.bytes]);
    await page.waitForFunction(() => window.studio.app.scene.bodies[0].name === 'mygem', null, patience);
});

test('garbage is answered with an error, an oversize message ends the line, and the engine goes on', async () => {
    const outcome = await page.evaluate(async () => {
        const socket = new WebSocket(`ws://${location.host}/stream${location.search}`);
        const errors = [];
        socket.onmessage = ({ data }) => typeof data === 'string' && JSON.parse(data).type === 'error' && errors.push(JSON.parse(data).what);
        await new Promise((done) => { socket.onopen = done; });
        for (const text of ['garbage', '{"type":"fly"}', '{"type":"seek","frame":"x"}', '[[[[[[', '{"type":"grab","hold":1,"spot":{"body":99,"triangle":0,"weights":[1,0,0]},"target":[0,0,0]}']) socket.send(text);
        socket.send(new Uint8Array([1, 2, 3]));
        while (errors.length < 6) await new Promise((done) => setTimeout(done, 20));
        const closed = new Promise((done) => { socket.onclose = done; });
        socket.send('x'.repeat(3 << 20));
        await closed;
        return errors;
    });
    assert.equal(outcome.length, 6);
    assert.equal(await page.evaluate(() => window.studio.app.get('connection') === 'connected'), true);
});

test('a page from elsewhere cannot open the stream, even with the token', async () => {
    const stranger = createServer((_, response) => response.end('<title>elsewhere</title>')).listen(0, '127.0.0.1');
    await new Promise((done) => stranger.on('listening', done));
    const context = await browser.newContext();
    const foreign = await context.newPage();
    await foreign.goto(`http://127.0.0.1:${stranger.address().port}/`);
    const result = await foreign.evaluate((address) => new Promise((done) => {
        const socket = new WebSocket(address);
        socket.onopen = () => done('open');
        socket.onerror = () => done('refused');
    }), `ws://127.0.0.1:${engine.port}/stream?token=${engine.token}`);
    const read = await foreign.evaluate((address) => fetch(address).then(() => 'read', () => 'refused'), `http://127.0.0.1:${engine.port}/`);
    await context.close();
    stranger.close();
    assert.equal(result, 'refused');
    assert.equal(read, 'refused');
});

test('a page that stalls does not slow the others, and gets new frames when it wakes', async () => {
    const result = await page.evaluate(async () => {
        const socket = new WebSocket(`ws://${location.host}/stream${location.search}`);
        let frames = 0;
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }) => { if (typeof data !== 'string' && new DataView(data).getUint32(20, true) === 0) ++frames; };
        await new Promise((done) => { socket.onopen = done; });
        window.studio.app.send({ type: 'play', playing: true });
        const from = window.studio.frames();
        while (window.studio.frames() < from + 40) await new Promise((done) => setTimeout(done, 20));
        const stalled = frames;  // never said that it took one
        socket.send(JSON.stringify({ type: 'seen', sequence: 0 }));
        while (frames === stalled) await new Promise((done) => setTimeout(done, 20));
        socket.close();
        return stalled;
    });
    assert.ok(result <= 2, `${result} frames were sent to a page that took none`);
});

test('after kill -9 the page finds the new engine, which offers the edits that were not saved', async () => {
    await openScene('b_sag');
    const input = page.locator('[data-path="/bodies/@bar/matching/alpha"] input[type=number]');
    await input.fill('0.7');
    await input.press('Enter');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching.alpha === 0.7, null, patience);
    const { port } = engine;
    await engine.stop('SIGKILL');
    await page.waitForSelector('.away:not([hidden])');
    await engine.start(port);
    await page.waitForFunction(() => window.studio.app.get('connection') === 'connected' && window.studio.app.document.content.bodies[0].matching?.alpha !== 0.7, null, patience);
    await page.click('.toast button.primary');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].matching?.alpha === 0.7, null, patience);
    assert.equal(await alphaOf(), 0.7);
    assert.equal(await page.textContent('.title'), 'A sagging bar');
});

test('the page fits a laptop, a tablet and a phone', async () => {
    await pause();
    for (const [width, height] of [[390, 780], [820, 1180], [1280, 720]]) {
        await page.setViewportSize({ width, height });
        if (width === 390) await send({ type: 'seek', frame: 0 });  // where the timeline offers the most
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${width}: nothing sticks out`);
        for (const what of ['.play', '.tools', '[title="Export"]', '.scrub']) {
            const box = await page.locator(what).boundingBox();
            assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${what} is on a screen of ${width}`);
        }
    }
});

test('a finger pulls a body', async () => {
    heard = await page.evaluate(() => window.heard);
    await page.context().close();
    setPage(await openPage({ width: 820, height: 600 }, { hasTouch: true }));
    const devtools = await page.context().newCDPSession(page);
    const { x, y, z } = await toStart();
    const at = await pixelOf([x, y, z]);
    const touch = (type, x, y) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    await touch('touchStart', at.x, at.y);
    await touch('touchMove', at.x + 30, at.y - 60);
    await page.waitForFunction(() => window.studio.app.status.hold.length === 1, null, patience);
    await touch('touchEnd', 0, 0);
    await page.waitForFunction(() => window.studio.app.status.hold.length === 0, null, patience);
});

test('what the engine says is what the schema of the protocol allows', () => {
    const { $defs } = JSON.parse(readFileSync(join(root, 'schema', 'protocol.schema.json'), 'utf8'));
    const resolve = (schema) => (schema.$ref ? $defs[schema.$ref.slice(8)] : schema);
    const check = (raw, value, path) => {
        const schema = resolve(raw);
        if (schema.anyOf) return assert.ok(schema.anyOf.some((part) => { try { check(part, value, path); return true; } catch { return false; } }), path);
        if ('const' in schema) assert.equal(value, schema.const, path);
        if (schema.enum) assert.ok(schema.enum.includes(value), `${path}: ${value}`);
        const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) && schema.type === 'integer' ? 'integer' : typeof value;
        if (schema.type) assert.equal(kind, schema.type, path);
        if (kind === 'array' && schema.items) value.forEach((v, k) => check(schema.items, v, `${path}[${k}]`));
        if (kind !== 'object' || !schema.properties) return undefined;
        for (const key of schema.required ?? []) assert.ok(key in value, `${path}.${key} is missing`);
        for (const [key, v] of Object.entries(value)) {
            assert.ok(key in schema.properties, `${path}.${key} is not in the schema`);
            check(schema.properties[key], v, `${path}.${key}`);
        }
        return undefined;
    };
    for (const type of ['welcome', 'scene', 'document', 'status', 'stats', 'note', 'answer', 'exported', 'error']) {
        assert.ok(heard[type], `${type} was said`);
        check($defs[`server_${type}`], heard[type], type);
    }
});

test('no request left the machine and no script failed', () => {
    assert.deepEqual(foreignRequests, []);
    assert.deepEqual(pageErrors, []);
});
