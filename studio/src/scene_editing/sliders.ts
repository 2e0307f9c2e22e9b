// How a slider runs over the values of a number.
import type { Json, Part } from './schema';

/** How a slider runs from 0 to 1; none: the number has no useful ends. */
export interface Scale {
    kind: 'linear' | 'log' | 'cubic';
    low: number;
    high: number;
    whole: boolean;
}

export function scaleOf(schema: Part, value: Json | undefined): Scale | undefined {
    const whole = schema.type === 'integer';
    const open = schema.exclusiveMinimum;
    const low = open ?? schema.minimum;
    const high = schema.maximum ?? schema.exclusiveMaximum;
    if (low === undefined || high === undefined || low < 0) {
        return low !== undefined && high !== undefined && high - low <= 1000 ? { kind: 'linear', low, high, whole } : undefined;
    }
    const typical = [value, schema.default].filter((x): x is number => typeof x === 'number' && x > 0);
    const reference = typical.length ? Math.max(...typical) : 0;
    if (low > 0 || open === 0) {
        const from = low > 0 ? Math.max(low, reference / 1000) : Math.min(high, reference || 1) / 100;
        const to = Math.min(high, Math.max(reference, from) * 100);
        return to / from >= 20 ? { kind: 'log', low: from, high: to, whole } : { kind: 'linear', low: from, high: to, whole };
    }
    const to = Math.min(high, reference > 0 ? Math.max(reference * 30, Math.min(high, 1)) : Math.min(high, 10));
    return reference > 0 && to / reference < 4 ? { kind: 'linear', low, high: to, whole } : { kind: 'cubic', low, high: to, whole };
}

export function toSlider(scale: Scale, value: number): number {
    const x = Math.min(scale.high, Math.max(scale.low, value));
    if (scale.kind === 'log') return Math.log(x / scale.low) / Math.log(scale.high / scale.low);
    const share = (x - scale.low) / (scale.high - scale.low);
    return scale.kind === 'cubic' ? Math.cbrt(share) : share;
}

export function fromSlider(scale: Scale, t: number): number {
    const x = scale.kind === 'log' ? scale.low * (scale.high / scale.low) ** t
        : scale.low + (scale.high - scale.low) * (scale.kind === 'cubic' ? t ** 3 : t);
    return scale.whole ? Math.round(x) : Number(x.toPrecision(3));
}

