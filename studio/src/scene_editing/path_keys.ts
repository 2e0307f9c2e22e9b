// Keys of paths: where a handle is at a time, and the edits that set, shift and remove keys. Anything whose entry has a list
// `path` of such keys is led the same way.
import { MathUtils, Quaternion, Vector3 } from 'three';
import { type Edit, type Path, setChanges, valueAt } from './commands';
import { type Motion, rotationJson, vectorJson } from './placement';
import { type Json, type JsonObject, isObject } from './schema';

export interface PathKey {
    time: number;
    move: Vector3;
    /** Axis times radians: more than a full turn is another one than none. */
    turn: Vector3;
    /** The fixed point of the turn. */
    about: Vector3;
    /** As it is in the document. */
    json: JsonObject;
}

type Pose = Pick<PathKey, 'move' | 'turn' | 'about'>;

function turnVector(value: Json | undefined): Vector3 {
    if (!isObject(value) || !Array.isArray(value.axis)) return new Vector3();
    return new Vector3().fromArray(value.axis as number[]).normalize().multiplyScalar(MathUtils.degToRad(Number(value.degrees)));
}

function quaternionOf(turn: Vector3): Quaternion {
    const angle = turn.length();
    return angle > 0 ? new Quaternion().setFromAxisAngle(turn.clone().divideScalar(angle), angle) : new Quaternion();
}

/** Of a thing with keys. `center`: of what is led, at the start: turns go about it unless a key says otherwise. */
export function keysOf(entry: Json | undefined, center: Vector3): PathKey[] {
    const path = isObject(entry) && Array.isArray(entry.path) ? entry.path.filter(isObject) : [];
    return path.map((json) => ({
        time: Number(json.time), move: new Vector3().fromArray((json.move as number[] | undefined) ?? [0, 0, 0]), turn: turnVector(json.turn),
        about: Array.isArray(json.about) ? new Vector3().fromArray(json.about as number[]) : center.clone(), json,
    }));
}

/** Where the centre is then. */
export function placeOf({ about, turn, move }: Pose, center: Vector3): Vector3 {
    return center.clone().sub(about).applyQuaternion(quaternionOf(turn)).add(about).add(move);
}

function channels({ move, turn, about }: Pose): number[] {
    return [...move.toArray(), ...turn.toArray(), ...about.toArray()];
}

/** Slope at a key between two straight pieces: none at a turning point, otherwise their weighted harmonic mean. */
function slope(before: number, after: number, timeBefore: number, timeAfter: number): number {
    if (before * after <= 0) return 0;
    const a = 2 * timeAfter + timeBefore, b = timeAfter + 2 * timeBefore;
    return (a + b) / (a / before + b / after);
}

/** As the engine leads it (src/sim/path.cpp): straight, or smooth without overshoot. */
export function poseAt(keys: PathKey[], time: number, smooth: boolean, center: Vector3): Pose {
    if (!keys.length) return { move: new Vector3(), turn: new Vector3(), about: center.clone() };
    const after = keys.findIndex((key) => key.time > time);
    if (after <= 0) return keys[after < 0 ? keys.length - 1 : 0];
    const values = keys.map(channels), before = after - 1, span = keys[after].time - keys[before].time, s = (time - keys[before].time) / span;
    const slopeAt = (k: number, c: number) => {
        if (k === 0 || k === keys.length - 1) return 0;
        const t0 = keys[k].time - keys[k - 1].time, t1 = keys[k + 1].time - keys[k].time;
        return slope((values[k][c] - values[k - 1][c]) / t0, (values[k + 1][c] - values[k][c]) / t1, t0, t1);
    };
    const at = values[before].map((a, c) => {
        const rise = values[after][c] - a;
        if (!smooth) return a + rise * s;
        return a + rise * s * s * (3 - 2 * s) + span * s * (1 - s) * ((1 - s) * slopeAt(before, c) - s * slopeAt(after, c));
    });
    return { move: new Vector3(...at.slice(0, 3)), turn: new Vector3(...at.slice(3, 6)), about: new Vector3(...at.slice(6, 9)) };
}

/** The same turn, as near to another as whole turns allow. */
function turnNear(turn: Quaternion, near: Vector3): JsonObject | null {
    const json = rotationJson(turn);
    const axis = json ? new Vector3().fromArray(json.axis as number[]) : near.clone().normalize(), degrees = json ? Number(json.degrees) : 0;
    const whole = 360 * Math.round((MathUtils.radToDeg(near.dot(axis)) - degrees) / 360);
    if (!json && !whole) return null;
    return { axis: json?.axis ?? axis.toArray(), degrees: degrees + whole };
}

const sameTime = 1e-3;  // s

/** Sets a key where a motion leads from what was there. The first key of all gets one at the start before it, to go from. */
export function setKey(content: JsonObject, thing: Path, center: Vector3, time: number, m: Motion): Edit | null {
    const entry = valueAt(content, thing);
    if (!isObject(entry)) return null;
    const keys = keysOf(entry, center), at = Math.round(1e4 * time) / 1e4;
    const now = poseAt(keys, at, entry.smooth !== false, center), pivot = placeOf(now, center);
    const move = pivot.clone().sub(now.about).add(now.about.clone().add(now.move).sub(pivot).applyQuaternion(m.turn)).add(m.move);
    const turn = turnNear(m.turn.clone().multiply(quaternionOf(now.turn)), now.turn), same = keys.find((key) => Math.abs(key.time - at) < sameTime);
    const fixed = same?.json.about ?? (now.about.distanceTo(center) > 1e-9 ? vectorJson(now.about) : undefined);
    const value: JsonObject = { time: same?.time ?? at, ...(move.length() > 1e-6 ? { move: vectorJson(move) } : {}), ...(turn ? { turn } : {}), ...(fixed !== undefined ? { about: fixed } : {}) };
    const list = [...keys.filter((key) => key !== same).map(({ json }) => json), value];
    if (!keys.length && at > sameTime) list.push({ time: 0 });
    return { label: 'Set key', changes: setChanges(content, [...thing, 'path'], sorted(list)) };
}

function sorted(list: JsonObject[]): JsonObject[] {
    return [...list].sort((a, b) => Number(a.time) - Number(b.time));
}

/** Puts a key to another time; not onto another key. */
export function shiftKey(content: JsonObject, thing: Path, index: number, time: number): Edit | null {
    const entry = valueAt(content, thing), list = isObject(entry) && Array.isArray(entry.path) ? (entry.path as JsonObject[]) : [];
    const at = Math.max(0, Math.round(1e4 * time) / 1e4);
    if (!list[index] || list.some((key, k) => k !== index && Math.abs(Number(key.time) - at) < sameTime)) return null;
    return { label: 'Move key', changes: setChanges(content, [...thing, 'path'], sorted(list.map((key, k) => (k === index ? { ...key, time: at } : key)))) };
}

export function removeKey(content: JsonObject, thing: Path, index: number): Edit | null {
    const entry = valueAt(content, thing), list = isObject(entry) && Array.isArray(entry.path) ? entry.path : [];
    if (list[index] === undefined) return null;
    return { label: 'Delete key', changes: setChanges(content, [...thing, 'path'], list.filter((_, k) => k !== index)) };
}
