// What the simulation costs: milliseconds by phase as they come, and the counts that matter.
import type { App } from '../app';
import { brief, h, withCommas } from '../dom';
import type { ServerStats } from '../protocol/messages';

const hues = [212, 168, 38, 344, 268, 96];
const kept = 90;

export function phaseColor(k: number, dark: boolean): string {
    return `hsl(${hues[k % hues.length]} ${dark ? '62% 62%' : '58% 52%'})`;
}

export function costPanel(app: App): HTMLElement {
    const canvas = h('canvas', { width: 560, height: 140, role: 'img', 'aria-label': 'Milliseconds per frame, by phase' });
    const keys = h('ul.keys'), facts = h('dl.facts');
    const past: ServerStats[] = [];
    app.on(['stats', 'look'], () => {
        const stats = app.stats;
        if (!stats) return;
        if (app.status?.playing && past[past.length - 1] !== stats) past.push(stats);
        if (past.length > kept) past.shift();
        draw(canvas, past, app);
        keys.replaceChildren(...stats.phases.map((phase, k) => h('li', {}, h('i', { style: `background:${phaseColor(k, app.look.dark)}` }), `${phase.name} `, h('b', {}, brief(phase.ms)))));
        const rate = app.status?.playing ? `${Math.round(stats.rate)}/s` : 'paused';
        const rows: Array<[string, string, string]> = [
            ['ms per frame', brief(stats.frame_ms), 'Time to simulate one frame'],
            ['frames', rate, 'Simulated frames per second'],
            ['drawn', `${app.drawnPerSecond}/s`, 'Frames drawn per second'],
            ['particles', withCommas(stats.particles), 'In all bodies'],
            ['contacts', withCommas(stats.contacts), 'Particles that touch something'],
            ['inverted', withCommas(stats.inverted), 'Regions that are turned inside out'],
        ];
        if (stats.repaired) rows.push(['repaired', withCommas(stats.repaired), 'Particles stopped since the start because their numbers went wrong']);
        facts.replaceChildren(...rows.map(([name, value, about]) => h('div', { title: about }, h('dt', {}, name), h('dd', {}, value))));
    });
    return h('section.panel-section', {}, h('h2', {}, 'Performance'), canvas, keys, facts);
}

function draw(canvas: HTMLCanvasElement, past: ServerStats[], app: App): void {
    const context = canvas.getContext('2d')!;
    const { width, height } = canvas;
    context.clearRect(0, 0, width, height);
    const budget = 1000 * (app.status?.frame_time ?? 1 / 60);
    const most = Math.max(1e-3, ...past.map((s) => s.frame_ms)) * 1.15;
    const slot = width / kept;
    past.forEach((stats, k) => {
        let y = height;
        stats.phases.forEach((phase, p) => {
            const tall = (phase.ms / most) * height;
            context.fillStyle = phaseColor(p, app.look.dark);
            context.fillRect((kept - past.length + k) * slot, y - tall, slot * 0.82, tall);
            y -= tall;
        });
    });
    context.font = '20px system-ui, sans-serif';
    context.fillStyle = app.look.dark ? '#9aa5b8' : '#66707f';
    context.fillText(`${brief(most)} ms`, 4, 20);
    if (budget < most) {
        const y = height - (budget / most) * height;
        context.strokeStyle = '#e5484d';
        context.setLineDash([6, 6]);
        context.beginPath();
        context.moveTo(0, y);
        context.lineTo(width, y);
        context.stroke();
        context.setLineDash([]);
    }
}
