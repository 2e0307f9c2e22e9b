// Scenes as the tests of editing see them: patched as the engine does, and taken apart.
import assert from 'node:assert/strict';
import { type Path, identityOf } from '../../src/scene_editing/commands';
import { type Json, type JsonObject, isObject } from '../../src/scene_editing/schema';

interface Operation {
    op: string;
    path: string;
    value?: unknown;
}

/** What RFC 6902 says the three operations do, with "@identity" for the numbers of entries. */
export function apply(document: JsonObject, changes: Operation[]): JsonObject {
    const copy = structuredClone(document);
    for (const { op, path, value } of changes) {
        const parts = path.split('/').slice(1).map((p) => p.replace(/~1/g, '/').replace(/~0/g, '~'));
        if (!parts.length) return structuredClone(value) as JsonObject;
        const numbered = (list: Json[], part: string) => (part.startsWith('@') ? list.findIndex((entry, k) => identityOf(entry, k) === part.slice(1)) : part === '-' ? list.length : Number(part));
        const last = parts.pop()!;
        const around = parts.reduce<Json>((v, p) => (Array.isArray(v) ? v[numbered(v, p)] : (v as JsonObject)?.[p]), copy);
        assert.ok(around !== undefined && around !== null, `nothing at ${path}`);
        if (Array.isArray(around)) {
            const at = numbered(around, last);
            if (op !== 'add') assert.ok(at in around, `${op} of what is not there: ${path}`);
            else assert.ok(at <= around.length, `add beyond the end: ${path}`);
            around.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [structuredClone(value) as Json]));
        } else {
            const object = around as JsonObject;
            if (op !== 'add') assert.ok(last in object, `${op} of what is not there: ${path}`);
            if (op === 'remove') delete object[last];
            else object[last] = structuredClone(value) as Json;
        }
    }
    return copy;
}

/** Of the bodies; their copies are entries of theirs. */
export function identities(scene: JsonObject): string[] {
    return (scene.bodies as JsonObject[]).map(identityOf);
}

/** The same scene with two entries at most in long lists: one entry is edited like another. */
export function abridged(value: JsonObject): JsonObject {
    const short = (inner: Json): Json => Array.isArray(inner) ? (inner.every((x) => typeof x === 'number') ? inner : inner.slice(0, inner.length > 3 && !inner.every((x) => typeof x === 'string') ? 2 : 3).map(short))
        : isObject(inner) ? Object.fromEntries(Object.entries(inner).map(([key, x]) => [key, short(x)])) : inner;
    return short(value) as JsonObject;
}

const fixed = new Set(['yawara', '$schema', 'format', 'version']);

/** Paths of all numbers, texts and switches of a document, but those that can have one value only. */
export function leaves(value: Json, path: Path = []): Path[] {
    const list = String(path[path.length - 1] ?? '');
    if (Array.isArray(value)) {
        const named = ['bodies', 'instances', 'obstacles'].includes(list);
        return value.flatMap((entry, k) => leaves(entry, [...path, named ? `@${identityOf(entry, k)}` : k]));
    }
    if (isObject(value)) return Object.entries(value).flatMap(([key, inner]) => (fixed.has(key) ? [] : leaves(inner, [...path, key])));
    return [path];
}
