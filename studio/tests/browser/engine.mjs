// The engine and the browser for tests: started, asked, ended; everything in folders of their own.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const program = process.env.YAWARA_PROGRAM ?? join(root, 'build', 'release', 'yawara');

export class Engine {
    constructor(state, args = []) {
        this.state = state;
        this.args = args;
    }

    /** Resolves when the address is printed. */
    async start(port = 0) {
        const args = ['studio', ...this.args, '--state', this.state, '--port', String(port), '--no-browser', '--json'];
        this.process = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '', errors = '';
        this.process.stderr.on('data', (text) => { errors += text; });
        this.ended = new Promise((done) => this.process.on('exit', (code, signal) => done(signal ?? code)));
        await new Promise((done, fail) => {
            this.process.stdout.on('data', (text) => {
                out += text;
                try { this.url = JSON.parse(out).url; } catch { return; }
                done();
            });
            this.ended.then((code) => fail(new Error(`the engine ended with ${code}: ${errors}`)));
        });
        this.port = Number(new URL(this.url).port);
        this.token = new URL(this.url).searchParams.get('token');
        return this;
    }

    async stop(signal = 'SIGTERM') {
        this.process.kill(signal);
        return this.ended;
    }
}

export function scratchFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'yawara-studio-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
}

/** Debian's Chromium with software drawing; Mesa's is the faster one where it is there. */
export function launchBrowser() {
    return chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', '--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist', '--enable-unsafe-swiftshader', '--disable-dev-shm-usage'],
    });
}
