// The track of keys of what is chosen, over the timeline: drag a key to another time, delete it, click where the next one goes.
import type { App } from '../app';
import { brief, h, iconButton } from '../dom';
import { motion } from '../scene_editing/placement';
import { removeKey, setKey, shiftKey } from '../scene_editing/path_keys';
import type { JsonObject } from '../scene_editing/schema';
import { type Keyed, timeOfKeys } from '../state/keyed';
import { ticksOf } from '../state/measure_table';

const leastSpan = 2;  // s

export function keyTrack(app: App): HTMLElement {
    const name = h('b'), lane = h('div.lane', { title: 'Click to set the time of the next key' }), head = h('i.playhead'), marks = h('div.marks', { 'aria-hidden': 'true' }), keys = h('div.keys-of-path', { role: 'group', 'aria-label': 'Keys' });
    lane.append(marks, head, keys);
    const hint = h('span.hint', {}, 'Click a time on the track, then drag it with Move (Q): that sets a key.');
    let keyed: Keyed | null = null;
    /** Those that may be shown while a time for a key is chosen. */
    let frames: number[] = [];
    const content = () => app.document!.content as unknown as JsonObject;
    const set = iconButton('plus', 'Set a key here', () => {
        if (!keyed) return;
        const { path, center } = keyed, time = timeOfKeys(app);
        app.edits.once((now) => setKey(now as unknown as JsonObject, path, center, time, motion()));
    });
    const element = h('section.key-track', { hidden: true, 'aria-label': 'Keys of what is chosen' }, name, lane, set, hint);

    const span = () => {
        const { last = 0, frame_time = 1 / 60 } = app.status ?? {};
        const ends = keyed ? keyed.keys(content()).map(({ time }) => 1.25 * time) : [];
        return Math.max(leastSpan, last * frame_time, timeOfKeys(app) * 1.05, ...ends);
    };
    /** In whole frames, as keys that are reached by stepping. */
    const timeAt = (x: number) => {
        const box = lane.getBoundingClientRect(), frame = app.status?.frame_time ?? 1 / 60;
        return Math.max(0, Math.round((((x - box.left) / box.width) * span()) / frame) * frame);
    };
    const goTo = (time: number) => {
        const { status } = app, frame = Math.round(time / (status?.frame_time ?? 1 / 60));
        const recorded = status !== null && frame >= status.first && frame <= status.last;
        frames = [status?.frame ?? 0, recorded ? frame : status?.frame ?? 0];
        app.set('keyTime', time);
        if (recorded) app.send({ type: 'seek', frame });
        else if (status?.playing) app.send({ type: 'play', playing: false });
    };

    const keyButton = (index: number, time: number, wide: number) => {
        const button = h('button.key', { type: 'button', 'aria-label': `Key at ${brief(time)} s`, title: `${brief(time)} s; drag it, arrow keys shift it, Delete removes it`, style: `left: ${(100 * time) / wide}%`, 'data-key': index });
        let dragged: number | null = null;
        button.addEventListener('pointerdown', (event) => {
            event.stopPropagation();
            button.setPointerCapture(event.pointerId);
            dragged = null;
            button.onpointermove = (move) => {
                if (dragged === null && Math.abs(move.clientX - event.clientX) < 4) return;
                dragged = timeAt(move.clientX);
                button.style.left = `${(100 * dragged) / wide}%`;
            };
        });
        const drop = () => { button.onpointermove = null; };
        button.addEventListener('pointerup', () => {
            drop();
            if (dragged === null) goTo(time);
            else shift(index, dragged);
        });
        button.addEventListener('pointercancel', () => { drop(); drawn = ''; draw(); });
        button.addEventListener('keydown', (event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], frame = app.status?.frame_time ?? 1 / 60;
            if (event.key === 'Delete' || event.key === 'Backspace') app.edits.once((now) => removeKey(now as unknown as JsonObject, keyed!.path, index));
            else if (event.key === 'Enter' || event.key === ' ') goTo(time);
            else if (by !== undefined) shift(index, time + by * frame * (event.shiftKey ? 10 : 1));
            else return;
            event.preventDefault();
            event.stopPropagation();
        });
        return button;
    };
    const shift = (index: number, time: number) => {
        app.edits.once((now) => shiftKey(now as unknown as JsonObject, keyed!.path, index, time));
        drawn = '';
        draw();
    };
    lane.addEventListener('pointerdown', (event) => { if (event.button === 0) goTo(timeAt(event.clientX)); });

    let drawn = '';
    const draw = () => {
        element.hidden = keyed === null;
        if (!keyed) return;
        const wide = span(), times = keyed.keys(content()).map(({ time }) => time);
        name.textContent = keyed.name;
        head.style.left = `${Math.min(100, (100 * timeOfKeys(app)) / wide)}%`;
        hint.hidden = times.length > 0;
        const sign = JSON.stringify([wide, times, keyed.key]);
        if (sign === drawn) return;
        drawn = sign;
        const focused = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>('.key-track .key')?.dataset.key;
        marks.replaceChildren(...ticksOf(0, wide).map((time) => h('span', { style: `left: ${(100 * time) / wide}%` }, `${brief(time)} s`)));
        keys.replaceChildren(...times.map((time, k) => keyButton(k, time, wide)));
        if (focused !== undefined) keys.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
    };
    app.on('keyed', (found) => {
        keyed = found;
        draw();
    });
    app.on(['document', 'keyTime'], draw);
    app.on('status', (status) => {
        // Whoever goes to another time means that one.
        if (status && app.get('keyTime') !== null && (status.playing || !frames.includes(status.frame))) app.set('keyTime', null);
        draw();
    });
    return element;
}
