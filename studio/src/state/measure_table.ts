// Measures over time as the engine tells them, row by row, and the numbers that a plot of them needs.
import type { Measure, ServerMeasures } from '../protocol/messages';

/** Time in s, then a value of each measure; null where there is none. */
export type Row = Array<number | null>;

const mostRows = 20000;

export class MeasureTable {
    names: Measure[] = [];
    rows: Row[] = [];

    add({ restart, names, rows }: Pick<ServerMeasures, 'restart' | 'names' | 'rows'>): void {
        if (restart) this.rows = [];
        this.names = names;
        for (const row of rows) {
            // Going on from an earlier frame writes over what followed it.
            while (this.rows.length && this.rows[this.rows.length - 1][0]! >= row[0]!) this.rows.pop();
            this.rows.push(row);
        }
        if (this.rows.length > mostRows) this.rows.splice(0, this.rows.length - mostRows);
    }

    /** A line of names, then one of each moment; empty where there is no number. */
    csv(): string {
        const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
        return [['time (s)', ...this.names.map(({ name, label }) => quoted(`${name}: ${label}`))], ...this.rows.map((row) => row.map((value) => value ?? ''))].map((row) => row.join(',')).join('\n') + '\n';
    }

    /** Nothing is known any more. */
    clear(): void {
        this.names = [];
        this.rows = [];
    }

    /** s */
    get span(): { from: number; to: number } {
        return this.rows.length ? { from: this.rows[0][0]!, to: this.rows[this.rows.length - 1][0]! } : { from: 0, to: 0 };
    }

    /** Lowest and highest value of some columns, never the same. */
    range(columns: number[]): [number, number] {
        let low = Infinity, high = -Infinity;
        for (const row of this.rows) {
            for (const column of columns) {
                const value = row[column + 1];
                if (value === null || value === undefined) continue;
                low = Math.min(low, value);
                high = Math.max(high, value);
            }
        }
        if (!(low <= high)) return [0, 1];
        const least = Math.max(1e-9, 1e-4 * Math.max(Math.abs(low), Math.abs(high)));  // a value at rest is a line, not noise
        const grow = Math.max(0.05 * (high - low), least);
        return [low - grow, high + grow];
    }

    /** The last value up to a time; NaN if there is none. */
    valueAt(column: number, time: number): number {
        let low = 0, high = this.rows.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.rows[middle][0]! <= time + 1e-9) low = middle + 1;
            else high = middle;
        }
        for (let k = low - 1; k >= 0; --k) if (this.rows[k][column + 1] !== null) return this.rows[k][column + 1] ?? NaN;
        return NaN;
    }
}

/** A path of SVG, with no more points than there are pixels: of those that share one the lowest and the highest. */
export function curve(rows: Row[], column: number, x: (t: number) => number, y: (v: number) => number, pixels: number): string {
    const stride = Math.max(1, Math.floor(rows.length / pixels));
    const parts: string[] = [];
    let pen = false;
    const put = (row: Row) => {
        const value = row[column + 1];
        if (value === null || value === undefined) {
            pen = false;
            return;
        }
        parts.push(`${pen ? 'L' : 'M'}${x(row[0]!).toFixed(1)} ${y(value).toFixed(1)}`);
        pen = true;
    };
    for (let k = 0; k < rows.length; k += stride) {
        const some = rows.slice(k, k + stride);
        if (some.length <= 2) {
            some.forEach(put);
            continue;
        }
        const value = (row: Row) => row[column + 1] ?? NaN;
        const low = some.reduce((a, b) => (value(b) < value(a) ? b : a)), high = some.reduce((a, b) => (value(b) > value(a) ? b : a));
        if (low[0]! < high[0]!) [low, high].forEach(put);
        else [high, low].forEach(put);
    }
    return parts.join('');
}

/** Round numbers between two others, about three. */
export function ticksOf(low: number, high: number): number[] {
    const rough = (high - low) / 3, decade = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((s) => s * decade).find((s) => s >= rough) ?? 10 * decade;
    const ticks: number[] = [];
    for (let k = Math.ceil(low / step); k * step <= high; ++k) ticks.push(k * step);
    return ticks;
}
