// Edits as JSON patches: what the page asks the engine to change in the document. The engine keeps undo and redo.
import type { Change, ClientEdit } from '../protocol/messages';

export type Path = Array<string | number>;

/** RFC 6901. */
export function pointer(path: Path): string {
    return path.map((part) => '/' + String(part).replace(/~/g, '~0').replace(/\//g, '~1')).join('');
}

export function valueAt(document: any, path: Path): any {
    let value = document;
    for (const part of path) {
        if (value === null || typeof value !== 'object') return undefined;
        value = value[part];
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
export function setCommand(document: any, path: Path, value: unknown, label: string): ClientEdit {
    return { type: 'edit', label: `Set ${label}`, changes: setChanges(document, path, value), merge: pointer(path) };
}

export function resetCommand(document: any, path: Path, label: string): ClientEdit | null {
    const changes = removeChanges(document, path);
    return changes.length ? { type: 'edit', label: `Reset ${label}`, changes } : null;
}
