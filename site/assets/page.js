// What a page does by itself: theme, menu on narrow screens, search over all pages, filter of the gallery. No network.
const root = document.documentElement.dataset.root;

// ---- theme
const themeButton = document.querySelector('button.theme');
function showTheme() {
    const dark = document.documentElement.dataset.theme === 'dark';
    themeButton.textContent = dark ? 'Light' : 'Dark';
    themeButton.setAttribute('aria-label', dark ? 'Use light colours' : 'Use dark colours');
}
themeButton.addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = theme;
    localStorage.setItem('yawara-theme', theme);
    showTheme();
});
showTheme();

// ---- menu
const menuButton = document.querySelector('button.menu');
menuButton.addEventListener('click', () => {
    const open = document.body.classList.toggle('menu-open');
    menuButton.setAttribute('aria-expanded', String(open));
});
document.querySelector('#site-contents [aria-current]')?.scrollIntoView({ block: 'nearest' });
scrollTo(0, location.hash ? scrollY : 0);

// ---- search
const input = document.getElementById('site-search'), results = document.getElementById('site-results');
let index;

/** The index is a script and not data, since a page opened from a disk may not fetch files. */
function loadIndex() {
    index ??= new Promise((done, fail) => {
        const script = document.createElement('script');
        script.src = `${root}/search_index.js`;
        script.onload = () => done(window.searchIndex.map((entry) => ({ ...entry, lowTitle: entry.title.toLowerCase(), lowText: entry.text.toLowerCase() })));
        script.onerror = () => fail(new Error('the search index is missing'));
        document.head.append(script);
    });
    return index;
}

/** Sections that have every word; words in titles count most, then whole words, by how often they come, then beginnings of words. */
function find(entries, words) {
    const found = [];
    for (const entry of entries) {
        let score = 0;
        for (const word of words) {
            const inTitle = entry.lowTitle.indexOf(word), inText = entry.lowText.indexOf(word);
            if (inTitle < 0 && inText < 0 && !entry.page.toLowerCase().includes(word)) { score = 0; break; }
            if (inTitle >= 0) score += entry.lowTitle === word ? 40 : inTitle === 0 ? 20 : 12;
            if (inText >= 0) {
                const whole = new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[^\p{L}\p{N}]/gu, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');
                score += 1 + 2 * Math.min(5, entry.lowText.match(whole)?.length ?? 0);
            }
            if (entry.page.toLowerCase().includes(word)) score += 3;
        }
        if (score) found.push({ entry, score: score * entry.weight });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 12).map(({ entry }) => entry);
}

/** The text around the first word, with all words marked. */
function excerpt(entry, words) {
    const at = Math.max(0, Math.min(...words.map((word) => entry.lowText.indexOf(word)).filter((k) => k >= 0), entry.text.length) - 50);
    const start = at === entry.text.length - 50 || at === 0 ? 0 : entry.text.indexOf(' ', at) + 1;
    const line = document.createElement('span');
    const piece = (start ? '… ' : '') + entry.text.slice(start, start + 150);
    const low = piece.toLowerCase();
    for (let k = 0; k < piece.length;) {
        const next = words.map((word) => ({ word, at: low.indexOf(word, k) })).filter((hit) => hit.at >= 0).sort((a, b) => a.at - b.at)[0];
        line.append(piece.slice(k, next?.at ?? piece.length));
        if (!next) break;
        const mark = document.createElement('mark');
        mark.textContent = piece.slice(next.at, next.at + next.word.length);
        line.append(mark);
        k = next.at + next.word.length;
    }
    return line;
}

async function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) { results.hidden = true; return; }
    const found = find(await loadIndex(), words);
    if (words.join(' ') !== input.value.toLowerCase().split(/\s+/).filter(Boolean).join(' ')) return;
    results.replaceChildren();
    const count = document.createElement('p');
    count.setAttribute('role', 'status');
    count.textContent = found.length ? `${found.length === 12 ? 'The best 12' : found.length} results` : `Nothing has “${words.join(' ')}”.`;
    const list = document.createElement('ul');
    for (const entry of found) {
        const item = document.createElement('li'), link = document.createElement('a'), name = document.createElement('strong'), where = document.createElement('em');
        link.href = `${root}/${entry.path}${entry.id ? `#${entry.id}` : ''}`;
        name.textContent = entry.title;
        where.textContent = entry.page === entry.title ? '' : entry.page;
        link.append(name, ' ', where, document.createElement('br'), excerpt(entry, words));
        link.addEventListener('click', () => { results.hidden = true; });
        item.append(link);
        list.append(item);
    }
    results.append(count);
    if (found.length) results.append(list);
    results.hidden = false;
}

input.addEventListener('focus', loadIndex);
input.addEventListener('input', search);
input.form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await search();
    results.querySelector('a')?.click();
});
addEventListener('keydown', (event) => {
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); input.focus(); return; }
    if (event.key === 'Escape' && !results.hidden) { results.hidden = true; input.focus(); return; }
    if (!results.hidden && input.form.contains(document.activeElement) && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
        event.preventDefault();
        const stops = [input, ...results.querySelectorAll('a')];
        const at = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
        stops[Math.max(0, Math.min(stops.length - 1, at))].focus();
    }
});
addEventListener('pointerdown', (event) => { if (!input.form.contains(event.target)) results.hidden = true; });

// ---- gallery
const filter = document.getElementById('filter');
if (filter) {
    const cards = [...document.querySelectorAll('.card')], tags = [...document.querySelectorAll('button.tag')], count = document.getElementById('count');
    // A number is that number, not a part of another: "figure 1" is not "figure 12".
    const matches = (card, word) => (/^\d+$/.test(word) ? card.dataset.words.split(/[\s,;:]+/).includes(word) : card.dataset.words.includes(word));
    const show = () => {
        const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        const wanted = tags.filter((tag) => tag.getAttribute('aria-pressed') === 'true').map((tag) => tag.dataset.tag);
        let shown = 0;
        for (const card of cards) {
            const has = card.dataset.tags.split('|');
            card.hidden = !words.every((word) => matches(card, word)) || !wanted.every((tag) => has.includes(tag));
            shown += !card.hidden;
        }
        for (const group of document.querySelectorAll('.group')) group.hidden = ![...group.querySelectorAll('.card')].some((card) => !card.hidden);
        count.textContent = `${shown} of ${cards.length} scenes`;
    };
    filter.addEventListener('input', show);
    for (const tag of tags) tag.addEventListener('click', () => {
        tag.setAttribute('aria-pressed', String(tag.getAttribute('aria-pressed') !== 'true'));
        show();
    });
    show();
}
