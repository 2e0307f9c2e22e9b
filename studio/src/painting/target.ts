// What is painted: a field of a body in the document, the values it takes, and how a person reads them. How it is painted,
// the brushes, knows nothing of this. A new target is one entry of a list like material_targets.ts.
import type { Change } from '../protocol/messages';
import { type Path, pointer, setChanges, valueAt } from '../scene_editing/commands';
import type { Json, JsonObject } from '../scene_editing/schema';
import { type Coat, isPainting, painted } from './coat';
import type { ValueScale } from './value_scale';

export interface PaintTarget {
    readonly id: string;
    readonly name: string;
    readonly about: string;
    /** Whole numbers that are not blended. */
    readonly labels?: boolean;
    /** Id of the one that takes its place on bodies that do not have it. */
    readonly twin?: string;
    /** What lies between coats may be filled smoothly from them. */
    readonly fills?: boolean;
    /** Fields to begin with, which paint then corrects. */
    readonly starts?: ReadonlyArray<{ name: string; about: string; field: Json }>;
    /** Colours: a map of viewport/color_maps.ts. */
    readonly map: string;
    /** The field of a body; a sentence: why this body has none. */
    of(body: JsonObject): TargetField | string;
}

export interface TargetField {
    /** Within the body. */
    path: Path;
    /** As the document has it, or what holds without it. */
    field: Json;
    /** Of the colours and the palette, in stored values. */
    scale: ValueScale;
    /** What the format allows: adding and subtracting is held to it. */
    range: [number, number];
    /** Where painting begins, in stored values. */
    first: number;
    /** Where a gradient that begins there ends; without: near the upper end of the scale. */
    last?: number;
    /** What a person reads instead of the stored value. */
    unit: string;
    shown(stored: number): number;
    stored(shown: number): number;
    /** What else the body needs when the field is set for the first time: the part of the body at `around`, with it. */
    wrapped?(field: Json): { path: Path; value: Json };
}

/** Plain numbers. */
export const asStored = { shown: (x: number) => x, stored: (x: number) => x };

export function bodyPath(identity: string): Path {
    return ['bodies', `@${identity.split('/')[0]}`];
}

export function bodyEntry(content: JsonObject, identity: string): JsonObject | null {
    return (valueAt(content, bodyPath(identity)) as JsonObject | undefined) ?? null;
}

/** Sets the field of a body. */
export function fieldChanges(content: JsonObject, identity: string, target: TargetField, field: Json): Change[] {
    const { path, value } = target.wrapped?.(field) ?? { path: target.path, value: field };
    return setChanges(content, [...bodyPath(identity), ...path], value);
}

/** One coat more: a short patch if there are some already. */
export function coatChanges(content: JsonObject, identity: string, target: TargetField, coat: Coat, filled = false): Change[] {
    const path = [...bodyPath(identity), ...target.path];
    if (isPainting(valueAt(content, path))) return [{ op: 'add', path: `${pointer(path)}/coats/-`, value: coat }];
    return fieldChanges(content, identity, target, painted(target.field, coat, target.range, filled));
}
