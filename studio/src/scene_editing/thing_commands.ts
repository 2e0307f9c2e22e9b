// What is done with things as wholes: removed, duplicated as copies or as instances, renamed, put into another order, taken
// to the clipboard and back. Each is one edit; several things are one step of undo.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { type Thing, allThings, kindOfKey, ownerOf, pathOfKey, thingsOf } from '../state/things';
import { type Edit, type Path, copyOf, identityOf, followChanges, pointer, renameChanges, setChanges, valueAt } from './commands';
import { patched } from './patch';
import { motion, moveChanges, rotationJson, startOfBody, vectorJson } from './placement';
import { type Json, type JsonObject, isObject } from './schema';
import { bodyNames, freeName } from './starts';

/** The same path with numbers for identities, which other changes of the same edit may shift. */
export function numbered(content: JsonObject, path: Path): Path {
    return path.map((part, k) => {
        const around = valueAt(content, path.slice(0, k));
        return Array.isArray(around) && String(part).startsWith('@') ? around.findIndex((entry, n) => `@${identityOf(entry, n)}` === part) : part;
    });
}

/** Of several entries the last ones first, so that the numbers of the others stay true. */
function backwards(a: Path, b: Path): number {
    for (let k = 0; k < Math.max(a.length, b.length); ++k) {
        if (a[k] === b[k]) continue;
        if (a[k] === undefined || b[k] === undefined) return a[k] === undefined ? 1 : -1;
        return typeof a[k] === 'number' && typeof b[k] === 'number' ? Number(b[k]) - Number(a[k]) : String(a[k]) < String(b[k]) ? -1 : 1;
    }
    return 0;
}

/** Without things that go with another one of them. */
function outermost(keys: readonly string[]): string[] {
    return [...new Set(keys)].filter((key) => !keys.some((other) => other !== key && key.startsWith(`${other}/`)));
}

/** "ball", "3 things". */
export function wordsFor(content: JsonObject, keys: readonly string[]): string {
    if (keys.length !== 1) return `${keys.length} things`;
    const thing = allThings(thingsOf(content)).find(({ key }) => key === keys[0]);
    return thing ? (thing.kind === 'body' ? thing.name : thing.name.toLowerCase()) : 'thing';
}

function listOf(value: Json | undefined): Json[] {
    return Array.isArray(value) ? value : [];
}

// ---- remove

/** A body whose copies all go goes, too. */
function withoutEmptyBodies(content: JsonObject, keys: string[]): string[] {
    return listOf(content.bodies).reduce<string[]>((some, body, k) => {
        const key = `/bodies/@${identityOf(body, k)}`, copies = isObject(body) ? listOf(body.instances) : [];
        const all = copies.map((copy, n) => `${key}/instances/@${identityOf(copy, n)}`);
        return all.length && all.every((copy) => some.includes(copy)) ? [...some.filter((other) => !all.includes(other)), key] : some;
    }, keys);
}

export function removeThings(content: JsonObject, keys: readonly string[]): Edit | null {
    const gone = outermost(withoutEmptyBodies(content, [...keys])).filter((key) => valueAt(content, pathOfKey(key)) !== undefined);
    if (!gone.length) return null;
    const removalsOf = (keys: readonly string[]) => keys.map((key) => numbered(content, pathOfKey(key))).sort(backwards).map((path): Change => ({ op: 'remove', path: pointer(path) }));
    const before = bodyNames(content), after = bodyNames(patched(content, removalsOf(gone)) as JsonObject);
    const following = followChanges(content, new Map(before.filter((name) => !after.includes(name)).map((name) => [name, null])));
    const ofJoints = (change: Change) => change.path.startsWith('/joints/');  // some may be chosen, too
    const removals = removalsOf([...new Set([...gone, ...following.filter(ofJoints).map(({ path }) => path)])]);
    return { label: `Delete ${wordsFor(content, gone)}`, changes: [...following.filter((change) => !ofJoints(change)), ...removals] };
}

// ---- duplicate

export interface Made {
    edit: Edit;
    /** Keys of what is new. */
    keys: string[];
}

/** `beside`: by how far, for bodies, copies and obstacles. */
export function duplicateThings(content: JsonObject, keys: readonly string[], as: 'copy' | 'instance', beside: Vector3): Made | null {
    let now = content;
    const changes: Change[] = [], made: string[] = [];
    const act = (more: Change[]) => {
        changes.push(...more);
        now = patched(now, more.map((change) => ({ ...change, path: pointer(numbered(now, pathOfKey(change.path))) }))) as JsonObject;
    };
    const chosen = outermost(keys).filter((key) => !['water', 'camera'].includes(kindOfKey(key)));
    for (const key of chosen) {
        const kind = kindOfKey(key), path = pathOfKey(key);
        if (kind === 'body' && as === 'instance') made.push(...moreInstances(content, path, act));
        else made.push(another(now, path, act));
    }
    if (!made.length) return null;
    const placed = moveChanges(now, made, motion({ move: beside }));
    if ('changes' in placed) changes.push(...placed.changes);
    return { edit: { label: `Duplicate ${wordsFor(content, chosen)}${as === 'instance' ? ' as instance' : ''}`, changes: resolvedInTurn(content, changes) }, keys: made };
}

/** Identities of new entries are known only after the changes before them: numbers instead. */
function resolvedInTurn(content: JsonObject, changes: Change[]): Change[] {
    let now = content;
    return changes.map((change) => {
        const plain = { ...change, path: pointer(numbered(now, pathOfKey(change.path))) };
        now = patched(now, [plain]) as JsonObject;
        return plain;
    });
}

/** The next entry of its list: its key. */
function another(content: JsonObject, path: Path, act: (changes: Change[]) => void): string {
    const around = path.slice(0, -1), list = valueAt(content, around) as Json[], value = copyOf(valueAt(content, path)!, list);
    act([{ op: 'add', path: `${pointer(around)}/-`, value }]);
    return keyOfEntry(around, value, list.length);
}

function keyOfEntry(list: Path, value: Json, index: number): string {
    const named = ['bodies', 'instances', 'obstacles'].includes(String(list[list.length - 1]));
    return pointer([...list, named ? `@${identityOf(value, index)}` : index]);
}

/** A body with copies is its copies: the first instance stands for the body itself. */
function moreInstances(content: JsonObject, path: Path, act: (changes: Change[]) => void): string[] {
    const list = [...path, 'instances'], body = valueAt(content, path) as JsonObject, copies = listOf(body.instances);
    if (copies.length) {
        act([{ op: 'add', path: `${pointer(list)}/-`, value: copyOf(copies[copies.length - 1], copies) }]);
        return [keyOfEntry(list, {}, copies.length)];
    }
    const plots = followChanges(content, new Map([[String(body.name), `${String(body.name)}_1`]]));
    act([...plots, ...setChanges(content, list, [{}, {}])]);
    return [keyOfEntry(list, {}, 1)];
}

// ---- names and order

const plainName = /[^\p{L}\p{N}_-]+/gu;

/** As names of the document may be: "my toy!" -> "my_toy". */
export function allowedName(wanted: string, kind: Thing['kind']): string {
    const name = wanted.trim().replace(plainName, '_').replace(/^_+|_+$/g, '').slice(0, 60);
    return kind === 'body' ? name : name.normalize('NFD').replace(/[^A-Za-z0-9_-]/g, '');
}

/** One name for all of them, with numbers if they are several. null: nothing to rename. */
export function renameThings(content: JsonObject, keys: readonly string[], wanted: string): Edit | null {
    const changes: Change[] = [];
    let now = content;
    for (const key of keys) {
        const kind = kindOfKey(key), path = pathOfKey(key), entry = valueAt(now, path), name = allowedName(wanted, kind);
        if (!name || !isObject(entry)) continue;
        const others = (valueAt(now, path.slice(0, -1)) as Json[]).filter((other) => other !== entry);
        if (kind === 'body') {
            const more = renameChanges(now, path, freeName(others, name));
            changes.push(...more);
            now = patched(now, more.map((change) => ({ ...change, path: pointer(numbered(now, pathOfKey(change.path))) }))) as JsonObject;
        } else if (kind === 'obstacle' || kind === 'instance') {
            const taken = others.map((other, k) => ({ name: identityOf(other, k) }));
            changes.push(...setChanges(now, [...numbered(now, path), 'id'], freeName(taken, name)));
            now = patched(now, changes.slice(-1)) as JsonObject;
        }
    }
    return changes.length ? { label: keys.length > 1 ? `Rename ${wordsFor(content, keys)}` : 'Rename', changes: resolvedInTurn(content, changes) } : null;
}

/** Puts a thing before another one of its list, or at the end (null). */
export function orderThing(content: JsonObject, key: string, before: string | null): Edit | null {
    const path = numbered(content, pathOfKey(key)), around = path.slice(0, -1), from = Number(path[path.length - 1]);
    const list = valueAt(content, around), value = valueAt(content, path);
    if (!Array.isArray(list) || value === undefined || (before !== null && pointer(pathOfKey(before).slice(0, -1)) !== pointer(pathOfKey(key).slice(0, -1)))) return null;
    const at = before === null ? list.length : Number(numbered(content, pathOfKey(before)).pop());
    const to = at > from ? at - 1 : at;
    if (to === from || to < 0) return null;
    return { label: `Move ${wordsFor(content, [key])}`, changes: [{ op: 'remove', path: pointer(path) }, { op: 'add', path: pointer([...around, to]), value }] };
}

// ---- clipboard

const mark = 'yawara-things';

/** Things as a text that can be put into another scene. Copies become bodies of their own. */
export function thingsAsText(content: JsonObject, keys: readonly string[]): string | null {
    const chosen = outermost(keys);
    const of = (...kinds: Array<Thing['kind']>) => chosen.filter((key) => kinds.includes(kindOfKey(key)));
    const bodies = of('body', 'instance').map((key) => (kindOfKey(key) === 'body' ? valueAt(content, pathOfKey(key))! : bodyOfCopy(content, key)));
    const obstacles = of('obstacle').map((key) => valueAt(content, pathOfKey(key))!);
    const grips = of('pin', 'handle', 'force').map((key) => ({ list: pathOfKey(key).slice(-2)[0], value: valueAt(content, pathOfKey(key))! }));
    if (!bodies.length && !obstacles.length && !grips.length) return null;
    return JSON.stringify({ [mark]: 1, bodies, obstacles, grips });
}

function bodyOfCopy(content: JsonObject, key: string): Json {
    const path = pathOfKey(key), body = valueAt(content, path.slice(0, 2)) as JsonObject, copy = valueAt(content, path) as JsonObject;
    const { instances: _, id: __, place, ...rest } = body;
    const move = new Vector3(), turn = new Quaternion(), start: Matrix4 = startOfBody(content, `${String(path[1]).slice(1)}/${String(path[3]).slice(1)}`);
    start.decompose(move, turn, new Vector3());
    const rotate = rotationJson(turn), scale = isObject(place) && place.scale !== undefined ? { scale: place.scale } : {};
    const look = copy.color === undefined ? {} : { look: { ...(isObject(rest.look) ? rest.look : {}), color: copy.color } };
    const grips = Object.fromEntries(['pins', 'handles', 'forces'].map((list) => [list, [...listOf(rest[list]), ...listOf(copy[list])]]).filter(([, all]) => all.length));
    return { ...rest, ...grips, ...look, place: { ...scale, ...(rotate ? { rotate } : {}), translate: vectorJson(move) } };
}

/** null: the text holds none. `onto`: the body that pins, handles and forces go to. */
export function pasteThings(content: JsonObject, text: string, onto: string | undefined): Made | null {
    let found: Json;
    try { found = JSON.parse(text) as Json; } catch { return null; }
    if (!isObject(found) || found[mark] !== 1) return null;
    const changes: Change[] = [], keys: string[] = [];
    const bodies = [...listOf(content.bodies)], obstacles = listOf(content.obstacles);
    for (const body of listOf(found.bodies)) {
        const value = copyOf(body, bodies);
        changes.push({ op: 'add', path: '/bodies/-', value });
        keys.push(keyOfEntry(['bodies'], value, bodies.length));
        bodies.push(value);
    }
    const more = listOf(found.obstacles).map((obstacle) => copyOf(obstacle, []));
    if (more.length && content.obstacles === undefined) changes.push({ op: 'add', path: '/obstacles', value: more });
    else changes.push(...more.map((value): Change => ({ op: 'add', path: '/obstacles/-', value })));
    keys.push(...more.map((value, k) => keyOfEntry(['obstacles'], value, obstacles.length + k)));
    const owner = onto === undefined ? undefined : pathOfKey(ownerOf(onto));
    for (const grip of listOf(found.grips)) {
        if (!owner || !isObject(grip)) continue;
        const list = [...owner, String(grip.list)], there = listOf(valueAt(content, list)), earlier = keys.filter((key) => key.startsWith(`${pointer(list)}/`)).length;
        if (!there.length && !earlier) changes.push(...setChanges(content, list, [grip.value]));
        else changes.push({ op: 'add', path: `${pointer(list)}/-`, value: grip.value });
        keys.push(pointer([...list, there.length + earlier]));
    }
    return changes.length ? { edit: { label: `Paste ${keys.length === 1 ? '' : `${keys.length} things`}`.trim(), changes }, keys } : null;
}
