// The frame around every page: header with search, contents on the left, the page's own headings on the right, previous and next.
import { posix } from 'node:path';
import { escapeHtml } from './markdown.mjs';

/** The address of `to` as seen from the page `from`; both are paths in the site. */
export function relative(from, to) {
    return posix.relative(posix.dirname(from), to) || posix.basename(to);
}

function contents(chapters, page) {
    return chapters.map(({ name, pages }) => {
        const links = pages.filter((p) => p.listed !== false).map((p) =>
            `<li><a href="${relative(page.path, p.path)}"${p === page ? ' aria-current="page"' : ''}>${escapeHtml(p.short ?? p.title)}</a></li>`).join('\n');
        const open = pages.includes(page) || pages.length < 8;
        return `<details${open ? ' open' : ''}><summary>${escapeHtml(name)}</summary>\n<ul>\n${links}\n</ul></details>`;
    }).join('\n');
}

/** The headings of the page; those of the second level only if there are many. */
function outline(page) {
    const depths = page.headings.length > 40 ? [2] : [2, 3];
    const shown = page.headings.filter((h) => depths.includes(h.depth)).slice(0, 120);
    if (shown.length < 2) return '';
    const items = shown.map((h) => `<li class="depth${h.depth}"><a href="#${h.id}">${h.html.replace(/<\/?a[^>]*>/g, '')}</a></li>`).join('\n');
    return `<nav class="outline" aria-label="On this page"><p>On this page</p>\n<ul>\n${items}\n</ul></nav>`;
}

function turn(page, other, word, rel) {
    if (!other) return '<span></span>';
    return `<a class="${rel}" rel="${rel}" href="${relative(page.path, other.path)}"><span>${word}</span> ${escapeHtml(other.short ?? other.title)}</a>`;
}

export function layout(page, chapters, { previous, next }) {
    const to = (path) => relative(page.path, path);
    return `<!DOCTYPE html>
<html lang="en" data-root="${posix.relative(posix.dirname(page.path), '.') || '.'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.title === 'Yawara' ? 'Yawara' : `${page.title} · Yawara`)}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${to('icon.svg')}">
<link rel="stylesheet" href="${to('style.css')}">
<script>document.documentElement.dataset.theme = localStorage.getItem('yawara-theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');</script>
<script src="${to('page.js')}" defer></script>
</head>
<body>
<a class="skip" href="#site-content">Skip to the content</a>
<header>
<button type="button" class="menu" aria-expanded="false" aria-controls="site-contents">Contents</button>
<a class="brand" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="26" height="26"> Yawara</a>
<form role="search" class="search">
<input type="search" id="site-search" placeholder="Search ( / )" aria-label="Search all pages" autocomplete="off" spellcheck="false">
<div id="site-results" hidden></div>
</form>
<button type="button" class="theme">Dark</button>
</header>
<div class="frame">
<nav id="site-contents" aria-label="Contents">
${contents(chapters, page)}
</nav>
<main id="site-content">
<article${page.wide ? ' class="wide"' : ''}>
${page.html}
</article>
<nav class="turn" aria-label="Previous and next page">
${turn(page, previous, 'Previous', 'prev')}
${turn(page, next, 'Next', 'next')}
</nav>
<footer>${page.source ? `From <code>${escapeHtml(page.source)}</code>. ` : ''}Yawara is free software under the MIT licence.</footer>
</main>
${page.wide ? '' : outline(page)}
</div>
</body>
</html>
`;
}
