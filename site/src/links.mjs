// Where links of the repository's texts lead on the site. A link that leads nowhere is kept with file and line, and fails the build.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { relative } from './layout.mjs';

const pictures = /\.(webp|png|svg|jpg|gif)$/;
const largest = 300000;  // bytes of a source that is shown as a page

export class Links {
    /** `pages`: all pages so far; each has a path in the site and a source in the repository, a file or a folder. */
    constructor(root, pages) {
        this.root = root;
        this.bySource = new Map(pages.map((page) => [page.source, page]));
        this.bySource.set('README.md', pages.find((page) => page.path === 'index.html'));
        this.sources = new Map();  // files shown as they are: path in the repository -> page
        this.images = new Map();   // path in the repository -> path in the site
        this.dead = [];
        this.anchors = [];         // to be checked when all pages are made
    }

    /** The address of a link that stands in `page` on `line`. */
    resolve(page, target, line) {
        const where = `${page.source}:${line}`;
        if (/^(https?:|mailto:)/.test(target)) {
            if (!URL.canParse(target)) this.dead.push(`${where}: "${target}" is not an address`);
            return target;
        }
        const [name, anchor] = target.split('#');
        if (!name) {
            this.anchors.push({ where, page, anchor, target });
            return target;
        }
        const file = posix.normalize(posix.join(posix.dirname(page.source), decodeURIComponent(name))).replace(/\/$/, '');
        if (pictures.test(file)) return this.#image(page, file, where, target);
        const to = this.bySource.get(file) ?? this.#source(file);
        if (!to) {
            this.dead.push(`${where}: "${target}" leads to ${file}, which is neither a page nor a file that can be shown`);
            return target;
        }
        if (anchor) this.anchors.push({ where, page: to, anchor, target });
        return relative(page.path, to.path) + (anchor ? `#${anchor}` : '');
    }

    #image(page, file, where, target) {
        if (!existsSync(join(this.root, file))) {
            this.dead.push(`${where}: the picture "${target}" is not there (${file})`);
            return target;
        }
        this.images.set(file, `images/${posix.basename(file)}`);
        return relative(page.path, this.images.get(file));
    }

    /** A page that shows a file of the repository. */
    #source(file) {
        const path = join(this.root, file);
        if (file.startsWith('..') || !existsSync(path) || !statSync(path).isFile() || statSync(path).size > largest) return undefined;
        if (!this.sources.has(file)) {
            const language = { '.cpp': 'cpp', '.h': 'cpp', '.inl': 'cpp', '.json': 'json', '.sh': 'sh', '.py': 'python' }[posix.extname(file)] ?? 'text';
            const text = readFileSync(path, 'utf8').trimEnd();
            const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map((run) => run.length + 1)));
            this.sources.set(file, { path: `source/${file}.html`, source: file, title: file, short: file, markdown: `# ${file}\n\n${fence}${language}\n${text}\n${fence}\n`, listed: false, searched: false, summary: `The file ${file} of Yawara.` });
        }
        return this.sources.get(file);
    }

    /** Anchors can be looked for when every page has its headings. */
    checkAnchors() {
        for (const { where, page, anchor, target } of this.anchors)
            if (!page.anchors.includes(anchor)) this.dead.push(`${where}: "${target}" leads to a heading that ${page.source} does not have`);
        return this.dead;
    }
}
