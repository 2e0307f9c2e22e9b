// The figures of the paper on volume modelling, built by hand at the Shape desk: they move as the scenes of the gallery do, bit for bit.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { program, root as source } from './engine.mjs';
import { content, drawn, edit, folder, idle, page, pageErrors, shown, thing, until } from './harness.mjs';
import { newModel, node } from './shape_desk.mjs';

const frames = 20;

/** What `yawara run` makes of a scene. */
function hashOf(scene) {
    const told = execFileSync(program, ['run', scene, '--frames', String(frames), '--quiet', '--json', '--out', join(folder, 'figure.ywc')], { encoding: 'utf8' });
    return JSON.parse(told).hash;
}

/** The document that is open, run. */
async function hashOfDocument(name) {
    await idle();
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(await content()));
    return hashOf(file);
}

/** The engine took every edit, and the desk has what is chosen. */
async function taken() {
    await idle();
    await until(() => !window.studio.toolbox.of('shape').overlay.model.pending);
}

/** The first bodies of a scene of the gallery, run. */
function gallery(name, count) {
    const scene = JSON.parse(readFileSync(join(source, 'scenes', `${name}.json`), 'utf8')), file = join(folder, `gallery_${name}.json`);
    writeFileSync(file, JSON.stringify({ ...scene, bodies: scene.bodies.slice(0, count) }));
    return hashOf(file);
}

async function choose(name) {
    await node(name).click();
    await taken();
}

/** A number of the chosen part, typed. */
async function type(label, value) {
    const field = page.locator(`.node-panel input[type=number][aria-label="${label}"]`);
    await field.fill(String(value));
    await field.press('Enter');
    await taken();
}

async function typeAll(values) {
    for (const [label, value] of Object.entries(values)) await type(label, value);
}

/** Where the chosen part is, or the body with the handle of Move. */
async function position(panel, at) {
    for (const [k, axis] of ['x', 'y', 'z'].entries()) {
        const field = page.locator(`${panel} [data-axis=${axis}] input`);
        await field.fill(String(at[k]));
        await field.press('Enter');
        await idle();
    }
}

const placePart = (...at) => position('.move-panel.for-nodes', at).then(taken);
const byStiffness = async () => {
    await page.click('.node-panel button:text-is("By stiffness")');
    await taken();
};

async function combine(words) {
    const button = page.locator('.shape-desk [aria-label^="Combine"]');
    await button.scrollIntoViewIfNeeded();
    await drawn();  // a list that scrolls closes the menu
    await button.click();
    await page.click(`[role=menuitem]:has-text("${words}")`);
    await taken();
}

async function changeKind(label, value) {
    await page.selectOption(`.node-panel [aria-label=${label}]`, value);
    await taken();
}

async function name(part, words) {
    await node(part).dblclick();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
    await node(part.startsWith('−') ? `− ${words}` : words).waitFor();
    await taken();
}

async function cellSize(size) {
    await page.fill('.soft-panel input[type=number][aria-label="Cell size"]', String(size));
    await page.keyboard.press('Enter');
    await taken();
}

async function toBody(name) {
    await page.click('[data-desk=scene]');
    await thing(name).click();
    await page.click('[data-desk=shape]');
    await until((n) => window.studio.app.selected === n, name);
    await taken();
}

/** The chosen bodies once more; the last of them is chosen. */
async function duplicate(count) {
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+d');
    await shown(count);
    await until((n) => window.studio.app.selected === (({ id, name }) => id ?? name)(window.studio.app.document.content.bodies[n - 1]), count);
    await taken();
}

/** Bodies by their names of now, each to its place by typed numbers. */
async function placeBodies(places) {
    await page.click('[data-desk=scene]');
    await page.click('.rail [data-tool=move]');
    for (const [body, at] of Object.entries(places)) {
        await thing(body).click();
        await position('.move-panel:not(.for-nodes)', at);
    }
    await page.click('[data-desk=shape]');
}

/** What belongs to the other desks: time steps, damping, what is drawn. */
async function bodySettings(settings) {
    const { bodies } = await content();
    await edit(bodies.flatMap((body, k) => Object.entries(settings(k)).map(([key, value]) => ({ op: 'add', path: `/bodies/@${body.id ?? body.name}/${key}`, value }))));
    await idle();
}

test('figure 2: a ball and a cylinder, united and intersected', async () => {
    await newModel();
    await choose('flesh');
    await typeAll({ Radius: 0.45, Opacity: 0.6, Stiffness: 0.7 });
    await placePart(-0.15, 0.45, 0);
    await combine('Union');
    await changeKind('Shape', 'cylinder');
    await typeAll({ Radius: 0.3, Height: 0.9, Opacity: 0.55, Stiffness: 0.4 });
    await placePart(0.25, 0.45, 0);
    await cellSize(0.06);
    await edit([{ op: 'add', path: '/step', value: { substeps: 4, gravity: [0, 0, 0] } }, { op: 'remove', path: '/obstacles/0' }]);
    await bodySettings(() => ({ matching: { damping: 0.03, region_damping: 0.03, regions: { stiffness: 0.85, rigid: 2 } } }));
    await duplicate(2);
    await choose('Union');
    await changeKind('Operator', 'intersection');
    const names = (await content()).bodies.map((body) => body.name);
    await placeBodies({ [names[0]]: [-1.7, 0.02, 0], [names[1]]: [0, 0.02, 0] });
    assert.equal(await hashOfDocument('figure_2'), gallery('cvg_operators', 2));
    assert.deepEqual(pageErrors, []);
});

test('figures 5 and 6: four half-balls, hard and soft, fall', async () => {
    await newModel();
    await choose('flesh');
    await typeAll({ Radius: 0.8, Stiffness: 1 });
    await byStiffness();
    await placePart(0, 0, 0);
    await combine('Difference');
    await changeKind('Shape', 'cube');
    await placePart(0, -1.6, 0);  // first: as large where it was, it would leave nothing of the ball
    await type('Side', 3.2);
    await name('− Box', 'below');
    await cellSize(0.1);
    await edit([{ op: 'add', path: '/step', value: { substeps: 4, gravity: [0, -9.81, 0] } }, { op: 'replace', path: '/obstacles/0/friction', value: 0.3 }]);
    await bodySettings(() => ({ matching: { damping: 0, region_damping: 0.03 } }));
    const all = (await content()).bodies[0].name;

    // Figure 5: a hard core in a soft shell, the half of it.
    await duplicate(2);
    await choose('flesh');
    await type('Stiffness', 0.2);
    await byStiffness();
    await combine('Union');
    await typeAll({ Radius: 0.4, Stiffness: 1 });
    await byStiffness();
    await placePart(0, 0, 0);
    await name('Ball', 'core');
    await node('core').focus();
    await page.keyboard.press('Alt+ArrowUp');  // first: its colour wins
    await taken();
    const [core, shell] = (await content()).bodies[1].solid.volume.root.args[0].args;
    assert.deepEqual([core.radius, core.stiffness, core.color, shell.radius, shell.stiffness], [0.4, 1, [0.1, 0.3, 0.9], 0.8, 0.2]);

    // A soft core in a hard shell: what is soft is taken out of the shell first.
    await duplicate(3);
    await choose('core');
    await type('Stiffness', 0.2);
    await choose('flesh');
    await type('Stiffness', 1);
    await combine('Difference');
    await type('Radius', 0.4);
    await placePart(0, 0, 0);

    await toBody(all);
    await duplicate(4);
    await choose('flesh');
    await type('Stiffness', 0.2);

    const names = (await content()).bodies.map((body) => body.name);
    await placeBodies(Object.fromEntries(names.map((body, k) => [body, [-2.7 + 1.8 * k, 0.2, 0]])));
    await bodySettings(() => ({ 'solid/cut': { normal: [0, 0, 1] } }));
    assert.equal(await hashOfDocument('figure_6'), gallery('cvg_hemispheres', 4));
    assert.deepEqual(pageErrors, []);
});
