// Coats of paint as scene files have them: one for each stroke or fill, in the field that they are painted over.
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';

export type Operation = 'set' | 'add' | 'subtract' | 'multiply' | 'smooth' | 'erase';
export type Reach = 'body' | 'skin' | 'through';

export interface Coat {
    brush?: 'stroke' | 'polygon' | 'flat' | 'select' | 'gradient';
    op?: Operation;
    value?: number;
    to?: number;
    follow?: 'line' | 'mesh';
    strength?: number;
    path?: number[][];
    pressures?: number[];
    radius?: number;
    angle?: number;
    reach?: Reach;
    along?: number[];
    select?: Json;
    outline?: { view: number[]; areas: number[][] };
    mirror?: 'x' | 'y' | 'z';
    within?: [number, number];
}

export function isPainting(field: Json | undefined): field is JsonObject & { base: Json; coats: Json[] } {
    return isObject(field) && Array.isArray(field.coats);
}

/** The field with one coat more. `filled`: if it is the first, what lies between coats is filled smoothly from them. */
export function painted(field: Json, coat: Coat, range: [number, number], filled = false): Json {
    if (isPainting(field)) return { ...field, coats: [...field.coats, coat as Json] };
    return { base: field, coats: [coat as Json], ...(filled ? { filling: 'harmonic' } : {}), range };
}

/** The field under all coats. */
export function unpainted(field: Json): Json {
    return isPainting(field) ? unpainted(field.base) : field;
}

/** Digits enough for a body of this size, and no more: a long stroke stays a short text. */
export function tidyPlace(place: readonly number[], size: number): number[] {
    const digits = Math.min(12, Math.max(0, 4 - Math.floor(Math.log10(Math.max(size, 1e-9)))));
    return place.map((x) => Number(x.toFixed(digits)) || 0);
}

export function tidyNumber(x: number, digits = 4): number {
    return Number(x.toPrecision(digits));
}
