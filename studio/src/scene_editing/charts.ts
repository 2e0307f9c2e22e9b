// Charts of muscles: periodic curves of stretch through keys, as the engine has them (include/yawara/chart.h), and the
// edits a hand makes of them. Values are compared by their logarithms: half is as far from 1 as double.
import { type Json, type JsonObject, isObject } from './schema';

export type ChartKey = [time: number, value: number];

export interface Chart {
    keys: ChartKey[];
    smooth: boolean;
}

export const directions = ['d1', 'd2', 'd3'] as const;
export type Direction = (typeof directions)[number];

export interface Charts {
    period: number;
    /** Values are held to 1/limit and limit. */
    limit: number;
    preserveVolume: boolean;
    charts: Record<Direction, Chart>;
}

/** Share of the period that keys of one chart are apart at least: the engine refuses two values at one time. */
const leastGap = 0.005;

function numberOr(value: Json | undefined, fallback: number): number {
    return typeof value === 'number' ? value : fallback;
}

function readChart(value: Json | undefined): Chart {
    if (!isObject(value)) return { keys: [], smooth: false };
    const keys = Array.isArray(value.keys) ? value.keys.filter((key): key is [number, number] => Array.isArray(key) && key.length === 2) : [];
    return { keys: keys.map(([time, factor]) => [time, factor]), smooth: value.smooth === true };
}

export function readCharts(value: Json | undefined): Charts {
    const from: JsonObject = isObject(value) ? value : {};
    return {
        period: numberOr(from.period, 1), limit: numberOr(from.limit, 2), preserveVolume: from.preserve_volume === true,
        charts: { d1: readChart(from.d1), d2: readChart(from.d2), d3: readChart(from.d3) },
    };
}

export function chartJson({ keys, smooth }: Chart): JsonObject {
    return { keys: keys.map(([time, value]) => [tidy(time), tidy(value)]), ...(smooth ? { smooth: true } : {}) };
}

function tidy(x: number): number {
    return Number(x.toPrecision(6));
}

function wrapped(time: number, period: number): number {
    const t = time - period * Math.floor(time / period);
    return t < period * (1 - 1e-6) ? t : 0;
}

/** Sorted by time within one period, one at a time; with their logarithms held to the limit. */
function logKeys(chart: Chart, period: number, limit: number): Array<{ time: number; log: number; slope: number }> {
    const most = Math.log(limit), keys: Array<{ time: number; log: number; slope: number }> = [];
    for (const [time, value] of [...chart.keys].map(([t, v]): ChartKey => [wrapped(t, period), v]).sort((a, b) => a[0] - b[0])) {
        if (keys.length && time - keys[keys.length - 1].time < 1e-6 * period) continue;
        keys.push({ time, log: Math.min(most, Math.max(-most, Math.log(value))), slope: 0 });
    }
    if (chart.smooth && keys.length > 1) findSlopes(keys, period);
    return keys;
}

/** A curve that never leaves the range of neighbouring keys: weighted harmonic means of their slopes. */
function findSlopes(keys: Array<{ time: number; log: number; slope: number }>, period: number): void {
    const n = keys.length;
    const step = (k: number) => {
        const a = keys[k], b = keys[(k + 1) % n];
        return { length: (k + 1 < n ? b.time : b.time + period) - a.time, rise: b.log - a.log };
    };
    keys.forEach((key, k) => {
        const before = step((k + n - 1) % n), after = step(k);
        const s0 = before.rise / before.length, s1 = after.rise / after.length;
        const w0 = 2 * after.length + before.length, w1 = after.length + 2 * before.length;
        key.slope = s0 * s1 > 0 ? (w0 + w1) / (w0 / s0 + w1 / s1) : 0;
    });
}

/** Value of a chart at any time. Without keys it is 1. */
export function chartValue(chart: Chart, period: number, limit: number, time: number): number {
    const keys = logKeys(chart, period, limit), n = keys.length;
    if (n === 0) return 1;
    if (n === 1) return Math.exp(keys[0].log);
    const at = wrapped(time, period);
    let k = n - 1;
    while (k >= 0 && keys[k].time > at) --k;
    const a = keys[(k + n) % n], b = keys[(k + 1) % n];
    const start = k < 0 ? a.time - period : a.time, end = k + 1 < n ? b.time : b.time + period;
    const length = end - start, t = (at - start) / length;
    if (!chart.smooth) return Math.exp(a.log + (b.log - a.log) * t);
    const t2 = t * t, t3 = t2 * t;
    return Math.exp((2 * t3 - 3 * t2 + 1) * a.log + (t3 - 2 * t2 + t) * length * a.slope + (3 * t2 - 2 * t3) * b.log + (t3 - t2) * length * b.slope);
}

/** What the direction does: its own chart, or what keeping the volume makes of the first. */
export function directionValue(all: Charts, direction: Direction, time: number): number {
    const { period, limit, charts } = all;
    if (!all.preserveVolume || direction === 'd1') return chartValue(charts[direction], period, limit, time);
    return 1 / Math.sqrt(chartValue(charts.d1, period, limit, time));
}

// ---- edits

/** One key more, unless there is one at that time already; null: then. */
export function withKey(chart: Chart, period: number, time: number, value: number): Chart | null {
    const at = wrapped(time, period);
    const apart = (other: number) => Math.min(Math.abs(other - at), period - Math.abs(other - at));
    if (chart.keys.some(([t]) => apart(wrapped(t, period)) < leastGap * period)) return null;
    return { ...chart, keys: [...chart.keys, [at, value]] };
}

export function withoutKeys(chart: Chart, numbers: ReadonlySet<number>): Chart {
    return { ...chart, keys: chart.keys.filter((_, k) => !numbers.has(k)) };
}

/** Keys moved together, as far as those that stay, the ends of the period and the limit allow. */
export function withMovedKeys(chart: Chart, period: number, limit: number, numbers: ReadonlySet<number>, by: { time: number; factor: number }): Chart {
    const gap = leastGap * period, times = chart.keys.map(([time]) => wrapped(time, period));
    let earliest = -Infinity, latest = Infinity;
    times.forEach((time, k) => {
        if (!numbers.has(k)) return;
        earliest = Math.max(earliest, -time);
        latest = Math.min(latest, period - gap - time);
        times.forEach((other, j) => {
            if (numbers.has(j)) return;
            if (other < time) earliest = Math.max(earliest, other + gap - time);
            else latest = Math.min(latest, other - gap - time);
        });
    });
    const shift = Math.min(Math.max(by.time, Math.min(earliest, 0)), Math.max(latest, 0));
    const keys = chart.keys.map(([, value], k): ChartKey => {
        if (!numbers.has(k)) return chart.keys[k];
        return [times[k] + shift, Math.min(limit, Math.max(1 / limit, value * by.factor))];
    });
    return { ...chart, keys };
}

/** Keys at the same shares of another period. */
export function rescaled(chart: Chart, from: number, to: number): Chart {
    return { ...chart, keys: chart.keys.map(([time, value]) => [(wrapped(time, from) * to) / from, value]) };
}

/** Shapes of a beat, of a period of 1: how strong it is, 0 to 1, at shares of the period. */
const shapes: Record<string, { name: string; smooth: boolean; beat: Array<[number, number]> }> = {
    rest: { name: 'Rest', smooth: false, beat: [] },
    pulse: { name: 'Pulse', smooth: true, beat: [[0, 0], [0.15, 1], [0.25, 1], [0.4, 0]] },
    sine: { name: 'Sine', smooth: true, beat: [[0, 0.5], [0.125, 0.8536], [0.25, 1], [0.375, 0.8536], [0.5, 0.5], [0.625, 0.1464], [0.75, 0], [0.875, 0.1464]] },
    sawtooth: { name: 'Sawtooth', smooth: false, beat: [[0, 0], [0.9, 1]] },
    quick: { name: 'Quick in, slow out', smooth: true, beat: [[0, 0], [0.12, 1], [0.3, 0.6], [0.75, 0]] },
    heartbeat: { name: 'Heartbeat', smooth: true, beat: [[0, 0], [0.12, 0.35], [0.18, 0.1], [0.32, 1], [0.42, 0.8], [0.6, 0]] },
};
export const presetNames: Array<[id: string, name: string]> = Object.entries(shapes).map(([id, { name }]) => [id, name]);

/** A preset that contracts to `least`, below 1, at its strongest. */
export function preset(id: string, period: number, least: number): Chart {
    const { smooth, beat } = shapes[id];
    return { smooth, keys: beat.map(([share, strong]) => [share * period, least ** strong]) };
}

// ---- layers of muscles in a body

/** Numbers of the layers of `matching.stretch` that are muscles. */
export function muscleLayers(body: JsonObject | null): number[] {
    const stretch = isObject(body?.matching) ? body.matching.stretch : undefined;
    return Array.isArray(stretch) ? stretch.flatMap((layer, k) => (isObject(layer) && isObject(layer.active) ? [k] : [])) : [];
}

/** A first layer: fibres along an axis, all at once, contracting by a third. */
export function firstLayer(axis: 0 | 1 | 2): JsonObject {
    const direction = [0, 0, 0];
    direction[axis] = 1;
    return { active: { fields: { direction }, charts: { period: 1, limit: 2, d1: chartJson(preset('pulse', 1, 0.67)), preserve_volume: true } } };
}
