// The form of a scene: every value of the document, and those it could have, as fields that a panel can draw; found by
// walking document and schema together, so that a new key of the scene format is a new control without a line of code.
import { type Edit, type Path, addCommand, duplicateCommand, identityOf, followChanges, moveCommand, pathOf, removeChanges, renameChanges, resetCommand, setChanges, setCommand, valueAt, within } from './commands';
import { formulaProblem } from './formula';
import { besides, defaultBeside, hasConsequences, hasEffect, kindIsOffered, namedChoices, nextEntry, offered, oneHasToStay, standIns, unofferedKinds, withConsequences, withoutMatching } from './rules';
import { type Json, type JsonObject, type Part, type Schema, alternatives, isObject, kindOf, problem, rangeWords, resolve } from './schema';
import { type Scale, scaleOf } from './sliders';
import { type Around, bodyNames, fileWanted, startOf, withFile } from './starts';
import { choiceName, isExpert, kindName, nameOf, unitOf } from './wording';

export type ControlKind =
    | 'number' | 'integer' | 'boolean' | 'choice' | 'vector' | 'components' | 'color' | 'text' | 'long text' | 'formula' | 'file' | 'numbers'
    | 'constant'  // a kind without a value of its own
    | 'absent'    // not in the file, and without it there is none: can be added
    | 'group' | 'list';

/** A way to have a value; `to` makes the edit that switches to it. */
export interface Kind {
    name: string;
    about: string;
    /** It needs the name of a file before it can be: its ending, or "*" for any; empty: it needs none. */
    file: string;
    to(file?: string): Edit;
}

export interface Field {
    control: ControlKind;
    path: Path;
    name: string;
    about: string;
    /** "from 0 to 1", or empty. */
    range: string;
    unit: string;
    value: Json | undefined;
    /** In the file; otherwise `value` is what holds without it. */
    isSet: boolean;
    fallback: Json | undefined;
    expert: boolean;
    /** In the file, but without effect there. */
    idle: boolean;
    choices: Array<{ value: Json; name: string; file: string }>;
    scale: Scale | undefined;
    kinds: Kind[];
    /** Which of `kinds` it is; -1: none. */
    kind: number;
    /** Of a vector: how many numbers. Of a list: how many entries. */
    count: number;
    children(): Field[];
    /** What is wrong with a value that a person typed; null: nothing. */
    check(value: Json): string | null;
    /** `file`: for a choice that needs one. */
    set(value: Json, file?: string): Edit;
    /** Takes it out of the file; null: it has to stay. */
    reset: (() => Edit) | null;
    /** Of a list: one more entry. Of what is absent: itself. */
    add: { name: string; file: string; to(file?: string): Edit } | null;
    /** Of an entry of a list. */
    entry: { up: (() => Edit) | null; down: (() => Edit) | null; duplicate: (() => Edit) | null; remove: (() => Edit) | null } | null;
}

/** Lists whose entries have identities. */
const withIdentities = new Set(['bodies', 'instances', 'obstacles']);
const mostInputs = 4;

/** What leads to a field: the object around it, and what may be done with it there. */
interface Place {
    def: string | undefined;
    object: JsonObject;
    required: boolean;
    name?: string;
}

export class Form {
    /** `view`: the camera that the scene is looked at with. */
    constructor(private readonly schema: Schema, readonly document: JsonObject, private readonly view: () => JsonObject | null = () => null) {}

    /** The fields of one body; of a copy also its own, first. */
    ofBody(identity: string): Field[] {
        const [body, copy] = identity.split('/');
        const fields = this.fieldsOf({ $ref: '#/$defs/body' }, pathOf(body));
        if (copy === undefined) return fields;
        const own = this.fieldOf({ $ref: '#/$defs/instance' }, pathOf(identity), { def: 'body', object: {}, required: true, name: `Copy ${copy}` });
        return [own, ...fields];
    }

    /** The list of bodies, for adding, removing and ordering them. */
    bodies(): Field {
        return this.fieldOf(this.schema.properties!.bodies, ['bodies'], { def: 'scene', object: this.document, required: true });
    }

    /** The fields of what is around the bodies. */
    ofScene(): Field[] {
        return this.fieldsOf({ ...this.schema, def: 'scene' }, []).filter(({ path }) => path[0] !== 'bodies');
    }

    private around(path: Path): Around {
        const body = path[0] === 'bodies' && path.length > 1 ? valueAt(this.document, path.slice(0, 2)) : undefined;
        return { schema: this.schema, document: this.document, body: isObject(body) ? body : undefined, view: this.view };
    }

    /** The fields of an object, whether it is there or not. */
    private fieldsOf(given: Part, path: Path): Field[] {
        const part = resolve(this.schema, given);
        const found = valueAt(this.document, path);
        const object = isObject(found) ? found : {};
        const groups = standIns[part.def ?? ''] ?? [];
        const fields: Field[] = [];
        for (const [key, raw] of Object.entries(part.properties ?? {})) {
            const group = groups.find(({ keys }) => keys.includes(key));
            if (group) {
                if (group.keys[0] === key) fields.push(this.standIn(part, path, object, group));
                continue;
            }
            if (resolve(this.schema, raw).const !== undefined || key === '$schema') continue;
            const idle = !hasEffect(this.around(path), part.def, key, object);
            if (idle && object[key] === undefined) continue;
            const kept = oneHasToStay[part.def ?? '']?.filter((other) => other in object);
            const required = (part.required ?? []).includes(key) || (kept?.length === 1 && kept[0] === key);
            fields.push({ ...this.fieldOf(raw, [...path, key], { def: part.def, object, required }), idle });
        }
        return fields;
    }

    /** One out of several keys, as one field with kinds. */
    private standIn(part: Part, path: Path, object: JsonObject, group: { keys: string[]; name: string; needed: boolean; none?: string }): Field {
        const shown = group.keys.filter((key) => key in object || hasEffect(this.around(path), part.def, key, object));
        const present = group.keys.find((key) => key in object);
        const key = present ?? (group.needed ? group.keys[0] : undefined);
        const field = this.fieldOf(part.properties![key ?? group.keys[0]], [...path, key ?? group.keys[0]], { def: part.def, object, required: group.needed });
        const without = () => group.keys.flatMap((other) => removeChanges(this.document, [...path, other]));
        const kinds: Kind[] = shown.map((to) => {
            const start = startOf(this.around(path), part.properties![to], `${part.def}.${to}`);
            return {
                name: kindName(`${part.def}.${to}`, `.${to}`, to), about: resolve(this.schema, part.properties![to]).description ?? '', file: fileWanted(start),
                to: (file = '') => ({ label: `Set ${within(group.name)}`, changes: this.switchedKeys(part, path, object, group.keys, to, withFile(start, file)) }),
            };
        });
        if (group.none) kinds.unshift({ name: group.none, about: '', file: '', to: () => ({ label: `Set ${within(group.name)}`, changes: without() }) });
        const kind = key === undefined ? 0 : shown.indexOf(key) + (group.none ? 1 : 0);
        const named = { ...field, name: group.name, kinds, kind, reset: null };
        return key === undefined ? { ...named, control: 'constant', isSet: false, value: undefined } : named;
    }

    private switchedKeys(part: Part, path: Path, object: JsonObject, keys: string[], to: string, start: Json): Edit['changes'] {
        let next = Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
        if (part.def === 'body' && (to === 'fem' || to === 'rigid')) next = withoutMatching(next);
        if (part.def === 'paint_touch' && to === 'vertex') next = { ...next, brush: 'point' };
        if (part.def === 'fem_material' && to !== 'young') next = Object.fromEntries(Object.entries(next).filter(([key]) => key !== 'poisson'));
        return setChanges(this.document, path, { ...next, [to]: start });
    }

    private fieldOf(raw: Part, path: Path, place: Place): Field {
        const part = resolve(this.schema, raw);
        const key = String(path[path.length - 1]);
        const found = valueAt(this.document, path);
        const name = place.name ?? nameOf(place.def, key);
        const around = this.around(path);
        const fallback = part.default ?? defaultBeside(around, place.def, key, place.object);
        const branches = part.properties ? [] : alternatives(this.schema, part);
        const which = branches.length ? kindOf(this.schema, branches, found ?? fallback) : -1;
        const shape = which >= 0 ? branches[which] : part;
        const value = found ?? fallback;
        const control = this.controlOf(part, shape, value, found !== undefined, place, key);
        const withRest = (next: Json) => withConsequences(around, place.def, key, { ...place.object, [key]: next });
        const write = (next: Json, file = ''): Edit => {
            if (place.def === 'body' && key === 'name') return { label: 'Rename', changes: renameChanges(this.document, path.slice(0, -1), String(next)) };
            if (!hasConsequences(place.def, key)) return setCommand(this.document, path, next, name);
            return { label: `Set ${within(name)}`, changes: setChanges(this.document, path.slice(0, -1), withFile(withRest(next), file)) };
        };
        const { kinds, kind } = this.kindsOf(part, branches, which, path, place, name);
        const listed = namedChoices(around, place.def, key, place.object) ?? shape.enum ?? [];
        const field: Field = {
            control, path, name, about: part.description ?? shape.description ?? '', range: rangeWords(shape.type === 'array' ? resolve(this.schema, shape.items ?? {}) : shape),
            unit: unitOf(place.def, key, part.def), value, isSet: found !== undefined, fallback, expert: isExpert(place.def, key), idle: false,
            choices: offered(around, place.def, key, place.object, listed).map((choice) => ({
                value: choice, name: choiceName(place.def, key, String(choice)), file: hasConsequences(place.def, key) ? fileWanted(withRest(choice)) : '',
            })),
            scale: control === 'number' || control === 'integer' ? scaleOf(shape, value) : undefined,
            kinds, kind, count: Array.isArray(value) ? value.length : 0,
            children: () => [], check: (next) => this.check(part, next), set: write,
            reset: found !== undefined && !place.required ? () => resetCommand(this.document, path, name)! : null, add: null, entry: null,
        };
        if (control === 'absent') Object.assign(field, { kinds: [], add: this.adding(part, path, place, name) });
        if (control === 'group') field.children = () => this.inside(shape, path);
        if (control === 'list') this.makeList(field, shape, path, place);
        return field;
    }

    /** A kind that is only a wrapper is what it wraps. */
    private inside(shape: Part, path: Path): Field[] {
        const fields = this.fieldsOf(shape, path);
        const [only] = fields;
        return fields.length === 1 && only.control === 'group' && only.kinds.length === 0 ? only.children() : fields;
    }

    private adding(part: Part, path: Path, place: Place, name: string): Field['add'] {
        const start = () => startOf(this.around(path), part, `${place.def}.${String(path[path.length - 1])}`);
        return { name, file: fileWanted(start()), to: (file = '') => ({ label: `Add ${within(name)}`, changes: setChanges(this.document, path, withFile(start(), file)) }) };
    }

    private kindsOf(part: Part, branches: Part[], which: number, path: Path, place: Place, name: string): Pick<Field, 'kinds' | 'kind'> {
        if (part.def === 'color' || branches.length < 2) return { kinds: [], kind: -1 };
        const around = this.around(path), was = valueAt(this.document, path) ?? part.default;
        const shown = branches.filter((branch, k) => k === which || (!unofferedKinds.has(branch.def ?? branch.title ?? '') && kindIsOffered(around, branch.def)));
        const kinds = shown.map((branch): Kind => {
            const start = startOf(around, branch, `${place.def}.${String(path[path.length - 1])}#`, was, part);
            return {
                name: kindName(branch.def, branch.title, (branch.required ?? [])[0]), about: branch.description ?? '', file: fileWanted(start),
                to: (file = '') => ({ label: `Set ${within(name)}`, changes: setChanges(this.document, path, withFile(start, file)) }),
            };
        });
        return { kinds, kind: which < 0 ? -1 : shown.indexOf(branches[which]) };
    }

    private check(part: Part, value: Json): string | null {
        const found = problem(this.schema, part, value);
        if (found || typeof value !== 'string') return found;
        const isFormula = part.def === 'formula' || (part.def === 'field' || part.def === 'component') && !/\.npy$/.test(value);
        return isFormula ? formulaProblem(value) : null;
    }

    private controlOf(part: Part, shape: Part, value: Json | undefined, isSet: boolean, place: Place, key: string): ControlKind {
        if (value === undefined && !(part.type === 'boolean')) return 'absent';
        if (part.def === 'color' || (place.def === 'cvg_shape' && key === 'color')) return 'color';
        if (namedChoices(this.around([]), place.def, key, place.object)) return 'choice';
        if (shape.const !== undefined) return 'constant';
        if (shape.enum) return 'choice';
        switch (shape.type) {
            case 'boolean': return 'boolean';
            case 'number': return 'number';
            case 'integer': return 'integer';
            case 'string': return shape.format === 'file' ? 'file' : shape.def === 'formula' ? 'formula' : (shape.maxLength ?? 0) > 1000 ? 'long text' : 'text';
            case 'array': return this.arrayControl(shape);
            default: return isSet || value !== undefined ? 'group' : 'absent';
        }
    }

    /** The plots of bodies that change their names, or go, when the entry of a list of bodies or copies comes or goes. */
    private plotsAfter(path: Path, key: string, list: Json[]): Edit['changes'] {
        if (key === 'bodies') {
            const before = bodyNames(this.document), after = bodyNames({ bodies: list });
            return followChanges(this.document, new Map(before.filter((name) => !after.includes(name)).map((name) => [name, null])));
        }
        const body = valueAt(this.document, path.slice(0, -1));
        if (key !== 'instances' || !isObject(body)) return [];
        const before = bodyNames({ bodies: [body] }), after = bodyNames({ bodies: [{ ...body, instances: list }] });
        return followChanges(this.document, new Map(before.filter((name) => !after.includes(name)).map((name) => [name, before.length > list.length && list.length ? null : after[0]])));
    }

    private arrayControl(shape: Part): ControlKind {
        const items = resolve(this.schema, shape.items ?? {});
        if (items.def === 'component') return 'components';
        if (items.type !== 'number' && items.type !== 'integer') return 'list';
        return shape.minItems === shape.maxItems && (shape.minItems ?? 0) <= mostInputs ? 'vector' : 'numbers';
    }

    private makeList(field: Field, shape: Part, path: Path, place: Place): void {
        const found = valueAt(this.document, path);
        const list = Array.isArray(found) ? found : [];
        const items = resolve(this.schema, shape.items!), key = String(path[path.length - 1]);
        const { minItems = 0, maxItems = Infinity } = shape;
        const one = singular(field.name);
        const firstCopy = place.def === 'body' && key === 'instances' && !list.length;
        const start = nextEntry(place.def, key, list, () => startOf(this.around(path), items, `${place.def}.${key}.items`));
        const fixed = place.def === 'cvg_operator' && ['cap', 'trim'].includes(String(place.object.op));
        const room = list.length < maxItems && !(fixed && list.length >= 2);
        if (room) field.add = { name: one, file: fileWanted(start), to: (file = '') => {
            // A body with copies is its copies: the first one comes beside another in the body's own place.
            if (firstCopy) return { label: 'Add copy', changes: [...this.plotsAfter(path, key, [{}]), ...setChanges(this.document, path, [{}, start])] };
            return addCommand(this.document, path, withFile(start, file), one);
        } };
        const inOrder = (['handle', 'obstacle'].includes(place.def ?? '') && key === 'path') || (place.def === 'channel' && key === 'remap') || (place.def === 'fem' && key === 'fronts');
        field.children = () => list.map((entry, k) => {
            const at = [...path, withIdentities.has(key) ? `@${identityOf(entry, k)}` : k];
            const name = entryName(entry, k, one);
            const child = this.fieldOf(items, at, { def: shape.def ?? place.def, object: {}, required: true, name });
            const label = one;
            const isBase = (n: number) => place.def === 'fem' && key === 'materials' && n === 0 && list.length > 1;
            child.entry = {
                up: k > 0 && !inOrder && !isBase(k - 1) ? () => moveCommand(this.document, at, -1, label) : null,
                down: k + 1 < list.length && !inOrder && !isBase(k) ? () => moveCommand(this.document, at, 1, label) : null,
                duplicate: room && !inOrder ? () => duplicateCommand(this.document, at, label, (copy) => besides(place.def ?? '', key, copy)) : null,
                remove: list.length > minItems && !isBase(k)
                    ? () => ({ label: `Remove ${within(label)}`, changes: [...this.plotsAfter(path, key, list.filter((_, n) => n !== k)), ...removeChanges(this.document, at)] }) : null,
            };
            return child;
        });
        // An empty list need not be in the file.
        field.reset = null;
    }
}

/** "Materials" -> "Material". */
function singular(name: string): string {
    if (/ies$/.test(name)) return name.replace(/ies$/, 'y');
    return /(ches|shes|xes)$/.test(name) ? name.slice(0, -2) : /[^s]s$/.test(name) ? name.slice(0, -1) : name;
}

/** By its own name, by what it is, or by its number. */
function entryName(entry: Json, index: number, one: string): string {
    if (isObject(entry)) {
        if (typeof entry.name === 'string' && entry.name) return entry.name;
        const shape = entry.prim ?? entry.op;
        if (typeof shape === 'string') return shape.charAt(0).toUpperCase() + shape.slice(1);
    }
    return `${one} ${index + 1}`;
}

/** Several fields under one heading that is not in the file. */
export function heading(name: string, about: string, path: Path, fields: Field[]): Field {
    const never = (): never => { throw new Error(`${name} is a heading`); };
    return {
        control: 'group', path: [...path, `#${name}`], name, about, range: '', unit: '', value: undefined, isSet: true, fallback: undefined, expert: false, idle: false, choices: [], scale: undefined,
        kinds: [], kind: -1, count: 0, children: () => fields, check: () => null, set: never, reset: null, add: null, entry: null,
    };
}

/** All fields below some, themselves included. */
export function allFields(fields: Field[]): Field[] {
    return fields.flatMap((field) => [field, ...allFields(field.children())]);
}
