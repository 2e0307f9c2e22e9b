// What can be put into a scene: plain solids that work at once, obstacles of every shape, forces, joints, water, a camera.
import { Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { kindOfKey, ownerOf, pathOfKey } from '../state/things';
import { identityOf, pointer, setChanges, valueAt } from './commands';
import { vectorJson } from './placement';
import { type Json, type JsonObject, isObject } from './schema';
import { freeName } from './starts';
import type { Made } from './thing_commands';

export interface Adding {
    /** Where on the ground, m. */
    at: Vector3;
    /** The camera that the scene is looked at with. */
    view: JsonObject;
    /** Key of the chosen body, or of what it is in; undefined: none is. */
    onto: string | undefined;
    /** Bodies that are chosen, by their names, and where they touch or are between, at the start, m. */
    bodies: string[];
    between: Vector3;
}

export interface AddItem {
    id: string;
    name: string;
    about: string;
    section: 'Bodies' | 'Obstacles' | 'Forces and surroundings';
    /** Path of a line icon, 24 by 24. */
    icon: string;
    /** m: how much room it takes on the ground. */
    size?: number;
    /** null: it needs a body that is not there. */
    make(content: JsonObject, adding: Adding): Made | null;
}

// ---- bodies: they stand on y = 0 and are centred there

function solid(name: string, value: JsonObject, more: JsonObject = {}): AddItem['make'] {
    return (content, { at }) => {
        const body: JsonObject = { name: freeName(content.bodies, name), solid: structuredClone(value), place: { translate: vectorJson(at) }, ...structuredClone(more) };
        return added(content, 'bodies', body, name);
    };
}

function added(content: JsonObject, list: 'bodies' | 'obstacles', value: JsonObject, word: string): Made {
    const there = content[list], count = Array.isArray(there) ? there.length : 0;
    const changes: Change[] = Array.isArray(there) ? [{ op: 'add', path: `/${list}/-`, value }] : [{ op: 'add', path: `/${list}`, value: [value] }];
    return { edit: { label: `Add ${word.replace(/_/g, ' ')}`, changes }, keys: [pointer([list, `@${identityOf(value, count)}`])] };
}

const round = (formula: string, low: number[], high: number[], particles: number): JsonObject => ({ formula, box: { low, high }, particles });
const soft: JsonObject = { matching: { young: 50000, damping: 0.02 } };

/** A pulse of shortening that runs from tail to head: [ProcDef] in its plainest form. */
const crawling: JsonObject = {
    passes: 6, damping: 0.005, region_damping: 0.03, stretch: [{ active: {
        fields: { depth: 'y', direction: ['1', '0', '0'], amplitude: 'clamp(0.6 - 3*(y - 0.17), 0, 1)', phase: '(x + 0.82)/1.64' },
        charts: { period: 1.6, limit: 2, d1: { keys: [[0, 1], [0.25, 0.5], [0.4, 0.5], [0.65, 1]], smooth: true } }, speed: 0.8,
    } }],
};

// ---- obstacles

/** One with a name of its own is called by it; the others by their shape. */
function obstacle(word: string, shape: (at: Vector3) => JsonObject, more: JsonObject = {}, named = false): AddItem['make'] {
    return (content, { at }) => {
        const ids = (Array.isArray(content.obstacles) ? content.obstacles : []).map((other, k) => ({ name: identityOf(other, k) }));
        return added(content, 'obstacles', { ...(named ? { id: freeName(ids, word) } : {}), ...shape(at), ...more }, word);
    };
}

const above = (at: Vector3, height: number) => vectorJson(at.clone().setY(at.y + height));

/** Appends to a list of a body. */
function toBody(list: 'forces', value: JsonObject, word: string): AddItem['make'] {
    return (content, { onto }) => {
        const owner = onto === undefined ? undefined : pathOfKey(ownerOf(onto));
        if (!owner || !['body', 'instance'].includes(kindOfKey(pointer(owner)))) return null;
        const path = [...owner, list], there = valueAt(content, path);
        const changes: Change[] = Array.isArray(there) && there.length ? [{ op: 'add', path: `${pointer(path)}/-`, value }] : setChanges(content, path, [value]);
        return { edit: { label: `Add ${word}`, changes }, keys: [pointer([...path, Array.isArray(there) ? there.length : 0])] };
    };
}

function once(key: 'medium' | 'camera', word: string, value: (adding: Adding) => Json): AddItem['make'] {
    return (content, adding) => ({ edit: { label: `${isObject(content[key]) ? 'Set' : 'Add'} ${word}`, changes: setChanges(content, [key], value(adding)) }, keys: [`/${key}`] });
}

/** What the Shape desk begins with: one ball of flesh. */
export const plainModel: AddItem = {
    id: 'model', name: 'Model', about: 'A ball of flesh to put other parts into', section: 'Bodies', size: 1, icon: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15z',
    make: solid('model', { volume: { format: 'yawara-cvg', version: 1, root: { prim: 'sphere', radius: 0.5, stiffness: 0.3, color: [1, 0.72, 0.35], name: 'flesh', transform: { translate: [0, 0.5, 0] } } }, cell: 0.07 }),
};

/** Between two chosen bodies, or from one to the world. */
function joint(kind: JsonObject, word: string): AddItem['make'] {
    return (content, { bodies: [body, to], between }) => {
        if (body === undefined) return null;
        const there = content.joints, count = Array.isArray(there) ? there.length : 0;
        const value: JsonObject = { body, ...(to === undefined ? {} : { to }), point: vectorJson(between), ...structuredClone(kind) };
        const changes: Change[] = Array.isArray(there) ? [{ op: 'add', path: '/joints/-', value }] : [{ op: 'add', path: '/joints', value: [value] }];
        return { edit: { label: `Add ${word}`, changes }, keys: [pointer(['joints', count])] };
    };
}

export const addItems: AddItem[] = [
    { id: 'ball', name: 'Ball', about: 'A soft ball, 1 m across', section: 'Bodies', size: 1, icon: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15z',
        make: solid('ball', round('length(x, y - 0.5, z) - 0.5', [-0.55, -0.05, -0.55], [0.55, 1.05, 0.55], 600), soft) },
    { id: 'bar', name: 'Bar', about: 'A beam, 1.6 m long', section: 'Bodies', size: 1.6, icon: 'M3.500 9.500l13-3 4 2.500v5.500l-13 3-4-2.500zM3.500 9.500l4 2.500 13-3M7.500 12v5.500',
        make: solid('bar', { bar: { size: [1.6, 0.4, 0.4], cells: [16, 4, 4] } }, soft) },
    { id: 'box', name: 'Rounded box', about: 'A cube with round edges', section: 'Bodies', size: 1, icon: 'M7.500 5h9a2.500 2.500 0 0 1 2.500 2.500v9a2.500 2.500 0 0 1-2.500 2.500h-9A2.500 2.500 0 0 1 5 16.500v-9A2.500 2.500 0 0 1 7.500 5z',
        make: solid('box', round('length(max(abs(x) - 0.35, 0), max(abs(y - 0.5) - 0.35, 0), max(abs(z) - 0.35, 0)) - 0.15', [-0.55, -0.05, -0.55], [0.55, 1.05, 0.55], 700), soft) },
    { id: 'torus', name: 'Torus', about: 'A ring that lies on the floor', section: 'Bodies', size: 1.4, icon: 'M12 5.500c5 0 8.500 2.500 8.500 6.500s-3.500 6.500-8.500 6.500S3.500 16 3.500 12 7 5.500 12 5.500zM12 10c2 0 3.500.8 3.500 2s-1.500 2-3.500 2-3.500-.8-3.500-2 1.500-2 3.500-2z',
        make: solid('torus', round('length(length(x, 0, z) - 0.5, y - 0.2, 0) - 0.2', [-0.75, -0.05, -0.75], [0.75, 0.45, 0.75], 800), soft) },
    { id: 'creature', name: 'Creature', about: 'It crawls by itself: muscles shorten from tail to head', section: 'Bodies', size: 1.8, icon: 'M3 16a2.500 2.500 0 0 1 5 0M8 16a2.500 2.500 0 0 1 5 0M13 16c0-4 1-7 4-7a3 3 0 0 1 3 3v4M3 16h17M17 12h.01',
        make: solid('creature', round('smoothmin(length(max(abs(x) - 0.62, 0), y - 0.168, z) - (0.144 + 0.02*cos(10*pi*x) + 0.04*clamp(x, -0.6, 0)), length(x - 0.688, y - 0.192, z) - 0.172, 0.032)', [-0.9, -0.05, -0.25], [0.92, 0.42, 0.25], 470),
            { matching: crawling, look: { color: '#8fbf4d' } }) },
    { id: 'volume', name: 'Volume', about: 'Soft flesh with a hard stone inside, by constructive volume geometry', section: 'Bodies', size: 1, icon: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
        make: solid('volume', { volume: { format: 'yawara-cvg', version: 1, root: { op: 'union', args: [
            { prim: 'sphere', radius: 0.2, stiffness: 1, color: [0.42, 0.24, 0.12], name: 'stone', transform: { translate: [0, 0.5, 0] } },
            { prim: 'sphere', radius: 0.5, stiffness: 0.3, color: [1, 0.72, 0.35], name: 'flesh', transform: { translate: [0, 0.5, 0] } }] } }, cell: 0.1 }) },

    { id: 'crate', name: 'Crate', about: 'A rigid box: it stacks, tips and knocks', section: 'Bodies', size: 0.6, icon: 'M5 5h14v14H5zM5 5l14 14M19 5 5 19',
        make: solid('crate', { bar: { size: [0.5, 0.5, 0.5], cells: [1, 1, 1] } }, { rigid: {}, density: 500, contact: { friction: 0.6 }, look: { color: '#b98a56' } }) },

    { id: 'floor', name: 'Floor', about: 'A plane without end', section: 'Obstacles', icon: 'M2.500 16 8 9h8l5.500 7z', make: obstacle('floor', (at) => ({ plane: { point: [0, Number(vectorJson(at)[1]), 0] } }), { friction: 0.6 }) },
    { id: 'ramp', name: 'Ramp', about: 'A slope of 20 degrees', section: 'Obstacles', size: 2, icon: 'M3.500 18.500h17v-3L6 8z',
        make: obstacle('ramp', (at) => ({ box: { size: [2.4, 0.2, 1.6], center: above(at, 0.45), rotate: { axis: [0, 0, 1], degrees: -20 } } }), { friction: 0.4 }, true) },
    { id: 'block', name: 'Box', about: 'A block that does not move', section: 'Obstacles', size: 1, icon: 'M12 4l7 4v8l-7 4-7-4V8zM5 8l7 4 7-4M12 12v8', make: obstacle('box', (at) => ({ box: { size: [1, 0.5, 1], center: above(at, 0.25) } })) },
    { id: 'sphere', name: 'Ball', about: 'A hard ball', section: 'Obstacles', size: 1, icon: 'M12 4.500a7.500 7.500 0 1 0 0 15 7.500 7.500 0 0 0 0-15zM7 16.500l10-9', make: obstacle('ball', (at) => ({ sphere: { radius: 0.5, center: above(at, 0.5) } })) },
    { id: 'rod', name: 'Rod', about: 'A rod with round ends', section: 'Obstacles', size: 1.2, icon: 'M6 18a2.800 2.800 0 0 1 0-4l8-8a2.800 2.800 0 0 1 4 4l-8 8a2.800 2.800 0 0 1-4 0z',
        make: obstacle('rod', (at) => ({ capsule: { from: above(at.clone().setX(at.x - 0.5), 0.8), to: above(at.clone().setX(at.x + 0.5), 0.8), radius: 0.1 } })) },
    { id: 'wall', name: 'Wall', about: 'An endless upright plane', section: 'Obstacles', icon: 'M6 4.500v15l12-4V8z', make: obstacle('wall', (at) => ({ plane: { point: vectorJson(at.clone().add(new Vector3(-1.5, 0, 0))), normal: [1, 0, 0] } }), {}, true) },

    { id: 'platform', name: 'Moving platform', about: 'Moves back and forth and carries what lies on it', section: 'Obstacles', size: 1.4, icon: 'M5 13h14v3.500H5zM8 9H3.500M5.500 7l-2 2 2 2M16 9h4.500M18.500 7l2 2-2 2',
        make: obstacle('platform', (at) => ({ box: { size: [1.4, 0.15, 1.2], center: above(at, 0.2) } }), { friction: 1, path: [0, 2, 4, 6, 8].map((time, k) => ({ time, move: [k % 2 ? 1 : 0, 0, 0] })) }, true) },
    { id: 'belt', name: 'Conveyor', about: 'Its surface moves and carries what lies on it', section: 'Obstacles', size: 2, icon: 'M6.500 9h11a3 3 0 0 1 0 6h-11a3 3 0 0 1 0-6zM9 12h5M12.500 10.500 14 12l-1.500 1.500',
        make: obstacle('conveyor', (at) => ({ box: { size: [2, 0.2, 0.8], center: above(at, 0.1) } }), { friction: 0.8, belt: [0.5, 0, 0] }, true) },
    { id: 'sensor', name: 'Sensor', about: 'A zone that reports what is inside it and pushes nothing', section: 'Obstacles', size: 1, icon: 'M5 5h3M11 5h3M17 5h2v2M19 10v3M19 16v3h-3M13 19h-3M7 19H5v-3M5 13v-3M5 7V5',
        make: obstacle('sensor', (at) => ({ box: { size: [1, 1, 1], center: above(at, 0.5) } }), { sensor: true }, true) },

    { id: 'force', name: 'Push', about: 'Pushes the chosen body for a second', section: 'Forces and surroundings', icon: 'M4 12h14M13 7l5 5-5 5', make: toBody('forces', { acceleration: [6, 0, 0], until: 1 }, 'push') },
    { id: 'water', name: 'Water', about: 'All bodies are under water, which lifts and slows them', section: 'Forces and surroundings', icon: 'M4 9c2.500-2 4 2 8 0s5.500 2 8 0M4 15c2.500-2 4 2 8 0s5.500 2 8 0', make: once('medium', 'water', () => ({ density: 1000, drag: 500 })) },
    { id: 'pond', name: 'Pond', about: 'Water up to half a metre above the ground, with waves: lighter things float', section: 'Forces and surroundings', icon: 'M3 10c2.500-2 4 2 9 0s6.500 2 9 0M5 14h14M7 18h10',
        make: once('medium', 'pond', ({ at }) => ({ density: 1000, drag: 500, level: Number(vectorJson(at)[1]) + 0.5, waves: '0.04 * sin(3*x - 2*t)' })) },
    { id: 'weld', name: 'Glue', about: 'Holds the chosen body to another chosen one, or to the world', section: 'Forces and surroundings', icon: 'M5 5h6v14H5zM13 5h6v14h-6zM11 9h2M11 12h2M11 15h2', make: joint({ weld: {} }, 'glue') },
    { id: 'ball_joint', name: 'Ball joint', about: 'The chosen bodies turn freely about a point; a single body about a fixed one', section: 'Forces and surroundings', icon: 'M9 12a3 3 0 1 0 6 0 3 3 0 0 0-6 0zM9.500 10 5 5M14.500 14l4.500 5', make: joint({ ball: {} }, 'ball joint') },
    { id: 'hinge', name: 'Hinge', about: 'The chosen bodies turn about an axis: a wheel, a door; it may have a motor', section: 'Forces and surroundings', icon: 'M5 5h5v14H5zM14 5h5v14h-5zM12 3.500v17', make: joint({ hinge: { axis: [0, 0, 1] } }, 'hinge') },
    { id: 'rope', name: 'Rope', about: 'Keeps the chosen bodies, or one and the world, from moving farther apart', section: 'Forces and surroundings', icon: 'M5 5c8 0-2 7 5 7s1 7 9 7M4 5h2M18 19h2', make: (content, adding) => joint({ to_point: vectorJson(adding.between.clone().add(new Vector3(0, 1, 0))), rope: { length: 1 } }, 'rope')(content, adding) },
    { id: 'camera', name: 'Camera', about: 'The scene opens as you see it now', section: 'Forces and surroundings', icon: 'M4 8h10v9H4zM14 11l6-3v9l-6-3', make: once('camera', 'camera', ({ view }) => view) },
];
