// Makes the documentation's pages from docs/, the program's help, the headers, the results of benchmarks and the scenes.
//   node build.mjs --program PATH [--out DIR] [--no-pictures] [--quiet]
// A link that leads nowhere, a page that is in no chapter or a picture that cannot be made fails it; an older site then stays as it is.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { commandPage } from './src/commands.mjs';
import { chapters as order } from './src/contents.mjs';
import { galleryPage } from './src/gallery.mjs';
import { headerPages } from './src/headers.mjs';
import { layout, relative } from './src/layout.mjs';
import { Links } from './src/links.mjs';
import { renderMarkdown, textOf } from './src/markdown.mjs';
import { plotBlock, resultsBlock } from './src/plots.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** A Markdown file of the repository as a page: docs/methods/fem.md becomes methods/fem.html. */
function markdownPage(root, source) {
    const path = source.replace(/^docs\//, '').replace(/\.md$/, '.html').toLowerCase();
    return { path, source, markdown: readFileSync(join(root, source), 'utf8'), weight: source === 'CHANGELOG.md' ? 0.4 : 1 };
}

/** Every Markdown file of docs/ has to be on the site. */
function unlisted(root) {
    const files = readdirSync(join(root, 'docs'), { recursive: true }).filter((file) => file.endsWith('.md')).map((file) => `docs/${file}`);
    const listed = order.flatMap(({ pages }) => pages);
    return files.filter((file) => !listed.includes(file)).map((file) => `${file}:1: is in no chapter of site/src/contents.mjs`);
}

/** Texts of the repository that are no pages; their links are checked all the same. */
const texts = ['README.md', 'data/README.md', ...readdirSync(join(dirname(here), 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => `examples/${name}/README.md`)].filter((file) => existsSync(join(dirname(here), file)));

function render(root, page, links) {
    if (page.html) return;
    Object.assign(page, { summary: page.summary }, renderMarkdown(page.markdown, {
        resolve: (target, line) => links.resolve(page, target, line),
        // The name of a scene leads to its card in the gallery.
        mention: (code) => {
            const gallery = links.bySource.get('scenes'), name = code.replace(/^scenes\/|\.json$/g, '');
            return gallery.anchors.includes(name) && page.source.endsWith('.md') ? `${relative(page.path, gallery.path)}#${name}` : undefined;
        },
        fence: (language, code) => {
            const block = { plot: plotBlock, results: resultsBlock }[language];
            try {
                return block?.(root, code);
            } catch (error) {
                throw new Error(`${page.source}: ${error.message}`, { cause: error });
            }
        },
    }));
    page.short ??= page.title.replace(/^Tutorial: (?:the )?(.)/, (_, letter) => letter.toUpperCase());
    page.anchors = [...page.html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    page.summary ??= textOf(page.html.match(/<p>([\s\S]*?)<\/p>/)?.[1] ?? page.title).replace(/\s+/g, ' ').slice(0, 160);
}

function searchIndex(pages) {
    const entries = pages.filter((page) => page.searched !== false).flatMap((page) => page.sections.map(({ id, title, text }) => ({ path: page.path, page: page.title, id, title, text, weight: page.weight ?? 1 })));
    return `window.searchIndex = ${JSON.stringify(entries).replaceAll('<', '\\u003c')};\n`;
}

export async function buildSite({ root, program, out, withPictures }) {
    const unfinished = `${out}.unfinished-${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    try {
        const launcherHelp = execFileSync(join(root, 'yawara'), ['--help'], { encoding: 'utf8' });
        const made = {
            gallery: async () => [await galleryPage({ root, program, out: unfinished, withPictures })],
            commands: async () => [commandPage(program, launcherHelp)],
            headers: async () => headerPages(root),
        };
        const chapters = [];
        for (const { name, pages } of order) {
            const lists = [];
            for (const entry of pages) lists.push(made[entry] ? await made[entry]() : [markdownPage(root, entry)]);
            chapters.push({ name, pages: lists.flat() });
        }
        const listed = chapters.flatMap(({ pages }) => pages);
        const links = new Links(root, listed);
        for (const page of listed) render(root, page, links);
        for (const source of texts) render(root, { path: 'index.html', source, markdown: readFileSync(join(root, source), 'utf8') }, links);
        for (const page of links.sources.values()) render(root, page, links);
        const mistakes = [...unlisted(root), ...links.checkAnchors()];
        if (mistakes.length) throw new Error(mistakes.join('\n'));

        const pages = [...listed, ...links.sources.values()];
        for (const page of pages) {
            const at = listed.indexOf(page);
            mkdirSync(dirname(join(unfinished, page.path)), { recursive: true });
            writeFileSync(join(unfinished, page.path), layout(page, chapters, { previous: listed[at - 1], next: at < 0 ? undefined : listed[at + 1] }));
        }
        for (const [file, path] of links.images) {
            mkdirSync(dirname(join(unfinished, path)), { recursive: true });
            cpSync(join(root, file), join(unfinished, path));
        }
        writeFileSync(join(unfinished, 'search_index.js'), searchIndex(pages));
        cpSync(join(here, 'assets'), unfinished, { recursive: true });
        cpSync(join(root, 'studio/src/icon.svg'), join(unfinished, 'icon.svg'));
        rmSync(out, { recursive: true, force: true });
        renameSync(unfinished, out);
        return pages;
    } finally {
        rmSync(unfinished, { recursive: true, force: true });
    }
}

if (resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
    const fail = (code, message) => {
        console.error(message);
        process.exit(code);
    };
    let options;
    try {
        options = parseArgs({ options: { program: { type: 'string' }, out: { type: 'string' }, 'no-pictures': { type: 'boolean' }, quiet: { type: 'boolean' } } }).values;
    } catch (error) {
        fail(2, `docs: ${error.message}`);
    }
    const root = dirname(here), out = resolve(options.out ?? join(root, 'build/docs')), program = resolve(options.program ?? join(root, 'build/release/yawara'));
    if (existsSync(out) && readdirSync(out).length && !existsSync(join(out, 'search_index.js'))) fail(2, `docs: ${out} holds other things than a site made before; choose another folder`);
    try {
        const pages = await buildSite({ root, program, out, withPictures: !options['no-pictures'] });
        if (!options.quiet) console.log(`${pages.length} pages in ${join(out, 'index.html')}`);
    } catch (error) {
        fail(1, error.message);
    }
}
