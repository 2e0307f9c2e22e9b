// A hollow egg to draw muscles on, and what the tests do to it by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { content, drawn, idle, page, pixelOf, scenes, until } from './harness.mjs';

/** Open at the top, held there: the inside can be seen, and it can turn. */
writeFileSync(join(scenes, 'p_egg.json'), JSON.stringify({
    yawara: 1, title: 'A hollow egg', step: { gravity: [0, 0, 0] }, camera: { eye: [0, 2.2, 6.2], target: [0, 1.65, 0] },
    bodies: [{
        name: 'egg', place: { translate: [0, 2, 0] }, solid: { formula: 'max(max(length(x, y/1.4, z) - 1, 0.6 - length(x, y/1.4, z)), y - 0.5)', box: { low: [-1.2, -1.6, -1.2], high: [1.2, 0.7, 1.2] }, cell: 0.22 },
        matching: { passes: 6, damping: 0.01, region_damping: 0.05 }, pins: [{ select: { box: { low: [-2, 0.42, -2], high: [2, 1, 2] } } }],
    }],
}));

/** The pixel of a place of the egg at its start. */
export const onEgg = ([x, y, z]) => pixelOf([x, y + 2, z]);
export const layer = async () => (await content()).bodies[0].matching.stretch[0].active;
export const strokes = async () => (await layer()).fields.direction?.strokes ?? [];
export const strokeCount = (n) => until((count) => (window.studio.app.document.content.bodies[0].matching.stretch[0].active.fields.direction?.strokes ?? []).length === count, n);

export async function drag(from, to, steps = 10) {
    await page.mouse.move(from.x, from.y);
    await drawn();
    await page.mouse.down();
    for (let k = 1; k <= steps; ++k) {
        await page.mouse.move(from.x + ((to.x - from.x) * k) / steps, from.y + ((to.y - from.y) * k) / steps);
        await drawn();
    }
    await page.mouse.up();
    await idle();
}

export async function peel(level) {
    if (level === null) return page.uncheck('.stroke-panel label:has-text("Peel") input');
    await page.check('.stroke-panel:visible label:has-text("Peel") input');
    await page.locator('.stroke-panel:visible [aria-label="Depth of the layer"]').fill(String(level));
    await until((l) => window.studio.toolbox.of('muscle-strokes').overlay.layer.object.visible && window.studio.toolbox.of('muscle-strokes').overlay.wanted.level === l, level);
    await drawn();
}
