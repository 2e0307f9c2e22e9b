// One edit of a body for several: the same value at the same place of each of the others.
import type { Change } from '../protocol/messages';
import { type Edit, type Path, pointer, removeChanges, setChanges, valueAt } from './commands';
import { patched } from './patch';
import { type JsonObject, isObject } from './schema';
import { numbered } from './thing_commands';

/** What is of one body alone. */
const own = ['name', 'id', 'place', 'instances'];

function partsOf(path: string): Path {
    return path.split('/').slice(1).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** `from`: the body that the edit is for; `to`: the others. */
export function spreadEdit(content: JsonObject, edit: Edit, from: Path, to: readonly Path[]): Edit {
    const changes: Change[] = [...edit.changes];
    for (const body of to) {
        let now = content;
        for (const change of edit.changes) {
            const parts = partsOf(change.path), rest = parts.slice(from.length);
            if (pointer(parts.slice(0, from.length)) !== pointer(from) || !rest.length || own.includes(String(rest[0]))) continue;
            const more = changesAt(now, [...body, ...rest], change);
            changes.push(...more);
            now = patched(now, more.map((one) => ({ ...one, path: pointer(numbered(now, partsOf(one.path))) }))) as JsonObject;
        }
    }
    return changes.length > edit.changes.length ? { ...edit, label: `${edit.label} of ${to.length + 1} bodies`, changes } : edit;
}

function changesAt(content: JsonObject, path: Path, { op, value }: Change): Change[] {
    const last = path[path.length - 1], around = valueAt(content, path.slice(0, -1)), there = valueAt(content, path);
    if (op === 'remove') return removeChanges(content, path);
    // An entry of a list goes to the same number; where there is no such list, nowhere.
    if (last === '-' || typeof last === 'number') return Array.isArray(around) && (last === '-' || last < around.length) ? [{ op, path: pointer(path), value }] : [];
    // An object that was only made to hold what follows stays as it is where it is there already.
    if (isObject(value as JsonObject) && !Object.keys(value as JsonObject).length && there !== undefined) return [];
    return setChanges(content, path, structuredClone(value) as JsonObject);
}
