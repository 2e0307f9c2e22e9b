// The values of a field between two ends, evenly or by factors, and the share of the way at which each stands: for colours,
// palettes and sliders.

export interface ValueScale {
    low: number;
    high: number;
    /** Equal steps are equal factors. */
    log: boolean;
}

/** 0 at the low end, 1 at the high one; held beyond. */
export function shareOf({ low, high, log }: ValueScale, value: number): number {
    const share = log ? Math.log(Math.max(value, 1e-300) / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.min(1, Math.max(0, share));
}

export function valueAtShare({ low, high, log }: ValueScale, share: number): number {
    const t = Math.min(1, Math.max(0, share));
    return log ? low * (high / low) ** t : low + (high - low) * t;
}

const prefixes: Array<[number, string]> = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']];

/** 250000, 'Pa' -> "250 kPa". Other units keep their numbers. */
export function withUnit(value: number, unit: string): string {
    if (unit !== 'Pa') return `${Number(value.toPrecision(3))}${unit ? ` ${unit}` : ''}`;
    const [size, prefix] = prefixes.find(([least]) => Math.abs(value) >= 0.9995 * least) ?? [1, ''];
    return `${Number((value / size).toPrecision(3))} ${prefix}Pa`;
}
