// What of muscles can be painted: depth, how strong they act, and how late.
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { layerOf, layerPath } from '../state/muscle_layer';
import { type PaintTarget, type TargetField, asStored } from './target';

interface MuscleField {
    name: 'depth' | 'amplitude' | 'phase';
    low: number;
    plain: number;
    first: number;
    last: number;
}

function muscleField(body: JsonObject, { name, low, plain, first, last }: MuscleField): TargetField | string {
    const layer = layerOf(body);
    if (layer === null) return 'This body has no muscles yet: give it some under Charts.';
    const active = ((body.matching as JsonObject).stretch as JsonObject[])[layer].active as JsonObject;
    if (typeof active.fields === 'string') return `Its fields are in a file, ${active.fields}: what is painted would be lost there.`;
    const fields: JsonObject = isObject(active.fields) ? active.fields : {};
    return {
        path: [...layerPath(layer), 'fields', name], field: fields[name] ?? (plain as Json), scale: { low, high: 1, log: false }, range: [low, 1], first, last, unit: '', ...asStored,
    };
}

const depthGuesses = [
    { name: 'From the outside', about: '1 on the surface, 0 at the deepest place', field: { distance: 'outside' } },
    { name: 'Between walls', about: 'Hollow bodies: 1 on the outer wall, 0 on the inner one', field: { distance: 'walls' } },
];

export const muscleTargets: PaintTarget[] = [
    { id: 'amplitude', name: 'Amplitude', about: 'How strongly muscles act: 1 as the charts say, 0 not at all, -1 the other way round', map: 'amplitude', fills: true, of: (body) => muscleField(body, { name: 'amplitude', low: -1, plain: 1, first: 1, last: -1 }) },
    { id: 'phase', name: 'Phase', about: 'How late muscles act: 0 at once, 1 last. A gradient makes a wave', map: 'phase', fills: true, of: (body) => muscleField(body, { name: 'phase', low: 0, plain: 0, first: 0, last: 1 }) },
    { id: 'depth', name: 'Depth', about: '1 on the outermost layer, 0 on the innermost: fibres run across the direction it grows in', map: 'depth', fills: true, starts: depthGuesses, of: (body) => muscleField(body, { name: 'depth', low: 0, plain: 0, first: 1, last: 0 }) },
];
