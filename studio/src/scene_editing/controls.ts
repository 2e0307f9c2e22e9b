// Which controls a scene has: found by walking the document and its schema together, so that a new key of the scene
// format is a new slider here without a line of code.
import type { Path } from './commands';
import { identityOf, pathOf, valueAt } from './commands';

export interface Control {
    kind: 'number' | 'integer' | 'boolean' | 'choice' | 'vector' | 'color';
    path: Path;
    name: string;
    about: string;
    value: any;
    isSet: boolean;
    fallback: any;
    choices?: any[];
    scale?: Scale;
}

export interface Group {
    name: string;
    about: string;
    path: Path;
    controls: Control[];
    groups: Group[];
}

/** How a slider runs from 0 to 1; none: the number has no useful ends. */
export interface Scale {
    kind: 'linear' | 'log' | 'cubic';
    low: number;
    high: number;
    whole: boolean;
}

type Schema = any;

export function resolve(root: Schema, part: Schema): Schema {
    if (!part?.$ref) return part;
    const target = root.$defs[part.$ref.replace('#/$defs/', '')];
    return { ...resolve(root, target), ...part, $ref: undefined };
}

/** "region_damping" -> "region damping". */
export function words(key: string): string {
    return key.replace(/_/g, ' ');
}

export function scaleOf(schema: Schema, value: unknown): Scale | undefined {
    const whole = schema.type === 'integer';
    const open = schema.exclusiveMinimum;
    const low = open ?? schema.minimum;
    const high = schema.maximum ?? schema.exclusiveMaximum;
    if (low === undefined || high === undefined || low < 0) {
        return low !== undefined && high !== undefined && high - low <= 1000 ? { kind: 'linear', low, high, whole } : undefined;
    }
    const typical = [value, schema.default].filter((x): x is number => typeof x === 'number' && x > 0);
    const reference = typical.length ? Math.max(...typical) : 0;
    if (low > 0 || open === 0) {
        const from = low > 0 ? Math.max(low, reference / 1000) : Math.min(high, reference || 1) / 100;
        const to = Math.min(high, Math.max(reference, from) * 100);
        return to / from >= 20 ? { kind: 'log', low: from, high: to, whole } : { kind: 'linear', low: from, high: to, whole };
    }
    const to = Math.min(high, reference > 0 ? Math.max(reference * 30, Math.min(high, 1)) : Math.min(high, 10));
    return reference > 0 && to / reference < 4 ? { kind: 'linear', low, high: to, whole } : { kind: 'cubic', low, high: to, whole };
}

export function toSlider(scale: Scale, value: number): number {
    const x = Math.min(scale.high, Math.max(scale.low, value));
    if (scale.kind === 'log') return Math.log(x / scale.low) / Math.log(scale.high / scale.low);
    const share = (x - scale.low) / (scale.high - scale.low);
    return scale.kind === 'cubic' ? Math.cbrt(share) : share;
}

export function fromSlider(scale: Scale, t: number): number {
    const x = scale.kind === 'log' ? scale.low * (scale.high / scale.low) ** t
        : scale.low + (scale.high - scale.low) * (scale.kind === 'cubic' ? t ** 3 : t);
    return scale.whole ? Math.round(x) : Number(x.toPrecision(3));
}

function isVector(schema: Schema): boolean {
    return schema.type === 'array' && schema.minItems === 3 && schema.maxItems === 3 && schema.items !== undefined;
}

/** The branch of a "one of these" that the value has taken. */
function branchOf(root: Schema, schema: Schema, value: any): Schema {
    const branches: Schema[] = (schema.oneOf ?? schema.anyOf ?? []).map((b: Schema) => resolve(root, b));
    return branches.find((b) => b.type === 'object' && value && typeof value === 'object' && !Array.isArray(value)
        && (b.required ?? []).every((key: string) => key in value)) ?? null;
}

function controlOf(schema: Schema, path: Path, value: any): Control | null {
    const name = words(String(path[path.length - 1]));
    const base = { path, name, about: schema.description ?? '', value: value ?? schema.default, isSet: value !== undefined, fallback: schema.default };
    if (schema.enum) return base.value === undefined ? null : { ...base, kind: 'choice', choices: schema.enum };
    if (schema.type === 'boolean') return { ...base, kind: 'boolean', value: base.value ?? false };
    if (schema.type === 'number' || schema.type === 'integer') {
        if (base.value === undefined) return null;
        return { ...base, kind: schema.type, scale: scaleOf(schema, base.value) };
    }
    // A field that is one number everywhere is a number.
    const number = (schema.anyOf ?? schema.oneOf)?.find((branch: Schema) => branch.type === 'number');
    if (number && typeof base.value === 'number') return { ...base, kind: 'number', scale: scaleOf({ ...number, ...schema, anyOf: undefined }, base.value) };
    const numbers = Array.isArray(base.value) && base.value.every((x: unknown) => typeof x === 'number');
    if (numbers && [schema, ...(schema.anyOf ?? [])].some(isVector)) return { ...base, kind: 'vector' };
    if (schema.title === 'a colour' && value !== undefined) return { ...base, kind: 'color' };
    return null;
}

const deepest = 7;
const withIdentities = ['bodies', 'instances', 'obstacles'];

/** The group of an object of the document. `skip`: keys that are shown elsewhere. */
export function groupOf(root: Schema, part: Schema, document: any, path: Path, name: string, skip: string[] = []): Group {
    let schema = resolve(root, part);
    const value = valueAt(document, path);
    if (schema.oneOf || schema.anyOf) {
        const branch = branchOf(root, schema, value) ?? {};
        schema = { ...schema, ...branch, properties: { ...schema.properties, ...branch.properties } };
    }
    const group: Group = { name, about: schema.description ?? '', path, controls: [], groups: [] };
    if (path.length > deepest + 3) return group;
    for (const [key, raw] of Object.entries(schema.properties ?? {})) {
        if (skip.includes(key)) continue;
        const inner = resolve(root, raw);
        const here = [...path, key];
        const found = value?.[key];
        const control = controlOf(inner, here, found);
        if (control) {
            group.controls.push(control);
        } else if (inner.type === 'array' && Array.isArray(found)) {
            found.forEach((element, k) => {
                if (element === null || typeof element !== 'object' || Array.isArray(element)) return;
                const label = element.name ?? Object.keys(element).find((x) => element[x] && typeof element[x] === 'object' && !Array.isArray(element[x]));
                const entry = withIdentities.includes(key) ? `@${identityOf(element, k)}` : k;
                group.groups.push(groupOf(root, inner.items, document, [...here, entry], `${words(key)} ${k + 1}${label ? `: ${words(String(label))}` : ''}`));
            });
        } else if (inner.type === 'object' || inner.oneOf || inner.anyOf) {
            if (found !== undefined || inner.default !== undefined) group.groups.push(groupOf(root, raw, document, here, words(key)));
        }
    }
    group.groups = group.groups.filter((g) => g.controls.length || g.groups.length);
    // A group that holds nothing but one other group is that group.
    if (!group.controls.length && group.groups.length === 1 && path.length > 2) {
        const [only] = group.groups, [head, ...rest] = only.name.split(': ');
        return { ...only, name: [...(name.endsWith(head) ? [name] : [name, head]), ...rest].join(': ') };
    }
    return group;
}

/** The controls of one body, its material first; of a copy also its own. */
export function bodyGroup(root: Schema, document: any, identity: string): Group {
    const [body, copy] = identity.split('/');
    const path = pathOf(body), { name, fem } = valueAt(document, path);
    // A body of finite elements is not matched: the material it does not have is not shown. Nor are the other copies.
    const skip = fem ? ['instances', 'matching'] : ['instances'];
    const group = groupOf(root, { $ref: '#/$defs/body' }, document, path, name, skip);
    if (copy !== undefined) group.groups.unshift(groupOf(root, { $ref: '#/$defs/instance' }, document, pathOf(identity), `copy ${copy}`));
    return group;
}

/** The controls of what is around the bodies. */
export function worldGroup(root: Schema, document: any): Group {
    return groupOf(root, root, document, [], 'scene', ['bodies', 'camera', 'yawara']);
}
