// Tracks over the timeline: every take as a bar, and what happens at which time in the scene; a click goes there.
import type { App } from '../app';
import { brief, h, icon } from '../dom';
import type { Take } from '../protocol/messages';
import { eventsOf } from '../scene_editing/events';
import type { JsonObject } from '../scene_editing/schema';
import { ticksOf } from '../state/measure_table';
import { aboutTake } from '../state/takes';

const leastSpan = 2;   // s
const mostTakes = 4;   // the newest ones; the others are in the menu of takes

export interface Tracks {
    element: HTMLElement;
    button: HTMLButtonElement;
}

export function tracks(app: App): Tracks {
    const takes = h('div.time-lane', { role: 'group', 'aria-label': 'Takes' }), events = h('div.time-lane', { role: 'group', 'aria-label': 'Events' }), marks = h('div.marks', { 'aria-hidden': 'true' });
    const heads = [h('i.playhead'), h('i.playhead')];
    const element = h('section.tracks', { hidden: true, 'aria-label': 'Tracks' }, h('b', {}, 'Takes'), takes, h('b', {}, 'Events'), events);
    const button = h('button.icon-button', { type: 'button', title: 'Tracks: takes and events over time', 'aria-label': 'Tracks', 'aria-expanded': 'false', onclick: () => {
        element.hidden = !element.hidden;
        button.setAttribute('aria-expanded', String(!element.hidden));
        update();
    } }, icon('tracks'));
    const frameTime = () => app.status?.frame_time ?? 1 / 60;
    const goTo = (time: number) => {
        const { status } = app;
        if (!status) return;
        const frame = Math.round(time / frameTime());
        if (frame >= status.first && frame <= status.last) app.send({ type: 'seek', frame });
    };
    const span = (list: ReturnType<typeof eventsOf>) => Math.max(leastSpan, (app.status?.last ?? 0) * frameTime(), ...app.get('takes').map(({ last }) => last * frameTime()), ...list.map(({ from, until }) => 1.1 * (Number.isFinite(until) ? until : from)));
    let drawn = '';
    const update = () => {
        if (element.hidden || !app.document) return;
        const list = eventsOf(app.document.content as unknown as JsonObject), wide = span(list), shown = app.get('takes').slice(-mostTakes);
        for (const head of heads) head.style.left = `${Math.min(100, (100 * app.shownTime) / wide)}%`;
        const lastOf = (take: Take) => (take.shown ? app.status?.last ?? take.last : take.last) * frameTime();
        const sign = JSON.stringify([wide, list, shown.map((take) => [take.id, take.name, lastOf(take).toFixed(1), take.shown, take.kept])]);
        if (sign === drawn) return;
        drawn = sign;
        takes.style.height = `${Math.max(34, 25 * shown.length)}px`;
        const share = (time: number) => (100 * Math.min(wide, time)) / wide;
        marks.replaceChildren(...ticksOf(0, wide).map((time) => h('span', { style: `left: ${share(time)}%` }, `${brief(time)} s`)));
        takes.replaceChildren(...shown.map((take, k) => h('button.bar', {
            type: 'button', 'aria-current': String(take.shown), 'aria-label': `${take.name}, ${aboutTake(take, frameTime())}`, title: `${take.name}, ${aboutTake(take, frameTime())}; click to show it`, 'data-take': take.id,
            style: `left: ${share(take.first * frameTime())}%; width: max(8px, ${share(lastOf(take) - take.first * frameTime())}%); top: ${(100 * k) / shown.length}%; height: ${100 / shown.length}%`,
            onclick: () => app.send({ type: 'take', take: take.id, action: 'show' }),
        })), heads[0]);
        events.replaceChildren(marks, ...list.map(({ from, until, words }) => h(until > from ? 'button.bar' : 'button.moment', {
            type: 'button', 'aria-label': `${words} at ${brief(from)} s`, title: `${words}, ${brief(from)} s${until > from ? ` to ${Number.isFinite(until) ? `${brief(until)} s` : 'the end'}` : ''}`,
            style: `left: ${share(from)}%${until > from ? `; width: ${share(until) - share(from)}%` : ''}`, onclick: () => goTo(from),
        })), heads[1]);
    };
    app.on(['status', 'takes', 'document'], update);
    return { element, button };
}
