// Renews the moving pictures of docs/images, which are kept in the repository so that its front page has them:
//   node clips.mjs [--program PATH] [NAME...]       all of them, or those named
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const small = { size: '400x225', fps: 20 }, large = { size: '640x360', fps: 30 };

/** Which frames of which scene; a camera of its own where the scene's shows the subject too small. */
const clips = {
    heart_ventricles: { ...large, frames: '60:119', camera: { eye: [0.75, 2.3, 6.4], target: [0, 1.87, 0], field_of_view: 32 } },
    rabbit: { ...large, frames: '0:180' },
    caterpillar: { ...small, fps: 12, frames: '0:195' },
    cvg_peach: { ...small, frames: '0:131' },
    examples_cars: { ...small, frames: '0:110' },
    fem_hit: { ...small, frames: '0:60' },
    heart: { ...small, frames: '60:119' },
    letters_in_a_bowl: { ...small, frames: '0:131' },
};

const { values, positionals } = parseArgs({ options: { program: { type: 'string' } }, allowPositionals: true });
const program = resolve(values.program ?? join(root, 'build/release/yawara'));
for (const name of positionals) {
    if (clips[name]) continue;
    console.error(`"${name}" is none of ${Object.keys(clips).join(', ')}`);
    process.exit(2);
}
for (const name of positionals.length ? positionals : Object.keys(clips)) {
    const { size, fps, frames, camera } = clips[name], file = join(root, 'scenes', `${name}.json`);
    // Beside the other scenes, whose files it shares; the picture takes its name when it is whole.
    const scene = camera ? join(root, 'scenes', `.clip-${process.pid}.json`) : file, folder = mkdtempSync(join(root, 'docs/images/.clip-')), out = join(folder, `${name}.webp`);
    try {
        if (camera) writeFileSync(scene, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), camera }));
        execFileSync(program, ['render', scene, '--frames', frames, '--fps', String(fps), '--size', size, '--quiet', '--out', out], { stdio: 'inherit' });
        renameSync(out, join(root, 'docs/images', `${name}.webp`));
        console.log(`docs/images/${name}.webp`);
    } finally {
        if (camera) rmSync(scene, { force: true });
        rmSync(folder, { recursive: true, force: true });
    }
}
