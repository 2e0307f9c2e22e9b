// The bar at the bottom: play, step, reset, the take to scrub through, going on from any frame of it, and the speed.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';
import { canGoOn, playWords } from '../state/takes';
import { takesMenu } from './takes_menu';

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export function togglePlay(app: App): void {
    app.send({ type: 'play', playing: !app.status?.playing });
}

export function stepOn(app: App): void {
    app.send({ type: 'step', frames: 1 });
}

export function stepBack(app: App): void {
    // What is shown counts: the status may still be on its way.
    if (app.status && app.frames.now > app.status.first) app.send({ type: 'seek', frame: app.frames.now - 1 });
}

/** `more`: beside the takes. */
export function timeline(app: App, ...more: HTMLElement[]): HTMLElement {
    const play = h('button.play', { type: 'button', onclick: () => togglePlay(app) });
    const scrub = h('input.scrub', { type: 'range', min: 0, max: 0, value: 0, step: 1, 'aria-label': 'Recorded time' });
    const goOn = h('button.go-on', { type: 'button', hidden: true, title: 'Continue from this frame as a new take; this one is kept', onclick: () => app.send({ type: 'continue' }) }, icon('branch'), h('span', {}, 'Continue from here'));
    const time = h('output.time');
    const speed = h('select', { 'aria-label': 'Speed', title: 'Playback speed' }, ...speeds.map((s) => h('option', { value: String(s) }, `${s}×`)));
    let scrubbing = false;
    let wanted: number | null = null;
    scrub.addEventListener('input', () => {
        scrubbing = true;
        if (wanted === null) requestAnimationFrame(() => {
            if (wanted !== null) app.send({ type: 'seek', frame: wanted });
            wanted = null;
        });
        wanted = Number(scrub.value);
    });
    scrub.addEventListener('change', () => { scrubbing = false; });
    speed.addEventListener('change', () => app.send({ type: 'speed', factor: Number(speed.value) }));
    app.on('status', (s) => {
        if (!s) return;
        const words = playWords(s);
        if (play.getAttribute('aria-label') !== words) {
            play.replaceChildren(icon(s.playing ? 'pause' : 'play'));
            play.setAttribute('aria-label', words);
            play.title = `${words} (Space)`;
        }
        goOn.hidden = !canGoOn(s);
        scrub.min = String(s.first);
        scrub.max = String(Math.max(s.last, s.first + 1));
        if (!scrubbing) scrub.value = String(s.frame);
        const share = (Number(scrub.value) - s.first) / Math.max(1, Number(scrub.max) - s.first);
        scrub.style.setProperty('--share', `${100 * share}%`);
        const shown = scrubbing ? Number(scrub.value) * s.frame_time : s.time;
        time.textContent = `${shown.toFixed(2)} s`;
        time.title = `Frame ${s.frame}; recorded from ${(s.first * s.frame_time).toFixed(1)} s to ${(s.last * s.frame_time).toFixed(1)} s`;
        scrub.setAttribute('aria-valuetext', `${shown.toFixed(2)} seconds`);
        const closest = speeds.reduce((a, b) => (Math.abs(b - s.speed) < Math.abs(a - s.speed) ? b : a));
        if (document.activeElement !== speed) speed.value = String(closest);
    });
    const back = iconButton('back', 'Previous frame', () => stepBack(app), ',');
    back.classList.add('wide');
    return h('footer.timeline', {},
        iconButton('reset', 'Back to the start', () => app.send({ type: 'reset' }), 'R'), back, play, iconButton('step', 'Next frame', () => stepOn(app), '.'),
        scrub, goOn, time, ...more, takesMenu(app), speed);
}
