// The form in a browser: mistakes at their fields, switches, lists, the keyboard alone, and what axe-core finds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { openScene, page, patience, pause } from './harness.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const field = (path) => page.locator(`.tune .control[data-path="${path}"]`);
const group = (path) => page.locator(`.tune .group[data-path="${path}"]`);
const head = (path) => group(path).locator('> .head .disclosure');
/** Waits until the document has a value, as the engine took it. */
const holds = (path, value) => page.waitForFunction(([p, v]) => {
    let at = window.studio.app.document.content;
    for (const part of p.split('/').slice(1)) at = Array.isArray(at) && part.startsWith('@') ? at.find((e) => e.name === part.slice(1)) : at?.[part];
    return JSON.stringify(at) === v;
}, [path, JSON.stringify(value)], patience);

async function open(...paths) {
    for (const path of paths) if (await head(path).getAttribute('aria-expanded') === 'false') await head(path).click();
}

test('a mistake is told at its field, before and after the engine looked', async () => {
    await openScene('b_sag');
    await pause();
    const alpha = field('/bodies/@bar/matching/alpha');
    await alpha.locator('input[type=number]').fill('7');
    await alpha.locator('input[type=number]').press('Enter');
    await alpha.locator('.error:text("has to be above 0, at most 1")').waitFor();
    assert.equal(await alpha.locator('input[type=number]').getAttribute('aria-invalid'), 'true');
    await alpha.locator('input[type=number]').fill('0.5');
    await alpha.locator('input[type=number]').press('Enter');
    await holds('/bodies/@bar/matching/alpha', 0.5);
    assert.ok(await alpha.locator('.error').isHidden());
});

test('a shape is switched, with what it needs, and back; a formula is checked while it is typed', async () => {
    await group('/bodies/@bar/solid').locator('> .head select').selectOption({ label: 'Formula' });
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].solid.formula, null, patience);
    await open('/bodies/@bar/solid');
    const formula = field('/bodies/@bar/solid/formula');
    await formula.locator('textarea').fill('length(x, y) - 1');
    await formula.locator('.error:text("length takes 3 values")').waitFor();
    const thinner = 'max(max(abs(x) - 0.6, abs(y - 0.1) - 0.08), abs(z) - 0.1)';
    await formula.locator('textarea').fill(thinner);
    assert.ok(await formula.locator('.error').isHidden());
    await formula.locator('textarea').press('Enter');
    await holds('/bodies/@bar/solid/formula', thinner);
    await page.locator('.view canvas').focus();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].solid.bar, null, patience);
});

test('a list grows, is copied, put in another order and shrinks, with the keyboard alone', async () => {
    await openScene('a_cube');
    await pause();
    const obstacles = '/obstacles';
    await head(obstacles).focus();
    if (await head(obstacles).getAttribute('aria-expanded') === 'false') await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Add obstacle');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.studio.app.document.content.obstacles.length === 2, null, patience);
    const more = page.locator('.tune .group[data-path^="/obstacles/@"] > .head .more:visible').nth(1);
    const choose = async (words) => {
        await more.focus();
        await page.keyboard.press('Enter');
        const items = await page.locator('.popup button').allTextContents();
        for (let k = 0; k < items.indexOf(words); ++k) await page.keyboard.press('ArrowDown');
        assert.equal(await page.evaluate(() => document.activeElement.textContent), words);
        await page.keyboard.press('Enter');
    };
    await choose('Move up');
    await page.waitForFunction(() => window.studio.app.document.content.obstacles[0].sphere && window.studio.app.document.content.obstacles[1].plane, null, patience);
    await choose('Duplicate');
    await page.waitForFunction(() => window.studio.app.document.content.obstacles.filter((o) => o.plane).length === 2, null, patience);
    await choose('Remove');
    await page.waitForFunction(() => window.studio.app.document.content.obstacles.filter((o) => o.plane).length === 1, null, patience);
});

test('what is not in the file is added and removed', async () => {
    await open('/bodies/@cube/place');
    await group('/bodies/@cube/place').locator('.adder:text("Turn")').click();
    await page.waitForFunction(() => window.studio.app.document.content.bodies[0].place.rotate, null, patience);
    await group('/bodies/@cube/place/rotate').locator('> .head .more:visible').click();
    await page.locator('.popup button:text-is("Remove")').click();
    await page.waitForFunction(() => !window.studio.app.document.content.bodies[0].place.rotate, null, patience);
});

test('the form has no mistakes that axe-core finds, in light and in dark, and targets of 24 pixels', async () => {
    await open('/bodies/@cube/solid', '/bodies/@cube/matching', '/bodies/@cube/place', '/bodies/@cube/contact', '/bodies/@cube/look', '/obstacles', '/step', '/look');
    for (const more of await page.locator('.tune .advanced').all()) await more.click();
    await page.evaluate(axe);
    for (const theme of ['light', 'dark']) {
        await page.evaluate((name) => { document.documentElement.dataset.theme = name; }, theme);
        const found = await page.evaluate(() => window.axe.run('.side', { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { region: { enabled: false } } }));
        assert.deepEqual(found.violations.map((v) => `${theme}: ${v.id}: ${v.nodes.map((n) => `${n.target} ${n.any[0]?.message ?? ''}`).slice(0, 5).join('; ')}`), []);
    }
    const small = await page.evaluate(() => [...document.querySelectorAll('.side button, .side select, .side input:not([type=checkbox]), .side label')].filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()])
        .filter(([, box]) => box.height > 0 && (box.height < 23.9 || box.width < 23.9)).map(([e, box]) => `${e.className || e.tagName} ${e.textContent} ${box.width.toFixed(1)} x ${box.height.toFixed(1)}`));
    assert.deepEqual(small, []);
});
