// Pages about the C++ interface, one for each public header: its own words, and each declaration under the comment above it.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const groups = [
    ['The engine', 'yawara body scene solid domain mesh lattice collider joint script path topology events jobs id core math rotation'],
    ['What a body is made of', 'field paint selection formula section widths stretch active chart examples posing fem law firmness deform cavity'],
    ['What comes out', 'query measures quantities recorder clip drawing embedding settle snapshot'],
    ['Files, volumes and pictures', 'io scene_file scene_muscles cvg surface tessellate point_cache blend_shapes npy_rows out_file replace_file render look volume_image streamlines'],
    ['Studies and the studio', 'sweep fit fit_muscles stream doubts spelling'],
];

/** The comment that a header begins with. */
function summaryOf(text) {
    const lines = text.split('\n');
    const end = lines.findIndex((line) => !line.startsWith('//'));
    return lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, '')).join(' ').trim();
}

/** How far braces and brackets are open after a line; those in comments and texts do not count. */
function opened(line) {
    const bare = line.replace(/\/\/.*/, '').replace(/"(?:\\.|[^"\\])*"/g, '').replace(/'(?:\\.|[^'\\])'/g, '');
    return (bare.match(/[{(]/g)?.length ?? 0) - (bare.match(/[})]/g)?.length ?? 0);
}

function nameOf(code) {
    const bare = code.replace(/\/\/.*/g, '').replace(/\[\[.*?\]\]/g, '').replace(/^template\s*<[^>]*(?:<[^>]*>[^>]*)*>\s*/, '').trim();
    const type = bare.match(/^(?:struct|class|enum class|enum)\s+(\w+)/) ?? bare.match(/^using\s+(\w+)/);
    if (type) return type[1];
    const callable = bare.match(/(operator\s*[^\s(]+|~?\w+)\s*\(/);
    if (callable) return callable[1];
    return bare.match(/(\w+)\s*(?:=|;|\{)/)?.[1] ?? bare;
}

/** Declarations at the level of a namespace: comment, code and name. */
export function declarationsOf(text) {
    const found = [];
    let comment = [], code = [], depth = 0;
    const finish = () => {
        const whole = code.join('\n').trim();
        // The body of a function is how, not what.
        const isType = /^(?:template[\s\S]*?>\s*)?(?:struct|class|enum|union)\b/.test(whole.replace(/\[\[.*?\]\]\s*/, ''));
        const shown = !isType && /\)\s*(?:const|noexcept|\s)*(?:->[^{]*)?\{/.test(whole) ? `${whole.slice(0, whole.search(/\)\s*(?:const|noexcept|\s)*(?:->[^{]*)?\{/) + 1)};` : whole.replace(/\n(?:private|protected):[\s\S]*?(?=\n};$)/, '');
        found.push({ comment: comment.join(' ').trim(), code: shown.replace(/\/\/\/<? ?/g, '// '), name: nameOf(whole) });
        comment = [], code = [];
    };
    for (const line of text.split('\n')) {
        if (depth === 0 && code.length === 0) {
            if (/^\s*\/\/\//.test(line)) { comment.push(line.replace(/^\s*\/\/\/ ?/, '')); continue; }
            if (/^\s*$/.test(line)) { comment = []; continue; }
            if (/^(#|\/\/|namespace\b|inline namespace\b|}\s*(\/\/ namespace.*)?$|extern template|static_assert)/.test(line)) continue;
        }
        code.push(line);
        depth += opened(line);
        if (depth === 0 && /[;}]\s*(\/\/.*)?$/.test(line)) finish();
    }
    return found;
}

/** Overloads stand under one heading. */
function sectionsOf(declarations) {
    const sections = [];
    for (const declaration of declarations) {
        const last = sections.at(-1);
        if (/^(struct|class)\s+\w+\s*;/.test(declaration.code)) continue;
        if (last?.name === declaration.name) last.parts.push(declaration);
        else sections.push({ name: declaration.name, parts: [declaration] });
    }
    return sections;
}

function pageOf(root, name) {
    const source = `include/yawara/${name}.h`;
    const text = readFileSync(join(root, source), 'utf8');
    const summary = summaryOf(text);
    const includes = [...text.matchAll(/#include "yawara\/(\w+)\.h"/g)].map(([, other]) => `[${other}.h](${other}.h)`);
    const sections = sectionsOf(declarationsOf(text));
    const markdown = `# ${name}.h

${summary.replaceAll('<', '&lt;')}

\`\`\`cpp
#include <yawara/${name}.h>
\`\`\`
${includes.length ? `\nIncludes ${includes.join(', ')}.\n` : ''}
${sections.map(({ name: heading, parts }) => `## ${heading}\n\n${parts.map(({ comment, code }) => `${comment.replaceAll('<', '&lt;')}\n\n\`\`\`cpp\n${code}\n\`\`\``).join('\n\n')}`).join('\n\n')}
`;
    return { path: `api/${name}.html`, source, short: `${name}.h`, markdown, summary, weight: 0.6 };
}

/** The overview first, then a page for each header. */
export function headerPages(root) {
    const names = readdirSync(join(root, 'include/yawara')).filter((file) => file.endsWith('.h')).map((file) => file.slice(0, -2)).sort();
    const pages = names.map((name) => pageOf(root, name));
    const listed = new Set(groups.flatMap(([, words]) => words.split(' ')));
    const all = [...groups, ['Others', names.filter((name) => !listed.has(name)).join(' ')]];
    const table = ([title, words]) => {
        const rows = words.split(' ').filter((name) => names.includes(name)).map((name) => {
            const { summary } = pages.find((page) => page.short === `${name}.h`);
            return `| [${name}.h](yawara/${name}.h) | ${summary.split(/(?<=[.;]) /)[0].replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`;
        });
        return rows.length ? `## ${title}\n\n| header | what is in it |\n|---|---|\n${rows.join('\n')}\n` : '';
    };
    const overview = `# C++ interface

\`#include <yawara/yawara.h>\` includes the engine; the other headers belong to the libraries around it. Everything is in the
namespace \`yawara\`. A description goes in ([body.h](yawara/body.h)), \`build\` checks it and gives a model or an error with
its place, and a scene ([scene.h](yawara/scene.h)) steps it. The [overview](../docs/overview.md) explains the words, the
[first program](../docs/getting_started.md#from-c) shows them in use, and [extending](../docs/extending.md) tells which files a new kind of thing needs.

These pages are made from the headers and their comments.

${all.map(table).join('\n')}`;
    return [{ path: 'api/index.html', source: 'include/yawara', short: 'Overview', markdown: overview }, ...pages];
}
