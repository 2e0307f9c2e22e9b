// What of a material can be painted: stiffness by shape matching, the modulus of finite elements, density, groups of examples.
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { type PaintTarget, type TargetField, asStored } from './target';

const defaultYoung = 1e5;   // Pa, as the engine has it for a body that says nothing
const contrast = 10;        // softest and stiffest of a body that is painted for the first time
const defaultRanges: Record<string, [number, number]> = { contrast: [0.0126, 52], paper: [1, 5] };

function object(value: Json | undefined): JsonObject {
    return isObject(value) ? value : {};
}

/** Made of a volume model, which has a stiffness of its own. */
function isVolume(body: JsonObject): boolean {
    return 'volume' in object(body.solid);
}

function ownModulus(matching: JsonObject): number | null {
    if (typeof matching.young === 'number') return matching.young;
    return ['alpha', 'passes', 'accelerate'].some((key) => key in matching) ? null : defaultYoung;
}

function stiffness(body: JsonObject): TargetField | string {
    if (isObject(body.fem)) return 'This body is made of finite elements: paint its modulus.';
    const matching = object(body.matching), regions = object(matching.regions), path = ['matching', 'regions', 'stiffness'];
    if ('widths' in regions) return 'The widths of its regions are set by hand. Remove them first.';
    if (Object.keys(regions).length || isVolume(body)) {
        const law = String(regions.law ?? 'contrast'), [low, high] = (regions.range as [number, number] | undefined) ?? defaultRanges[law] ?? [0, 1];
        const base: Json = regions.stiffness ?? (isVolume(body) ? { channel: 'stiffness' } : 0.5);
        const common = { path, field: base, scale: { low: 0, high: 1, log: false }, range: [0, 1] as [number, number], first: 0.2 };
        return law === 'young' ? { ...common, unit: 'Pa', shown: (s) => low * (high / low) ** s, stored: (e) => Math.log(e / low) / Math.log(high / low) } : { ...common, unit: '', ...asStored };
    }
    const young = ownModulus(matching);
    if (young === null) return 'Its stiffness is set by alpha and passes, not by a modulus. Choose a material from the shelf first.';
    const low = young / contrast, high = young * contrast;
    return {
        path, field: 0.5, scale: { low: 0, high: 1, log: false }, range: [0, 1], first: 0.2, unit: 'Pa',
        shown: (s) => low * (high / low) ** s, stored: (e) => Math.log(e / low) / Math.log(high / low),
        wrapped: (field) => {
            const { young: _, ...rest } = matching;
            return { path: ['matching'], value: { ...rest, regions: { law: 'young', range: [low, high], stiffness: field } } };
        },
    };
}

/** The material that holds where no other does. */
export function mainMaterial(fem: JsonObject): number {
    const list = Array.isArray(fem.materials) ? fem.materials : [];
    const all = list.findIndex((material) => ['all', undefined].includes(object(material).select as string | undefined));
    return Math.max(0, all);
}

function modulus(body: JsonObject): TargetField | string {
    if (!isObject(body.fem)) return 'This body is simulated by shape matching: paint its stiffness, or make it finite elements.';
    const number = mainMaterial(body.fem), material = object((body.fem.materials as Json[] | undefined)?.[number]);
    const young = typeof material.young === 'number' ? material.young : null;
    return {
        path: ['fem', 'materials', number, 'factor'], field: material.factor ?? 1, scale: { low: 0.01, high: 100, log: true }, range: [1e-4, 1e4], first: 10,
        ...(young === null ? { unit: '×', ...asStored } : { unit: 'Pa', shown: (factor: number) => factor * young, stored: (pascal: number) => pascal / young }),
    };
}

function density(body: JsonObject): TargetField | string {
    const common = { scale: { low: 100, high: 10000, log: true }, range: [1, 30000] as [number, number], first: 3000, unit: 'kg/m³', ...asStored };
    if (!isObject(body.fem) && Array.isArray(body.masses)) return 'The mass of each of its particles is set by hand.';
    if (!isObject(body.fem)) return { ...common, path: ['density'], field: body.density ?? 1000 };
    const number = mainMaterial(body.fem), material = object((body.fem.materials as Json[] | undefined)?.[number]);
    if (material.density === undefined) return { ...common, path: ['density'], field: body.density ?? 1000 };
    return { ...common, path: ['fem', 'materials', number, 'density'], field: material.density };
}

function groups(body: JsonObject): TargetField | string {
    const examples = object(body.matching).examples;
    if (!isObject(examples)) return 'It has no example shapes: groups are parts with weights of their own.';
    const there = object(examples.groups).labels;
    return {
        path: ['matching', 'examples', 'groups', 'labels'], field: there ?? 0, scale: { low: 0, high: 9, log: false }, range: [0, 1000], first: 1, unit: '', ...asStored,
        ...(there === undefined ? { wrapped: (field: Json) => ({ path: ['matching', 'examples', 'groups'], value: { labels: field } }) } : {}),
    };
}

export const materialTargets: PaintTarget[] = [
    { id: 'stiffness', name: 'Stiffness', about: 'How much a body simulated by shape matching resists', map: 'stiffness', twin: 'modulus', of: stiffness },
    { id: 'modulus', name: 'Modulus', about: 'Multiplies the elasticity of finite elements', map: 'stiffness', twin: 'stiffness', of: modulus },
    { id: 'density', name: 'Density', about: 'Mass per cubic metre', map: 'viridis', of: density },
    { id: 'groups', name: 'Groups', about: 'Parts of the body whose example shapes have weights of their own', map: 'groups', labels: true, of: groups },
];
