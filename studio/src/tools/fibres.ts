// Fibres: strokes on a body of finite elements, on its surface or on the cut, that its fibres follow.
import { mainMaterial } from '../painting/material_targets';
import { type StrokeField, StrokeHand } from '../painting/stroke_hand';
import { bodyEntry, bodyPath } from '../painting/target';
import { setChanges } from '../scene_editing/commands';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import type { Tool } from '../toolbox/tool';

const contrast = 20;      // along to across, of a material that had no fibres
const shearShare = 0.4;   // of the modulus across, of the same

/** The material with these strokes; one that was alike in all directions becomes stiffer along them. */
export function withStrokes(material: JsonObject, strokes: number[][][]): JsonObject {
    if (isObject(material.fibres)) {
        const { strokes: old, direction, directions, ...rest } = material.fibres;
        return { ...material, fibres: strokes.length ? { ...rest, strokes } : rest };
    }
    const { young, poisson, ...kept } = material, across = Number(young);
    const nu = typeof poisson === 'number' ? Math.min(0.44, poisson) : 0.3;
    return { ...kept, fibres: { young_along: contrast * across, young_across: across, poisson_along: 0.3, poisson_across: nu, shear_along: Number((shearShare * across).toPrecision(3)), strokes } };
}

function fibresOf(content: JsonObject, identity: string): StrokeField | string {
    const body = bodyEntry(content, identity);
    if (!body) return 'Choose a body.';
    if (!isObject(body.fem)) return 'Shape matching has no fibres: choose Elements on the shelf.';
    if ((body.fem.law ?? 'stvk') !== 'stvk') return 'Its law is for materials that are the same in all directions: choose “stvk”.';
    const number = mainMaterial(body.fem), material = (body.fem.materials as Json[])[number] as JsonObject, has = isObject(material.fibres);
    if (!has && typeof material.young !== 'number') return 'Its elasticity is given by a tensor of its own: choose a material with fibres from the shelf.';
    const drawn = ((material.fibres as JsonObject | undefined)?.strokes as number[][][] | undefined) ?? [];
    return {
        strokes: drawn.map((points) => ({ points })), depth: null,
        direction: (strokes) => (strokes.length ? { strokes: strokes as unknown as Json } : null),
        hint: has ? 'Draw strokes on the body, or on the cut (X): its fibres follow them, smoothly in between.'
            : `Draw a stroke on the body, or on the cut (X): along it the body becomes ${contrast} times stiffer than across.`,
        changes: (now, strokes) => setChanges(now, [...bodyPath(identity), 'fem', 'materials', number], withStrokes(material, strokes.map(({ points }) => points))),
    };
}

export const tool: Tool = {
    id: 'fibres', name: 'Fibres', key: 'Y', about: 'Draw strokes that the fibres of finite elements follow', order: 21, desk: 'material',
    icon: 'M4 8c5-4 11 4 16 0M4 13c5-4 11 4 16 0M4 18c5-4 11 4 16 0',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make: (app) => new StrokeHand(app, 'fibres', 'fibre stroke', fibresOf).parts,
};
