// The documentation's pages as they are made: links, HTML, scenes in texts, and what a reader does, in Chromium without a network.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FileSystemConfigLoader, HtmlValidate } from 'html-validate';
import { chromium } from 'playwright-core';
import { buildSite } from '../build.mjs';
import { declarationsOf } from '../src/headers.mjs';
import { Links } from '../src/links.mjs';
import { renderMarkdown } from '../src/markdown.mjs';
import { readCsv } from '../src/plots.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const program = process.env.YAWARA_PROGRAM ?? join(root, 'build/release/yawara');
const folder = mkdtempSync(join(tmpdir(), 'yawara-docs-'));
const site = join(folder, 'site');
let pages, browser;

before(async () => {
    pages = await buildSite({ root, program, out: site, withPictures: false });  // first: a browser that runs would keep a failed test from ending
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
});

after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

const htmlOf = (page) => readFileSync(join(site, page.path), 'utf8');

test('every address on every page leads to a file of the site and to an anchor in it', () => {
    const ids = new Map(pages.map((page) => [join(site, page.path), new Set([...htmlOf(page).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]));
    const dead = [];
    for (const page of pages) {
        for (const [, address] of htmlOf(page).matchAll(/ (?:href|src)="([^"]*)"/g)) {
            if (/^https?:/.test(address)) continue;
            const [file, anchor] = address.replaceAll('&amp;', '&').split('#');
            const target = file ? resolve(site, dirname(page.path), file) : join(site, page.path);
            if (!existsSync(target) || (anchor && !ids.get(target)?.has(anchor))) dead.push(`${page.path}: ${address}`);
        }
    }
    assert.deepEqual(dead, []);
});

test('a link that leads nowhere is told with file and line, be it a page, an anchor or a picture', () => {
    const page = { path: 'a.html', source: 'docs/a.md' };
    const links = new Links(root, [page, { path: 'index.html', source: 'docs/index.md', anchors: ['there'] }]);
    const text = '# A\n\n[fine](index.md#there)\n\n[gone](nowhere.md)\n[gone](index.md#nowhere)\n\n![gone](images/nowhere.png) [here](#b)\n\n## B\n';
    const { html } = renderMarkdown(text, { resolve: (target, line) => links.resolve(page, target, line) });
    page.anchors = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual(links.checkAnchors().map((line) => line.split(': ')[0]), ['docs/a.md:5', 'docs/a.md:8', 'docs/a.md:6']);
});

test('the speeds in the README are those of the results it names', () => {
    const cpus = { 'Intel Xeon (model 207)': 'intel-xeon-207', 'AMD EPYC (Zen 5)': 'amd-epyc-zen5' };
    const lines = readFileSync(join(root, 'README.md'), 'utf8').split('## Speed')[1].split('## ')[0].split('\n').filter((line) => /^\|.*\d/.test(line));
    const cells = lines.map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim())).filter(([, vertices]) => /^[\d,]+$/.test(vertices));
    let cpu;
    for (const [name, vertices, ...numbers] of cells) {
        cpu = name || cpu;
        const rows = readCsv(readFileSync(join(root, 'benchmarks/results', cpus[cpu], 'matching.csv'), 'utf8'));
        const row = rows.find((r) => r.vertices === vertices.replace(',', ''));
        assert.deepEqual(numbers.map(Number), ['one_thread', 'two_threads', 'plain', 'bullet'].map((column) => Math.round(Number(row[column]))), `${cpu}, ${vertices} vertices`);
    }
    assert.equal(cells.length, 6);
});

test('the HTML is valid, of pages that are made alike that of some', async () => {
    const check = new HtmlValidate(new FileSystemConfigLoader({ root: true, extends: ['html-validate:standard'] }));
    const alike = pages.filter(({ path }) => /^(api|source)\//.test(path));
    const found = [];
    for (const page of pages.filter((p) => !alike.includes(p) || alike.indexOf(p) % 12 === 0)) {
        const report = await check.validateString(htmlOf(page), page.path);
        for (const { messages } of report.results) found.push(...messages.map((m) => `${page.path}:${m.line}: ${m.ruleId}: ${m.message}`));
    }
    assert.deepEqual(found.slice(0, 20), []);
});

test('every whole scene in the texts passes yawara check', () => {
    let count = 0;
    for (const page of pages.filter(({ source }) => source.endsWith('.md'))) {
        for (const [, code] of page.markdown.matchAll(/```json\n([\s\S]*?)```/g)) {
            if (!/^\{\s*"yawara": 1,/.test(code)) continue;
            const file = join(folder, `scene_${count}.json`);
            writeFileSync(file, code);
            try {
                execFileSync(program, ['check', file], { encoding: 'utf8', stdio: 'pipe' });
            } catch (error) {
                assert.fail(`${page.source}: ${error.stderr}${error.stdout}`);
            }
            count += 1;
        }
    }
    assert.ok(count >= 4, `${count} scenes`);
});

test('the first C++ program is the one of the README, which the tests of the package compile', () => {
    const programOf = (file) => readFileSync(join(root, file), 'utf8').match(/```cpp\n([\s\S]*?)```/)[1];
    assert.equal(programOf('docs/getting_started.md'), programOf('README.md'));
});

test('every verb has its help, every type of a header its heading, every scene its card', () => {
    const commands = htmlOf(pages.find(({ path }) => path === 'commands.html'));
    for (const verb of ['run', 'sweep', 'fit', 'check', 'inspect', 'mesh', 'convert', 'render', 'bench', 'demo', 'studio']) assert.match(commands, new RegExp(`<h2 id="${verb}">`), verb);
    for (const page of pages.filter(({ path }) => /^api\/(?!index)/.test(path))) {
        const types = [...readFileSync(join(root, page.source), 'utf8').matchAll(/^(?:struct|class|enum class) (\w+)[^;]*$/gm)].map(([, name]) => name);
        const headings = new Set(page.headings.map(({ html }) => html));
        assert.deepEqual(types.filter((name) => !headings.has(name)), [], page.source);
    }
    const gallery = htmlOf(pages.find(({ path }) => path === 'gallery.html'));
    for (const file of readdirSync(join(root, 'scenes')).filter((name) => name.endsWith('.json'))) assert.ok(gallery.includes(`<h3 id="${file.slice(0, -5)}">`), file);
});

test('declarations of a header are found with their comments; bodies of functions are left out', () => {
    const found = declarationsOf('// Head.\n#pragma once\nnamespace a {\n\n/// A pair.\nstruct Pair {\n    int first = 0;  ///< m\n};\n\n/// Adds\n/// two.\ninline int add(int a, int b) { return a + b; }\nint less(int a,\n         int b);\n\n}  // namespace a\n');
    assert.deepEqual(found.map(({ name, comment }) => [name, comment]), [['Pair', 'A pair.'], ['add', 'Adds two.'], ['less', '']]);
    assert.equal(found[1].code, 'inline int add(int a, int b);');
});

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const patience = 120000;  // ms: a busy machine is slow
const address = (path) => pathToFileURL(join(site, path)).href;

test('axe finds no barrier, light and dark, wide and narrow', async () => {
    const found = [];
    for (const [colorScheme, width, paths] of [['light', 1300, ['index.html', 'gallery.html', 'methods/examples.html', 'api/joint.html']], ['dark', 500, ['performance.html', 'gallery.html', 'commands.html']]]) {
        const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
        page.setDefaultTimeout(patience);
        for (const path of paths) {
            await page.goto(address(path));
            await page.evaluate(axeSource);
            const violations = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join('; ')}`)));
            found.push(...violations.map((line) => `${path}, ${colorScheme}: ${line}`));
        }
        await page.close();
    }
    assert.deepEqual(found, []);
});

test('the search finds sections by the keyboard, and the theme stays; nothing is asked of a network', async () => {
    const context = await browser.newContext({ colorScheme: 'light', viewport: { width: 1200, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const foreign = [], errors = [];
    page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) foreign.push(request.url()); });
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(address('index.html'));
    await page.click('button.theme');
    await page.keyboard.press('/');
    await page.keyboard.type('nodal elements');
    await page.waitForFunction(() => document.querySelector('#site-results a strong')?.textContent === 'Nodal elements');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/methods\/fem\.html#nodal-elements$/);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.fill('#site-search', 'qqqq');
    await page.waitForFunction(() => document.querySelector('#site-results [role=status]')?.textContent.includes('qqqq'));
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.getElementById('site-results').hidden);
    await context.close();
    assert.deepEqual([foreign, errors], [[], []]);
});

test('the gallery is filtered by words, features and figures of papers', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(patience);
    await page.goto(address('gallery.html'));
    const shown = () => page.evaluate(() => [...document.querySelectorAll('.card')].filter((card) => card.checkVisibility()).map((card) => card.querySelector('h3').id).sort());
    const all = await shown();
    await page.fill('#filter', 'examples figure 9');
    assert.deepEqual(await shown(), ['examples_cars']);
    await page.fill('#filter', '');
    await page.click('button.tag[data-tag="plasticity"]');
    assert.ok((await shown()).includes('fem_clay') && !(await shown()).includes('fem_beams'));
    await page.click('button.tag[data-tag="plasticity"]');
    assert.deepEqual(await shown(), all);
    await page.close();
});
