// The things of a document that a person can point at: bodies and their copies, what holds and pushes them, obstacles, joints,
// water, camera. A thing is named by its path in the document, with identities: its key.
import { type Path, identityOf, pathOf, pointer, valueAt } from '../scene_editing/commands';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';

export type ThingKind = 'body' | 'instance' | 'pin' | 'handle' | 'force' | 'obstacle' | 'joint' | 'water' | 'camera';

export interface Thing {
    key: string;
    path: Path;
    kind: ThingKind;
    name: string;
    /** What it is called may be changed. */
    renamable: boolean;
    children: Thing[];
}

export function keyOfBody(identity: string): string {
    return pointer(pathOf(identity));
}

/** Identities hold no character that a pointer has to escape. */
export function pathOfKey(key: string): Path {
    return key.split('/').slice(1).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Does a body that runs ("BODY" or "BODY/COPY") belong to a thing: is it that body, one of its copies, or what a pin of it is on? */
export function belongsTo(identity: string, key: string): boolean {
    const [, list, body, inner, copy] = key.split('/');
    if (list !== 'bodies' || body !== `@${identity.split('/')[0]}`) return false;
    return inner !== 'instances' || copy === undefined || `@${identity.split('/')[1]}` === copy;
}

export function kindOfKey(key: string): ThingKind {
    const parts = key.split('/').slice(1), list = parts[parts.length - 2];
    if (parts.length === 1) return parts[0] === 'camera' ? 'camera' : 'water';
    return ({ bodies: 'body', instances: 'instance', pins: 'pin', handles: 'handle', forces: 'force', joints: 'joint' } as Record<string, ThingKind>)[list] ?? 'obstacle';
}

/** Key of the body or copy that a pin, handle or force belongs to, or the thing itself. */
export function ownerOf(key: string): string {
    return ['pin', 'handle', 'force'].includes(kindOfKey(key)) ? key.split('/').slice(0, -2).join('/') : key;
}

const shapes = ['plane', 'box', 'sphere', 'capsule', 'mesh'] as const;
const shapeWords: Record<string, string> = { plane: 'Plane', box: 'Box', sphere: 'Ball', capsule: 'Rod', mesh: 'Mesh' };

export function shapeOf(obstacle: JsonObject): (typeof shapes)[number] {
    return shapes.find((shape) => shape in obstacle) ?? 'box';
}

/** By its own id, unless that is only a number that the studio wrote down; else by its shape. */
function obstacleName(obstacle: JsonObject): string {
    if (typeof obstacle.id === 'string' && !/^\d+$/.test(obstacle.id)) return obstacle.id;
    const shape = shapeOf(obstacle), inner = obstacle[shape];
    if (shape === 'plane' && isObject(inner)) {
        const [x, y, z] = Array.isArray(inner.normal) ? (inner.normal as number[]) : [0, 1, 0];
        if (y > 0.99 * Math.hypot(x, y, z)) return 'Floor';
    }
    return shape === 'mesh' && isObject(inner) && inner.container === true ? 'Bowl' : shapeWords[shape];
}

const jointWords: Record<string, string> = { weld: 'Glue', ball: 'Ball joint', hinge: 'Hinge', rope: 'Rope' };

export function kindOfJoint(joint: JsonObject): string {
    return Object.keys(jointWords).find((kind) => kind in joint) ?? 'ball';
}

/** "Hinge of wheel and car", "Rope of lamp". */
function jointName(joint: JsonObject): string {
    return `${jointWords[kindOfJoint(joint)]} of ${String(joint.body)}${joint.to === undefined ? '' : ` and ${String(joint.to)}`}`;
}

function list(value: Json | undefined): Json[] {
    return Array.isArray(value) ? value : [];
}

function thing(path: Path, kind: ThingKind, name: string, renamable = false, children: Thing[] = []): Thing {
    return { key: pointer(path), path, kind, name, renamable, children };
}

/** What holds and pushes a body or a copy of it. */
function gripsOf(owner: JsonObject, path: Path): Thing[] {
    const some = (key: string, kind: ThingKind, word: string) => list(owner[key]).map((_, k, all) => thing([...path, key, k], kind, all.length > 1 ? `${word} ${k + 1}` : word));
    return [...some('pins', 'pin', 'Pin'), ...some('handles', 'handle', 'Handle'), ...some('forces', 'force', 'Force')];
}

function bodyThing(body: JsonObject, index: number): Thing {
    const path = ['bodies', `@${identityOf(body, index)}`];
    const copies = list(body.instances).map((copy, k) => {
        const at = [...path, 'instances', `@${identityOf(copy, k)}`], own = isObject(copy) ? copy : {};
        return thing(at, 'instance', `Copy ${identityOf(copy, k)}`, true, gripsOf(own, at));
    });
    return thing(path, 'body', String(body.name), true, [...copies, ...gripsOf(body, path)]);
}

/** All of them as a tree, in the order of the document. */
export function thingsOf(content: JsonObject): Thing[] {
    const obstacles = list(content.obstacles).filter(isObject), joints = list(content.joints).filter(isObject);
    const names = obstacles.map(obstacleName);
    const numbered = (k: number) => {
        const same = names.filter((name) => name === names[k]).length;
        return same > 1 ? `${names[k]} ${names.slice(0, k + 1).filter((name) => name === names[k]).length}` : names[k];
    };
    return [
        ...list(content.bodies).filter(isObject).map(bodyThing),
        ...obstacles.map((obstacle, k) => thing(['obstacles', `@${identityOf(obstacle, k)}`], 'obstacle', numbered(k), true)),
        ...joints.map((joint, k) => thing(['joints', k], 'joint', jointName(joint))),
        ...(isObject(content.medium) && Object.keys(content.medium).length ? [thing(['medium'], 'water', 'Water or air')] : []),
        ...(isObject(content.camera) ? [thing(['camera'], 'camera', 'Camera')] : []),
    ];
}

export function allThings(things: readonly Thing[]): Thing[] {
    return things.flatMap((one) => [one, ...allThings(one.children)]);
}

/** Those keys that are still in the document. */
export function stillThere(content: JsonObject, keys: readonly string[]): string[] {
    return keys.filter((key) => valueAt(content, pathOfKey(key)) !== undefined);
}

/** Number of an obstacle among the obstacles; -1: it is none, or gone. */
export function obstacleNumber(content: JsonObject, key: string): number {
    return list(content.obstacles).findIndex((obstacle, k) => key === `/obstacles/@${identityOf(obstacle, k)}`);
}

/** Obstacles that only report, by their number, with the names of the bodies in each. */
export function sensorsOf(content: JsonObject, sensed: readonly { sensor: string; body: string }[]): Map<number, string[]> {
    const inside = new Map<number, string[]>();
    list(content.obstacles).forEach((obstacle, k) => {
        if (isObject(obstacle) && obstacle.sensor === true) inside.set(k, sensed.filter(({ sensor }) => sensor === identityOf(obstacle, k)).map(({ body }) => body));
    });
    return inside;
}
