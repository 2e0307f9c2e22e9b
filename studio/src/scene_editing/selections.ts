// Selections of particles as documents keep them: in the coordinates of the solid before its scale.
import { type Json, type JsonObject, isObject } from './schema';

const digits = 6;

function shortened(x: number): number {
    return Number(x.toPrecision(digits));
}

function divided(value: Json, scale: number): Json {
    return (value as number[]).map((x) => Number((x / scale).toFixed(digits)));
}

/** From the coordinates of the body's own mesh. Borders keep enough digits for particles to stay on their side. */
export function unscaled(select: Json, scale: number): Json {
    if (!isObject(select)) return select;
    if (Array.isArray(select.any)) return { any: select.any.map((part) => unscaled(part, scale)) };
    if (isObject(select.box)) return { box: { low: divided(select.box.low, scale), high: divided(select.box.high, scale) } };
    if (isObject(select.sphere)) {
        const { center, radius } = select.sphere as JsonObject;
        return { sphere: { center: divided(center, scale), radius: shortened(Number(radius) / scale) } };
    }
    return select;
}
