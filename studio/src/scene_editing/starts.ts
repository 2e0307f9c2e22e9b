// What a value starts with when a person adds it or switches to another kind of it: something that works at once, near
// to what was there before where that can be told.
import { type Json, type JsonObject, type Part, type Schema, alternatives, exclusiveKeys, isObject, resolve } from './schema';

/** The document and the body around a value, if it is in one. */
export interface Around {
    schema: Schema;
    document: JsonObject;
    body: JsonObject | undefined;
    /** The camera that the scene is looked at with now; null: nobody looks. */
    view: () => JsonObject | null;
}

/** Stands where a person has to name a file first; with the ending that the file has to have, if any. */
export const needsFile = '\u0000file';

type Box = { low: number[]; high: number[] };

/** The box around the solid of a body; null: not known without building it. */
function boundsOf(body: JsonObject | undefined): Box | null {
    const solid = isObject(body?.solid) ? body!.solid : {};
    const lattice = isObject(solid.lattice) ? solid.lattice.box : undefined;
    const grid = solid.bar ?? lattice;
    if (isObject(grid) && Array.isArray(grid.size)) {
        const [x, y, z] = grid.size as number[];
        return { low: [-x / 2, 0, -z / 2], high: [x / 2, y, z / 2] };
    }
    return isObject(solid.box) ? (solid.box as unknown as Box) : null;
}

/** Some box that the solid of a body reaches into: the upper half of a box, the whole of anything else. */
function someOf(body: JsonObject | undefined): Box {
    const bounds = boundsOf(body);
    if (!bounds) return { low: [-100, -100, -100], high: [100, 100, 100] };
    const { low, high } = bounds, solid = body!.solid as JsonObject;
    return solid.formula === undefined ? { low: [low[0], (low[1] + high[1]) / 2, low[2]], high } : bounds;
}

/** A solid of another kind fills the box of the one before, so that pins and handles still find it. */
function boxLike(body: JsonObject | undefined): { size: number[]; middle: number[]; cell: number } {
    const { low, high } = boundsOf(body) ?? { low: [-0.5, 0, -0.5], high: [0.5, 1, 0.5] };
    const size = low.map((x, k) => rounded(high[k] - x));
    return { size, middle: low.map((x, k) => rounded((x + high[k]) / 2)), cell: Math.max(Math.max(...size) / 12, Math.min(...size) / 4) };
}

function rounded(x: number): number {
    return Number(x.toPrecision(6)) || 0;
}

function barLike({ body }: Around): JsonObject {
    const { size, cell } = boxLike(body);
    return { size, cells: size.map((x) => Math.max(1, Math.round(x / cell))) };
}

/** Cells of a lattice are cubes: the size is what a whole number of them has. */
function latticeLike({ body }: Around): JsonObject {
    const { size, cell } = boxLike(body);
    const edge = Math.min(...size) / Math.max(1, Math.round(Math.min(...size) / cell));
    const cells = size.map((x) => Math.max(1, Math.round(x / edge)));
    return { size: cells.map((n) => rounded(n * edge)), cells };
}

function formulaLike({ body }: Around): JsonObject {
    if (!boundsOf(body)) return { formula: 'length(x, y - 0.5, z) - 0.5', box: { low: [-0.6, -0.1, -0.6], high: [0.6, 1.1, 0.6] }, particles: 500 };
    const { size, middle, cell } = boxLike(body);
    const side = (k: number) => `abs(${'xyz'[k]}${middle[k] ? ` ${middle[k] > 0 ? '-' : '+'} ${Math.abs(middle[k])}` : ''}) - ${rounded(size[k] / 2)}`;
    const box = { low: size.map((x, k) => rounded(middle[k] - 0.55 * x)), high: size.map((x, k) => rounded(middle[k] + 0.55 * x)) };
    return { formula: `max(max(${side(0)}, ${side(1)}), ${side(2)})`, box, cell: rounded(cell) };
}

function volumeLike({ body }: Around): JsonObject {
    const { size, middle, cell } = boxLike(body);
    const block = { prim: 'cube', side: size, stiffness: 0.3, transform: { translate: middle } };
    const core = { prim: 'sphere', radius: rounded(Math.min(...size) / 4), stiffness: 1, color: [0.8, 0.3, 0.2], transform: { translate: middle } };
    return { volume: { format: 'yawara-cvg', version: 1, root: { op: 'union', args: [core, block] } }, cell: rounded(cell) };
}

function middle({ low, high }: Box): number[] {
    return low.map((x, k) => (x + high[k]) / 2);
}

/** The upper triangle of an isotropic stiffness matrix by rows. */
function isotropic(young: number, poisson: number): number[] {
    const [lambda, mu] = lame(young, poisson), out: number[] = [];
    for (let row = 0; row < 6; ++row)
        for (let column = row; column < 6; ++column)
            out.push(row !== column ? (column < 3 ? lambda : 0) : row < 3 ? lambda + 2 * mu : mu);
    return out;
}

function lame(young: number, poisson: number): [number, number] {
    return [young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))].map((x) => Number(x.toPrecision(6))) as [number, number];
}

/** What the example shapes of a body list under a key. */
function listed(body: JsonObject | undefined, key: string): JsonObject[] {
    const matching = isObject(body?.matching) ? body!.matching : {}, examples = isObject(matching.examples) ? matching.examples : {}, list = examples[key];
    return Array.isArray(list) ? list.filter(isObject) : [];
}

const controlsIn = (body: JsonObject | undefined) => listed(body, 'controls');
const firstControl = (body: JsonObject | undefined) => String(controlsIn(body)[0]?.name ?? 'control');
const firstPose = (body: JsonObject | undefined) => String(listed(body, 'poses')[0]?.name ?? 'pose');

const ball: JsonObject = { prim: 'sphere', radius: 0.5, stiffness: 0.3, transform: { translate: [0, 0.5, 0] } };

/** By definition, or by definition and key. `was`: the value that it takes the place of. */
const starts: Record<string, Json | ((around: Around, was: Json | undefined) => Json)> = {
    'solid_bar.bar': barLike, 'lattice_box.box': latticeLike, solid_formula: formulaLike, solid_volume: volumeLike,
    'solid_volume.cell': 0.1, 'solid_formula.cell': 0.1, 'solid_from.cell': 0.1, 'lattice_from.cell': 0.1,
    'solid_formula.particles': 2000, 'solid_from.particles': 2000, 'solid_from.height': 1, 'solid_from.size': 1,
    cvg_shape: (_, was) => firstShape(was) ?? ball,
    cvg_operator: (_, was) => ({ op: 'union', args: [isObject(was) ? was : ball, { prim: 'sphere', radius: 0.2, stiffness: 1, transform: { translate: [0, 0.5, 0] } }] }),
    cvg_repeat: (_, was) => ({ repeat: 'mirror', of: isObject(was) ? was : ball, normal: [1, 0, 0] }),
    select_box: ({ body }) => ({ ...someOf(body) }),
    '.sphere': ({ body }) => {
        const box = someOf(body);
        return { center: middle(box), radius: Math.max(...box.high.map((x, k) => x - box.low[k])) };
    },
    '.plane': ({ body }) => ({ point: [0, someOf(body).low[1], 0], normal: [0, 1, 0] }),
    '.vertices': [0], '.nearest': ({ body }) => middle(someOf(body)), '.any': ['all'], '.not': { vertices: [0] },
    'body.rigid': {}, 'rigid.mass': 1, 'rigid.inertia': [1, 1, 1], 'contact.mask': [0], 'obstacle.mask': [0],
    'body.fem': { materials: [{ young: 100000, poisson: 0.3 }] },
    'fem_material.young': 100000, 'fem_material.lame': [...lame(100000, 0.3)], 'fem_material.constants': isotropic(100000, 0.3),
    'fem_material.orthotropic': { young: [400000, 100000, 100000], poisson: [0.3, 0.3, 0.3], shear: [50000, 50000, 50000] },
    fem_fibres: { young_along: 400000, young_across: 100000, shear_along: 50000 }, fem_muscle: { direction: [1, 0, 0], stiffness: 50000 },
    'fem_fibres.strokes': [[[0, 0, 0], [1, 0, 0]]], 'fem_material.factor': 1, 'fem_material.density': 1000, 'fem_volume.stiffest': 10, 'fem_material.regions': [1],
    'fem_viscosity.time': 0.002, 'fem_viscosity.lame': [10, 10], 'fem_viscosity.constants': isotropic(30, 0.25), 'fem_plasticity.yield': 0.05,
    'fem_front_box.level': ({ body }) => (isObject(body?.fem) ? body!.fem.levels ?? 0 : 0),
    'matching.young': 100000, 'matching.regions': {}, 'regions.widths': 2, 'regions.alphas': 1, 'regions.stiffness': 0.5, 'regions.range': [0.0126, 52], 'regions.rigid': 0.9,
    example_cue: ({ body }) => ({ pose: firstPose(body), listens: 'speed', to: 5 }), 'example_cue.group': 0, 'example_cue.control': ({ body }) => firstControl(body),
    example_control: ({ body }) => ({ name: freeName(controlsIn(body), 'control') }), 'examples.plasticity': {},
    pose: { name: 'twisted', deform: [{ twist: { degrees: 90 } }] },
    'deform_twist.degrees': 45, 'deform_bend.degrees': 45, 'deform_taper.factor': 0.5, 'deform_stretch.factor': 1.3, 'deform_shear.amount': 0.3,
    charts: { period: 1, d1: { keys: [[0, 1], [0.3, 0.7]], smooth: true } }, chart: { keys: [[0, 1], [0.3, 0.8]], smooth: true }, chart_key: [0.5, 1],
    'active_fields.direction': [1, 0, 0], 'channel.channel': 'stiffness', 'channel.remap': [[0, 0], [1, 1]], remap_pair: [2, 1],
    'stiffness_change.from': 1, 'stiffness_change.until': 2, 'stiffness_change.value': 1,
    'handle.stiffness': 100, 'handle.release': 5, path_key: { time: 1 }, 'path_key.about': [0, 0, 0],
    force: { force: [0, 1, 0] }, 'force.force': [0, 1, 0], 'force.acceleration': [0, 1, 0], 'force.until': 1,
    rotate: { axis: [0, 1, 0], degrees: 0 }, 'contact.thickness': 0.01, color: '#d6456f', box: { size: [1, 1, 1], center: [0, 0.5, 0] }, sphere: { radius: 0.5 },
    capsule: { from: [-0.5, 0.25, 0], to: [0.5, 0.25, 0], radius: 0.25 }, camera: ({ view }) => view() ?? { eye: [3, 2, 5], target: [0, 0.5, 0] },
    'look.show_range': [0, 1], 'look.cut': { normal: [0, 0, 1] }, 'solid_volume.cut': { normal: [0, 0, 1] }, 'body_look.show': 'speed', 'obstacle.friction_along': 0.1,
    measure: ({ document }) => ({ name: freeName(document.measures, 'height'), what: 'extent', body: bodyNames(document)[0] ?? 'body', axis: 'y' }),
    body: ({ document }) => ({ name: freeName(document.bodies, 'body'), solid: { bar: { size: [1, 1, 1], cells: [4, 4, 4] } }, place: { translate: [0, 2, 0] } }),
    'medium.waves': '0.05 * sin(4*x - 3*t)', 'medium.level': 0,
    joint: ({ document }) => ({ body: bodyNames(document)[0] ?? 'body', point: [0, 1, 0], ball: {} }), 'joint.to': ({ document }) => bodyNames(document)[1] ?? bodyNames(document)[0] ?? 'body', 'joint_rope.length': 1, 'joint_hinge.limit': [-45, 45], 'joint.rope': { length: 1 },
    obstacle: { sphere: { radius: 0.5, center: [0, 0.5, 0] } }, instance: { translate: [1.5, 0, 0] }, stroke: { points: [[0, 0, 0], [0, 1, 0]] }, fem_stroke: [[0, 0, 0], [1, 0, 0]],
    coat: { brush: 'select', value: 1 }, 'coat.radius': 0.2, 'coat.path': [[0, 0, 0]], 'measure.from': [0, 0, 0], 'measure.to': [0, 0.1, 0],
    paint_touch: { value: 1, at: [0, 0, 0] }, 'paint_touch.radius': 0.2, 'paint_touch.path': [[0, 0, 0]], 'paint_touch.vertex': 0, 'stroke.depth': 1,
    'cvg_shape.points': [[0, 0, 0], [0, 1, 0]], 'cvg_shape.seed': 1, 'cvg_shape.voxel': 0.02, cvg_transform: {},
};

function firstShape(node: Json | undefined): Json | undefined {
    if (!isObject(node)) return undefined;
    return 'prim' in node ? node : Array.isArray(node.args) ? firstShape(node.args[0]) : firstShape(node.of);
}

/** `wanted`, or with a number behind it if an entry has that name already. */
export function freeName(list: Json | undefined, wanted: string): string {
    const taken = new Set((Array.isArray(list) ? list : []).map((entry) => (isObject(entry) ? entry.name : undefined)));
    const stem = wanted.replace(/_\d+$/, '');
    for (let k = 1, name = wanted; ; name = `${stem}_${++k}`) if (!taken.has(name)) return name;
}

/** As they are called in the run: copies by the name of their body and their own. */
export function bodyNames(document: JsonObject): string[] {
    const bodies = Array.isArray(document.bodies) ? document.bodies.filter(isObject) : [];
    return bodies.flatMap((body) => {
        const copies = Array.isArray(body.instances) ? body.instances : [];
        return copies.length ? copies.map((copy, k) => `${body.name}_${(isObject(copy) && copy.id) || k + 1}`) : [String(body.name)];
    });
}

function startOfNumber(part: Part, was: Json | undefined): number {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum } = part;
    const wanted = typeof was === 'number' ? was : typeof part.default === 'number' ? part.default : 1;
    if (exclusiveMinimum !== undefined && wanted <= exclusiveMinimum) return Math.min(maximum, exclusiveMinimum + 1);
    return Math.min(maximum, Math.max(minimum, wanted));
}

/** A field of the kinds that hold several values: all begin as the one value that was there. */
function startOfField(around: Around, part: Part, was: Json | undefined, whole: Part): Json | undefined {
    const value = startOfNumber({ ...whole, default: whole.default }, was);
    switch (part.def) {
        case 'formula': return String(value);
        case 'paint': return { paint: [{ value, at: middle(someOf(around.body)) }] };
        case 'parts': return { base: value, parts: [{ select: { box: { ...someOf(around.body) } }, value }] };
        case 'channel': return { channel: 'stiffness', remap: [[0, value], [1, value]] };
        default: return undefined;
    }
}

/** `key`: definition and key that lead here, as "matching.alpha". `whole`: the part whose alternatives this is one of. */
export function startOf(around: Around, given: Part, key = '', was?: Json, whole: Part = given): Json {
    const part = resolve(around.schema, given);
    const field = startOfField(around, part, was, whole);
    if (field !== undefined) return field;
    const known = starts[key] ?? starts[part.def ?? ''];
    if (known !== undefined) return typeof known === 'function' ? structuredClone(known(around, was)) : structuredClone(known);
    if (part.default !== undefined && part === resolve(around.schema, whole)) return structuredClone(part.default);
    if (part.const !== undefined) return part.const;
    if (part.enum) return part.enum[0];
    const [first] = alternatives(around.schema, part);
    if (first && !part.properties) return startOf(around, first, key, was);
    switch (part.type) {
        case 'object': return startOfObject(around, part, was);
        case 'array': return Array.from({ length: part.minItems ?? 0 }, () => startOf(around, part.items!, `${part.def}.items`, was));
        case 'integer': case 'number': return startOfNumber(part, was);
        case 'boolean': return true;
        default: return part.format === 'file' ? needsFile + (part.pattern ? '.npy' : '') : part.minLength ? 'name' : '';
    }
}

function startOfObject(around: Around, part: Part, was: Json | undefined): JsonObject {
    const out: JsonObject = {};
    for (const key of [...(part.required ?? []), ...exclusiveKeys(part).slice(0, 1)])
        out[key] = startOf(around, part.properties![key], `${part.def ?? ''}.${key}`, isObject(was) ? was[key] : undefined);
    return out;
}

/** The same value with a file name where one is needed. */
export function withFile(value: Json, name: string): Json {
    if (typeof value === 'string') return value.startsWith(needsFile) ? name : value;
    if (Array.isArray(value)) return value.map((entry) => withFile(entry, name));
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withFile(inner, name)])) : value;
}

/** The ending of the file that a value waits for, "*" if any will do; empty: it waits for none. */
export function fileWanted(value: Json): string {
    if (typeof value === 'string') return value.startsWith(needsFile) ? value.slice(needsFile.length) || '*' : '';
    for (const inner of value === null || typeof value !== 'object' ? [] : Object.values(value)) {
        const found = fileWanted(inner);
        if (found) return found;
    }
    return '';
}
