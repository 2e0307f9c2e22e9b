// The command reference: what the program says of itself, verb by verb.
import { execFileSync } from 'node:child_process';

function help(program, words) {
    return execFileSync(program, [...words, '--help'], { encoding: 'utf8', timeout: 60000 }).trimEnd();
}

/** Verbs and what they do, from the list of subcommands in the main help text. */
function verbsOf(text) {
    const lines = text.split('\n');
    const start = lines.findIndex((line) => /^(sub)?commands:/i.test(line));
    if (start < 0) throw new Error('the help of the program lists no verbs');
    const verbs = [];
    for (const line of lines.slice(start + 1)) {
        if (/^\S/.test(line)) break;
        const [, name, summary] = line.match(/^ {1,4}([a-z]+)\s+(.*)/) ?? [];
        if (name) verbs.push({ name, summary });
        else if (verbs.length && line.trim()) verbs.at(-1).summary += ` ${line.trim()}`;
    }
    return verbs;
}

export function commandPage(program, launcherHelp) {
    const main = help(program, []);
    const verbs = verbsOf(main).map((verb) => ({ ...verb, text: help(program, [verb.name]) }));
    const markdown = `# Commands

In a checkout every verb is started by \`./yawara VERB\`; it builds what changed first. An installed program is \`yawara VERB\`. These
texts are what \`--help\` prints.

| verb | what it does |
|---|---|
${verbs.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary.replaceAll('|', '\\|').replaceAll('<', '&lt;')} |`).join('\n')}

Exit codes: 0 all is well, 1 something failed, 2 the command line was wrong, 130 stopped by Ctrl-C.

## The launcher

\`\`\`text
${launcherHelp.trimEnd()}
\`\`\`

## The program

\`\`\`text
${main}
\`\`\`

${verbs.map(({ name, text }) => `## ${name}\n\n\`\`\`text\n${text}\n\`\`\``).join('\n\n')}
`;
    return { path: 'commands.html', source: 'cli', short: 'Commands', markdown };
}
