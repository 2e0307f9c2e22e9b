// What the schema cannot say in a form: which values have no effect beside others, which choices make sense, what has
// to change with a choice, and keys that stand for one another.
import { type Json, type JsonObject, isObject } from './schema';
import { type Around, bodyNames, needsFile } from './starts';

type Objects = Json | undefined;

function entries(value: Objects): JsonObject[] {
    return Array.isArray(value) ? value.filter(isObject) : [];
}

function inside(value: Objects, ...keys: string[]): Objects {
    return keys.reduce<Objects>((found, key) => (isObject(found) ? found[key] : undefined), value);
}

const hasMuscles = (body: Objects) => entries(inside(body, 'matching', 'stretch')).length > 0;
const isLattice = (body: Objects) => inside(body, 'solid', 'lattice') !== undefined
    || (inside(body, 'solid', 'volume') !== undefined && inside(body, 'solid', 'as') !== 'tets');
const isVolume = (body: Objects) => inside(body, 'solid', 'volume') !== undefined;
const isPlastic = (fem: Objects) => entries(inside(fem, 'materials')).some((material) => material.plasticity !== undefined);
const isIsotropic = (fem: Objects) => entries(inside(fem, 'materials')).every((material) => material.young !== undefined || material.lame !== undefined);
const takesAnyTensor = (fem: Objects) => (inside(fem, 'law') ?? 'stvk') === 'stvk';
/** Plastic flow and the strain rule know no others. */
const isPlain = (fem: Objects) => takesAnyTensor(fem) && inside(fem, 'elements') !== 'nodal' && entries(inside(fem, 'muscles')).length === 0;
const needsPlain = (fem: Objects) => isPlastic(fem) || inside(fem, 'refinement') === 'strain';
const controls = (body: Objects) => entries(inside(body, 'matching', 'examples', 'controls')).map((control) => String(control.name));
const poses = (body: Objects) => entries(inside(body, 'matching', 'examples', 'poses')).map((pose) => String(pose.name));

/** The sizes that each base shape has; the first ones it has to have. */
export const sizesOfShape: Record<string, { needs: string[]; takes: string[] }> = {
    sphere: { needs: ['radius'], takes: [] }, cube: { needs: ['side'], takes: ['rounding'] }, cylinder: { needs: ['radius', 'height'], takes: [] },
    cone: { needs: ['radius', 'height'], takes: [] }, capsule: { needs: ['radius', 'height'], takes: [] }, torus: { needs: ['radius', 'tube'], takes: [] },
    tube: { needs: ['radius', 'points'], takes: [] }, noise: { needs: ['side', 'grain', 'share'], takes: ['seed'] }, mesh: { needs: ['file'], takes: ['voxel'] }, volume: { needs: ['file'], takes: [] },
};
const shapeSizes = [...new Set(Object.values(sizesOfShape).flatMap(({ needs, takes }) => [...needs, ...takes]))];
/** What each repetition has to have; the others have no effect in it. */
const needsOfRepeat: Record<string, JsonObject> = { mirror: { normal: [1, 0, 0] }, line: { step: [1, 0, 0], count: 3 }, ring: { axis: [0, 1, 0], count: 6 } };
const startingSizes: JsonObject = { radius: 0.5, side: 1, height: 1, tube: 0.15, points: [[0, 0, 0], [0, 1, 0]], grain: 0.2, share: 0.5 };

/** When a value matters, by definition and key; those that are not listed always do. */
const effects: Record<string, (object: JsonObject, around: Around) => boolean> = {
    'matching.alpha': (m) => inside(m, 'regions', 'law') !== 'young',
    'matching.passes': (m) => m.young === undefined && inside(m, 'regions', 'law') !== 'young',
    'matching.accelerate': (m) => m.young === undefined && Number(m.passes ?? 1) > 1,
    'matching.align': (m) => m.young !== undefined || Number(m.passes ?? 1) > 1,
    'matching.hops': (_, { body }) => inside(body, 'matching', 'regions') === undefined,
    'body.time_offset': (body) => hasMuscles(body),
    'body.cavity': (body) => hasMuscles(body),
    'body.density': (body) => !Array.isArray(body.masses) && !/\.npy$/.test(String(body.masses ?? '')),
    'body.masses': (body) => body.fem === undefined && body.rigid === undefined,
    'instance.time_offset': (_, { body }) => hasMuscles(body),
    'contact.friction': (c) => c.bodies !== false || c.self === true,
    'contact.restitution': (c) => c.bodies !== false || c.self === true,
    'contact.thickness': (c) => c.bodies !== false || c.self === true,
    'fem.refinement': (f) => Number(f.levels ?? 0) > 0,
    'fem.tolerance': (f) => Number(f.levels ?? 0) > 0 && (f.refinement ?? 'residual') === 'residual',
    'fem.most_active': (f) => Number(f.levels ?? 0) > 0 && f.refinement !== 'full',
    'fem.hysteresis': (f) => Number(f.levels ?? 0) > 0 && (f.refinement ?? 'residual') === 'residual',
    'fem.quiet_checks': (f) => Number(f.levels ?? 0) > 0 && f.refinement !== 'full',
    'fem.coarsening': (f) => Number(f.levels ?? 0) > 0,
    'fem.fit_tolerance': (f) => Number(f.levels ?? 0) > 0 && f.refinement === 'strain',
    'fem.mass': (f) => Number(f.levels ?? 0) > 0,
    'fem.cache': (f) => Number(f.levels ?? 0) > 0,
    'fem.fronts': (f) => Number(f.levels ?? 0) > 0,
    'fem.safety': (f) => f.integration !== 'implicit',
    'fem.law': (f) => !needsPlain(f) && isIsotropic(f),
    'fem.elements': (f) => !needsPlain(f),
    'fem.muscles': (f) => !needsPlain(f),
    'fem_material.plasticity': (_, { body }) => isPlain(inside(body, 'fem')),
    ...Object.fromEntries(['fibres', 'orthotropic', 'constants', 'file'].map((key) => [`fem_material.${key}`, (_: JsonObject, { body }: Around) => takesAnyTensor(inside(body, 'fem'))])),
    'fem_material.select': (m, { body }) => entries(inside(body, 'fem', 'materials'))[0] !== m,  // the first one is what the others lie in
    'fem_material.regions': (m, { body }) => entries(inside(body, 'fem', 'materials'))[0] !== m && inside(body, 'solid', 'tets') !== undefined,
    'fem_material.poisson': (m) => m.young !== undefined,
    'solid_volume.draw': (s) => s.as !== 'tets',
    'solid_volume.fill': (s) => s.as !== 'tets',
    'regions.rule': (_, { body }) => isLattice(body),
    'regions.widths': (_, { body }) => isLattice(body),
    'regions.classes': (r, { body }) => isLattice(body) && r.widths === undefined && r.law !== 'paper',
    'regions.law': (r) => r.widths === undefined,
    'regions.range': (r) => r.widths === undefined,
    'regions.rigid': (r, { body }) => isLattice(body) && r.widths === undefined,
    'examples.border': (e) => typeof e.groups === 'object',
    'example_cue.control': (c) => c.listens === 'control',
    'example_cue.group': (_, { body }) => typeof inside(body, 'matching', 'examples', 'groups') === 'object',
    'example_control.value': (c) => entries(c.keys).length === 0,
    'pose.shape': (p) => p.surface !== undefined, 'pose.frame': (p) => p.surface !== undefined,
    'cvg_operator.radius': (o) => ['union', 'intersection', 'difference'].includes(String(o.op)),
    'cvg_repeat.point': (r) => r.repeat !== 'line',
    ...Object.fromEntries(['normal', 'step', 'axis', 'count'].map((key) => [`cvg_repeat.${key}`, (r: JsonObject) => key in (needsOfRepeat[String(r.repeat)] ?? {})])),
    'charts.d2': (c) => c.preserve_volume !== true,
    'charts.d3': (c) => c.preserve_volume !== true,
    'paint_touch.angle': (t) => t.brush === 'flat',
    'paint_touch.radius': (t) => t.brush === 'stroke',
    'measure.axis': (m) => ['twist', 'extent', 'center', 'advance'].includes(String(m.what)),
    'measure.at': (m) => ['fiber', 'asked'].includes(String(m.what)),
    'measure.depth': (m) => m.what === 'cavity',
    'measure.example': (m) => m.what === 'weight',
    'measure.group': (m) => m.what === 'weight',
    'measure.other': (m) => ['distance', 'points'].includes(String(m.what)),
    'measure.from': (m) => m.what === 'points',
    'measure.to': (m) => m.what === 'points',
    'coat.value': (c) => !['smooth', 'erase'].includes(String(c.op)),
    'coat.to': (c) => c.brush === 'gradient',
    'coat.path': (c) => c.brush !== 'select',
    'coat.pressures': (c) => (c.brush ?? 'stroke') === 'stroke',
    'coat.radius': (c) => ['stroke', 'flat'].includes(String(c.brush ?? 'stroke')),
    'coat.angle': (c) => c.brush === 'flat',
    'coat.reach': (c) => (c.brush ?? 'stroke') === 'stroke',
    'coat.along': (c) => c.reach === 'through',
    'joint.to_point': (j) => j.rope !== undefined || j.to_point !== undefined, 'joint.to_select': (j) => j.to !== undefined, 'joint.collide': (j) => j.to !== undefined,
    'joint_hinge.speed': (j) => Number(j.torque ?? 0) > 0,
    'handle.smooth': (h) => entries(h.path).length > 2, 'obstacle.smooth': (o) => entries(o.path).length > 1,
    'medium.waves': (m) => m.level !== undefined || m.box !== undefined,
    'medium.current': (m) => Number(m.drag ?? 0) > 0,
    'look.ground_height': (l) => l.ground !== false,
    'look.color_map': (_, { document }) => entries(document.bodies).some((body) => inside(body, 'look', 'show')),
    'look.show_range': (_, { document }) => entries(document.bodies).some((body) => inside(body, 'look', 'show')),
    'obstacle.friction_along': (_, { document }) => entries(document.bodies).some(hasMuscles),
    ...Object.fromEntries(shapeSizes.map((key) => [`cvg_shape.${key}`, (s: JsonObject) => {
        const sizes = sizesOfShape[String(s.prim)];
        return !sizes || sizes.needs.includes(key) || sizes.takes.includes(key);
    }])),
};

export function hasEffect(around: Around, def: string | undefined, key: string, object: JsonObject): boolean {
    return effects[`${def}.${key}`]?.(object, around) ?? true;
}

/** Whether keys of a material, or the volume that the body is made of, say how stiff it is. */
const saysStiffness = ({ body }: Around, matching: JsonObject, keys: string[]) => isVolume(body) || keys.some((key) => matching[key] !== undefined);

/** What acts if a key is left out and the schema names no default since it depends on others. */
const defaults: Record<string, (object: JsonObject, around: Around) => Json | undefined> = {
    'matching.young': (m, around) => (saysStiffness(around, m, ['alpha', 'passes', 'accelerate', 'regions']) ? undefined : 100000),
    'matching.alpha': (m, around) => (saysStiffness(around, m, ['passes', 'accelerate', 'regions']) ? 1 : undefined),
    'matching.passes': (m, around) => (saysStiffness(around, m, ['alpha', 'accelerate', 'regions']) ? 1 : undefined),
};

export function defaultBeside(around: Around, def: string | undefined, key: string, object: JsonObject): Json | undefined {
    return defaults[`${def}.${key}`]?.(object, around);
}

/** Further keys of which an object has one at most, or exactly one. Those of the schema are found in it. */
export const standIns: Record<string, Array<{ keys: string[]; name: string; needed: boolean; none?: string }>> = {
    body: [{ keys: ['matching', 'fem', 'rigid'], name: 'Material', needed: true }],
    pose: [{ keys: ['deform', 'vertices', 'surface'], name: 'Made by', needed: true }],
    fem_fibres: [{ keys: ['direction', 'directions', 'strokes'], name: 'Fibres run', needed: true }],
    solid_formula: [{ keys: ['cell', 'particles'], name: 'Resolution', needed: false, none: 'Automatic' }],
    solid_from: [{ keys: ['cell', 'particles'], name: 'Resolution', needed: false, none: 'Automatic' }, { keys: ['height', 'size'], name: 'Scaled', needed: false, none: 'Not at all' }],
    joint: [{ keys: ['weld', 'ball', 'hinge', 'rope'], name: 'Kind', needed: true }],
    obstacle: [{ keys: ['plane', 'box', 'sphere', 'capsule', 'mesh'], name: 'Shape', needed: true }],
    fem_material: [{ keys: ['young', 'lame', 'fibres', 'orthotropic', 'constants', 'file'], name: 'Elasticity', needed: true }],
    fem_viscosity: [{ keys: ['time', 'lame', 'constants'], name: 'Given by', needed: true }],
    paint_touch: [{ keys: ['at', 'path', 'vertex'], name: 'Painted', needed: true }],
    regions: [{ keys: ['widths', 'stiffness'], name: 'By', needed: false, none: 'The volume model' }],
};

/** Keys of which at least one has to stay. */
export const oneHasToStay: Record<string, string[]> = { force: ['force', 'acceleration'] };

/** The choices of a text that names something else in the scene. */
const namesOf: Record<string, (object: JsonObject, around: Around) => string[]> = {
    'measure.body': (_, { document }) => bodyNames(document),
    'measure.other': (m, { document }) => bodyNames(document).filter((name) => name !== m.body),
    'joint.body': (_, { document }) => bodyNames(document),
    'joint.to': (j, { document }) => bodyNames(document).filter((name) => name !== j.body),
    'measure.example': (_, { document }) => entries(document.bodies).flatMap(poses),
    'example_cue.pose': (_, { body }) => poses(body),
    'example_cue.control': (_, { body }) => controls(body),
    'channel.channel': () => ['opacity', 'r', 'g', 'b', 'stiffness'],
};

export function namedChoices(around: Around, def: string | undefined, key: string, object: JsonObject): string[] | null {
    return namesOf[`${def}.${key}`]?.(object, around) ?? null;
}

/** Measures that only bodies with muscles have. */
const ofMuscles = new Set(['fiber', 'asked', 'advance', 'wave', 'cavity']);

/** Choices that would fail beside the rest of the object are not on offer. */
const excluded: Record<string, (choice: Json, object: JsonObject, around: Around) => boolean> = {
    'cvg_operator.op': (op, node) => ['cap', 'trim'].includes(String(op)) && (node.args as Json[]).length !== 2,
    'solid_volume.draw': (draw, solid) => draw === 'points' && solid.as === 'tets',
    'measure.what': (what, _, { document }) => (what === 'weight' && !entries(document.bodies).flatMap(poses).length)
        || what === 'distance' && !measurable(document).length || ofMuscles.has(String(what)) && !entries(document.bodies).some(hasMuscles),
    'paint_touch.brush': (brush, touch) => brush !== 'point' && touch.vertex !== undefined,
    'deform_bend.towards': (towards, bend) => towards === (bend.axis ?? 'y'),
    'deform_shear.towards': (towards, shear) => towards === (shear.axis ?? 'y'),
    'fem.refinement': (refinement, fem) => refinement === 'strain' && !isPlain(fem),
    'examples.rotation': (rotation, _, { body }) => rotation === 'joint' && hasMuscles(body),
    'example_cue.listens': (listens, _, { body }) => listens === 'control' && controls(body).length === 0,
    'body_look.show': (show, _, { body }) => !showable(body).includes(String(show)),
};

/** Pairs of bodies of the same make, which can be compared. */
function measurable(document: JsonObject): Array<[string, string]> {
    const bodies = entries(document.bodies);
    const pairs: Array<[string, string]> = [];
    for (const body of bodies) {
        const copies = bodyNames({ bodies: [body] });
        if (copies.length > 1) pairs.push([copies[0], copies[1]]);
        for (const other of bodies) if (other !== body && JSON.stringify(other.solid) === JSON.stringify(body.solid)) pairs.push([copies[0], bodyNames({ bodies: [other] })[0]]);
    }
    return pairs;
}

/** Quantities that a body has. */
function showable(body: Objects): string[] {
    const all = ['speed', 'displacement', 'stretch', 'contact', 'mass'];
    if (inside(body, 'fem') !== undefined) return [...all, 'level', 'plastic', 'stiffness'];
    if (inside(body, 'rigid') !== undefined) return all;
    if (hasMuscles(body)) all.push('fiber', 'depth', 'amplitude', 'phase');
    if (poses(body).length) all.push('example', 'group');
    return [...all, 'region_size', ...(inside(body, 'matching', 'regions') !== undefined || isVolume(body) ? ['stiffness'] : [])];
}

export function offered(around: Around, def: string | undefined, key: string, object: JsonObject, choices: Json[]): Json[] {
    const out = excluded[`${def}.${key}`];
    return out ? choices.filter((choice) => choice === object[key] || !out(choice, object, around)) : choices;
}

/** What the rest of an object becomes with a new choice; undefined: stays as it is. */
const consequences: Record<string, (object: JsonObject, around: Around) => JsonObject> = {
    'cvg_shape.prim': (shape) => {
        const { needs, takes } = sizesOfShape[String(shape.prim)];
        const kept = Object.entries(shape).filter(([key]) => !shapeSizes.includes(key) || needs.includes(key) || takes.includes(key));
        const sizes = Object.fromEntries(needs.map((key) => [key, shape[key] ?? startingSizes[key] ?? needsFile]));
        return { ...Object.fromEntries(kept), ...sizes };
    },
    'cvg_repeat.repeat': ({ normal, step, axis, count, point, ...rest }) => {
        const given: JsonObject = Object.fromEntries(Object.entries({ normal, step, axis, count }).filter((entry): entry is [string, Json] => entry[1] !== undefined));
        const needs = Object.entries(needsOfRepeat[String(rest.repeat)]).map(([key, start]) => [key, given[key] ?? start]);
        return { ...rest, ...Object.fromEntries(needs), ...(rest.repeat === 'line' || point === undefined ? {} : { point }) };
    },
    'solid_volume.as': ({ draw, ...solid }) => (solid.as === 'tets' || draw === undefined ? solid : { ...solid, draw }),
    'charts.preserve_volume': (charts) => {
        if (charts.preserve_volume !== true) return charts;
        const { d2: _, d3: __, ...rest } = charts;
        return rest;
    },
    'paint_touch.brush': (touch) => (touch.brush === 'stroke' && touch.radius === undefined ? { ...touch, radius: 0.2 } : touch),
    'coat.brush': (coat) => {
        const { path, radius, reach, along, ...rest } = coat, at = Array.isArray(path) && path.length ? path : [[0, 0, 0]];
        switch (coat.brush) {
            case 'select': return rest;
            case 'flat': return { ...rest, path: at, ...(radius === undefined ? {} : { radius }) };
            case 'gradient': return { ...rest, to: rest.to ?? 0, path: at.length > 1 ? at : [at[0], [0, 0.1, 0]] };
            default: return { ...rest, path: at, radius: radius ?? 0.2, ...(reach === undefined ? {} : { reach }), ...(along === undefined ? {} : { along }) };
        }
    },
    'coat.op': (coat) => (['smooth', 'erase'].includes(String(coat.op)) || coat.value !== undefined ? coat : { ...coat, value: 1 }),
    'coat.reach': (coat) => (coat.reach === 'through' && coat.along === undefined ? { ...coat, along: [0, 0, 1] } : coat),
    'regions.law': (regions) => ({ ...regions, range: regions.law === 'young' ? [10000, 1000000] : regions.law === 'paper' ? [1, 5] : [0.0126, 52] }),
    'example_cue.listens': ({ control, ...cue }, { body }) => (cue.listens === 'control' ? { ...cue, control: control ?? controls(body)[0] } : cue),
    'deform_bend.axis': (bend) => otherThan(bend, 'axis', 'towards'),
    'deform_shear.axis': (shear) => otherThan(shear, 'axis', 'towards'),
    'measure.what': (measure, { document }) => {
        const { example, other, group, from, to, at, depth: _, ...rest } = measure;
        if (measure.what === 'weight') {
            const owner = entries(document.bodies).find((body) => poses(body).length);
            return { ...rest, body: bodyNames({ bodies: [owner!] })[0], example: example ?? poses(owner)[0], ...(group === undefined ? {} : { group }) };
        }
        if (measure.what === 'distance') {
            const pairs = measurable(document), pair = pairs.find(([body]) => body === measure.body) ?? pairs[0];
            return { ...rest, body: pair[0], other: other ?? pair[1] };
        }
        if (measure.what === 'points') return { ...rest, from: from ?? [0, 0, 0], to: to ?? [0, 0.1, 0], ...(other === undefined ? {} : { other }) };
        if (ofMuscles.has(String(measure.what))) {
            const able = bodyNames({ bodies: entries(document.bodies).filter(hasMuscles) }), body = able.includes(String(measure.body)) ? measure.body : able[0];
            return { ...rest, body, ...(['fiber', 'asked'].includes(String(measure.what)) ? { at: at ?? [0, 0, 0] } : {}) };
        }
        return rest;
    },
};

function otherThan(object: JsonObject, key: string, changed: string): JsonObject {
    if (object[key] !== (object[changed] ?? 'x')) return object;
    return { ...object, [changed]: object[key] === 'x' ? 'y' : 'x' };
}

export function withConsequences(around: Around, def: string | undefined, key: string, object: JsonObject): JsonObject {
    return consequences[`${def}.${key}`]?.(object, around) ?? object;
}

/** Does another value of this key change its neighbours? */
export function hasConsequences(def: string | undefined, key: string): boolean {
    return `${def}.${key}` in consequences;
}

/** Kinds that are spelled differently and mean the same, that need as many numbers as there are particles, or that a hand
 *  paints: shown where they are used, not offered. */
export const unofferedKinds = new Set(['values', 'painting', 'wall_distance', 'a list of parts', 'a list of numbers', 'a list of masses']);

export function kindIsOffered(around: Around, def: string | undefined): boolean {
    return def === 'channel' ? isVolume(around.body) : true;
}

/** What else of a body goes or comes when its material does. */
export function withoutMatching(body: JsonObject): JsonObject {
    const { cavity: _, time_offset: __, masses: ___, ...rest } = body;
    const look = isObject(rest.look) && !showable(rest.rigid === undefined ? { ...rest, fem: {} } : rest).includes(String(rest.look.show)) ? Object.fromEntries(Object.entries(rest.look).filter(([key]) => key !== 'show')) : rest.look;
    return look === undefined ? rest : { ...rest, look };
}

/** A copy beside its original: two bodies in one place would burst apart. */
export function besides(def: string, key: string, copy: Json): Json {
    if (!isObject(copy) || !(key === 'bodies' || (def === 'body' && key === 'instances'))) return copy;
    const moved = (at: Objects): Json[] => (Array.isArray(at) ? [Number(at[0]) + 1.5, at[1], at[2]] : [1.5, 0, 0]);
    if (key === 'instances') return { ...copy, translate: moved(copy.translate) };
    const place = isObject(copy.place) ? copy.place : {};
    return { ...copy, place: { ...place, translate: moved(place.translate) } };
}

/** The next entry of a list, after the last one that is there. */
export function nextEntry(def: string | undefined, key: string, list: Json[], start: () => Json): Json {
    const last = list[list.length - 1];
    if ((def === 'handle' || def === 'obstacle') && key === 'path') return { ...(isObject(last) ? structuredClone(last) : {}), time: isObject(last) ? Number(last.time) + 1 : 0 };
    if (def === 'example_control' && key === 'keys') return isObject(last) ? { ...last, time: Number(last.time) + 1 } : { time: 0, value: 0 };
    if (def === 'fem' && key === 'fronts') return { time: isObject(last) ? Number(last.time ?? 0) + 1 : 0 };
    if (def === 'channel' && key === 'remap') return Array.isArray(last) ? [Number(last[0]) + 1, last[1]] : [0, 0];
    if (Array.isArray(last) && last.length === 3 && last.every((x) => typeof x === 'number')) {
        const before = list[list.length - 2];
        return Array.isArray(before) ? last.map((x, k) => Number((2 * Number(x) - Number(before[k])).toPrecision(6))) : [Number(last[0]) + 0.1, last[1], last[2]];
    }
    return start();
}
