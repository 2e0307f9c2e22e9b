// The tree of a volume model as a person works on it: nodes by their path, and edits of its structure. Each edit makes a new
// root; what differs is one patch.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { type Path, pointer } from './commands';
import { type Json, type JsonObject, isObject } from './schema';

/** Within the model: ['root', 'args', 0]. */
export type NodePath = Path;

export const operators = ['union', 'intersection', 'difference', 'blend', 'cap', 'trim'] as const;
export const repeats = ['mirror', 'line', 'ring'] as const;
export const shapes = ['sphere', 'cube', 'cylinder', 'cone', 'capsule', 'torus', 'tube', 'noise'] as const;
export type Operator = (typeof operators)[number];
export type RepeatKind = (typeof repeats)[number];
export type ShapeKind = (typeof shapes)[number];

/** What a person reads. */
export const nodeWords: Record<string, string> = {
    union: 'Union', intersection: 'Intersection', difference: 'Difference', blend: 'Blend', cap: 'Cap', trim: 'Trim', mirror: 'Mirror', line: 'Row', ring: 'Ring',
    sphere: 'Ball', cube: 'Box', cylinder: 'Cylinder', cone: 'Cone', capsule: 'Capsule', torus: 'Torus', tube: 'Tube', noise: 'Noise', mesh: 'Mesh file', volume: 'Volume file',
};
export const operatorAbout: Record<Operator, string> = {
    union: 'All of them; the stiffest wins', intersection: 'Only where all of them are', difference: 'The first without the others', blend: 'All of them; stiffness adds up, colours mix',
    cap: 'The first where it is not above the second', trim: 'The first where it is not below the second',
};
export const roundable = new Set<string>(['union', 'intersection', 'difference']);
const pairs = new Set<string>(['cap', 'trim']);

// ---- nodes

export function keyOf(path: NodePath): string {
    return path.join('/');
}

export function pathOf(key: string): NodePath {
    return key.split('/').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

export function kindOf(node: JsonObject): string {
    return String(node.op ?? node.repeat ?? node.prim);
}

export function isLeaf(node: JsonObject): boolean {
    return 'prim' in node;
}

export function childrenOf(node: JsonObject): Array<{ step: NodePath; node: JsonObject }> {
    if (Array.isArray(node.args)) return node.args.map((child, k) => ({ step: ['args', k], node: child as JsonObject }));
    return isObject(node.of) ? [{ step: ['of'], node: node.of }] : [];
}

export function nodeAt(model: JsonObject, path: NodePath): JsonObject | null {
    let value: Json | undefined = model;
    for (const part of path) value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
    return isObject(value) ? value : null;
}

export function parentOf(path: NodePath): NodePath | null {
    if (path.length <= 1) return null;
    return path.slice(0, path[path.length - 1] === 'of' ? -1 : -2);
}

export function nodeName(node: JsonObject): string {
    return typeof node.name === 'string' && node.name ? node.name : nodeWords[kindOf(node)];
}

export function allNodes(model: JsonObject, path: NodePath = ['root']): Array<{ path: NodePath; node: JsonObject }> {
    const node = nodeAt(model, path);
    return node ? [{ path, node }, ...childrenOf(node).flatMap(({ step }) => allNodes(model, [...path, ...step]))] : [];
}

// ---- places

function vector(value: Json | undefined, fallback: number): Vector3 {
    if (typeof value === 'number') return new Vector3(value, value, value);
    return Array.isArray(value) ? new Vector3().fromArray(value as number[]) : new Vector3(fallback, fallback, fallback);
}

export interface NodePlace {
    move: Vector3;
    turn: Quaternion;
    scale: Vector3;
}

export function placeOf(node: JsonObject): NodePlace {
    const transform = isObject(node.transform) ? node.transform : {};
    const turn = Array.isArray(transform.rotate) ? new Quaternion().fromArray(transform.rotate as number[]).normalize() : new Quaternion();
    return { move: vector(transform.translate, 0), turn, scale: vector(transform.scale, 1) };
}

export function matrixOfNode(node: JsonObject): Matrix4 {
    const { move, turn, scale } = placeOf(node);
    return new Matrix4().compose(move, turn, scale);
}

/** From the coordinates around a node to those of the model. */
export function matrixAbove(model: JsonObject, path: NodePath): Matrix4 {
    const above: JsonObject[] = [];
    for (let at = parentOf(path); at; at = parentOf(at)) above.push(nodeAt(model, at)!);
    return above.reverse().reduce((all, node) => all.multiply(matrixOfNode(node)), new Matrix4());
}

const tidy = (x: number, digits = 5) => Number(x.toFixed(digits)) || 0;

/** Nothing that is not needed is written. */
export function transformJson({ move, turn, scale }: NodePlace): JsonObject {
    const unit = turn.clone().normalize(), { x, y, z } = scale;
    if (unit.w < 0) unit.set(-unit.x, -unit.y, -unit.z, -unit.w);
    const even = Math.abs(x - y) < 1e-9 && Math.abs(y - z) < 1e-9;
    return {
        ...(move.toArray().some((c) => tidy(c) !== 0) ? { translate: move.toArray().map((c) => tidy(c)) } : {}),
        ...(unit.w < 1 - 1e-10 ? { rotate: unit.toArray().map((c) => tidy(c, 8)) } : {}),
        ...(even && Math.abs(x - 1) < 1e-9 ? {} : { scale: even ? tidy(x, 6) : scale.toArray().map((c) => tidy(c, 6)) }),
    };
}

export function withPlace(node: JsonObject, place: NodePlace): JsonObject {
    const { transform: _, ...rest } = node, transform = transformJson(place);
    return Object.keys(transform).length ? { ...rest, transform } : rest;
}

function placeFrom(matrix: Matrix4): NodePlace {
    const place = { move: new Vector3(), turn: new Quaternion(), scale: new Vector3() };
    matrix.decompose(place.move, place.turn, place.scale);
    return place;
}

// ---- sizes

/** Half the size of a shape along its own axes, about its origin. */
export function halfSize(node: JsonObject): Vector3 {
    const r = Number(node.radius ?? 0), half = Number(node.height ?? 0) / 2, side = vector(node.side, 1).multiplyScalar(0.5);
    switch (node.prim) {
        case 'sphere': return new Vector3(r, r, r);
        case 'cylinder': case 'cone': return new Vector3(r, half, r);
        case 'capsule': return new Vector3(r, half + r, r);
        case 'torus': return new Vector3(r + Number(node.tube), Number(node.tube), r + Number(node.tube));
        case 'tube': {
            const far = new Vector3();
            for (const point of (node.points as number[][]) ?? []) far.max(new Vector3(...point.map(Math.abs) as [number, number, number]));
            return far.addScalar(r);
        }
        default: return side;
    }
}

/** Sizes of a shape that fills a box about as large. */
export function sizedShape(prim: ShapeKind, half: Vector3): JsonObject {
    const { x, y } = half, round = tidy((half.x + half.z) / 2, 4), height = tidy(2 * y, 4), sides = half.toArray().map((c) => tidy(2 * c, 4));
    const side: Json = sides.every((c) => c === sides[0]) ? sides[0] : sides;
    switch (prim) {
        case 'sphere': return { prim, radius: tidy((half.x + half.y + half.z) / 3, 4) };
        case 'cube': return { prim, side };
        case 'cylinder': case 'cone': return { prim, radius: round, height };
        case 'capsule': return { prim, radius: tidy(Math.min(round, y), 4), height: tidy(Math.max(2 * (y - round), 0.2 * y), 4) };
        case 'torus': return { prim, radius: tidy(0.75 * round, 4), tube: tidy(0.25 * round, 4) };
        case 'tube': return { prim, radius: tidy(0.2 * x, 4), points: [[tidy(-0.8 * x), 0, 0], [tidy(0.8 * x), 0, 0]] };
        case 'noise': return { prim, side, grain: tidy(x / 2, 4), share: 0.5 };
    }
}

/** Box of a node in the coordinates around it, about: repetitions are not counted. */
export function boxOf(node: JsonObject): { low: Vector3; high: Vector3 } {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate();
    const visit = (at: JsonObject, around: Matrix4) => {
        const matrix = around.clone().multiply(matrixOfNode(at));
        if (isLeaf(at)) {
            const half = halfSize(at);
            for (let k = 0; k < 8; ++k) {
                const corner = new Vector3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z).applyMatrix4(matrix);
                low.min(corner);
                high.max(corner);
            }
        }
        // What is taken away or cuts does not make a thing larger.
        const children = childrenOf(at), counted = ['difference', 'cap', 'trim'].includes(kindOf(at)) ? children.slice(0, 1) : children;
        for (const child of counted) visit(child.node, matrix);
    };
    visit(node, new Matrix4());
    return { low, high };
}

// ---- edits of the structure

/** Why an edit cannot be. */
export class TreeProblem extends Error {}

export interface TreeEdit {
    label: string;
    root: JsonObject;
    /** Paths of what is chosen after it. */
    chosen: NodePath[];
    /** Where nodes went: by their keys before. */
    moved: Map<string, string>;
}

/** A copy that is changed in place; nodes are told apart by what they were. */
class Work {
    readonly root: JsonObject;
    private readonly before = new Map<JsonObject, string>();
    private readonly holder: JsonObject;

    constructor(model: JsonObject) {
        this.root = this.copy(model.root as JsonObject, ['root']);
        this.holder = { root: this.root };
    }

    private copy(node: JsonObject, path: NodePath): JsonObject {
        const made: JsonObject = { ...node };
        if (Array.isArray(node.args)) made.args = node.args.map((child, k) => this.copy(child as JsonObject, [...path, 'args', k]));
        if (isObject(node.of)) made.of = this.copy(node.of, [...path, 'of']);
        this.before.set(made, keyOf(path));
        return made;
    }

    at(path: NodePath): JsonObject {
        const node = nodeAt(this.holder, path);
        if (!node) throw new TreeProblem('This node is gone.');
        return node;
    }

    private holderOf(node: JsonObject): { node: JsonObject; key: string; index: number } | null {
        const search = (at: JsonObject): { node: JsonObject; key: string; index: number } | null => {
            const args = Array.isArray(at.args) ? at.args : [], index = args.indexOf(node);
            if (index >= 0) return { node: at, key: 'args', index };
            if (at.of === node) return { node: at, key: 'of', index: -1 };
            for (const { node: child } of childrenOf(at)) {
                const found = search(child);
                if (found) return found;
            }
            return null;
        };
        return search(this.holder.root as JsonObject);
    }

    operatorAbove(node: JsonObject): JsonObject | null {
        const holder = this.holderOf(node);
        return holder?.key === 'args' ? holder.node : null;
    }

    replace(node: JsonObject, by: JsonObject): void {
        const holder = this.holderOf(node);
        if (!holder) this.holder.root = by;
        else if (holder.key === 'of') holder.node.of = by;
        else (holder.node.args as Json[])[holder.index] = by;
    }

    /** Takes a node out; an operator that is left with one part becomes that part. */
    remove(node: JsonObject): void {
        const holder = this.holderOf(node);
        if (!holder) throw new TreeProblem('The last part of a model cannot be removed: remove the body instead.');
        if (holder.key === 'of') return this.remove(holder.node);
        const args = holder.node.args as JsonObject[];
        args.splice(holder.index, 1);
        if (args.length === 1) this.replace(holder.node, this.placedIn(args[0], holder.node));
    }

    /** With the placement of what was around it. */
    private placedIn(node: JsonObject, around: JsonObject): JsonObject {
        if (!isObject(around.transform)) return node;
        const place = transformJson(placeFrom(matrixOfNode(around).multiply(matrixOfNode(node))));
        delete node.transform;
        if (Object.keys(place).length) node.transform = place;
        return node;
    }

    insert(node: JsonObject, into: JsonObject, index: number): void {
        const args = into.args as JsonObject[];
        if (pairs.has(String(into.op)) && args.length >= 2) throw new TreeProblem(`A ${String(into.op)} takes exactly two parts.`);
        args.splice(index, 0, node);
    }

    matrixAbove(node: JsonObject): Matrix4 {
        return matrixAbove(this.holder, this.pathOf(node));
    }

    contains(node: JsonObject, other: JsonObject): boolean {
        return node === other || childrenOf(node).some(({ node: child }) => this.contains(child, other));
    }

    pathOf(node: JsonObject): NodePath {
        return allNodes(this.holder).find((found) => found.node === node)?.path ?? ['root'];
    }

    done(label: string, chosen: JsonObject[]): TreeEdit {
        const moved = new Map<string, string>(), all = allNodes(this.holder);
        for (const { path, node } of all) {
            const from = this.before.get(node);
            if (from !== undefined) moved.set(from, keyOf(path));
        }
        return { label, root: this.holder.root as JsonObject, chosen: chosen.map((node) => this.pathOf(node)), moved };
    }
}

/** Where a new node goes: into the chosen operator, or beside the chosen shape; a model of one shape becomes a union. */
export function addNode(model: JsonObject, at: NodePath, node: JsonObject): TreeEdit {
    const work = new Work(model), chosen = work.at(at), made = structuredClone(node);
    const into = Array.isArray(chosen.args) && !pairs.has(String(chosen.op)) ? chosen : work.operatorAbove(chosen);
    const united = (op: Json | undefined) => op === 'union';  // the newest part lies over the others, as layers do
    if (into && into !== chosen && !pairs.has(String(into.op))) work.insert(made, into, united(into.op) ? (into.args as Json[]).indexOf(chosen) : (into.args as Json[]).indexOf(chosen) + 1);
    else if (into === chosen) work.insert(made, chosen, united(chosen.op) ? 0 : (chosen.args as Json[]).length);
    else work.replace(chosen, { op: 'union', args: [made, chosen] });
    return work.done(`Add ${nodeName(node).toLowerCase()}`, [made]);
}

/** One node gets a partner; several beside each other become the parts of a new operator. */
export function wrapNodes(model: JsonObject, at: NodePath[], op: Operator, partner: JsonObject): TreeEdit {
    const work = new Work(model), nodes = at.map((path) => work.at(path));
    if (pairs.has(op) && nodes.length > 2) throw new TreeProblem(`A ${op} takes exactly two parts.`);
    const [first, ...others] = nodes, label = `Wrap in ${op}`;
    if (!others.length) {
        const made = structuredClone(partner);
        work.replace(first, { op, args: [first, made] });
        return work.done(label, [made]);
    }
    const above = work.operatorAbove(first);
    if (!above || others.some((node) => work.operatorAbove(node) !== above)) throw new TreeProblem('Only nodes beside each other can become the parts of one operator.');
    const args = above.args as JsonObject[], ordered = args.filter((node) => nodes.includes(node)), wrapped: JsonObject = { op, args: ordered };
    if (ordered.length === args.length) {
        if (pairs.has(String(above.op)) || String(above.op) === op) throw new TreeProblem('These are already all the parts of their operator: change that operator.');
        above.op = op;
        return work.done(label, [above]);
    }
    args[args.indexOf(ordered[0])] = wrapped;
    for (const node of ordered.slice(1)) args.splice(args.indexOf(node), 1);
    return work.done(label, [wrapped]);
}

/** Mirrored, in a row or in a ring: about the origin of what is around it, by its own size. */
export function repeatNode(model: JsonObject, at: NodePath, kind: RepeatKind): TreeEdit {
    const work = new Work(model), node = work.at(at), { low, high } = boxOf(node), size = high.clone().sub(low);
    const more: Record<RepeatKind, JsonObject> = {
        mirror: { normal: [1, 0, 0] }, line: { step: [tidy(1.1 * size.x, 4), 0, 0], count: 3 }, ring: { axis: [0, 1, 0], count: 6 },
    };
    const made: JsonObject = { repeat: kind, of: node, ...more[kind] };
    work.replace(node, made);
    return work.done(`Repeat by ${kind}`, [made]);
}

export function changeOperator(model: JsonObject, at: NodePath, op: Operator): TreeEdit {
    const work = new Work(model), node = work.at(at);
    if (pairs.has(op) && (node.args as Json[]).length > 2) throw new TreeProblem(`A ${op} takes exactly two parts; this has ${(node.args as Json[]).length}.`);
    node.op = op;
    if (!roundable.has(op)) delete node.radius;
    return work.done(`Change to ${op}`, [node]);
}

/** Another shape of about the same size, in the same place, with the same inside. */
export function changeShape(model: JsonObject, at: NodePath, prim: ShapeKind): TreeEdit {
    const work = new Work(model), node = work.at(at), { opacity, color, stiffness, transform, name } = node;
    const kept = Object.fromEntries(Object.entries({ opacity, color, stiffness, transform, name }).filter(([, value]) => value !== undefined));
    const made = { ...sizedShape(prim, halfSize(node)), ...kept } as JsonObject;
    work.replace(node, made);
    return work.done(`Change to ${nodeWords[prim].toLowerCase()}`, [made]);
}

export function removeNodes(model: JsonObject, at: NodePath[]): TreeEdit {
    const work = new Work(model), nodes = at.map((path) => work.at(path)), outer = nodes.filter((node) => !nodes.some((other) => other !== node && work.contains(other, node)));
    const beside = outer[0] && work.operatorAbove(outer[0]);
    const next = beside && (beside.args as JsonObject[]).find((node) => !outer.includes(node));
    for (const node of outer) work.remove(node);
    return work.done(outer.length === 1 ? `Delete ${nodeName(outer[0]).toLowerCase()}` : `Delete ${outer.length} nodes`, next ? [next] : []);
}

export function duplicateNodes(model: JsonObject, at: NodePath[]): TreeEdit {
    const work = new Work(model), nodes = at.map((path) => work.at(path));
    const made = nodes.map((node) => {
        const copy = structuredClone(node), into = work.operatorAbove(node);
        if (typeof copy.name === 'string' && copy.name) copy.name = `${copy.name} copy`;
        if (into && !pairs.has(String(into.op))) work.insert(copy, into, (into.args as Json[]).indexOf(node) + 1);
        else work.replace(node, { op: 'union', args: [node, copy] });
        return copy;
    });
    return work.done(nodes.length === 1 ? `Duplicate ${nodeName(nodes[0]).toLowerCase()}` : `Duplicate ${nodes.length} nodes`, made);
}

/** Into an operator, before the part with this number, or beside a shape. It stays where it is in the world. */
export function moveNodes(model: JsonObject, at: NodePath[], to: NodePath, index: number): TreeEdit {
    const work = new Work(model), nodes = at.map((path) => work.at(path)), target = work.at(to);
    if (nodes.some((node) => work.contains(node, target))) throw new TreeProblem('A node cannot become a part of itself.');
    const matrices = nodes.map((node) => work.matrixAbove(node));
    const args = target.args as JsonObject[] | undefined;
    if (!args) {  // onto a shape or a repetition: both together
        if (nodes.length > 1) throw new TreeProblem('Drop one node at a time onto a shape.');
        work.remove(nodes[0]);
        work.replace(target, { op: 'union', args: [target, nodes[0]] });
    } else {
        const before = args.slice(index).find((node) => !nodes.includes(node)) ?? null;
        for (const node of nodes) {
            const own = args.indexOf(node);
            if (own >= 0) args.splice(own, 1);
            else work.remove(node);
        }
        for (const node of nodes) work.insert(node, target, before ? args.indexOf(before) : args.length);
    }
    nodes.forEach((node, k) => {
        const above = work.matrixAbove(node);
        if (above.equals(matrices[k])) return;
        const place = transformJson(placeFrom(above.invert().multiply(matrices[k]).multiply(matrixOfNode(node))));
        delete node.transform;
        if (Object.keys(place).length) node.transform = place;
    });
    return work.done(nodes.length === 1 ? `Move ${nodeName(nodes[0]).toLowerCase()}` : `Move ${nodes.length} nodes`, nodes);
}

/** What differs between two roots, as one change as deep in the tree as can be. */
export function treeChanges(around: Path, before: JsonObject, after: JsonObject): Change[] {
    const path: NodePath = ['root'];
    for (let [a, b] = [before, after]; ;) {
        const own = ({ args: _, of: __, ...rest }: JsonObject) => JSON.stringify(rest);
        const [from, to] = [childrenOf(a), childrenOf(b)];
        const differing = from.map((_, k) => k).filter((k) => JSON.stringify(from[k].node) !== JSON.stringify(to[k]?.node));
        if (own(a) !== own(b) || from.length !== to.length || differing.length !== 1) {
            return differing.length || own(a) !== own(b) || from.length !== to.length ? [{ op: 'replace', path: pointer([...around, ...path]), value: b }] : [];
        }
        const [k] = differing;
        path.push(...from[k].step);
        [a, b] = [from[k].node, to[k].node];
    }
}

// ---- what is seen

/** The tree without nodes that are hidden; null: nothing is left. */
export function visibleNode(node: JsonObject, path: NodePath, hidden: ReadonlySet<string>): JsonObject | null {
    if (hidden.has(keyOf(path))) return null;
    const children = childrenOf(node);
    if (!children.length || !hidden.size) return node;
    const seen = children.map(({ step, node: child }) => visibleNode(child, [...path, ...step], hidden));
    if (isObject(node.of)) return seen[0] && { ...node, of: seen[0] };
    if (['difference', 'cap', 'trim'].includes(kindOf(node)) && !seen[0]) return null;
    const left = seen.filter((child): child is JsonObject => child !== null);
    if (left.length > 1) return { ...node, args: left };
    if (!left.length) return null;
    return withPlace(left[0], placeFrom(matrixOfNode(node).multiply(matrixOfNode(left[0]))));
}
