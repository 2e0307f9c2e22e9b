// Builds the page of the small checkout: counts how often it was asked to.
import { appendFileSync, cpSync, mkdirSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
cpSync('src/main.js', 'dist/main.js', { preserveTimestamps: false });
appendFileSync('dist/builds', 'built\n');
