// Edits as JSON patches: what the page asks the engine to change in the document. The engine keeps undo and redo.
import type { Change } from '../protocol/messages';
import { type Json, type JsonObject, isObject } from './schema';
import { bodyNames, freeName } from './starts';

/** Entries of bodies, instances and obstacles are named by "@identity", those of other lists by number. */
export type Path = Array<string | number>;

/** One step of undo. Edits in a row with the same `merge` are undone together. */
export interface Edit {
    label: string;
    changes: Change[];
    merge?: string;
}

/** Of an entry in its list: its id, or else its name, or else its number from 1. As in src/scene_file/identity.h. */
export function identityOf(entry: Json | undefined, index: number): string {
    return String((isObject(entry) ? entry.id ?? entry.name : undefined) ?? index + 1);
}

/** Where a body, or a copy "BODY/COPY" of one, stands in the document. */
export function pathOf(identity: string): Path {
    const [body, copy] = identity.split('/');
    return copy === undefined ? ['bodies', `@${body}`] : ['bodies', `@${body}`, 'instances', `@${copy}`];
}

/** RFC 6901. */
export function pointer(path: Path): string {
    return path.map((part) => '/' + String(part).replace(/~/g, '~0').replace(/\//g, '~1')).join('');
}

function indexIn(list: Json[], part: string | number): number {
    return typeof part === 'string' && part.startsWith('@') ? list.findIndex((entry, k) => identityOf(entry, k) === part.slice(1)) : Number(part);
}

export function valueAt(document: Json | undefined, path: Path): Json | undefined {
    let value = document;
    for (const part of path) {
        if (Array.isArray(value)) value = value[indexIn(value, part)];
        else if (isObject(value)) value = value[part];
        else return undefined;
    }
    return value;
}

/** The place as messages of the engine name it, "bodies[0].pins[1].select", as a path; what is not in the document is left out. */
export function pathOfPlace(document: Json, place: string): Path {
    const path: Path = [];
    for (const part of place.match(/[^.[\]]+/g) ?? []) {
        const around = valueAt(document, path);
        const named = Array.isArray(around) && ['bodies', 'instances', 'obstacles'].includes(String(path[path.length - 1]));
        path.push(named ? `@${identityOf(around[Number(part)], Number(part))}` : Array.isArray(around) ? Number(part) : part);
    }
    return path;
}

/** Sets a value, making the objects around it that are missing. */
export function setChanges(document: Json, path: Path, value: Json): Change[] {
    const changes: Change[] = [];
    for (let depth = 1; depth < path.length; ++depth) {
        const around = path.slice(0, depth);
        if (valueAt(document, around) === undefined) changes.push({ op: 'add', path: pointer(around), value: {} });
    }
    const exists = valueAt(document, path) !== undefined;
    changes.push({ op: exists ? 'replace' : 'add', path: pointer(path), value });
    return changes;
}

/** Takes a value out, so that its default counts again. Nothing to do if it is not there. */
export function removeChanges(document: Json, path: Path): Change[] {
    return valueAt(document, path) === undefined ? [] : [{ op: 'remove', path: pointer(path) }];
}

/** As it stands within a sentence: "Stiffness" -> "stiffness". */
export function within(name: string): string {
    return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** The edit of one control. Moves of the same slider in a row are undone together. */
export function setCommand(document: Json, path: Path, value: Json, name: string): Edit {
    return { label: `Set ${within(name)}`, changes: setChanges(document, path, value), merge: pointer(path) };
}

export function resetCommand(document: Json, path: Path, name: string): Edit | null {
    const changes = removeChanges(document, path);
    return changes.length ? { label: `Reset ${within(name)}`, changes } : null;
}

/** Entries of a list are added at its end; a list that is not there yet is made. */
export function addCommand(document: Json, list: Path, value: Json, name: string): Edit {
    const changes: Change[] = valueAt(document, list) === undefined ? setChanges(document, list, [value]) : [{ op: 'add', path: `${pointer(list)}/-`, value }];
    return { label: `Add ${within(name)}`, changes };
}

/** A copy has to be told from its original: another name, and no identity of its own yet. */
export function copyOf(entry: Json, list: Json[]): Json {
    if (!isObject(entry)) return structuredClone(entry);
    const { id: _, ...rest } = structuredClone(entry);
    return typeof rest.name === 'string' && rest.name ? { ...rest, name: freeName(list, rest.name) } : rest;
}

/** `change`: what else is different in the copy. */
export function duplicateCommand(document: Json, entry: Path, name: string, change: (copy: Json) => Json = (copy) => copy): Edit {
    const around = entry.slice(0, -1), list = valueAt(document, around) as Json[];
    const at = indexIn(list, entry[entry.length - 1]);
    return { label: `Duplicate ${within(name)}`, changes: [{ op: 'add', path: `${pointer(around)}/${at + 1}`, value: change(copyOf(list[at], list)) }] };
}

/** Moves an entry up (-1) or down (1) in its list. */
export function moveCommand(document: Json, entry: Path, by: -1 | 1, name: string): Edit {
    const around = entry.slice(0, -1), list = valueAt(document, around) as Json[];
    const at = indexIn(list, entry[entry.length - 1]);
    return { label: `Move ${within(name)}`, changes: [{ op: 'remove', path: `${pointer(around)}/${at}` }, { op: 'add', path: `${pointer(around)}/${at + by}`, value: list[at] }] };
}

/** Another name for a body; plots follow it. */
export function renameChanges(document: JsonObject, body: Path, to: string): Change[] {
    const entry = valueAt(document, body) as JsonObject, from = String(entry.name);
    const renamed = new Map(bodyNames({ bodies: [entry] }).map((name) => [name, to + name.slice(from.length)]));
    return [...followChanges(document, renamed), ...setChanges(document, [...body, 'name'], to)];
}

/** Plots and joints follow the bodies they are about: by their new names, or they go with them (null). */
export function followChanges(document: JsonObject, renamed: Map<string, string | null>): Change[] {
    const changes: Change[] = [];
    for (const [list, names] of [['measures', ['body', 'other']], ['joints', ['body', 'to']]] as const) {
        const entries = document[list];
        for (let k = Array.isArray(entries) ? entries.length - 1 : -1; k >= 0; --k) {
            const entry = (entries as Json[])[k];
            if (!isObject(entry)) continue;
            const keys = names.filter((key) => renamed.has(String(entry[key])));
            if (keys.some((key) => renamed.get(String(entry[key])) === null)) changes.push({ op: 'remove', path: `/${list}/${k}` });
            else for (const key of keys) changes.push({ op: 'replace', path: `/${list}/${k}/${key}`, value: renamed.get(String(entry[key]))! });
        }
    }
    return changes;
}
