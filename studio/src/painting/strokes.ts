// Strokes on a body at rest, and what a hand does to them. Places are in the coordinates of fields.

export type Point = readonly number[];

export interface StrokeLine {
    points: number[][];
    /** Of the layer that it was drawn on. */
    depth?: number;
}

const reach = 0.25;       // of a stroke's points, to each side: how far a dragged point takes its neighbours along
const smoothings = 3;     // rounds of means in one go

export function distance(a: Point, b: Point): number {
    return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** A point goes somewhere, its neighbours follow ever less. */
export function dragged(points: number[][], index: number, to: Point): number[][] {
    const by = to.map((x, c) => x - points[index][c]), far = Math.max(1, reach * points.length);
    return points.map((point, k) => {
        const away = Math.abs(k - index) / far, share = away < 1 ? 0.5 + 0.5 * Math.cos(Math.PI * away) : 0;
        return point.map((x, c) => x + share * by[c]);
    });
}

/** Its ends stay. */
export function smoothed(points: number[][]): number[][] {
    let now = points;
    for (let round = 0; round < smoothings; ++round)
        now = now.map((p, k) => (k === 0 || k === now.length - 1 ? p : p.map((x, c) => 0.25 * now[k - 1][c] + 0.5 * x + 0.25 * now[k + 1][c])));
    return now;
}

export function reversed(points: number[][]): number[][] {
    return [...points].reverse();
}

/** On the other side of a plane across an axis. */
export function mirrored(points: number[][], axis: 0 | 1 | 2, middle: number): number[][] {
    return points.map((point) => point.map((x, c) => (c === axis ? 2 * middle - x : x)));
}

/** Goes on from its nearer end. */
export function extended(points: number[][], more: number[][]): number[][] {
    if (!more.length) return points;
    const atStart = distance(points[0], more[0]) < distance(points[points.length - 1], more[0]);
    return atStart ? [...reversed(more), ...points] : [...points, ...more];
}

/** Long enough to have a direction. */
export function hasWay(points: number[][], size: number): boolean {
    return points.length > 1 && points.some((p) => distance(p, points[0]) > 1e-3 * size);
}
