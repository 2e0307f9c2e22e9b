// The scene's schema as the page reads it: references, kinds of values, and a check of a value against a part of it.
// The engine checks everything again; here it is for choosing controls and for telling a mistake at its field.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A part of the schema: the keywords that ours uses. */
export interface Part {
    $ref?: string;
    /** Name of the definition it came from; set by `resolve`. */
    def?: string;
    title?: string;
    description?: string;
    default?: Json;
    type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
    const?: Json;
    enum?: Json[];
    minimum?: number;
    maximum?: number;
    exclusiveMinimum?: number;
    exclusiveMaximum?: number;
    minLength?: number;
    maxLength?: number;
    pattern?: string;
    format?: string;
    items?: Part;
    minItems?: number;
    maxItems?: number;
    properties?: { [key: string]: Part };
    required?: string[];
    additionalProperties?: boolean;
    oneOf?: Part[];
    anyOf?: Part[];
    not?: Part;
}

export interface Schema extends Part {
    $defs: { [name: string]: Part };
}

export function isObject(value: Json | undefined): value is JsonObject {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part without its reference: what stands beside the reference comes first. */
export function resolve(schema: Schema, part: Part): Part {
    if (!part.$ref) return part;
    const def = part.$ref.replace('#/$defs/', '');
    const { $ref: _, ...beside } = part;
    return { def, ...resolve(schema, schema.$defs[def]), ...beside };
}

/** The values that a part may have one of. Alternatives that only say which keys are needed are none. */
export function alternatives(schema: Schema, part: Part): Part[] {
    return (part.oneOf ?? part.anyOf ?? []).filter((one) => !isRequirement(one)).flatMap((one) => {
        const found = { ...resolve(schema, one), ...limits(part) };  // what stands beside the alternatives limits each number among them
        return found.properties || !alternatives(schema, found).length ? [found] : alternatives(schema, found);
    });
}

function limits({ minimum, maximum, exclusiveMinimum }: Part): Part {
    if (minimum === undefined && exclusiveMinimum === undefined) return {};
    return { minimum, maximum, exclusiveMinimum };
}

function isRequirement(part: Part): boolean {
    return part.required !== undefined && !part.properties && !part.type;
}

/** Keys of which an object has exactly one, by its "one of these are required". */
export function exclusiveKeys(part: Part): string[] {
    return (part.oneOf ?? []).filter(isRequirement).flatMap((one) => one.required!);
}

/** Pairs of keys that an object may not have together. */
export function forbiddenPairs(part: Part): string[][] {
    if (!part.not) return [];
    return (part.not.anyOf ?? [part.not]).filter(isRequirement).map((one) => one.required!);
}

function typeFits(type: Part['type'], value: Json): boolean {
    switch (type) {
        case 'object': return isObject(value);
        case 'array': return Array.isArray(value);
        case 'integer': return Number.isInteger(value);
        case 'number': return typeof value === 'number';
        case 'null': return value === null;
        default: return typeof value === type;
    }
}

const typeWords: Record<string, string> = {
    object: 'a group of values', array: 'a list', string: 'a text', number: 'a number', integer: 'a whole number', boolean: 'yes or no', null: 'nothing',
};

/** "from 0 to 1", "above 0, at most 100"; empty: no limits worth telling. */
export function rangeWords(part: Part): string {
    const { minimum, maximum, exclusiveMinimum } = part;
    const high = maximum !== undefined && maximum < 1e6 ? maximum : undefined;
    if (exclusiveMinimum !== undefined) return high === undefined ? `above ${exclusiveMinimum}` : `above ${exclusiveMinimum}, at most ${high}`;
    const low = minimum !== undefined && minimum > -1e6 ? minimum : undefined;
    if (low !== undefined && high !== undefined) return `from ${low} to ${high}`;
    if (low !== undefined) return `at least ${low}`;
    return high !== undefined ? `at most ${high}` : '';
}

function numberProblem(part: Part, value: number): string | null {
    const wrong = (part.minimum !== undefined && value < part.minimum) || (part.maximum !== undefined && value > part.maximum)
        || (part.exclusiveMinimum !== undefined && value <= part.exclusiveMinimum) || (part.exclusiveMaximum !== undefined && value >= part.exclusiveMaximum);
    return wrong ? `has to be ${rangeWords(part) || `from ${part.minimum} to ${part.maximum}`}` : null;
}

function textProblem(part: Part, value: string): string | null {
    if (value.length < (part.minLength ?? 0)) return 'may not be empty';
    if (part.maxLength !== undefined && value.length > part.maxLength) return `has more than ${part.maxLength} characters`;
    if (part.pattern !== undefined && !new RegExp(part.pattern).test(value)) return `has to be ${part.title ?? `like ${part.pattern}`}`;
    return null;
}

function listProblem(schema: Schema, part: Part, value: Json[]): string | null {
    const { minItems = 0, maxItems = Infinity } = part;
    if (value.length < minItems || value.length > maxItems)
        return minItems === maxItems ? `needs ${minItems} values, not ${value.length}` : value.length < minItems ? `needs at least ${minItems}` : `has more than ${maxItems} entries`;
    for (const [k, item] of value.entries()) {
        const found = part.items ? problem(schema, part.items, item) : null;
        if (found) return `entry ${k + 1} ${found}`;
    }
    return null;
}

function objectProblem(schema: Schema, part: Part, value: JsonObject): string | null {
    for (const key of part.required ?? []) if (!(key in value)) return `needs “${key}”`;
    for (const [key, inner] of Object.entries(value)) {
        const known = part.properties?.[key];
        if (!known && part.additionalProperties === false) return `has no “${key}”`;
        const found = known ? problem(schema, known, inner) : null;
        if (found) return `${key} ${found}`;
    }
    return null;
}

/** What is wrong with a value, as the rest of a sentence that begins with its name; null: nothing. */
export function problem(schema: Schema, given: Part, value: Json): string | null {
    const part = resolve(schema, given);
    if (part.const !== undefined && JSON.stringify(part.const) !== JSON.stringify(value)) return `has to be ${JSON.stringify(part.const)}`;
    if (part.enum && !part.enum.includes(value)) return `has to be one of ${part.enum.join(', ')}`;
    if (part.type && !typeFits(part.type, value)) return `has to be ${typeWords[part.type]}`;
    let found: string | null = null;
    if (typeof value === 'number') found = numberProblem(part, value);
    else if (typeof value === 'string') found = textProblem(part, value);
    else if (Array.isArray(value)) found = listProblem(schema, part, value);
    else if (isObject(value)) found = objectProblem(schema, part, value);
    if (found) return found;
    if (part.not && !problem(schema, part.not, value)) return part.not.const === undefined ? 'has values that exclude each other' : 'may not be zero';
    const fits = (one: Part) => !problem(schema, one, value);
    if (part.oneOf && part.oneOf.filter(fits).length !== 1) return 'has to be exactly one of its kinds';
    if (part.anyOf && !part.anyOf.some(fits)) return 'is of no known kind';
    return null;
}

/** Which of several kinds a value is; -1: none, or there is no value. */
export function kindOf(schema: Schema, kinds: Part[], value: Json | undefined): number {
    if (value === undefined) return -1;
    const exact = kinds.findIndex((kind) => !problem(schema, kind, value));
    if (exact >= 0) return exact;
    // A value with a mistake inside is still of the kind whose keys it has.
    return kinds.findIndex((kind) => isObject(value) && kind.type === 'object' && (kind.required ?? []).every((key) => key in value));
}
