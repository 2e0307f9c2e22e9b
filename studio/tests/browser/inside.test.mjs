// What a cut shows: layers, grain and the colours of volume models, by the same formulas as the engine's pictures.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { root } from './engine.mjs';
import { browser, content, edit, idle, openScene, page, pageErrors, pause, scenes, thereAndBack, until } from './harness.mjs';

const inside = { color: '#00ff00', layers: [{ thickness: 0.12, color: '#ff0000' }] };
writeFileSync(join(scenes, 'g_inside.json'), JSON.stringify({
    yawara: 1, title: 'A cube with a rind', bodies: [{ name: 'cube', solid: { bar: { size: [1, 1, 1], cells: [4, 4, 4] } }, matching: {}, look: { color: '#0000ff', inside } }],
    step: { gravity: [0, 0, 0] }, camera: { eye: [0, 0, 4], target: [0, 0, 0] },
}));
writeFileSync(join(scenes, 'g_stone.json'), JSON.stringify({
    yawara: 1, title: 'A ball with a stone', bodies: [{ name: 'ball', matching: {}, solid: { cell: 0.2, volume: { format: 'yawara-cvg', version: 1, root: { op: 'union', args: [
        { prim: 'sphere', radius: 0.25, stiffness: 1, color: [0, 1, 0] }, { prim: 'sphere', radius: 0.5, stiffness: 0.4, color: [1, 0, 0] }] } } } }],
    step: { gravity: [0, 0, 0] }, camera: { eye: [0, 0, 2.4], target: [0, 0, 0] },
}));

test('the page and the engine give the same colours', async () => {
    const numbers = readFileSync(join(root, 'tests', 'geometry', 'inside_colors.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('#')).map((line) => line.split(/\s+/));
    const cases = numbers.map(([kind, ...rest]) => {
        const [width, ax, ay, az, tx, ty, tz, x, y, z, depth, ...color] = rest.map(Number);
        return { grain: { kind, width, axis: [ax, ay, az], through: [tx, ty, tz], color: [0.2, 0.3, 0.9] }, rest: [x, y, z], depth, color };
    });
    assert.ok(cases.length >= 24);
    const bundle = await build({
        stdin: { contents: "export * from './inside'; export { FloatType, GLSL3, Mesh, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, Vector3, WebGLRenderTarget, WebGLRenderer } from 'three';", resolveDir: join(root, 'studio', 'src', 'viewport'), loader: 'ts' },
        bundle: true, format: 'iife', globalName: 'bundled', write: false,
    });
    const blank = await browser.newPage();
    await blank.addScriptTag({ content: bundle.outputFiles[0].text });
    const drawn = await blank.evaluate((all) => {
        const { FloatType, GLSL3, InsideUniforms, Mesh, OrthographicCamera, PlaneGeometry, Scene, ShaderMaterial, Vector3, WebGLRenderTarget, WebGLRenderer, insideShader } = window.bundled;
        const renderer = new WebGLRenderer(), target = new WebGLRenderTarget(1, 1, { type: FloatType }), scene = new Scene(), pixel = new Float32Array(4);
        return all.map(({ grain, rest, depth }) => {
            const look = new InsideUniforms();
            look.describe({ color: [0.7, 0.1, 0.1], of_volume: false, layers: [{ thickness: 0.02, color: [0.9, 0.7, 0.6] }, { thickness: 0.05, color: [1, 1, 0.9] }], grain });
            const material = new ShaderMaterial({
                glslVersion: GLSL3, uniforms: { ...look.uniforms, rest: { value: new Vector3(...rest) }, depth: { value: depth } },
                vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
                fragmentShader: `precision highp float; precision highp int; ${insideShader}\nuniform vec3 rest; uniform float depth; out vec4 color; void main() { color = vec4(layeredColor(insideCore, rest, depth), 1.0); }`,
            });
            scene.clear();
            scene.add(new Mesh(new PlaneGeometry(2, 2), material));
            renderer.setRenderTarget(target);
            renderer.render(scene, new OrthographicCamera(-1, 1, 1, -1, -1, 1));
            renderer.readRenderTargetPixels(target, 0, 0, 1, 1, pixel);
            return [...pixel.subarray(0, 3)];
        });
    }, cases);
    await blank.close();
    cases.forEach((wanted, k) => wanted.color.forEach((value, c) => assert.ok(Math.abs(value - drawn[k][c]) < 0.004, `${JSON.stringify(wanted)}: ${drawn[k]}`)));
});

/** Shares of the picture in which red and green outshine the others, and the colour in its middle. */
const seen = () => page.evaluate(() => {
    const { painter } = window.studio.app.viewport, gl = painter.renderer.getContext();
    painter.drawNow();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = gl, pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let red = 0, green = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        if (pixels[k] > 2 * pixels[k + 1] + 20 && pixels[k] > 2 * pixels[k + 2] + 20) ++red;
        if (pixels[k + 1] > 2 * pixels[k] + 20 && pixels[k + 1] > 2 * pixels[k + 2] + 20) ++green;
    }
    return { red, green };
});

async function openCut(scene) {
    await openScene(scene);
    await pause();
    await idle();
    await page.evaluate(() => window.studio.app.setLook({ cut: { axis: 'z', offset: 0, flip: false } }));
    await mapped();
}

/** What the cut shows is there, for each of its corners. */
const mapped = () => until(() => {
    const [view] = window.studio.app.viewport.bodyViews();
    return view.showsInside && view.wantedMap === '';
});

test('layers lie below the surface, all around', async () => {
    await openCut('g_inside');
    const { red, green } = await seen();
    // A rind of 0.12 around a face of 1: 42 % of it.
    assert.ok(Math.abs(red / (red + green) - 0.4224) < 0.04, `${red} red and ${green} green pixels`);
    // Around the cut runs a line: each of the four sides is cut in at least one piece.
    assert.ok(await page.evaluate(() => window.studio.app.viewport.bodyViews()[0].cutOutlinePieces) >= 4);
    assert.deepEqual(pageErrors, []);
});

test('the inside is edited in one step of undo, and the cut follows', async () => {
    const before = JSON.stringify(await content());
    await edit([{ op: 'replace', path: '/bodies/@cube/look/inside/layers/0/thickness', value: 0.2 }]);
    await idle();
    await until(() => window.studio.app.viewport.bodyViews()[0].body.inside.layers[0].thickness > 0.19);
    await mapped();
    const { red, green } = await seen();
    assert.ok(Math.abs(red / (red + green) - 0.64) < 0.04, `${red} red and ${green} green pixels`);
    await thereAndBack(before);
});

test('a cut through a volume model shows the colours of its parts', async () => {
    await openCut('g_stone');
    const { red, green } = await seen();
    assert.ok(Math.abs(green / (red + green) - 0.25) < 0.04, `${red} red and ${green} green pixels`);
    assert.deepEqual(pageErrors, []);
});
