// The gallery: every scene of scenes/ with a picture by the program itself, grouped by method; words, features and paper figures can be searched.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { escapeHtml } from './markdown.mjs';

const run = promisify(execFile);

/** Methods in the order of the page; the first whose test is true is that of a scene. */
const methods = [
    ['Muscles', (scene) => scene.bodies.some((body) => body.matching?.stretch?.some((layer) => layer.active)), 'methods/procdef.html'],
    ['Example poses', (scene) => scene.bodies.some((body) => body.matching?.examples), 'methods/examples.html'],
    ['Volumes with stiffness inside', (scene) => scene.bodies.some((body) => !body.rigid && !body.fem && (body.solid.volume || has(body.matching, 'stiffness'))), 'methods/cvg_lsm.html'],
    ['Finite elements', (scene) => scene.bodies.some((body) => body.fem), 'methods/fem.html'],
    ['Rigid bodies, joints, water, moving obstacles', (scene) => Boolean(scene.joints?.length || scene.medium || scene.bodies.some((body) => body.rigid) || scene.obstacles?.some((o) => o.path || o.belt || o.mesh?.cache)), 'solver.html'],
    ['Shape matching and contact', () => true, 'methods/contact.html'],
];

/** Is there a key of this name anywhere, for whose value the test is true? */
function has(value, key, test = () => true) {
    if (Array.isArray(value)) return value.some((entry) => has(entry, key, test));
    if (!value || typeof value !== 'object') return false;
    return Object.entries(value).some(([name, inside]) => (name === key && test(inside)) || has(inside, key, test));
}

const features = [
    ['tetrahedra', (s) => s.bodies.some((b) => b.solid.tets || b.solid.from || b.solid.bar || b.solid.as === 'tets')],
    ['lattice', (s) => has(s, 'lattice')],
    ['volume model', (s) => has(s.bodies.map((b) => b.solid), 'volume')],
    ['formula', (s) => has(s.bodies.map((b) => b.solid), 'formula')],
    ['muscles', (s) => has(s, 'active') || has(s, 'muscles')],
    ['paint', (s) => has(s, 'paint') || has(s, 'coats')],
    ['strokes', (s) => has(s, 'strokes')],
    ['examples', (s) => has(s, 'poses')],
    ['plasticity', (s) => has(s, 'plasticity')],
    ['fibres', (s) => has(s, 'fibres')],
    ['adaptive levels', (s) => s.bodies.some((b) => b.fem?.levels > 0)],
    ['Young’s modulus', (s) => has(s, 'young')],
    ['pins', (s) => has(s, 'pins', (pins) => pins.length > 0)],
    ['handles', (s) => has(s, 'handles', (handles) => handles.length > 0)],
    ['copies', (s) => has(s, 'instances', (list) => list.length > 0)],
    ['rigid bodies', (s) => s.bodies.some((b) => b.rigid)],
    ['joints', (s) => Boolean(s.joints?.length)],
    ['water', (s) => Boolean(s.medium)],
    ['moving obstacles', (s) => Boolean(s.obstacles?.some((o) => o.path || o.belt || o.mesh?.cache))],
    ['self-contact', (s) => s.bodies.some((b) => b.contact?.self)],
    ['sleep', (s) => Boolean(s.step?.sleep)],
    ['measures', (s) => Boolean(s.measures?.length)],
    ['cut open', (s) => Boolean(s.look?.cut) || has(s.bodies.map((b) => b.solid), 'cut')],
    ['translucent', (s) => has(s, 'finish', (finish) => ['jelly', 'gelatin', 'glass'].includes(finish))],
];

/** Scenes of the table in docs/figures.md: [{figure, scene}] from rows "| paper, figure | `scene` | ... |". */
export function figuresOf(markdown) {
    return markdown.split('\n').flatMap((line) => {
        const cells = line.split('|').map((cell) => cell.trim());
        const scenes = [...(cells[2] ?? '').matchAll(/`([a-z0-9_]+)`/g)].map(([, name]) => name);
        return line.startsWith('|') ? scenes.map((scene) => ({ figure: cells[1], scene })) : [];
    });
}

/** Files that a scene names, if they are there. */
function filesOf(value, folder) {
    if (typeof value === 'string') {
        const path = join(folder, value);
        return /\.\w+$/.test(value) && existsSync(path) && statSync(path).isFile() ? [path] : [];
    }
    return value && typeof value === 'object' ? Object.values(value).flatMap((inside) => filesOf(inside, folder)) : [];
}

/** What a picture depends on: the scene, its files, how it moves (golden hashes) and how it is drawn. */
function contentOf(root, name, scene) {
    const hash = createHash('sha256');
    hash.update(readFileSync(join(root, 'scenes', `${name}.json`)));
    for (const file of filesOf(scene, join(root, 'scenes')).sort()) hash.update(readFileSync(file));
    const golden = JSON.parse(readFileSync(join(root, 'tests/golden/hashes.json'), 'utf8'));
    hash.update(JSON.stringify(golden.scenes[name] ?? null));
    for (const folder of ['src/render', 'src/cvg']) for (const file of readdirSync(join(root, folder)).sort()) hash.update(readFileSync(join(root, folder, file)));
    hash.update(JSON.stringify(shot));
    return hash.digest('hex').slice(0, 24);
}

/** Each is the poster of its scene: the frame that the scene names, from near. */
const shot = { size: '640x360', samples: 16 };

async function picture(root, program, cache, name, scene) {
    const kept = join(cache, `${name}-${contentOf(root, name, scene)}.png`);
    if (existsSync(kept)) return kept;
    const unfinished = join(cache, `unfinished-${process.pid}-${name}.png`);
    await run(program, ['render', join(root, 'scenes', `${name}.json`), '--poster', '--size', shot.size, '--samples', String(shot.samples), '--threads', '1', '--quiet', '--out', unfinished]);
    renameSync(unfinished, kept);
    return kept;
}

/** Files with pictures of all scenes, several made at once, those that are kept for nothing. */
async function pictures(root, program, scenes) {
    const cache = join(root, 'build/docs_cache');
    mkdirSync(cache, { recursive: true });
    const waiting = [...scenes.entries()], files = [];
    const work = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
            const [at, { name, scene }] = next;
            files[at] = await picture(root, program, cache, name, scene);
        }
    };
    await Promise.all(Array.from({ length: (availableParallelism ?? (() => cpus().length))() }, work));
    return files;
}

/** All pictures on one sheet. */
async function contactSheet(files, out, { columns = 8, width = 240, quality = 80 } = {}) {
    const height = Math.round(width * 9 / 16), rows = Math.ceil(files.length / columns);
    const inputs = files.flatMap((file) => ['-i', file]);
    const scaled = files.map((_, k) => `[${k}]scale=${width}:${height}:flags=lanczos,setsar=1[p${k}]`).join(';');
    const joined = files.map((_, k) => `[p${k}]`).join('');
    const sheet = `${scaled};${joined}concat=n=${files.length}:v=1[all];[all]tile=${columns}x${rows}:padding=4:margin=4:color=0xd8dce2`;
    await run('ffmpeg', ['-nostdin', '-y', '-loglevel', 'error', ...inputs, '-filter_complex', sheet, '-frames:v', '1', '-c:v', 'libwebp', '-quality', String(quality), out]);
}

function scenesOf(root) {
    return readdirSync(join(root, 'scenes')).filter((file) => file.endsWith('.json') && !file.startsWith('.')).sort().map((file) => ({ name: basename(file, '.json'), scene: JSON.parse(readFileSync(join(root, 'scenes', file), 'utf8')) }));
}

/** The sheet that the repository keeps for its documentation. */
export async function makeContactSheet(root, program, out) {
    await contactSheet(await pictures(root, program, scenesOf(root)), out);
}

export async function galleryPage({ root, program, out, withPictures }) {
    const scenes = scenesOf(root);
    if (withPictures) {
        const files = await pictures(root, program, scenes);
        mkdirSync(join(out, 'gallery'), { recursive: true });
        files.forEach((file, k) => copyFileSync(file, join(out, 'gallery', `${scenes[k].name}.png`)));
        await contactSheet(files, join(out, 'gallery', 'contact_sheet.webp'), { width: 320, columns: 6 });
    }
    const figures = figuresOf(readFileSync(join(root, 'docs/figures.md'), 'utf8'));
    for (const { scene, figure } of figures) if (!scenes.some((s) => s.name === scene)) throw new Error(`docs/figures.md: ${figure} names the scene "${scene}", which scenes/ does not have`);
    const cards = scenes.map(({ name, scene }) => ({
        name, scene,
        method: methods.find(([, test]) => test(scene))[0],
        features: features.filter(([, test]) => test(scene)).map(([feature]) => feature),
        figures: figures.filter((entry) => entry.scene === name).map((entry) => entry.figure),
    }));
    const used = features.map(([feature]) => feature).filter((feature) => cards.some((card) => card.features.includes(feature)));
    const card = ({ name, scene, method, features: tags, figures: shown }) => {
        const words = [name, scene.title, scene.description, method, ...tags, ...shown].join(' ').toLowerCase();
        const all = [...tags, ...(shown.length ? ['paper figure'] : [])].join('|');
        const image = withPictures ? `<img src="gallery/${name}.png" alt="" width="640" height="360" loading="lazy">` : '';
        return `<section class="card" data-words="${escapeHtml(words)}" data-tags="${escapeHtml(all)}">${image}<h3 id="${name}">${escapeHtml(scene.title ?? name)}</h3>${shown.length ? `<p class="figure">${escapeHtml(shown.join('; '))}</p>` : ''}<p>${escapeHtml(scene.description ?? '')}</p><p><code>./yawara studio scenes/${name}.json</code></p></section>`;
    };
    const groups = methods.map(([method, , page]) => {
        const inside = cards.filter((c) => c.method === method);
        if (!inside.length) return '';
        const id = method.toLowerCase().replace(/[^a-z]+/g, '-');
        return `<section class="group" aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(method)}</h2>\n<p><a href="${page}">How it works</a></p>\n<div class="cards">\n${inside.map(card).join('\n')}\n</div></section>`;
    });
    const html = `<h1 id="gallery">Gallery</h1>
<p>All ${cards.length} scenes of <code>scenes/</code>, each drawn by <code>yawara render</code>. Open one in the studio, or make a film of it: <code>./yawara render scenes/NAME.json --out NAME.webp</code>.${withPictures ? ' <a href="gallery/contact_sheet.webp">All on one sheet</a>.' : ''}</p>
<div class="filter"><input type="search" id="filter" aria-label="Filter scenes by words, method, feature or paper figure" placeholder="Filter: muscles, water, Examples figure 5 …" autocomplete="off"> <span id="count" role="status"></span>
<div class="tags" role="group" aria-label="Features">${[...used, 'paper figure'].map((tag) => `<button type="button" class="tag" aria-pressed="false" data-tag="${escapeHtml(tag)}">${escapeHtml(tag)}</button>`).join('')}</div></div>
${groups.join('\n')}`;
    const sections = cards.map((c) => ({ id: c.name, title: c.scene.title ?? c.name, text: [c.scene.description, ...c.figures].join(' ') }));
    return { path: 'gallery.html', source: 'scenes', short: 'Gallery', title: 'Gallery', html, headings: [], sections, wide: true, weight: 0.7, anchors: cards.map((c) => c.name), summary: 'All scenes of the gallery, by method, feature and paper figure.' };
}
