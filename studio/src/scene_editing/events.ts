// What happens at a time in a document: keys of handles and obstacles, pushes, strokes of stiffness, other fronts.
import { type Json, type JsonObject, isObject } from './schema';
import { identityOf } from './commands';

export interface SceneEvent {
    /** s */
    from: number;
    /** s; the same: a moment. */
    until: number;
    words: string;
}

function objects(value: Json | undefined): JsonObject[] {
    return Array.isArray(value) ? value.filter(isObject) : [];
}

function keysOf(owner: JsonObject, words: string): SceneEvent[] {
    return objects(owner.path).map(({ time }) => ({ from: Number(time ?? 0), until: Number(time ?? 0), words: `Key of ${words}` }));
}

function ofBody(body: JsonObject, name: string): SceneEvent[] {
    const regions = isObject(body.matching) && isObject(body.matching.regions) ? body.matching.regions : {};
    return [
        ...objects(body.handles).flatMap((handle, k, all) => keysOf(handle, `${all.length > 1 ? `handle ${k + 1}` : 'the handle'} of ${name}`)),
        ...objects(body.forces).map(({ from, until }) => ({ from: Number(from ?? 0), until: Number(until ?? Infinity), words: `Push on ${name}` })),
        ...objects(regions.changes).map(({ from, until }) => ({ from: Number(from), until: Number(until ?? from), words: `Stiffness of ${name} changes` })),
        ...(isObject(body.fem) ? objects(body.fem.fronts).map(({ time }) => ({ from: Number(time ?? 0), until: Number(time ?? 0), words: `Another front in ${name}` })) : []),
        ...objects(body.instances).flatMap((copy, k) => ofBody(copy, `${name} ${identityOf(copy, k)}`)),
    ];
}

/** In the order of their times. */
export function eventsOf(content: JsonObject): SceneEvent[] {
    const obstacles = objects(content.obstacles).flatMap((obstacle, k) => keysOf(obstacle, `obstacle ${identityOf(obstacle, k)}`));
    return [...objects(content.bodies).flatMap((body) => ofBody(body, String(body.name))), ...obstacles].sort((a, b) => a.from - b.from || a.until - b.until);
}
