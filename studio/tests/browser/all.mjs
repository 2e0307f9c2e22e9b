// Runs every test file of this folder, each with an engine and a browser of its own. On a busy machine a browser may lose a
// gesture: a file that failed is run once more, and the summary says so.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.test.mjs')).sort();
const passes = (name) => spawnSync(process.execPath, ['--test', join(folder, name)], { stdio: 'inherit' }).status === 0;

const failed = files.filter((name) => !passes(name));
for (const name of failed) console.log(`${name} failed; it is run once more`);
const failedTwice = failed.filter((name) => !passes(name));
const second = failed.filter((name) => !failedTwice.includes(name));
if (second.length > 0) console.log(`passed at the second try only: ${second.join(', ')}`);
if (failedTwice.length > 0) console.log(`failed twice: ${failedTwice.join(', ')}`);
console.log(`${files.length - failedTwice.length} passed, ${failedTwice.length} failed`);
process.exit(failedTwice.length > 0 ? 1 : 0);
