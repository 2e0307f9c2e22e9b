// What is around bodies, from the menu of things to add: rigid crates, obstacles that carry, zones that report, water, joints.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, afterSteps, content, edit, idle, measure, newScene, page, pageErrors, shown, step, thereAndBack, thing, toStart, until } from './harness.mjs';

async function openTree() {
    if (await page.isHidden('.desk-panel')) await page.click('[data-desk=scene]');
}
const place = (body, translate) => edit([{ op: 'add', path: `/bodies/${body}/place`, value: { translate } }]);
const obstacles = (count) => until((n) => window.studio.app.document.content.obstacles?.length === n, count);
/** The middle of an obstacle with a box. */
const middle = async (number) => (await content()).obstacles[number].box.center;

test('a crate is carried by a conveyor and by a platform that goes to and fro', async () => {
    await newScene();
    await openTree();
    await add('crate');
    await shown(1);
    for (const [what, frames, way] of [['belt', 90, 0.75], ['platform', 120, 1]]) {
        const before = (await content()).obstacles.length;
        await add(what);
        await obstacles(before + 1);
        const [x, y, z] = await middle(before), top = y + (await content()).obstacles[before].box.size[1] / 2;
        await place(0, [x - 0.5, top, z]);
        const from = await toStart(), to = await step(frames);
        assert.ok(Math.abs(to.x - from.x - way) < 0.05 * way && Math.abs(to.y - from.y) < 0.01, `${what}: from ${from.x} to ${to.x}`);
        await edit([{ op: 'remove', path: `/obstacles/${before}` }]);
        await obstacles(before);
    }
});

test('a sensor tells what is in it and stops nothing', async () => {
    await newScene();
    await openTree();
    await add('sensor');
    await obstacles(2);
    const [x, , z] = await middle(1);
    await add('crate');
    await shown(1);
    await place(0, [x, 1.5, z]);
    await toStart();
    const told = thing('sensor').locator('.cost');
    await until(() => window.studio.app.stats?.sensed.length === 0);
    assert.equal(await told.textContent(), 'empty');
    assert.ok((await step(60)).low < 0.01, 'it fell through to the floor');
    await until(() => window.studio.app.stats?.sensed.some(({ sensor, body }) => sensor === 'sensor' && body === 'crate'));
    assert.equal(await told.textContent(), 'crate');
});

test('in a pond a light crate floats', async () => {
    await newScene();
    await openTree();
    await add('crate');
    await shown(1);
    const before = JSON.stringify(await content());
    await add('pond');
    await until(() => window.studio.app.document.content.medium?.level !== undefined);
    await thereAndBack(before);
    const { level } = (await content()).medium, floating = await afterSteps(300);
    assert.ok(Math.abs(floating.y - level) < 0.12, `half of it is under water: ${floating.y}, level ${level}`);
});

test('chosen crates are glued, jointed and hinged, and one is hung by a rope', async () => {
    await newScene();
    await openTree();
    await add('crate');
    await shown(1);
    await add('crate');
    await shown(2);
    await place(0, [0, 1, 0]);
    await place(1, [0.5, 1, 0]);
    await idle();
    await thing('crate').click();
    await thing('crate_2').click({ modifiers: ['Control'] });
    for (const [what, kind] of [['weld', 'weld'], ['ball_joint', 'ball'], ['hinge', 'hinge']]) {
        await add(what);
        await until((key) => window.studio.app.document.content.joints?.length === 1 && key in window.studio.app.document.content.joints[0], kind);
        const [joint] = (await content()).joints;
        assert.deepEqual([joint.body, joint.to], ['crate', 'crate_2']);
        await idle();
        await page.locator('.view canvas').focus();
        await page.keyboard.press('Control+z');
        await until(() => !window.studio.app.document.content.joints?.length);
        await thing('crate').click();
        await thing('crate_2').click({ modifiers: ['Control'] });
    }
    // One alone hangs from the world.
    await thing('crate').click();
    await add('rope');
    await until(() => window.studio.app.document.content.joints?.length === 1 && 'rope' in window.studio.app.document.content.joints[0]);
    assert.ok(await thing('Rope of crate').isVisible());
    await afterSteps(120);
    assert.ok((await measure(0)).low > 0.2 && (await measure(1)).low < 0.01, 'the one hangs, the other lies on the floor');
});

test('no script failed', () => assert.deepEqual(pageErrors, []));
