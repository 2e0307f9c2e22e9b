// Where the bodies and obstacles of a document start, as matrices, and the edits that move, turn and scale them together.
import { Euler, MathUtils, Matrix4, Quaternion, Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { identityOf, pointer, removeChanges, setChanges, valueAt } from './commands';
import { type Json, type JsonObject, isObject } from './schema';
import { kindOfKey, pathOfKey, shapeOf } from '../state/things';

/** x -> about + move + turn (scale (x - about)). */
export interface Motion {
    about: Vector3;
    move: Vector3;
    turn: Quaternion;
    scale: number;
}

export function motion(part: Partial<Motion> = {}): Motion {
    return { about: new Vector3(), move: new Vector3(), turn: new Quaternion(), scale: 1, ...part };
}

export function matrixOf({ about, move, turn, scale }: Motion): Matrix4 {
    const back = about.clone().multiplyScalar(-scale).applyQuaternion(turn);
    return new Matrix4().compose(back.add(about).add(move), turn, new Vector3(scale, scale, scale));
}

const least = 1e-6, most = 1e6;  // of scales, as the schema has them

// ---- numbers of the document

function vector(value: Json | undefined, fallback: [number, number, number] = [0, 0, 0]): Vector3 {
    return new Vector3().fromArray(Array.isArray(value) ? (value as number[]) : fallback);
}

export function rotation(value: Json | undefined): Quaternion {
    if (!isObject(value)) return new Quaternion();
    return new Quaternion().setFromAxisAngle(vector(value.axis, [0, 1, 0]).normalize(), MathUtils.degToRad(Number(value.degrees)));
}

function tidy(x: number, step: number): number {
    return Number((Math.round(x / step) * step).toPrecision(12)) || 0;
}

/** To a hundredth of a millimetre. */
export function vectorJson(v: Vector3): Json[] {
    return v.toArray().map((x) => tidy(x, 1e-5));
}

/** null: no turn. */
export function rotationJson(q: Quaternion): JsonObject | null {
    const unit = q.clone().normalize();
    if (unit.w < 0) unit.set(-unit.x, -unit.y, -unit.z, -unit.w);
    const axis = new Vector3(unit.x, unit.y, unit.z), degrees = tidy(MathUtils.radToDeg(2 * Math.atan2(axis.length(), unit.w)), 1e-3);
    if (degrees === 0) return null;
    return { axis: axis.normalize().toArray().map((x) => tidy(x, 1e-6)), degrees };
}

/** Degrees about x, then y, then z: what a person types. */
export function degreesOf(q: Quaternion): Vector3 {
    const { x, y, z } = new Euler().setFromQuaternion(q, 'ZYX');
    return new Vector3(x, y, z).multiplyScalar(MathUtils.RAD2DEG);
}

export function fromDegrees(v: Vector3): Quaternion {
    const [x, y, z] = v.toArray().map((a) => MathUtils.degToRad(a));
    return new Quaternion().setFromEuler(new Euler(x, y, z, 'ZYX'));
}

// ---- where things are

interface Frame {
    turn: Quaternion;
    move: Vector3;
}

function frameOf(value: Json | undefined): Frame {
    const place = isObject(value) ? value : {};
    return { turn: rotation(place.rotate), move: vector(place.translate) };
}

/** From the rest shape of a body, or of a copy of it, to where it starts; its scale is part of the rest shape. */
export function startOfBody(content: JsonObject, identity: string): Matrix4 {
    const [name, copy] = identity.split('/');
    const body = valueAt(content, ['bodies', `@${name}`]);
    const { turn, move } = frameOf(isObject(body) ? body.place : undefined);
    const place = new Matrix4().compose(move, turn, new Vector3(1, 1, 1));
    if (copy === undefined) return place;
    const own = frameOf(valueAt(content, ['bodies', `@${name}`, 'instances', `@${copy}`]));
    return new Matrix4().compose(own.move, own.turn, new Vector3(1, 1, 1)).multiply(place);
}

export function scaleOfBody(content: JsonObject, identity: string): number {
    return Number(valueAt(content, ['bodies', `@${identity.split('/')[0]}`, 'place', 'scale']) ?? 1);
}

/** Middle of an obstacle, and its turn; a plane has the point that names it. */
export function obstacleFrame(obstacle: JsonObject): Frame {
    const shape = shapeOf(obstacle), inner = obstacle[shape] as JsonObject;
    switch (shape) {
        case 'capsule': return { turn: new Quaternion(), move: vector(inner.from).add(vector(inner.to)).multiplyScalar(0.5) };
        case 'plane': return { turn: new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), vector(inner.normal, [0, 1, 0]).normalize()), move: vector(inner.point) };
        case 'mesh': return frameOf(inner);
        default: return { turn: rotation(inner.rotate), move: vector(inner.center) };
    }
}

// ---- moved

function moved(v: Vector3, m: Motion): Vector3 {
    return v.applyMatrix4(matrixOf(m));
}

function scaled(value: Json | undefined, fallback: number, { scale }: Motion): number {
    return Number(Math.min(most, Math.max(least, Number(value ?? fallback) * scale)).toPrecision(6));
}

/** Sets or, where nothing is to be said, takes out. */
function put(content: JsonObject, path: Array<string | number>, value: Json | null): Change[] {
    return value === null ? removeChanges(content, path) : setChanges(content, path, value);
}

function movedFrame(place: JsonObject, m: Motion, scales: boolean): JsonObject {
    const { rotate: _, translate: __, ...rest } = place, { turn, move } = frameOf(place);
    const next: JsonObject = { ...rest };
    if (scales && m.scale !== 1) next.scale = scaled(place.scale, 1, m);
    const turned = rotationJson(m.turn.clone().multiply(turn));
    if (turned) next.rotate = turned;
    return { ...next, translate: vectorJson(moved(move, m)) };
}

function movedObstacle(obstacle: JsonObject, m: Motion): JsonObject {
    const shape = shapeOf(obstacle), inner = obstacle[shape] as JsonObject;
    const at = (key: string) => vectorJson(moved(vector(inner[key]), m));
    switch (shape) {
        case 'sphere': return { ...inner, center: at('center'), radius: scaled(inner.radius, 1, m) };
        case 'capsule': return { ...inner, from: at('from'), to: at('to'), radius: scaled(inner.radius, 1, m) };
        case 'plane': return { ...inner, point: at('point'), normal: vector(inner.normal, [0, 1, 0]).applyQuaternion(m.turn).toArray().map((x) => tidy(x, 1e-6)) };
        case 'mesh': return movedFrame(inner, m, true);
        case 'box': {
            const { rotate: _, ...rest } = inner, turn = rotationJson(m.turn.clone().multiply(rotation(inner.rotate)));
            const size = (inner.size as number[]).map((x) => scaled(x, 1, m));
            return { ...rest, size, center: at('center'), ...(turn ? { rotate: turn } : {}) };
        }
    }
}

/** Points that turns of handles go about stay where they are on the body. */
function movedPaths(content: JsonObject, owner: Array<string | number>, m: Motion): Change[] {
    const handles = valueAt(content, [...owner, 'handles']);
    return (Array.isArray(handles) ? handles : []).flatMap((handle, h) => (isObject(handle) && Array.isArray(handle.path) ? handle.path : []).flatMap((key, k) => {
        if (!isObject(key) || !Array.isArray(key.about)) return [];
        return [{ op: 'replace' as const, path: pointer([...owner, 'handles', h, 'path', k, 'about']), value: vectorJson(moved(vector(key.about), m)) }];
    }));
}

/** A body with copies is its copies: keys as a motion means them, each thing once. */
export function movableKeys(content: JsonObject, keys: readonly string[]): string[] {
    const all = keys.filter((key) => valueAt(content, pathOfKey(key)) !== undefined).flatMap((key) => {
        const kind = kindOfKey(key);
        if (kind === 'obstacle' || kind === 'instance') return [key];
        if (kind !== 'body') return [];
        const copies = valueAt(content, [...pathOfKey(key), 'instances']);
        return Array.isArray(copies) && copies.length ? copies.map((copy, k) => `${key}/instances/@${identityOf(copy, k)}`) : [key];
    });
    return [...new Set(all)];
}

export type Moved = { changes: Change[] } | { problem: string };

/** The changes that move things together; or why they cannot be. */
export function moveChanges(content: JsonObject, keys: readonly string[], m: Motion): Moved {
    if (!(m.scale > 0) || !Number.isFinite(m.scale)) return { problem: 'Nothing can be scaled to zero or turned inside out.' };
    const changes: Change[] = [], grown = new Set<string>();
    for (const key of movableKeys(content, keys)) {
        const path = pathOfKey(key), found = valueAt(content, path);
        if (found === undefined || !isObject(found)) continue;
        if (kindOfKey(key) === 'obstacle') {
            changes.push({ op: 'replace', path: pointer([...path, shapeOf(found)]), value: movedObstacle(found, m) });
            continue;
        }
        if (kindOfKey(key) === 'body') {
            changes.push(...put(content, [...path, 'place'], movedFrame(isObject(found.place) ? found.place : {}, m, true)));
        } else {
            const body = path.slice(0, 2), siblings = valueAt(content, [...body, 'instances']) as Json[];
            if (m.scale !== 1 && !siblings.every((copy, k) => movableKeys(content, keys).includes(`${pointer(body)}/instances/@${identityOf(copy, k)}`)))
                return { problem: 'Copies of a body share its size: choose the body to scale all of them.' };
            if (m.scale !== 1 && !grown.has(pointer(body))) {
                grown.add(pointer(body));
                const place = valueAt(content, [...body, 'place']), own = isObject(place) ? place : {};
                changes.push(...put(content, [...body, 'place'], { ...own, scale: scaled(own.scale, 1, m), translate: vectorJson(vector(own.translate).multiplyScalar(m.scale)) }));
            }
            changes.push({ op: 'replace', path: pointer(path), value: movedFrame(found, m, false) });
        }
        changes.push(...movedPaths(content, path, m));
    }
    return { changes };
}
