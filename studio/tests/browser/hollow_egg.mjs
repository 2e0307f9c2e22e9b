// A hollow egg to draw muscles on, and what the tests do to it by hand.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { content, drawn, dragOver, idle, line, page, pixelOf, scenes, until } from './harness.mjs';

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

export async function drag(from, to) {
    await dragOver(line(from, to));
    await idle();
}

export async function peel(level) {
    if (level === null) {
        await page.uncheck('.stroke-panel:visible label:has-text("Peel") input');
        return until(() => window.studio.toolbox.of('muscle-strokes').overlay.shownLevel === null);
    }
    await page.check('.stroke-panel:visible label:has-text("Peel") input');
    await page.locator('.stroke-panel:visible [aria-label="Depth of the layer"]').fill(String(level));
    await until((l) => window.studio.toolbox.of('muscle-strokes').overlay.shownLevel === l, level);
    await drawn();
}
