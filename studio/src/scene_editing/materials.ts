// The shelf of materials, and what it takes to make a body of one: by shape matching or by finite elements, and what the
// method cannot say of it. Also the change from one method to the other, in place.
import shelf from '../../../data/materials.json';
import type { Change } from '../protocol/messages';
import type { Finish } from '../state/look';
import { pathOf, pointer, removeChanges, setChanges, valueAt } from './commands';
import { patched } from './patch';
import { type Json, type JsonObject, isObject } from './schema';
import { numbered } from './thing_commands';
import { pathOfKey } from '../state/things';

/** Taken, lowest, highest. */
export type Range = [number, number, number];

export interface Material {
    id: string;
    name: string;
    about: string;
    /** kg/m³, Pa, 1, 1 (tangent of the loss angle, at some hertz). */
    density: Range;
    young: Range;
    poisson: Range;
    loss: Range;
    /** Stiffer along its fibres; `young` and `poisson` are those across. */
    fibres?: { young_along: Range; shear_along: Range };
    orthotropic?: JsonObject;
    plasticity?: { yield: number; creep: number };
    core?: { density: number; factor: number; share: number };
    color: string;
    finish: Finish;
    gloss: number;
    /** What a cut shows; widths and thicknesses are shares of the body's size. */
    inside?: { layers?: Array<{ share: number; color: string }>; grain?: { kind: string; color: string; share: number; axis?: number[] } };
    picture: string;
    source: string;
}

export const materials = shelf as unknown as Material[];

export type Method = 'matching' | 'fem';

export function methodOf(body: JsonObject): Method {
    return isObject(body.fem) ? 'fem' : 'matching';
}

const ringing = 5;               // Hz: where losses are taken, about what soft bodies of a hand's size swing with
const mostLinearPoisson = 0.44;  // linear tetrahedra lock above
const coreContrast = 100;

/** Share of the non-rigid velocity that matching takes away in 1/300 s, from the loss of a swing at `ringing`. */
export function dampingOf(loss: number): number {
    return Number((1 - Math.exp((-2 * Math.PI * ringing * loss) / 300)).toPrecision(2));
}

/** s: the viscosity of finite elements with the same loss at `ringing`. */
export function viscosityOf(loss: number): number {
    return Number((loss / (2 * Math.PI * ringing)).toPrecision(2));
}

function colorOf(hex: string): number[] {
    return [1, 3, 5].map((k) => Number((parseInt(hex.slice(k, k + 2), 16) / 255).toFixed(3)));
}

/** The middle of a body at rest, in the coordinates of fields, for what lies inside. */
export interface Inside {
    center: number[];
    radius: number;
}

/** What a method leaves out of a material, in sentences. */
export function lackOf(material: Material, method: Method, inside: Inside | null = null): string[] {
    const lack: string[] = [];
    if (method === 'matching') {
        lack.push('Shape matching has no Poisson’s ratio.');
        if (material.fibres) lack.push('It is as stiff along its fibres as across: finite elements tell them apart.');
        if (material.orthotropic) lack.push('It is the same in all directions. Only finite elements show the grain.');
        if (material.plasticity) lack.push('It springs back: only finite elements keep a dent.');
        if (material.young[0] > 2e6) lack.push('The steps may be too long for a modulus this high; the scene then says so.');
    } else {
        if (material.poisson[0] > mostLinearPoisson && !material.orthotropic) lack.push(`Poisson’s ratio is ${mostLinearPoisson} instead of ${material.poisson[0]}: linear tetrahedra lock above that. Nodal elements (Advanced) use the true value.`);
    }
    if (material.core && !inside) lack.push('The core is left out: the shape of the body is not known yet.');
    return lack;
}

// ---- a body of a material

function core(material: Material, inside: Inside): Json {
    return { brush: 'select', select: { sphere: { center: inside.center, radius: inside.radius } }, value: material.core!.factor };
}

function matchingOf(material: Material, before: JsonObject, inside: Inside | null): JsonObject {
    const { young: _, alpha: __, passes: ___, accelerate: ____, regions: _____, ...kept } = before;
    const matching: JsonObject = { ...kept, damping: dampingOf(material.loss[0]) };
    const young = material.young[0];
    if (!material.core || !inside) return { ...matching, young };
    const coat = { ...(core(material, inside) as JsonObject), value: 1 };
    return { ...matching, regions: { law: 'young', range: [young, coreContrast * young], rigid: 0.95, stiffness: { base: 0, coats: [coat], range: [0, 1] } } };
}

function elasticityOf(material: Material): JsonObject {
    const poisson = Math.min(material.poisson[0], mostLinearPoisson), young = material.young[0];
    if (material.orthotropic) return { orthotropic: material.orthotropic };
    if (material.fibres) return { fibres: { young_along: material.fibres.young_along[0], young_across: young, poisson_along: 0.3, poisson_across: poisson, shear_along: material.fibres.shear_along[0] } };
    return { young, poisson };
}

const elasticities = ['young', 'poisson', 'lame', 'fibres', 'orthotropic', 'constants', 'file'];

function femMaterialOf(material: Material, before: JsonObject, inside: Inside | null): JsonObject {
    const kept = Object.fromEntries(Object.entries(before).filter(([key]) => ![...elasticities, 'viscosity', 'plasticity', 'density', 'factor'].includes(key)));
    // Fibres that a person drew stay as they were drawn.
    const old = isObject(before.fibres) ? Object.fromEntries(Object.entries(before.fibres).filter(([key]) => ['direction', 'directions', 'strokes'].includes(key))) : {};
    const elasticity = elasticityOf(material), drawn: JsonObject = isObject(elasticity.fibres) ? { fibres: { ...elasticity.fibres, ...old } } : {};
    return {
        ...kept, ...elasticity, ...drawn, viscosity: { time: viscosityOf(material.loss[0]) },
        ...(material.plasticity ? { plasticity: material.plasticity } : {}),
        ...(material.core && inside ? { factor: { base: 1, coats: [core(material, inside)], range: [1e-4, 1e4] } } : {}),
    };
}

function densityOf(material: Material, inside: Inside | null): Json {
    if (!material.core || !inside) return material.density[0];
    return { base: material.density[0], coats: [{ ...(core(material, inside) as JsonObject), value: material.core.density }], range: [1, 30000] };
}

/** What a cut of a body of a size, m, shows. */
function insideLook({ layers = [], grain }: NonNullable<Material['inside']>, size: number): JsonObject {
    const metres = (share: number) => Number((share * size).toPrecision(3));
    return {
        ...(layers.length ? { layers: layers.map(({ share, color }) => ({ thickness: metres(share), color: colorOf(color) })) } : {}),
        ...(grain ? { grain: { kind: grain.kind, color: colorOf(grain.color), width: metres(grain.share), ...(grain.axis ? { axis: grain.axis } : {}) } } : {}),
    };
}

/** The body made of a material, by the method it has. `size`: its largest extent at rest, m. */
export function madeOf(body: JsonObject, material: Material, inside: Inside | null, size: number): JsonObject {
    const { inside: _, ...before } = isObject(body.look) ? body.look : ({} as JsonObject);
    const look: JsonObject = {
        ...before, color: colorOf(material.color), finish: material.finish, gloss: material.gloss,
        ...(material.inside && size > 0 ? { inside: insideLook(material.inside, size) } : {}),
    };
    const common = { ...body, density: densityOf(material, inside), look };
    if (methodOf(body) === 'matching') return { ...common, matching: matchingOf(material, isObject(body.matching) ? body.matching : {}, inside) };
    const fem = body.fem as JsonObject, list = Array.isArray(fem.materials) ? fem.materials.filter(isObject) : [];
    const plain = list.find(({ select }) => select === undefined || select === 'all') ?? {};
    const law = material.fibres || material.orthotropic || material.plasticity ? (({ law: _, elements: __, ...rest }) => rest)(fem) : fem;
    return { ...common, fem: { ...law, materials: [femMaterialOf(material, plain, inside)] } };
}

/** Bodies become of a material: one step of undo for all of them. */
export function materialChanges(content: JsonObject, bodies: readonly string[], material: Material, insideOf: (body: string) => Inside | null, sizeOf: (body: string) => number): Change[] {
    return bodies.flatMap((identity) => bodyChanges(content, identity, (body) => madeOf(body, material, material.core ? insideOf(identity) : null, sizeOf(identity))));
}

/** The keys of a body that are others afterwards. */
export function bodyChanges(content: JsonObject, identity: string, change: (body: JsonObject) => JsonObject): Change[] {
    const path = pathOf(identity.split('/')[0]), body = valueAt(content, path);
    if (!isObject(body)) return [];
    const after = change(body), changes: Change[] = [];
    let now: JsonObject = content;
    const act = (more: Change[]) => {
        changes.push(...more);
        now = patched(now, more.map((one) => ({ ...one, path: pointer(numbered(now, pathOfKey(one.path))) }))) as JsonObject;
    };
    for (const key of Object.keys(body)) if (!(key in after)) act(removeChanges(now, [...path, key]));
    for (const [key, value] of Object.entries(after)) if (JSON.stringify(value) !== JSON.stringify(body[key])) act(setChanges(now, [...path, key], value));
    return changes;
}

// ---- the other method

export interface Switched {
    body: JsonObject;
    /** What the other method does not know, in words. */
    dropped: string[];
}

const defaultYoung = 1e5;

/** Young's modulus of a body by shape matching; the middle of a painted one. */
function modulusOf(matching: JsonObject): { young: number; guessed: boolean } {
    if (typeof matching.young === 'number') return { young: matching.young, guessed: false };
    const regions = isObject(matching.regions) ? matching.regions : {};
    if (regions.law === 'young' && Array.isArray(regions.range)) return { young: Math.sqrt(Number(regions.range[0]) * Number(regions.range[1])), guessed: false };
    return { young: defaultYoung, guessed: 'alpha' in matching || 'passes' in matching };
}

/** Coats of stiffness, 0 to 1 between two moduli, as coats of factors of the modulus in the middle, or back. */
function translated(field: Json | undefined, to: (value: number) => number): Json | null {
    if (typeof field === 'number') return to(field);
    if (!isObject(field) || !Array.isArray(field.coats)) return null;
    const base = translated(field.base, to);
    const coats = field.coats.filter(isObject);
    if (base === null || coats.some(({ op }) => ['add', 'subtract', 'multiply'].includes(String(op)))) return null;
    const number = (value: Json) => Number(to(Number(value)).toPrecision(4));
    return {
        base, range: [Math.min(to(0.001), to(1)), Math.max(to(0.001), to(1))],
        coats: coats.map((coat) => ({
            ...coat, ...(coat.value === undefined ? {} : { value: number(coat.value) }), ...(coat.to === undefined ? {} : { to: number(coat.to) }),
            ...(Array.isArray(coat.within) ? { within: coat.within.map(number) } : {}),
        })),
    };
}

function toFem(body: JsonObject): Switched {
    const matching = isObject(body.matching) ? body.matching : {}, dropped: string[] = [];
    const { young, guessed } = modulusOf(matching), regions = isObject(matching.regions) ? matching.regions : {};
    if (guessed) dropped.push(`alpha and passes, which are not a modulus: it is ${young / 1000} kPa now`);
    if (matching.examples) dropped.push('its example shapes');
    if (Array.isArray(matching.stretch) && matching.stretch.length) dropped.push('its muscles');
    if (body.cavity) dropped.push('the measured hollow');
    if (body.masses) dropped.push('its own masses');
    let factor: Json | null = null;
    if (regions.stiffness !== undefined) {
        const [low, high] = Array.isArray(regions.range) ? (regions.range as number[]) : [1, 1];
        factor = regions.law === 'young' ? translated(regions.stiffness, (s) => Number(((low * (high / low) ** s) / young).toPrecision(4))) : null;
        if (factor === null) dropped.push('its painted stiffness, which is not a modulus');
    }
    const { matching: _, cavity: __, masses: ___, ...kept } = body;
    const damping = typeof matching.damping === 'number' ? matching.damping : 0.03;
    const loss = (-Math.log(1 - Math.min(damping, 0.99)) * 300) / (2 * Math.PI * ringing);
    const material: JsonObject = { young, poisson: 0.4, viscosity: { time: viscosityOf(loss) }, ...(factor === null ? {} : { factor }) };
    return { body: { ...kept, fem: { levels: 0, materials: [material], ...(matching.drag === undefined ? {} : { drag: matching.drag }) } }, dropped };
}

function toMatching(body: JsonObject): Switched {
    const fem = body.fem as JsonObject, dropped: string[] = [];
    const list = Array.isArray(fem.materials) ? fem.materials.filter(isObject) : [], main = list.find(({ select }) => select === undefined || select === 'all') ?? list[0] ?? {};
    if (list.length > 1) dropped.push('all materials but the first');
    const fibres = isObject(main.fibres) ? main.fibres : null, wood = isObject(main.orthotropic) ? main.orthotropic : null;
    const young = typeof main.young === 'number' ? main.young : fibres ? Math.sqrt(Number(fibres.young_along) * Number(fibres.young_across))
        : wood && Array.isArray(wood.young) ? Math.cbrt((wood.young as number[]).reduce((a, b) => a * b, 1)) : defaultYoung;
    if (fibres || wood) dropped.push('the directions of its stiffness');
    else if (typeof main.young !== 'number') dropped.push('its elasticity, which is not a single modulus');
    if (main.poisson !== undefined) dropped.push('Poisson’s ratio');
    if (main.plasticity) dropped.push('plasticity');
    if (Number(fem.levels ?? 0) > 0) dropped.push('levels of detail');
    if (Array.isArray(fem.muscles) && fem.muscles.length) dropped.push('its muscles');
    const time = isObject(main.viscosity) && typeof main.viscosity.time === 'number' ? main.viscosity.time : 0;
    const matching: JsonObject = { damping: dampingOf(2 * Math.PI * ringing * time), ...(fem.drag === undefined ? {} : { drag: fem.drag }) };
    const low = young / 100, high = young * 100;
    const painted = main.factor === undefined ? null : translated(main.factor, (factor) => Number(Math.min(1, Math.max(0, Math.log((factor * young) / low) / Math.log(high / low))).toPrecision(4)));
    if (main.factor !== undefined && painted === null) dropped.push('its painted modulus');
    const stiff: JsonObject = isObject(painted) ? { regions: { law: 'young', range: [low, high], stiffness: { ...painted, range: [0, 1] } } } : { young: Number(young.toPrecision(4)) };
    const { fem: _, ...kept } = body;
    const density: JsonObject = main.density !== undefined ? { density: main.density } : {};
    return { body: { ...kept, ...density, matching: { ...matching, ...stiff } }, dropped };
}

/** The same body by the other method: place, holds, look, shape and what else is common stay. */
export function switched(body: JsonObject, method: Method): Switched {
    if (methodOf(body) === method) return { body, dropped: [] };
    return method === 'fem' ? toFem(body) : toMatching(body);
}
