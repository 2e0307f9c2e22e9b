// Gaits: the ways to move that a layer of muscles has beside its own charts, and how it goes from one to another, as the
// engine has them (include/yawara/active.h).
import { readCharts } from './charts';
import type { Path } from './commands';
import { type Json, type JsonObject, isObject } from './schema';

/** The layer's own charts. */
export const mainGait = 'main';

export interface GaitKey {
    time: number;
    name: string;
    to?: string;
    share?: number;
}

/** Names, the layer's own charts first. */
export function gaitNames(active: JsonObject): string[] {
    return [mainGait, ...others(active).map((gait) => String(gait.name))];
}

function others(active: JsonObject): JsonObject[] {
    return Array.isArray(active.gaits) ? active.gaits.filter(isObject) : [];
}

/** Where the charts and the speed of a gait stand within the layer; those of the layer itself if there is no such gait. */
export function gaitPath(active: JsonObject, name: string): Path {
    const k = gaitNames(active).indexOf(name);
    return k > 0 ? ['gaits', k - 1] : [];
}

export function readKeys(active: JsonObject): GaitKey[] {
    const keys = Array.isArray(active.gait) ? active.gait.filter(isObject) : [];
    return keys.map((key) => ({
        time: typeof key.time === 'number' ? key.time : 0, name: typeof key.name === 'string' ? key.name : mainGait,
        ...(typeof key.to === 'string' ? { to: key.to, share: typeof key.share === 'number' ? key.share : 0 } : {}),
    }));
}

export function keyJson({ time, name, to, share }: GaitKey): JsonObject {
    const tidy = (x: number) => Number(x.toPrecision(6));
    const pure = to === undefined || to === name || share === 0;
    if (!pure && share === 1) return { ...(time ? { time: tidy(time) } : {}), name: to };
    return { ...(time ? { time: tidy(time) } : {}), name, ...(pure ? {} : { to, share: tidy(share ?? 0) }) };
}

/** How much each gait counts at a time, by the order of gaitNames(). */
export function weightsAt(active: JsonObject, time: number): number[] {
    const names = gaitNames(active), keys = readKeys(active);
    const of = ({ name, to, share = 0 }: GaitKey) => names.map((one) => (one === name ? 1 - (to === undefined ? 0 : share) : 0) + (one === to ? share : 0));
    if (!keys.length) return names.map((_, k) => (k === 0 ? 1 : 0));
    const next = keys.findIndex((key) => key.time > time);
    if (next === 0) return of(keys[0]);
    if (next < 0) return of(keys[keys.length - 1]);
    const from = of(keys[next - 1]), to = of(keys[next]), share = (time - keys[next - 1].time) / (keys[next].time - keys[next - 1].time);
    return from.map((weight, k) => weight + (to[k] - weight) * share);
}

function periods(active: JsonObject): number[] {
    return [readCharts(active.charts).period, ...others(active).map((gait) => readCharts(gait.charts).period)];
}

/** Beats per second. */
export function frequencyAt(active: JsonObject, time: number): number {
    const lengths = periods(active);
    return weightsAt(active, time).reduce((sum, weight, k) => sum + weight / lengths[k], 0);
}

/** Beats since time 0: the integral of the frequency, which is a straight line between keys. */
export function cyclesAt(active: JsonObject, time: number): number {
    const low = Math.min(0, time), high = Math.max(0, time);
    const bends = [low, ...readKeys(active).map((key) => key.time).filter((t) => t > low && t < high), high];
    let cycles = 0;
    for (let k = 1; k < bends.length; ++k) cycles += frequencyAt(active, (bends[k - 1] + bends[k]) / 2) * (bends[k] - bends[k - 1]);
    return time < 0 ? -cycles : cycles;
}

/** A key for a time: in the place of the one that is there, if any. Straight edits of one key hold at all times. */
export function withGaitKey(keys: GaitKey[], key: GaitKey): GaitKey[] {
    return [...keys.filter(({ time }) => Math.abs(time - key.time) > 1e-6), key].sort((a, b) => a.time - b.time);
}

/** The layer without a gait: keys that speak of it are of the layer's own charts. */
export function withoutGait(active: JsonObject, name: string): JsonObject {
    const keys = readKeys(active).map((key) => ({ ...key, name: key.name === name ? mainGait : key.name, ...(key.to === name ? { to: mainGait } : {}) }));
    return { ...active, gaits: others(active).filter((gait) => gait.name !== name) as Json[], ...(keys.length ? { gait: keys.map(keyJson) } : {}) };
}

/** The layer with another name for a gait, in its keys too. */
export function renamedGait(active: JsonObject, from: string, to: string): JsonObject {
    const keys = readKeys(active).map((key) => ({ ...key, name: key.name === from ? to : key.name, ...(key.to === from ? { to } : {}) }));
    return { ...active, gaits: others(active).map((gait) => (gait.name === from ? { ...gait, name: to } : gait)), ...(keys.length ? { gait: keys.map(keyJson) } : {}) };
}

/** Where the beat of a layer is while its period changes under way: it goes on, as in the engine, until time starts again. */
export class BeatFollower {
    private layer: { id: string; active: JsonObject } | null = null;
    private lead = 0;

    /** `id`: of the body and its layer. */
    follow(id: string, active: JsonObject, time: number): void {
        const before = this.layer;
        this.layer = { id, active };
        if (before?.id !== id || time === 0) this.lead = 0;
        else if (before.active !== active && readKeys(before.active).length < 2 && readKeys(active).length < 2) {
            const behind = cyclesAt(before.active, time + this.lead) - cyclesAt(active, time + this.lead);
            if (frequencyAt(before.active, time) !== frequencyAt(active, time)) this.lead += (behind - Math.round(behind)) / frequencyAt(active, time);
        }
    }

    /** Share of a beat, 0 to 1. */
    at(time: number): number {
        if (!this.layer) return 0;
        if (time === 0) this.lead = 0;
        const cycles = cyclesAt(this.layer.active, time + this.lead);
        return cycles - Math.floor(cycles);
    }
}
