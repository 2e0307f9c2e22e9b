// What the tests in a browser share: scenes, an engine, a page, and the things a person does. Every wait is for a state that
// stays, never for a time or for one that passes: bodies are touched while time is halted and then moved by a counted number
// of frames, so that a slow page sees the same as a fast one.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { Engine, launchBrowser, scratchFolder } from './engine.mjs';

/** So many times slower than this machine: YAWARA_SLOWDOWN=8 finds tests that only a fast one passes. */
const slowdown = Number(process.env.YAWARA_SLOWDOWN ?? 1);
export const patience = { timeout: 60000 * slowdown, polling: 50 };

export const folder = scratchFolder();
export const scenes = join(folder, 'scenes');
const bar = (size, cells) => ({ bar: { size, cells } });
const floor = [{ plane: { point: [0, 0, 0], normal: [0, 1, 0] }, friction: 0.6 }];
mkdirSync(scenes);
writeFileSync(join(scenes, 'a_cube.json'), JSON.stringify({
    yawara: 1, title: 'A falling cube', description: 'It falls and rests.',
    bodies: [{ name: 'cube', solid: bar([1, 1, 1], [4, 4, 4]), matching: { alpha: 0.4, damping: 0.1, region_damping: 0.02 }, place: { translate: [0, 1, 0] } }], obstacles: floor,
}));
writeFileSync(join(scenes, 'b_sag.json'), JSON.stringify({
    yawara: 1, title: 'A sagging bar', bodies: [{
        name: 'bar', solid: bar([1.2, 0.2, 0.2], [12, 2, 2]), matching: { alpha: 1, damping: 0.08, region_damping: 0.04 }, place: { translate: [0, 2, 0] },
        pins: [{ select: { plane: { point: [-0.59, 0, 0], normal: [-1, 0, 0] } } }],
    }],
}));

// One tetrahedron that lands on a corner, as a mesh file beside it.
writeFileSync(join(scenes, 'tet.mesh'), `MeshVersionFormatted 1
Dimension 3
Vertices 4
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
Tetrahedra 1
1 2 3 4 0
End
`);
writeFileSync(join(scenes, 'c_tet.json'), JSON.stringify({
    yawara: 1, title: 'A tetrahedron', bodies: [{
        name: 'tet', solid: { tets: 'tet.mesh' }, density: 1000,
        fem: { levels: 3, materials: [{ young: 40000, poisson: 0.3 }], tolerance: 0.005 },
        place: { rotate: { axis: [0.9, 0.2, 0.4], degrees: 75 }, translate: [0, 1.6, 0] }, look: { show: 'level', wireframe: true },
    }], obstacles: floor,
}));

const cube = (name, x, more = {}) => ({ name, solid: bar([0.5, 0.5, 0.5], [2, 2, 2]), matching: { alpha: 1, damping: 0.1 }, place: { translate: [x, 0.5, 0] }, ...more });
writeFileSync(join(scenes, 'd_measured.json'), JSON.stringify({
    yawara: 1, title: 'A measured cube', bodies: [cube('cube', 0)], obstacles: floor,
    measures: [{ name: 'height', what: 'extent', body: 'cube', axis: 'y' }, { name: 'volume', what: 'volume', body: 'cube' }],
}));
writeFileSync(join(scenes, 'e_two.json'), JSON.stringify({ yawara: 1, title: 'Two cubes', bodies: [cube('left', -0.5), cube('right', 0.5)], obstacles: floor }));
writeFileSync(join(scenes, 'f_walker.json'), JSON.stringify({
    yawara: 1, title: 'A cube on the way', bodies: [cube('cube', 0, { velocity: [2, 0, 0] })], step: { gravity: [0, 0, 0] }, camera: { eye: [0, 1, 5], target: [0, 0.5, 0] },
}));

export let engine, browser, page;
export const foreignRequests = [], pageErrors = [];

/** The page that the things below are done in. */
export function setPage(other) {
    page = other;
}

before(async () => {
    engine = await new Engine(join(folder, 'state'), ['--scenes', scenes]).start();
    browser = await launchBrowser();
    page = await openPage({ width: 1000, height: 600 });
});

after(async () => {
    await browser?.close();
    await engine?.stop();
});

export async function openPage(viewport, more = {}, { welcomed = true } = {}) {
    const context = await browser.newContext({ viewport, acceptDownloads: true, ...more });
    const opened = await context.newPage();
    opened.setDefaultTimeout(patience.timeout);
    opened.on('pageerror', (error) => pageErrors.push(error.message));
    opened.on('request', (request) => {
        const { protocol, host } = new URL(request.url());
        if (!['blob:', 'data:'].includes(protocol) && host !== `127.0.0.1:${engine.port}`) foreignRequests.push(request.url());
    });
    if (welcomed) await opened.addInitScript(() => localStorage.setItem('yawara-welcomed', 'yes'));
    await opened.addInitScript(() => {
        // Keeps one message of each type, to compare with the schema, how many came, and every toast: they fade.
        window.heard = {};
        window.heardCount = {};
        window.toasts = [];
        new MutationObserver((changes) => {
            for (const { addedNodes } of changes)
                for (const node of addedNodes) if (node.classList?.contains('toast')) window.toasts.push(`${node.className}: ${node.firstChild.textContent}`);
        }).observe(document, { childList: true, subtree: true });
        const { addEventListener } = WebSocket.prototype;
        const handler = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
        Object.defineProperty(WebSocket.prototype, 'onmessage', { ...handler, set(listener) {
            addEventListener.call(this, 'message', ({ data }) => { if (typeof data === 'string') { const m = JSON.parse(data); window.heard[m.type] = m; window.heardCount[m.type] = (window.heardCount[m.type] ?? 0) + 1; } });
            handler.set.call(this, listener);
        } });
    });
    if (slowdown > 1) await (await context.newCDPSession(opened)).send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await opened.goto(`${engine.url}&quality=low`);
    await opened.waitForFunction(() => window.studio?.frames() > 0, null, patience);
    return opened;
}

/** Middle and lowest height of a body, from the positions that are drawn. */
export const measure = (body = 0, run = 0) => page.evaluate(([b, r]) => {
    const p = window.studio.app.viewport.bodyViews(r)[b].positions;
    let low = Infinity, x = 0, y = 0, z = 0;
    for (let k = 0; k < p.length; k += 3) {
        low = Math.min(low, p[k + 1]);
        x += p[k], y += p[k + 1], z += p[k + 2];
    }
    const n = p.length / 3;
    return { low, x: x / n, y: y / n, z: z / n };
}, [body, run]);

export const send = (message) => page.evaluate((m) => window.studio.app.send(m), message);
/** An edit of any kind. */
export const edit = (changes) => page.evaluate((c) => window.studio.app.edits.once(() => ({ label: 'x', changes: c })), changes);
export const alphaOf = () => page.evaluate(() => window.studio.app.document.content.bodies[0].matching?.alpha);

/** Opens a scene of the gallery; it plays. */
export async function openScene(name) {
    const before = await page.evaluate(() => window.heardCount.scene);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('n');
    const unsaved = await page.evaluate(() => !window.studio.app.document.saved);
    await page.click(`[data-scene="${name}"]`);
    if (unsaved) await page.click('.question button:text-is("Discard")');
    await page.waitForFunction(([n, count]) => window.studio.app.document.name === n && window.heardCount.scene > count && window.studio.app.status.playing, [name, before], patience);
}

/** Halts time; the page knows the frame and shows it. */
export async function pause() {
    await send({ type: 'play', playing: false });
    await page.waitForFunction(() => !window.studio.app.status.playing && window.studio.app.status.frame === window.studio.shownFrame(), null, patience);
}

/** Halts time and lets so many frames of the document as it is now pass; then what is drawn. */
export async function step(frames) {
    await idle();
    await pause();
    const from = await page.evaluate(() => window.studio.app.status.frame);
    await send({ type: 'step', frames });
    await page.waitForFunction((n) => window.studio.shownFrame() === n, from + frames, patience);
    return measure();
}

/** Back to the start, and halts there. */
export async function toStart() {
    await idle();
    await pause();
    await send({ type: 'reset' });
    await page.waitForFunction(() => window.studio.app.status.last === 0 && window.studio.shownFrame() === 0, null, patience);
    return measure();
}

/** From the start, so many frames; then what is drawn. The same settings give the same bits. */
export async function afterSteps(frames) {
    await toStart();
    return step(frames);
}

/** Lets time pass until the body lies still: a soft cube that was thrown tumbles on for up to fifteen seconds. */
export async function settle() {
    let earlier = await step(300), rest = await step(30), frames = 330;
    const moves = () => ['x', 'y', 'z', 'low'].filter((key) => Math.abs(rest[key] - earlier[key]) >= 4e-3);
    for (; moves().length > 0 && frames < 900; frames += 90) {
        earlier = await step(60);
        rest = await step(30);
    }
    assert.deepEqual(moves(), [], `the body comes to rest: ${JSON.stringify([earlier, rest])}`);
    return rest;
}

/** What the page does once a drawn frame is done when this comes back. */
export const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Waits for a sentence that was shown, even if it is gone again. */
export const toastWith = (words) => page.waitForFunction((w) => window.toasts.find((t) => t.includes(w)), words, patience).then((found) => found.jsonValue());

export const pixelOf = (point) => page.evaluate((p) => {
    const { viewport } = window.studio.app;
    return viewport.picking.toPage(viewport.view.camera.position.clone().set(...p));
}, point);

/** Turns to a body, wherever it went; then the pixel of its middle. */
export async function inView(body) {
    await page.getByLabel('Zoom to the bodies').click();
    const at = await pixelOf([body.x, body.y, body.z]), box = await page.locator('.view canvas').boundingBox();
    assert.ok(Math.abs(at.x - box.x - box.width / 2) < 0.1 * box.width && Math.abs(at.y - box.y - box.height / 2) < 0.1 * box.height, 'the body is in the middle');
    return at;
}

/** Takes hold of a point, as a person does: one that slipped is taken again. */
export async function takeHold(at, on = page) {
    for (let slips = 0; ; ++slips) {
        await on.mouse.move(at.x, at.y);
        await on.mouse.down();
        const held = on.waitForFunction(() => window.studio.app.status.hold.length === 1, null, { timeout: 10000, polling: 50 });
        if (await held.then(() => true, () => false)) return;
        const why = await on.evaluate(([x, y]) => ({
            connected: window.studio.app.get('connection'), welcomed: window.heardCount.welcome, tool: window.studio.app.get('tool'),
            there: document.elementFromPoint(x, y)?.tagName, body: window.studio.app.viewport.picking.pick(x, y) !== null,
        }), [at.x, at.y]);
        assert.ok(slips < 3, `nothing is held: ${JSON.stringify(why)}`);
        await on.mouse.up();
    }
}

/** A file let go over the page. */
export const letGo = (name, bytes, shiftKey = false) => page.evaluate(([n, b, s]) => {
    const data = new DataTransfer();
    data.items.add(new File([typeof b === 'string' ? b : Uint8Array.from(b)], n));
    window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true, shiftKey: s }));
}, [name, bytes, shiftKey]);

/** A file let go over the page and opened alone; edits that are not saved are not kept. */
export async function drop(name, bytes) {
    const { unsaved, empty } = await page.evaluate(() => ({ unsaved: !window.studio.app.document.saved, empty: window.studio.app.isEmpty }));
    await letGo(name, bytes);
    if (!empty && !/\.(json|zip)$/.test(name)) await page.click('.question button:text-is("Open alone")');
    if (unsaved) await page.click('.question button:text-is("Discard")');
}

export const until = (condition, argument) => page.waitForFunction(condition, argument, patience);
export const content = () => page.evaluate(() => window.studio.app.document.content);
/** The engine took every edit, what runs is built from all of them, and the page shows a frame of it. */
export const idle = () => until(() => {
    const { app } = window.studio;
    return app.edits.pending === 0 && app.status.built === app.document.revision && app.viewport.bodyViews().every(({ body, positions }) => positions.length === 3 * body.vertices);
});
/** The body shows the field that the document has; `tool`: that paints it. */
export async function painted(tool) {
    await idle();
    await until((id) => window.studio.toolbox.of(id).overlay.colors.isCurrent, tool);
}
/** Moves the pointer over something that the tool in hand acts on; comes back when the page knows that. */
export async function hover(at) {
    await page.mouse.move(at.x, at.y);
    await until(([x, y]) => window.studio.toolbox.actsAt(x, y), [at.x, at.y]);
}
/** Clicks on something that the tool in hand acts on. */
export async function clickOn(at) {
    await idle();
    await hover(at);
    await page.mouse.click(at.x, at.y);
}
/** Drags from such a place along a way of pixels, each seen by the page; and lets go. */
export async function dragOver(way) {
    await idle();
    await hover(way[0]);
    await page.mouse.down();
    for (const { x, y } of way.slice(1)) {
        await page.mouse.move(x, y);
        await drawn();
    }
    await page.mouse.up();
}
export const line = (from, to, count = 10) => Array.from({ length: count + 1 }, (_, k) => ({ x: from.x + ((to.x - from.x) * k) / count, y: from.y + ((to.y - from.y) * k) / count }));
/** So many bodies, in the document and in the picture. */
export const shown = (count) => until((n) => window.studio.app.scene.bodies.length === n && window.studio.app.document.content.bodies.length === n, count);

/** An empty floor. */
export async function newScene() {
    const before = await page.evaluate(() => window.studio.app.document.id);
    await page.click('.new-scene');
    if (await page.evaluate(() => !window.studio.app.document.saved)) await page.click('.question[open] button:text-is("Discard")');
    await until((id) => window.studio.app.document.id !== id && window.studio.app.scene.bodies.length === 0, before);
    await pause();
}

export async function add(what) {
    await page.click('.add-button');
    await page.click(`[data-add="${what}"]`);
}

/** Its line in the tree. */
export const thing = (name) => page.locator(`.thing:has(.thing-name:text-is("${name}"))`);

/** Undone and done again it is the same document, byte for byte. */
export async function thereAndBack(before) {
    await idle();
    const after = JSON.stringify(await content());
    assert.notEqual(after, before);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, before);
    await page.keyboard.press('Control+y');
    await until((text) => JSON.stringify(window.studio.app.document.content) === text, after);
    await idle();
}
