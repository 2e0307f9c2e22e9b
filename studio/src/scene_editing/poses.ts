// Example shapes of a body in the document: its poses, and the edits that make, order, mirror and remove them.
import { Quaternion, Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { bodyEntry, bodyPath } from '../painting/target';
import { type Edit, type Path, pointer, setChanges, valueAt } from './commands';
import { type Json, type JsonObject, isObject } from './schema';
import { freeName } from './starts';

export type Axis = 'x' | 'y' | 'z';
export const axes: readonly Axis[] = ['x', 'y', 'z'];

export interface PoseHandle extends JsonObject {
    at: number[];
    radius: number;
    move: number[];
    /** An axis times degrees. */
    turn: number[];
}

export interface PoseTouch extends JsonObject {
    brush: string;
    at: number[];
    radius: number;
}

export const most = 32;

function examplesPath(body: string): Path {
    return [...bodyPath(body), 'matching', 'examples'];
}

export function posesPath(body: string): Path {
    return [...examplesPath(body), 'poses'];
}

export function examplesOf(content: JsonObject | null, body: string): JsonObject | null {
    const entry = content && bodyEntry(content, body), matching = isObject(entry?.matching) ? entry.matching : null;
    return isObject(matching?.examples) ? matching.examples : null;
}

export function posesOf(content: JsonObject | null, body: string): JsonObject[] {
    const poses = examplesOf(content, body)?.poses;
    return Array.isArray(poses) ? poses.filter(isObject) : [];
}

/** Why a body can have no example shapes; null: it can. */
export function refusal(content: JsonObject | null, body: string): string | null {
    const entry = content && bodyEntry(content, body);
    if (!entry) return 'Choose a body.';
    if (isObject(entry.fem)) return 'This body is made of finite elements: example shapes are for bodies simulated by shape matching. The Material desk changes the method.';
    if (isObject(entry.rigid)) return 'This body is rigid: it keeps its shape.';
    return null;
}

/** The other end of a handle that is a line. */
export function endOf(handle: PoseHandle): number[] | null {
    return Array.isArray(handle.to) ? (handle.to as number[]) : null;
}

export function handlesOf(pose: JsonObject | null): PoseHandle[] {
    const list = Array.isArray(pose?.handles) ? pose.handles.filter(isObject) : [];
    return list.map((handle) => ({ radius: 0, move: [0, 0, 0], turn: [0, 0, 0], ...handle }) as PoseHandle);
}

/** The shape that handles act on; null: the rest shape. */
export function beforeHandles(pose: JsonObject | null): JsonObject | null {
    if (!pose) return null;
    const { handles: _, touches: __, ...rest } = pose;
    return ['deform', 'vertices', 'surface', 'captured'].some((key) => key in rest) ? rest : null;
}

/** What made it, in a few words. */
export function originOf(pose: JsonObject): string {
    const parts: string[] = [];
    if ('captured' in pose) parts.push('captured');
    for (const key of ['surface', 'vertices']) if (typeof pose[key] === 'string') parts.push(String(pose[key]).split('/').pop()! + (pose.shape ? `, ${pose.shape}` : pose.frame !== undefined ? `, frame ${pose.frame}` : ''));
    if (Array.isArray(pose.deform)) parts.push(pose.deform.filter(isObject).map((one) => Object.keys(one)[0]).join(', '));
    const count = (list: Json | undefined, one: string) => { if (Array.isArray(list)) parts.push(`${list.length} ${one}${list.length > 1 ? (one.endsWith('h') ? 'es' : 's') : ''}`); };
    count(pose.handles, 'handle');
    count(pose.touches, 'touch');
    if (pose.mirror) parts.push('mirrored');
    return parts.join(' · ');
}

// ---- edits

/** One pose more; a body without examples gets them. */
export function addPose(content: JsonObject, body: string, pose: JsonObject, label: string): Edit {
    const poses = posesOf(content, body), named = { ...pose, name: freeName(poses, String(pose.name)) };
    const changes: Change[] = poses.length ? [{ op: 'add', path: `${pointer(posesPath(body))}/-`, value: named }] : setChanges(content, examplesPath(body), { poses: [named] });
    return { label, changes };
}

export function setPose(content: JsonObject, body: string, index: number, pose: JsonObject, label: string): Edit | null {
    return index < posesOf(content, body).length ? { label, changes: [{ op: 'replace', path: `${pointer(posesPath(body))}/${index}`, value: pose }] } : null;
}

/** Plots and cues that name a pose follow its name, or go with it (null). */
function follow(content: JsonObject, body: string, from: string, to: string | null): Change[] {
    const changes: Change[] = [], measures = Array.isArray(content.measures) ? content.measures : [];
    const own = String(bodyEntry(content, body)?.name ?? body);
    for (let k = measures.length - 1; k >= 0; --k) {
        const measure = measures[k];
        if (!isObject(measure) || measure.what !== 'weight' || measure.example !== from || (measure.body !== undefined && ![own, body].includes(String(measure.body)))) continue;
        changes.push(to === null ? { op: 'remove', path: `/measures/${k}` } : { op: 'replace', path: `/measures/${k}/example`, value: to });
    }
    const cues = examplesOf(content, body)?.cues, path = pointer([...examplesPath(body), 'cues']);
    for (let k = Array.isArray(cues) ? cues.length - 1 : -1; k >= 0; --k) {
        const cue = (cues as Json[])[k];
        if (isObject(cue) && cue.pose === from) changes.push(to === null ? { op: 'remove', path: `${path}/${k}` } : { op: 'replace', path: `${path}/${k}/pose`, value: to });
    }
    return changes;
}

export function renamePose(content: JsonObject, body: string, index: number, name: string): Edit | null {
    const poses = posesOf(content, body), from = String(poses[index]?.name), to = freeName(poses.filter((_, k) => k !== index), name);
    if (!poses[index] || from === to) return null;
    return { label: `Name a pose ${to}`, changes: [...follow(content, body, from, to), { op: 'replace', path: `${pointer(posesPath(body))}/${index}/name`, value: to }] };
}

export function removePose(content: JsonObject, body: string, index: number): Edit | null {
    const poses = posesOf(content, body), gone = poses[index];
    if (!gone) return null;
    const changes = follow(content, body, String(gone.name), null);
    if (poses.length > 1) changes.push({ op: 'remove', path: `${pointer(posesPath(body))}/${index}` });
    else changes.push({ op: 'remove', path: pointer(examplesPath(body)) });
    return { label: `Delete the pose ${gone.name}`, changes };
}

/** To another place of the list, far away too. */
export function movePose(content: JsonObject, body: string, index: number, to: number): Edit | null {
    const poses = posesOf(content, body);
    if (index === to || !poses[index] || !poses[to]) return null;
    const path = pointer(posesPath(body));
    return { label: `Move the pose ${poses[index].name}`, changes: [{ op: 'remove', path: `${path}/${index}` }, { op: 'add', path: `${path}/${to}`, value: poses[index] }] };
}

export function insertPose(content: JsonObject, body: string, at: number, pose: JsonObject, label: string): Edit {
    return { label, changes: [{ op: 'add', path: `${pointer(posesPath(body))}/${at}`, value: { ...pose, name: freeName(posesOf(content, body), String(pose.name)) } }] };
}

// ---- what awakens them besides the shape

export type CueSource = 'control' | 'speed' | 'contact';

/** What the examples of a body list under "cues" or "controls". */
export function listOf(content: JsonObject | null, body: string, key: 'cues' | 'controls'): JsonObject[] {
    const list = examplesOf(content, body)?.[key];
    return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The pose listens to one thing more; to a new control by its own name. */
export function addCue(content: JsonObject, body: string, pose: string, listens: CueSource): Edit {
    const cues = listOf(content, body, 'cues'), controls = listOf(content, body, 'controls'), path = examplesPath(body);
    const cue: JsonObject = { pose, listens }, changes: Change[] = [];
    if (listens === 'control') {
        cue.control = freeName(controls, pose);
        changes.push(...setChanges(content, [...path, 'controls'], [...controls, { name: cue.control, value: 0 }]));
    } else Object.assign(cue, listens === 'speed' ? { from: 1, to: 4 } : { from: 3, to: 6, fade: 0.5 });
    changes.push(...setChanges(content, [...path, 'cues'], [...cues, cue]));
    return { label: `Awaken ${pose} by ${listens === 'control' ? 'a slider' : listens === 'speed' ? 'speed' : 'a blow'}`, changes };
}

/** The cue goes, and with it the control that nobody listens to any more. */
export function removeCue(content: JsonObject, body: string, index: number): Edit | null {
    const cues = listOf(content, body, 'cues'), controls = listOf(content, body, 'controls'), path = examplesPath(body), gone = cues[index];
    if (!gone) return null;
    const left = cues.filter((_, k) => k !== index), heard = controls.filter(({ name }) => left.some(({ control }) => control === name) || name !== gone.control);
    const changes = setChanges(content, [...path, 'cues'], left);
    if (heard.length < controls.length) changes.push(...setChanges(content, [...path, 'controls'], heard));
    return { label: `${gone.pose} no longer listens`, changes };
}

/** The values that a control leads through: those that its cues tell apart. */
export function rangeOfControl(content: JsonObject | null, body: string, name: string): [number, number] {
    const cues = listOf(content, body, 'cues').filter(({ control }) => control === name);
    return [Math.min(0, ...cues.map(({ from }) => Number(from ?? 0))), Math.max(...(cues.length ? cues.map(({ to }) => Number(to ?? 1)) : [1]))];
}

/** "smile left" -> "smile right". */
export function mirroredName(name: string): string {
    const pairs: Array<[RegExp, string]> = [[/\bleft\b/, 'right'], [/\bright\b/, 'left'], [/\bLeft\b/, 'Right'], [/\bRight\b/, 'Left'], [/_l$/, '_r'], [/_r$/, '_l'], [/\.L$/, '.R'], [/\.R$/, '.L']];
    for (const [from, to] of pairs) if (from.test(name)) return name.replace(from, to);
    return `${name} mirrored`;
}

/** The two sides of an axis exchanged, about the middle of the body. What hands made is made anew on the other side; else the engine mirrors it. */
export function mirroredPose(pose: JsonObject, axis: Axis, middle: Vector3): JsonObject {
    const name = mirroredName(String(pose.name)), k = axes.indexOf(axis);
    if (pose.mirror === axis) {
        const { mirror: _, ...rest } = pose;
        return { ...rest, name };
    }
    if (pose.mirror || ['deform', 'vertices', 'surface'].some((key) => key in pose)) return { ...pose, name, mirror: axis };
    const place = (p: Json) => (p as number[]).map((x, i) => (i === k ? tidy(2 * middle.getComponent(k) - x) : x));
    const polar = (p: Json) => (p as number[]).map((x, i) => (i === k ? -x || 0 : x));
    const axial = (p: Json) => (p as number[]).map((x, i) => (i === k ? x : -x || 0));
    const next: JsonObject = { ...pose, name };
    if (isObject(pose.captured)) next.captured = { at: (pose.captured.at as Json[]).map(place), to: (pose.captured.to as Json[]).map(place) };
    if (Array.isArray(pose.handles)) next.handles = pose.handles.filter(isObject).map((one) => ({ ...one, at: place(one.at), ...(one.to ? { to: place(one.to) } : {}), ...(one.move ? { move: polar(one.move) } : {}), ...(one.turn ? { turn: axial(one.turn) } : {}) }));
    if (Array.isArray(pose.touches)) next.touches = pose.touches.filter(isObject).map((one) => ({ ...one, at: place(one.at), ...(one.by ? { by: one.brush === 'twist' ? axial(one.by) : polar(one.by) } : {}) }));
    return next;
}

/** Five digits. */
export function tidy(x: number): number {
    return Number(x.toPrecision(5)) || 0;
}

export function tidyVector(v: Vector3): number[] {
    return v.toArray().map(tidy);
}

/** More of a turn: both as an axis times degrees. Turns about the same axis add up, past half a turn too. */
export function turnedBy(turn: number[], by: Quaternion): number[] {
    const first = new Vector3().fromArray(turn), angle = first.length(), unit = by.clone().normalize();
    if (unit.w < 0) unit.set(-unit.x, -unit.y, -unit.z, -unit.w);
    const axis = new Vector3(unit.x, unit.y, unit.z), more = 2 * Math.atan2(axis.length(), unit.w) * (180 / Math.PI);
    if (axis.length() < 1e-9) return turn;
    axis.normalize();
    if (angle < 1e-9) return tidyVector(axis.multiplyScalar(more));
    const along = first.clone().normalize().dot(axis);
    if (Math.abs(along) > 0.999) return tidyVector(first.normalize().multiplyScalar(angle + Math.sign(along) * more));
    const whole = unit.multiply(new Quaternion().setFromAxisAngle(first.clone().normalize(), (angle * Math.PI) / 180));
    if (whole.w < 0) whole.set(-whole.x, -whole.y, -whole.z, -whole.w);
    const together = new Vector3(whole.x, whole.y, whole.z);
    return tidyVector(together.clone().normalize().multiplyScalar(2 * Math.atan2(together.length(), whole.w) * (180 / Math.PI)));
}

// ---- deformers

export interface DeformerKind {
    id: string;
    name: string;
    /** Key of its number, its unit, and where a person begins. */
    key: string;
    unit: string;
    first: number;
    towards: boolean;
}

export const deformerKinds: readonly DeformerKind[] = [
    { id: 'twist', name: 'Twist', key: 'degrees', unit: '°', first: 90, towards: false },
    { id: 'bend', name: 'Bend', key: 'degrees', unit: '°', first: 60, towards: true },
    { id: 'stretch', name: 'Lengthen', key: 'factor', unit: '×', first: 0.8, towards: false },
    { id: 'taper', name: 'Taper', key: 'factor', unit: '×', first: 0.5, towards: false },
    { id: 'shear', name: 'Shear', key: 'amount', unit: '', first: 0.3, towards: true },
];

export interface Deformer {
    kind: DeformerKind;
    axis: Axis;
    towards: Axis;
    value: number;
    range: [number, number];
    /** As the document has it. */
    json: JsonObject;
}

export function deformersOf(pose: JsonObject | null): Deformer[] {
    const list = Array.isArray(pose?.deform) ? pose.deform.filter(isObject) : [];
    return list.flatMap((one) => {
        const kind = deformerKinds.find(({ id }) => isObject(one[id]));
        if (!kind) return [];
        const json = one[kind.id] as JsonObject;
        return [{ kind, json, axis: (json.axis ?? 'y') as Axis, towards: (json.towards ?? 'x') as Axis, value: Number(json[kind.key]), range: (json.range ?? [0, 1]) as [number, number] }];
    });
}

/** A new one along the longest axis of a body. */
export function newDeformer(kind: DeformerKind, size: Vector3): JsonObject {
    const axis = axes[size.toArray().indexOf(Math.max(...size.toArray()))];
    const across = axes.find((other) => other !== axis)!;
    return { [kind.id]: { axis, ...(kind.towards ? { towards: across } : {}), [kind.key]: kind.first } };
}

/** The pose with one of its deformers changed; null: taken away. */
export function withDeformer(pose: JsonObject, index: number, json: JsonObject | null): JsonObject {
    const list = (pose.deform as JsonObject[]).flatMap((one, k) => (k !== index ? [one] : json ? [{ [Object.keys(one)[0]]: json }] : []));
    const { deform: _, ...rest } = pose;
    return list.length ? { ...rest, deform: list } : rest;
}

/** It has something that makes a shape. */
export function isMade(pose: JsonObject): boolean {
    return ['deform', 'vertices', 'surface', 'captured', 'handles', 'touches'].some((key) => key in pose);
}

export function poseAt(content: JsonObject | null, body: string, index: number | null): JsonObject | null {
    return index === null || !content ? null : ((valueAt(content, [...posesPath(body), index]) as JsonObject | undefined) ?? null);
}
