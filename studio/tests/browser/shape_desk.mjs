// The Shape desk for tests: its model, its tree, and hands that wait until the engine has answered.
import { content, drawn, idle, newScene, page, pixelOf, shown, until } from './harness.mjs';

/** What the desk knows. */
export const desk = (look) => page.evaluate(`(${look})(window.studio.toolbox.of('shape').overlay.model)`);
export const root = async (body = 0) => (await content()).bodies[body].solid.volume.root;
export const node = (name) => page.locator(`.model-tree .thing:has(.thing-name:text-is("${name}"))`);

/** The engine took every edit and the desk shows the model of now, coarse and fine. */
export async function settled() {
    await idle();
    await until(() => window.studio.app.edits.pending === 0 && window.studio.toolbox.of('shape').overlay.model.rests && !window.studio.toolbox.of('shape').overlay.model.pending);
    await drawn();
}

export async function drag(from, to) {
    await page.mouse.move(from.x, from.y);
    await drawn();
    await page.mouse.down();
    for (const share of [0.3, 0.7, 1]) {
        await page.mouse.move(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y));
        await drawn();
    }
    await page.mouse.up();
    await idle();
}

/** Pixels along the arrow of the handle that points to +x. */
export async function arrow() {
    const middle = await page.evaluate(() => window.studio.toolbox.of('shape').overlay.gizmo.middle.toArray());
    const at = await pixelOf(middle), beside = await pixelOf([middle[0] + 0.5, middle[1], middle[2]]), far = Math.hypot(beside.x - at.x, beside.y - at.y);
    return (pixels) => ({ x: at.x + ((beside.x - at.x) * pixels) / far, y: at.y + ((beside.y - at.y) * pixels) / far });
}

export async function addPart(words) {
    await page.click('.shape-desk [aria-label="Add a part"]');
    await page.click(`[role=menuitem]:text-is("${words}")`);
}

export async function emptyDesk() {
    await newScene();
    if (await page.locator('.shape-desk').isHidden()) await page.click('[data-desk=shape]');
}

export async function newModel() {
    await emptyDesk();
    await page.click('.shape-desk button:text-is("New model")');
    await shown(1);
    await node('flesh').waitFor();
    await settled();
}
