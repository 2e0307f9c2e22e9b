// Markdown to HTML: headings with anchors, links that know their file and line, highlighted code, tables that scroll.
import { Marked } from 'marked';
import { highlight } from './highlight.mjs';

export function escapeHtml(text) {
    return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
}

/** The text of a piece of HTML. */
export function textOf(html) {
    const names = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
    return html.replace(/<(svg|style)[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => names[name]);
}

/** The anchor of a heading, as code hosts make it, so that links work there and here. */
export function slug(text) {
    return text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');
}

/** Lines of a text on which each link target stands, in their order. */
function linesOfLinks(text) {
    const lines = new Map();
    text.split('\n').forEach((line, k) => {
        for (const [, target] of line.matchAll(/\]\(([^)\s]+)/g)) lines.set(target, [...(lines.get(target) ?? []), k + 1]);
    });
    return lines;
}

/**
 * Renders a page. `resolve(target, line)` gives the address of a link or an image; `fence(language, code)` may draw a
 * code block in a way of its own; `mention(code)` may give the address of what a piece of code in a sentence names. Result: title, html, headings {depth, id, html} and sections {id, title, text} for the search.
 */
export function renderMarkdown(text, { resolve, fence, mention }) {
    const lines = linesOfLinks(text);
    const lineOf = (target) => {
        const found = lines.get(target);
        return found?.length > 1 ? found.shift() : found?.[0] ?? 1;
    };
    const headings = [], used = new Map();
    let title = '', table = 0, inLink = false;
    const marked = new Marked({ gfm: true });
    marked.use({
        renderer: {
            heading({ tokens, depth }) {
                const html = this.parser.parseInline(tokens);
                let id = slug(textOf(html));
                const times = used.get(id) ?? 0;
                used.set(id, times + 1);
                if (times) id += `-${times}`;
                if (depth === 1 && !title) {
                    title = textOf(html);
                    return `<h1 id="${id}">${html}</h1>\n`;
                }
                headings.push({ depth, id, html });
                const label = escapeHtml(`Link to “${textOf(html)}”`);
                return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
            },
            link({ href, title: hint, tokens }) {
                inLink = true;
                const inside = this.parser.parseInline(tokens);
                inLink = false;
                const address = resolve(href, lineOf(href));
                const outside = /^https?:/.test(address) ? ' rel="noopener"' : '';
                return `<a href="${escapeHtml(address)}"${hint ? ` title="${escapeHtml(hint)}"` : ''}${outside}>${inside}</a>`;
            },
            image({ href, text: alt }) {
                return `<img src="${escapeHtml(resolve(href, lineOf(href)))}" alt="${escapeHtml(alt)}" loading="lazy">`;
            },
            code({ text: code, lang }) {
                const drawn = fence?.(lang ?? '', code);
                return drawn ?? `<pre tabindex="0"><code>${highlight(code, lang)}</code></pre>\n`;
            },
            codespan({ text: code }) {
                const address = inLink ? undefined : mention?.(code);
                return address ? `<a href="${escapeHtml(address)}"><code>${escapeHtml(code)}</code></a>` : `<code>${escapeHtml(code)}</code>`;
            },
            table(token) {
                const cell = (c, tag, k) => `<${tag}${token.align[k] === 'right' ? ' class="number"' : ''}${tag === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(c.tokens)}</${tag}>`;
                // A heading without words heads nothing: such a column is one of plain cells.
                const head = token.header.map((c, k) => cell(c, c.text.trim() ? 'th' : 'td', k)).join('');
                const body = token.rows.map((row) => `<tr>${row.map((c, k) => cell(c, 'td', k)).join('')}</tr>`).join('\n');
                table += 1;
                return `<section class="table" tabindex="0" aria-label="Table ${table}"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody></table></section>\n`;
            },
        },
    });
    const html = marked.parse(text);
    return { title, html, headings, sections: sectionsOf(html, title) };
}

/** The text under each heading, for the search. */
function sectionsOf(html, title) {
    const pieces = html.split(/(?=<h[1-6] id=)/);
    return pieces.map((piece) => {
        const heading = piece.match(/^<h([1-6]) id="([^"]*)">([\s\S]*?)<\/h\1>/);
        const text = textOf((heading ? piece.slice(heading[0].length) : piece).replace(/<\/t[dh]>/g, ' ')).replace(/\s+/g, ' ').trim();
        const name = heading ? textOf(heading[3].replace(/<a class="anchor"[\s\S]*?<\/a>/, '')).trim() : title;
        return { id: heading && heading[1] !== '1' ? heading[2] : '', title: name, text };
    }).filter((section) => section.text || section.title);
}
