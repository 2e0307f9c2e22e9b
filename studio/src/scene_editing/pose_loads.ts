// Loads that awaken poses: in words, and as handles of the document that squeeze, stretch, shear, bend or twist a body.
import { type Quaternion, Vector3 } from 'three';
import { bodyEntry, bodyPath } from '../painting/target';
import { type Edit, pointer } from './commands';
import { type Axis, axes, tidy, tidyVector } from './poses';
import { type Json, type JsonObject, isObject } from './schema';

const awake = 0.05;    // weight that a small load has to ask for
const grasp = 0.12;    // of the length: what the handles at both ends hold
const seconds = { begin: 0.2, there: 1.2, back: 2, free: 2.8 };

export interface Coupling {
    load: string;
    weights: number[];
}

/** The load that asks for a pose most; null: none does. */
export function bestLoad(loads: readonly Coupling[], example: number): Coupling | null {
    const best = [...loads].sort((a, b) => b.weights[example] - a.weights[example])[0];
    return best && best.weights[example] > awake ? best : null;
}

/** "Awakened by a squeeze along y and a twist about y; a stretch along y works against it." */
export function loadWords(loads: readonly Coupling[], example: number): string {
    const sorted = [...loads].sort((a, b) => b.weights[example] - a.weights[example]);
    const list = (some: Coupling[]) => some.map(({ load }) => `a ${load}`).join(', ').replace(/, ([^,]*)$/, ' and $1');
    const by = sorted.filter(({ weights }) => weights[example] > awake).slice(0, 3), against = sorted.reverse().filter(({ weights }) => weights[example] < -awake).slice(0, 2);
    const first = by.length ? `Awakened by ${list(by)}` : 'No squeeze, stretch, shear, bend or twist of the whole body awakens it';
    return `${first}${against.length ? `; ${list(against)} work${against.length > 1 ? '' : 's'} against it` : ''}.`;
}

/** `size`, `center`: of the body at rest, in the coordinates of the solid; `turn`: of it in the scene; `scale`: of the body. */
export interface LoadedBody {
    size: Vector3;
    center: Vector3;
    turn: Quaternion;
    scale: number;
}

function unit(axis: Axis): Vector3 {
    return new Vector3(axis === 'x' ? 1 : 0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0);
}

/** Handles at both ends of a body that do what a load says, and let go. */
export function loadHandles(load: string, { size, center, turn, scale }: LoadedBody): JsonObject[] {
    const named = load.slice(-1) as Axis, next = axes[(axes.indexOf(named) + 1) % 3], kind = load.split(' ')[0];
    // A shear along x moves the layers across y: its ends are those of y.
    const axis = kind === 'shear' ? next : named, k = axes.indexOf(axis), length = size.getComponent(k);
    const world = (v: Vector3) => v.applyQuaternion(turn), end = (sign: number): JsonObject => {
        const point = center.clone();
        point.setComponent(k, center.getComponent(k) + sign * (0.5 - grasp) * length);
        const move = new Vector3(), about = kind === 'twist' ? unit(axis) : unit(axis).cross(unit(next));
        if (kind === 'squeeze') move.copy(unit(axis)).multiplyScalar(-sign * 0.14 * length);
        if (kind === 'stretch') move.copy(unit(axis)).multiplyScalar(sign * 0.14 * length);
        if (kind === 'shear') move.copy(unit(named)).multiplyScalar(sign * 0.15 * length);
        const degrees = kind === 'twist' ? 60 * sign : kind === 'bend' ? 35 * sign : 0;
        const there: JsonObject = { move: tidyVector(world(move).multiplyScalar(scale)) };
        if (degrees) there.turn = { axis: tidyVector(world(about)), degrees };
        const key = (time: number, what: JsonObject): Json => ({ time, ...what });
        return {
            select: { plane: { point: tidyVector(point), normal: tidyVector(unit(axis).multiplyScalar(sign)) } }, smooth: true,
            path: [key(seconds.begin, {}), key(seconds.there, there), key(seconds.back, there), key(seconds.free, {})], release: tidy(seconds.free + 0.1),
        };
    };
    return [end(-1), end(1)];
}

/** Instead of the handles that the body has. */
export function applyLoad(content: JsonObject, body: string, load: string, loaded: LoadedBody): Edit | null {
    const entry = bodyEntry(content, body);
    if (!isObject(entry)) return null;
    const path = pointer([...bodyPath(body), 'handles']);
    return { label: `Apply a ${load}`, changes: [{ op: entry.handles === undefined ? 'add' : 'replace', path, value: loadHandles(load, loaded) }] };
}
