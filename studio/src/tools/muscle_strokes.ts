// Strokes of muscles: lines on a body, on its surface, on layers inside it or on the cut, along which its muscles pull.
import { type StrokeField, StrokeHand } from '../painting/stroke_hand';
import type { StrokeLine } from '../painting/strokes';
import { bodyEntry, bodyPath } from '../painting/target';
import { removeChanges, setChanges } from '../scene_editing/commands';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { layerOf, layerPath } from '../state/muscle_layer';
import type { Tool } from '../toolbox/tool';

function musclesOf(content: JsonObject, identity: string): StrokeField | string {
    const body = bodyEntry(content, identity), layer = layerOf(body);
    if (!body) return 'Choose a body.';
    if (layer === null) return 'This body has no muscles yet: give it some under Charts.';
    const active = ((body.matching as JsonObject).stretch as JsonObject[])[layer].active as JsonObject;
    if (typeof active.fields === 'string') return `Its fields are in a file, ${active.fields}: what is drawn would be lost there.`;
    const fields = (active.fields as JsonObject | undefined) ?? {}, { direction } = fields, path = [...bodyPath(identity), ...layerPath(layer), 'fields', 'direction'];
    const isDrawn = isObject(direction) && Array.isArray(direction.strokes), strokes = isDrawn ? (direction.strokes as unknown as StrokeLine[]) : [];
    const withStrokes = (lines: StrokeLine[]): JsonObject => ({ ...(isDrawn ? direction : {}), strokes: lines as unknown as Json });
    return {
        strokes, depth: fields.depth ?? 0,
        hint: strokes.length ? 'Draw strokes on the body, on a layer inside it (Peel) or on the cut (X): muscles pull along them, smoothly in between. Click a stroke to choose it; drag its points, Shift-drag an end to go on.'
            : 'Draw a stroke on the body, on a layer inside it (Peel) or on the cut (X): it replaces the present direction of the muscles.',
        direction: (lines) => (lines.length ? withStrokes(lines) : isDrawn ? null : direction ?? null),
        changes: (now, lines) => (lines.length ? setChanges(now, path, withStrokes(lines)) : isDrawn ? removeChanges(now, path) : []),
        along: (now, axis) => setChanges(now, path, [0, 1, 2].map((k) => (k === axis ? 1 : 0))),
    };
}

export const tool: Tool = {
    id: 'muscle-strokes', name: 'Muscle strokes', key: '', about: 'Draw strokes that muscles pull along', order: 23, desk: 'muscles',
    icon: 'M4 8c5-4 11 4 16 0M4 13c5-4 11 4 16 0M4 18c5-4 11 4 16 0',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make: (app) => new StrokeHand(app, 'muscle-strokes', 'muscle stroke', musclesOf).parts,
};
