// Colours for code: comments, texts, numbers and the words of a language, found by one expression each.
import { escapeHtml } from './markdown.mjs';

const cppWords = 'alignas auto bool break case class const constexpr continue default delete do double else enum explicit export false float for friend if inline int namespace new noexcept nullptr operator override private protected public requires return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while';
const languages = {
    cpp: { comment: /\/\/.*|\/\*[\s\S]*?\*\//, text: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=#include\s*)<[^>]*>/, words: cppWords },
    json: { text: /"(?:\\.|[^"\\\n])*"/, words: 'true false null' },
    sh: { comment: /(?<=^|\s)#.*/m, text: /'[^']*'|"(?:\\.|[^"\\])*"/, words: 'for do done in if then fi export cd' },
    cmake: { comment: /#.*/, text: /"[^"]*"/, words: 'REQUIRED COMPONENTS ON OFF' },
    python: { comment: /#.*/, text: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/, words: 'and as assert def else for from if import in is lambda None not or return True False while with' },
};
languages.h = languages.hpp = languages.c = languages.cpp;
languages.bash = languages.console = languages.sh;
languages.py = languages.python;

const number = /(?<![\w.])-?\d[\d.]*(?:e[+-]?\d+)?f?(?![\w])/;

/** HTML of a piece of code; plain text for a language that is not known. */
export function highlight(code, language = '') {
    const rules = languages[language];
    if (!rules) return escapeHtml(code);
    const kinds = { c: rules.comment, s: rules.text, n: number, k: new RegExp(`\\b(?:${rules.words.replaceAll(' ', '|')})\\b`) };
    const parts = Object.entries(kinds).filter(([, rule]) => rule).map(([kind, rule]) => `(?<${kind}>${rule.source})`);
    const all = new RegExp(parts.join('|'), 'gm');
    let html = '', end = 0;
    for (const match of code.matchAll(all)) {
        const kind = Object.keys(kinds).find((name) => match.groups[name] !== undefined);
        html += escapeHtml(code.slice(end, match.index)) + `<span class="${kind}">${escapeHtml(match[0])}</span>`;
        end = match.index + match[0].length;
    }
    return html + escapeHtml(code.slice(end));
}
