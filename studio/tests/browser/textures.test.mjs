// Bodies look in the page as their files say: pictures, materials, the colour that overrides them; and lines of the surface alone.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { edit, idle, openScene, page, pageErrors, pause, scenes, until } from './harness.mjs';

// A cube; each face has the whole picture: red above blue. Its second material, of the last face, is plain green.
const corners = Array.from({ length: 8 }, (_, i) => `v ${i & 1} ${(i >> 1) & 1} ${(i >> 2) & 1}`).join('\n');
const faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]].map((face) => `f ${face.map((v, k) => `${v}/${k + 1}`).join(' ')}`);
writeFileSync(join(scenes, 'print.obj'), `mtllib print.mtl\n${corners}\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl print\n${faces.slice(0, 5).join('\n')}\nusemtl green\n${faces[5]}\n`);
writeFileSync(join(scenes, 'print.mtl'), 'newmtl print\nmap_Kd print.png\nnewmtl green\nKd 0 1 0\n');
writeFileSync(join(scenes, 'print.png'), Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAACCAIAAAAW4yFwAAAADUlEQVR42mP4zwAC/wEIAAH/Bs6pJQAAAABJRU5ErkJggg==', 'base64'));
writeFileSync(join(scenes, 'g_print.json'), JSON.stringify({
    yawara: 1, title: 'A printed cube', bodies: [{ name: 'cube', solid: { from: 'print.obj', particles: 60 } }],
    step: { gravity: [0, 0, 0] }, camera: { eye: [3, 2, 4], target: [0.5, 0.5, 0.5] },
}));

/** Pixels of the picture in which one colour outshines the others. */
const counted = () => page.evaluate(() => {
    const { painter } = window.studio.app.viewport, gl = painter.renderer.getContext();
    painter.drawNow();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl, pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    const count = { red: 0, green: 0, blue: 0 };
    for (let k = 0; k < pixels.length; k += 4) {
        const [r, g, b] = pixels.subarray(k, k + 3);
        if (r > 2 * g + 20 && r > 2 * b + 20) ++count.red;
        if (g > 2 * r + 20 && g > 2 * b + 20) ++count.green;
        if (b > 2 * r + 20 && b > 2 * g + 20) ++count.blue;
    }
    return count;
});

test('a body has the pictures and materials of its file', async () => {
    await openScene('g_print');
    await pause();
    await idle();
    await until(() => window.studio.app.viewport.bodyViews()[0].textureCount === 1);
    const seen = await counted();
    for (const color of ['red', 'green', 'blue']) assert.ok(seen[color] > 100, `${color}: ${seen[color]} pixels`);
    assert.deepEqual(pageErrors, []);
});

test('a colour of the scene overrides them, and they come back without it', async () => {
    await edit([{ op: 'add', path: '/bodies/@cube/look', value: { color: [0, 0, 1] } }]);
    await idle();
    await until(() => window.studio.app.viewport.bodyViews()[0].body.skin === undefined);
    const blue = await counted();
    assert.ok(blue.blue > 300, `blue: ${blue.blue} pixels`);
    assert.equal(blue.red + blue.green, 0);
    await edit([{ op: 'remove', path: '/bodies/@cube/look' }]);
    await idle();
    await until(() => window.studio.app.viewport.bodyViews()[0].body.skin !== undefined);
    const seen = await counted();
    assert.ok(seen.red > 100 && seen.green > 100, JSON.stringify(seen));
});

test('lines of the surface alone are the edges of its triangles', async () => {
    const lines = () => page.evaluate(() => window.studio.app.viewport.bodyViews()[0].outerLineCount);
    const setShow = (change) => page.evaluate((c) => window.studio.app.setLook({ show: { ...window.studio.app.look.show, ...c } }), change);
    assert.equal(await lines(), 0);
    await setShow({ wireframe: true, outerLines: true });
    assert.equal(await lines(), 30);  // of six faces by themselves: four sides and a diagonal
    await setShow({ wireframe: true, outerLines: false });
    assert.equal(await lines(), 0);
    await setShow({ wireframe: false });
});
