// Plots and tables of benchmark results: a fenced block `plot` or `results` names a file of benchmarks/results/CPU/, which `yawara bench --save`
// writes, and each CPU that has it gets one.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from './markdown.mjs';

export function readCsv(text) {
    const [head, ...rows] = text.trim().split('\n').map((line) => line.split(','));
    return rows.map((row) => Object.fromEntries(head.map((name, k) => [name, row[k]])));
}

/** Powers of ten, and 2 and 5 times them where there are few, within a range. */
function ticks(low, high) {
    const all = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
        for (const digit of [1, 2, 5]) all.push({ value: digit * 10 ** power, main: digit === 1 });
    const inside = all.filter(({ value }) => value >= low * 0.999 && value <= high * 1.001);
    return (inside.filter(({ main }) => main).length >= 3 ? inside.filter(({ main }) => main) : inside).map(({ value }) => value);
}

const width = 720, height = 330, left = 62, right = 150, top = 20, bottom = 52;

/** Lines over logarithmic axes, named at their ends. */
export function drawPlot({ title, x, y, series }) {
    const xs = series.flatMap((s) => s.points.map(([a]) => a)), ys = series.flatMap((s) => s.points.map(([, b]) => b));
    const [x0, x1] = [Math.min(...xs), Math.max(...xs)], [y0, y1] = [Math.min(...ys) * 0.8, Math.max(...ys) * 1.25];
    const at = (value, low, high, from, to) => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
    const px = (value) => at(value, x0, x1, left, width - right).toFixed(1), py = (value) => at(value, y0, y1, height - bottom, top).toFixed(1);
    const number = (value) => value.toLocaleString('en');
    const parts = [];
    for (const value of ticks(y0, y1)) parts.push(`<line class="grid" x1="${left}" x2="${width - right}" y1="${py(value)}" y2="${py(value)}"/><text class="soft" x="${left - 8}" y="${Number(py(value)) + 4}" text-anchor="end">${number(value)}</text>`);
    for (const value of [...new Set(xs)]) parts.push(`<line class="grid" x1="${px(value)}" x2="${px(value)}" y1="${top}" y2="${height - bottom}"/><text class="soft" x="${px(value)}" y="${height - bottom + 18}" text-anchor="middle">${number(value)}</text>`);
    parts.push(`<text x="${(left + width - right) / 2}" y="${height - 10}" text-anchor="middle">${escapeHtml(x)}</text>`);
    parts.push(`<text transform="translate(16 ${(top + height - bottom) / 2}) rotate(-90)" text-anchor="middle">${escapeHtml(y)}</text>`);
    // Names that would lie on each other are moved apart, from the top down.
    const labels = series.map((s, k) => ({ k, name: s.name, y: Number(py(s.points.at(-1)[1])) })).sort((a, b) => a.y - b.y);
    labels.forEach((label, k) => { if (k) label.y = Math.max(label.y, labels[k - 1].y + 17); });
    series.forEach((s, k) => {
        parts.push(`<polyline class="series${k + 1}" points="${s.points.map(([a, b]) => `${px(a)},${py(b)}`).join(' ')}"/>`);
        parts.push(...s.points.map(([a, b]) => `<circle class="series${k + 1}" cx="${px(a)}" cy="${py(b)}" r="4"/>`));
    });
    for (const label of labels) parts.push(`<text x="${width - right + 12}" y="${(label.y + 4).toFixed(1)}">${escapeHtml(label.name)}</text>`);
    return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(title)}">${parts.join('')}</svg>`;
}

/** What a block of lines "key: value" says. */
function settingsOf(block) {
    return Object.fromEntries(block.trim().split('\n').map((line) => {
        const [, key, value] = line.match(/^(\w+):\s*(.*)$/) ?? [];
        if (!key) throw new Error(`a plot needs lines "key: value", found "${line}"`);
        return [key, value];
    }));
}

/** The CPUs that have a file of results, each with its rows. */
function resultsOf(root, file, columns) {
    const results = join(root, 'benchmarks/results');
    const cpus = readdirSync(results).sort().filter((cpu) => existsSync(join(results, cpu, file)));
    if (!cpus.length) throw new Error(`no folder of benchmarks/results has a ${file}`);
    return cpus.map((cpu) => {
        const path = `benchmarks/results/${cpu}/${file}`, rows = readCsv(readFileSync(join(root, path), 'utf8'));
        for (const column of columns) if (!(column in rows[0])) throw new Error(`${path} has no column "${column}"`);
        return { cpu, path, rows };
    });
}

const namedColumns = (text) => text.split(';').map((entry) => entry.split('=').map((word) => word.trim()));

/** `columns`: pairs of a column and its name. */
function table(path, rows, columns) {
    const isNumber = (text) => text !== '' && Number.isFinite(Number(text));
    const numeric = new Set(columns.map(([column]) => column).filter((column) => rows.some((row) => isNumber(row[column]))));
    const kind = (column) => (numeric.has(column) ? ' class="number"' : '');
    const head = columns.map(([column, name]) => `<th scope="col"${kind(column)}>${escapeHtml(name)}</th>`).join('');
    const shown = (text) => (isNumber(text) ? Number(text).toLocaleString('en') : escapeHtml(text));
    const body = rows.map((row) => `<tr>${columns.map(([column]) => `<td${kind(column)}>${shown(row[column])}</td>`).join('')}</tr>`).join('\n');
    return `<section class="table" tabindex="0" aria-label="Numbers of ${escapeHtml(path)}"><table><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></section>\n`;
}

/** Figures with plot and table for every CPU that has results. */
export function plotBlock(root, block) {
    const { file, x, xlabel, y, lines } = settingsOf(block), columns = namedColumns(lines);
    return resultsOf(root, file, [x, ...columns.map(([column]) => column)]).map(({ cpu, path, rows }) => {
        const series = columns.map(([column, name]) => ({ name, points: rows.map((row) => [Number(row[x]), Number(row[column])]) }));
        return `<figure>${drawPlot({ title: `${y} against ${xlabel}, ${cpu}; the numbers are in the table below`, x: xlabel, y, series })}
<figcaption>${escapeHtml(y)} against ${escapeHtml(xlabel)}; <code>${escapeHtml(path)}</code></figcaption></figure>
${table(path, rows, [[x, xlabel], ...columns])}`;
    }).join('\n');
}

/** The same without a plot. */
export function resultsBlock(root, block) {
    const { file, columns: named } = settingsOf(block), columns = namedColumns(named);
    return resultsOf(root, file, columns.map(([column]) => column)).map(({ path, rows }) => `<p><code>${escapeHtml(path)}</code></p>\n${table(path, rows, columns)}`).join('\n');
}
