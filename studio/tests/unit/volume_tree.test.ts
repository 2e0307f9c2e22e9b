// The tree of a volume model: edits of its structure, and the patches they become.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vector3 } from 'three';
import { patched } from '../../src/scene_editing/patch';
import type { Json, JsonObject } from '../../src/scene_editing/schema';
import {
    TreeProblem, type TreeEdit, addNode, allNodes, changeOperator, changeShape, duplicateNodes, kindOf, matrixAbove, matrixOfNode, moveNodes, nodeAt, removeNodes, repeatNode, treeChanges, visibleNode, wrapNodes,
} from '../../src/scene_editing/volume_tree';

const ball = (name: string, x = 0): JsonObject => ({ prim: 'sphere', radius: 0.5, name, transform: { translate: [x, 0, 0] } });
const model = (): JsonObject => ({ root: { op: 'union', args: [ball('a'), { op: 'difference', transform: { translate: [0, 2, 0] }, args: [ball('b', 1), ball('c', 2)] }] } });
const spelled = (node: JsonObject): string => (node.args ? `${node.op}(${(node.args as JsonObject[]).map(spelled).join(' ')})` : node.of ? `${node.repeat}(${spelled(node.of as JsonObject)})` : String(node.name ?? kindOf(node)));
const worldOf = (root: JsonObject, name: string) => {
    const { path, node } = allNodes({ root }).find((found) => found.node.name === name)!;
    return new Vector3().applyMatrix4(matrixAbove({ root }, path).multiply(matrixOfNode(node))).toArray().map((c) => Math.round(1e4 * c) / 1e4 + 0);
};

/** The tree after it; the patch makes the same of the document. */
function after(edit: TreeEdit, before = model()): string {
    const document = { bodies: [{ name: 'x', solid: { volume: before } }] }, around = ['bodies', 0, 'solid', 'volume'];
    const next = patched(document as unknown as Json, treeChanges(around, before.root as JsonObject, edit.root)) as unknown as typeof document;
    assert.deepEqual(next.bodies[0].solid.volume.root, edit.root);
    return spelled(edit.root);
}

test('parts are added where they are looked for', () => {
    assert.equal(after(addNode(model(), ['root'], ball('new'))), 'union(new a difference(b c))');
    assert.equal(after(addNode(model(), ['root', 'args', 1, 'args', 0], ball('new'))), 'union(a difference(b new c))');
    assert.equal(after(addNode({ root: ball('a') }, ['root'], ball('new')), { root: ball('a') }), 'union(new a)');
    assert.deepEqual(addNode(model(), ['root'], ball('new')).chosen, [['root', 'args', 0]]);
});

test('nodes are wrapped alone or together, and repeated', () => {
    assert.equal(after(wrapNodes(model(), [['root', 'args', 0]], 'difference', ball('new'))), 'union(difference(a new) difference(b c))');
    assert.equal(after(wrapNodes(model(), [['root', 'args', 1, 'args', 0], ['root', 'args', 1, 'args', 1]], 'blend', ball('new'))), 'union(a blend(b c))');
    assert.throws(() => wrapNodes(model(), [['root', 'args', 0], ['root', 'args', 1, 'args', 0]], 'blend', ball('new')), TreeProblem);
    assert.equal(after(repeatNode(model(), ['root', 'args', 1], 'mirror')), 'union(a mirror(difference(b c)))');
});

test('regrouped nodes stay where they are in the world, and an operator of one part is that part', () => {
    const into = moveNodes(model(), [['root', 'args', 0]], ['root', 'args', 1], 2);
    assert.equal(after(into), 'difference(b c a)');
    assert.deepEqual(worldOf(into.root, 'a'), [0, 0, 0]);
    const out = moveNodes(model(), [['root', 'args', 1, 'args', 1]], ['root'], 2);
    assert.equal(after(out), 'union(a b c)');
    assert.deepEqual([worldOf(out.root, 'b'), worldOf(out.root, 'c')], [[1, 2, 0], [2, 2, 0]]);
    assert.equal(after(moveNodes(model(), [['root', 'args', 1]], ['root'], 0)), 'union(difference(b c) a)');
    assert.equal(out.moved.get('root/args/1/args/1'), 'root/args/2');
    assert.throws(() => moveNodes(model(), [['root', 'args', 1]], ['root', 'args', 1, 'args', 0], 0), TreeProblem);
});

test('nodes are deleted, duplicated and changed in place; the last one stays', () => {
    assert.equal(after(removeNodes(model(), [['root', 'args', 0]])), 'difference(b c)');
    assert.throws(() => removeNodes({ root: ball('a') }, [['root']]), TreeProblem);
    assert.equal(after(duplicateNodes(model(), [['root', 'args', 1, 'args', 1]])), 'union(a difference(b c c copy))');
    assert.equal(after(changeOperator(model(), ['root', 'args', 1], 'trim')), 'union(a trim(b c))');
    const three: JsonObject = { root: { op: 'union', radius: 0.1, args: [ball('a'), ball('b'), ball('c')] } };
    assert.throws(() => changeOperator(three, ['root'], 'cap'), TreeProblem);
    assert.equal('radius' in changeOperator(three, ['root'], 'blend').root, false, 'a blend has no radius');
    const box = nodeAt({ root: changeShape(model(), ['root', 'args', 0], 'cube').root }, ['root', 'args', 0])!;
    assert.deepEqual(box, { prim: 'cube', side: 1, transform: { translate: [0, 0, 0] }, name: 'a' });
});

test('a change of one deep node is a patch of that node alone', () => {
    const edit = changeOperator(model(), ['root', 'args', 1], 'blend');
    assert.deepEqual(treeChanges(['v'], model().root as JsonObject, edit.root).map(({ path }) => path), ['/v/root/args/1']);
});

test('hidden nodes are left out as if they were not there', () => {
    const seen = (...keys: string[]) => { const root = visibleNode(model().root as JsonObject, ['root'], new Set(keys)); return root && spelled(root); };
    assert.equal(seen('root/args/0'), 'difference(b c)');
    assert.equal(seen('root/args/1/args/1'), 'union(a b)');
    assert.equal(seen('root/args/1/args/0'), 'a', 'nothing is left of a difference without its first part');
    assert.equal(seen('root'), null);
    assert.deepEqual(worldOf(visibleNode(model().root as JsonObject, ['root'], new Set(['root/args/1/args/1']))!, 'b'), [1, 2, 0]);
});
