// Edits as JSON patches: what the page asks the engine to change in the document. The engine keeps undo and redo.
import type { Change } from '../protocol/messages';

/** Entries of bodies, instances and obstacles are named by "@identity", those of other lists by number. */
export type Path = Array<string | number>;

/** One step of undo. Edits in a row with the same `merge` are undone together. */
export interface Edit {
    label: string;
    changes: Change[];
    merge?: string;
}

/** Of an entry in its list: its id, or else its name, or else its number from 1. As in src/scene_file/identity.h. */
export function identityOf(entry: any, index: number): string {
    return entry?.id ?? entry?.name ?? String(index + 1);
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

export function valueAt(document: any, path: Path): any {
    let value = document;
    for (const part of path) {
        if (value === null || typeof value !== 'object') return undefined;
        const named = Array.isArray(value) && typeof part === 'string' && part.startsWith('@');
        value = named ? value.find((entry: any, k: number) => identityOf(entry, k) === part.slice(1)) : value[part];
    }
    return value;
}

/** Sets a value, making the objects around it that are missing. */
export function setChanges(document: any, path: Path, value: unknown): Change[] {
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
export function removeChanges(document: any, path: Path): Change[] {
    return valueAt(document, path) === undefined ? [] : [{ op: 'remove', path: pointer(path) }];
}

/** The edit of one control. Moves of the same slider in a row are undone together. */
export function setCommand(document: any, path: Path, value: unknown, label: string): Edit {
    return { label: `Set ${label}`, changes: setChanges(document, path, value), merge: pointer(path) };
}

export function resetCommand(document: any, path: Path, label: string): Edit | null {
    const changes = removeChanges(document, path);
    return changes.length ? { label: `Reset ${label}`, changes } : null;
}
