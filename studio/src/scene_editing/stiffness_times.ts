// Parts of a volume model that become stiffer or softer while the body runs: changes of its regions, for the particles inside
// the part at rest. A part that is moved or sized takes its changes along; one that is deleted takes them away.
import { Quaternion, Vector3 } from 'three';
import type { Change } from '../protocol/messages';
import { type Path, pointer, setChanges, valueAt } from './commands';
import { patched } from './patch';
import { type Json, type JsonObject, isObject } from './schema';
import { numbered } from './thing_commands';
import { type NodePath, allNodes, halfSize, isLeaf, keyOf, matrixAbove, matrixOfNode, nodeAt, parentOf } from './volume_tree';

export interface StiffnessChange extends JsonObject {
    from: number;
    value: number;
}

const mostBalls = 400;  // along a line
const tidy = (v: Vector3) => v.toArray().map((c) => Number(c.toFixed(5)));

/** The particles inside a part, in the coordinates of the solid: half a cell around it belongs to it, as its stiffness does. In words: why not. */
export function selectionOf(solid: JsonObject, path: NodePath): JsonObject | string {
    const model = solid.volume as JsonObject, node = nodeAt(model, path);
    if (!node || !isLeaf(node)) return 'Choose one shape: operators have no stiffness of their own.';
    for (let at = parentOf(path); at; at = parentOf(at)) if ('repeat' in nodeAt(model, at)!) return 'Parts that are repeated keep their stiffness.';
    const move = new Vector3(), turn = new Quaternion(), scale = new Vector3(), matrix = matrixAbove(model, path).multiply(matrixOfNode(node));
    matrix.decompose(move, turn, scale);
    const even = Math.max(scale.x, scale.y, scale.z) - Math.min(scale.x, scale.y, scale.z) < 1e-6, margin = 0.5 * Number(solid.cell);
    const radius = Number((Number(node.radius ?? 0) * scale.x + margin).toPrecision(6)), ball = (center: Vector3): JsonObject => ({ sphere: { center: tidy(center), radius } });
    if (even && node.prim === 'sphere') return ball(move);
    if (even && (node.prim === 'tube' || node.prim === 'capsule')) {
        const half = Number(node.height ?? 0) / 2, line = node.prim === 'tube' ? (node.points as number[][]) : [[0, -half, 0], [0, half, 0]];
        const points = line.map((p) => new Vector3().fromArray(p).applyMatrix4(matrix)), balls = [ball(points[0])];
        for (let k = 1; k < points.length; ++k) {
            const steps = Math.max(1, Math.ceil((2 * points[k].distanceTo(points[k - 1])) / radius));
            for (let n = 1; n <= steps; ++n) balls.push(ball(points[k - 1].clone().lerp(points[k], n / steps)));
        }
        if (balls.length <= mostBalls) return { any: balls };
    }
    if (node.prim === 'cube' && Math.abs(turn.w) > 1 - 1e-9) {
        const half = halfSize(node).multiply(scale).addScalar(margin);
        return { box: { low: tidy(move.clone().sub(half)), high: tidy(move.clone().add(half)) } };
    }
    return 'Balls, boxes that are not turned, capsules and tubes can change over time, if they are scaled evenly.';
}

const changesPath = (body: Path): Path => [...body, 'matching', 'regions', 'changes'];

function changesOf(content: JsonObject, body: Path): StiffnessChange[] {
    const list = valueAt(content, changesPath(body));
    return Array.isArray(list) ? (list.filter(isObject) as StiffnessChange[]) : [];
}

/** Those of one part, with their numbers in the list. */
export function changesOfPart(content: JsonObject, body: Path, path: NodePath): Array<{ index: number; change: StiffnessChange }> {
    const solid = valueAt(content, [...body, 'solid']), select = isObject(solid) ? selectionOf(solid, path) : '', sign = JSON.stringify(select);
    if (typeof select === 'string') return [];
    return changesOf(content, body).map((change, index) => ({ index, change })).filter(({ change }) => JSON.stringify(change.select) === sign);
}

export function withChange(content: JsonObject, body: Path, index: number | null, change: StiffnessChange | null): Change[] {
    const list: Json[] = changesOf(content, body).slice();
    if (change === null) list.splice(index!, 1);
    else if (index === null) list.push(change);
    else list[index] = change;
    return setChanges(content, changesPath(body), list);
}

/** What edits of the solid mean for the changes of its parts; `moved`: keys of nodes before and after. */
export function followParts(content: JsonObject, body: Path, changes: Change[], moved: (key: string) => string | undefined): Change[] {
    const list = changesOf(content, body), before = valueAt(content, [...body, 'solid']);
    if (!list.length || !isObject(before) || !isObject(before.volume)) return [];
    const plain = changes.map((change) => ({ ...change, path: pointer(numbered(content, change.path.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')))) }));
    const after = patched(content, plain) as JsonObject, solid = valueAt(after, [...body, 'solid']);
    if (!isObject(solid) || !isObject(solid.volume)) return [];
    const now = new Map<string, Json | null>();
    for (const { path } of allNodes(before.volume)) {
        const was = selectionOf(before, path), key = moved(keyOf(path));
        if (typeof was === 'string') continue;
        const is = key === undefined ? 'gone' : selectionOf(solid, key.split('/').map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
        now.set(JSON.stringify(was), typeof is === 'string' ? null : is);
    }
    const followed = list.flatMap((change) => {
        const is = now.get(JSON.stringify(change.select));
        return is === undefined ? [change] : is === null ? [] : [{ ...change, select: is }];
    });
    return JSON.stringify(followed) === JSON.stringify(list) ? [] : setChanges(after, changesPath(body), followed);
}
