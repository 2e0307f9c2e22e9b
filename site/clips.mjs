// Renews the pictures of docs/images that are kept in the repository, so that its front page has them: moving ones, and the sheet of all scenes.
//   node clips.mjs [--program PATH] [NAME...]       all of them, or those named; "gallery" is the sheet
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeContactSheet } from './src/gallery.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const small = { size: '400x225', fps: 20 }, large = { size: '640x360', fps: 30 };

/** Which frames of which scene; a camera of its own where the scene's shows the subject too small, or one that follows it. */
const clips = {
    heart_ventricles: { ...large, frames: '60:119', camera: { eye: [0.75, 2.3, 6.4], target: [0, 1.87, 0], field_of_view: 32 } },
    rabbit: { ...large, frames: '14:144', follow: { places: [[-1.1, 1.72, 0.05], [-0.85, 0.9, 0.07], [-0.02, 0.55, 0.12], [0.85, 0.3, 0.23], [1.45, 0.3, 0.35]], from: [1.35, 0.65, 2.25] } },
    caterpillar: { ...small, fps: 12, frames: '0:195', camera: { eye: [1.105, 1.376, 3.144], target: [-1.232, 0.428, 0.15], field_of_view: 29 } },
    caterpillar_face: { ...small, fps: 12, frames: '0:195', camera: { eye: [2.01, 1.292, 3.215], target: [-0.453, 0.427, -0.246], field_of_view: 32 } },
    cvg_peach: { ...small, frames: '0:131', camera: { eye: [0.185, 1.443, 4.954], target: [0.185, 1.185, -0.009], field_of_view: 32 } },
    examples_cars: { ...small, frames: '0:110' },
    fem_hit: { ...small, frames: '0:60' },
    heart: { ...small, frames: '60:119' },
    letters_in_a_bowl: { ...small, frames: '0:131' },
};

const { values, positionals } = parseArgs({ options: { program: { type: 'string' } }, allowPositionals: true });
const program = resolve(values.program ?? join(root, 'build/release/yawara'));
for (const name of positionals) {
    if (clips[name] || name === 'gallery') continue;
    console.error(`"${name}" is none of ${Object.keys(clips).join(', ')}, gallery`);
    process.exit(2);
}
for (const name of positionals.length ? positionals : [...Object.keys(clips), 'gallery']) {
    if (name === 'gallery') {
        await makeContactSheet(root, program, join(root, 'docs/images/gallery.webp'));
        console.log('docs/images/gallery.webp');
        continue;
    }
    const { size, fps, frames, camera, follow } = clips[name], file = join(root, 'scenes', `${name}.json`);
    // Beside the other scenes, whose files it shares; the picture takes its name when it is whole.
    const scene = camera ? join(root, 'scenes', `.clip-${process.pid}.json`) : file, folder = mkdtempSync(join(root, 'docs/images/.clip-')), out = join(folder, `${name}.webp`);
    try {
        if (camera) writeFileSync(scene, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), camera }));
        const path = (follow?.places ?? []).flatMap((place) => ['--camera', `${place.map((x, k) => (x + follow.from[k]).toFixed(3))}@${place}`]);
        execFileSync(program, ['render', scene, ...path, '--frames', frames, '--fps', String(fps), '--size', size, '--quiet', '--out', out], { stdio: 'inherit' });
        renameSync(out, join(root, 'docs/images', `${name}.webp`));
        console.log(`docs/images/${name}.webp`);
    } finally {
        if (camera) rmSync(scene, { force: true });
        rmSync(folder, { recursive: true, force: true });
    }
}
