// Shape: a handle that moves, turns and scales the chosen node of a volume model, dots that drag its sizes or the points of a
// tube, and its ghost, even of what is taken away. What a hand tries is shown at once; letting go is one step of undo.
import { Box3, BufferAttribute, BufferGeometry, Group, Matrix4, Mesh, Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { brief, h } from '../dom';
import { Gizmo, motionWords } from '../overlays/gizmo';
import { ModelView } from '../overlays/model_view';
import { SizeHandles, reach } from '../overlays/size_handles';
import { movePanel } from '../panels/move_panel';
import { type Motion, degreesOf, fromDegrees, matrixOf } from '../scene_editing/placement';
import type { JsonObject } from '../scene_editing/schema';
import { type NodePath, type NodePlace, allNodes, boxOf, isLeaf, keyOf, matrixAbove, matrixOfNode, nodeName, placeOf, withPlace } from '../scene_editing/volume_tree';
import { leafGeometry } from '../shaping/node_geometry';
import { type ShapeModel, shapeModelOf } from '../shaping/shape_model';
import { type SizeDrag, sizeDrags } from '../shaping/size_drags';
import { TubePoints } from '../shaping/tube_points';
import type { Gesture, Place, Tool } from '../toolbox/tool';
import type { Overlay } from '../viewport/overlay';

const right = Math.PI / 12;

class Shaper implements Overlay {
    readonly object = new Group();
    readonly view: ModelView;
    readonly gizmo: Gizmo;
    readonly handles = new SizeHandles();
    readonly points: TubePoints;
    readonly model: ShapeModel;
    readonly readout = h('output.gizmo-numbers', { hidden: true });
    readonly panel = movePanel({
        changed: () => this.update(), type: (axis, value) => this.type(axis, value), drop: () => {}, reset: () => this.app.send({ type: 'reset' }),
    });
    private dragging = false;

    constructor(readonly app: App) {
        const { viewport } = app;
        this.model = shapeModelOf(app);
        this.view = new ModelView(viewport.cutting.clipping);
        this.gizmo = new Gizmo(viewport.view.camera);
        this.points = new TubePoints(app, this.model, (words, at) => this.say(words, at), () => this.end());
        this.object.add(this.view.object, this.gizmo.object, this.handles.object, this.points.object);
        viewport.canvas.parentElement!.append(this.readout);
        this.panel.element.classList.add('for-nodes');
        this.model.on(() => this.update());
        app.on(['tool', 'desk', 'modelled'], () => this.update());
    }

    look(look: App['look']): void {
        for (const part of [this.view, this.gizmo, this.handles]) part.look(look);
    }

    beforePicture(...picture: Parameters<SizeHandles['beforePicture']>): void {
        this.handles.beforePicture(...picture);
        this.points.beforePicture(...picture);
    }

    // ---- where the chosen node is

    /** From the coordinates around the node to the scene. */
    private around(path: NodePath): Matrix4 {
        return this.model.start.multiply(matrixAbove(this.model.model!, path));
    }

    private pivot(path: NodePath, node: JsonObject): Vector3 {
        if (node.prim === 'tube') {  // its points are where they were drawn, wherever its origin is
            const middle = new Box3().setFromPoints((node.points as number[][]).map((p) => new Vector3().fromArray(p))).getCenter(new Vector3());
            return middle.applyMatrix4(this.around(path).multiply(matrixOfNode(node)));
        }
        if (isLeaf(node)) return new Vector3().setFromMatrixPosition(this.around(path).multiply(matrixOfNode(node)));
        const { low, high } = boxOf(node);
        return low.add(high).multiplyScalar(0.5).applyMatrix4(this.around(path));
    }

    private ghostShape: { key: string; geometry: BufferGeometry | null } = { key: '', geometry: null };

    /** Shapes that only the engine knows are asked for; null: not there yet. */
    private ghostOf(node: JsonObject): BufferGeometry | null {
        const { transform: _, name: __, color: ___, stiffness: ____, ...shape } = node, key = JSON.stringify(shape);
        if (key === this.ghostShape.key) return this.ghostShape.geometry;
        this.ghostShape = { key, geometry: leafGeometry(node) };
        if (!this.ghostShape.geometry && !this.dragging) void this.askGhost(key, shape);
        return this.ghostShape.geometry;
    }

    private async askGhost(key: string, root: JsonObject): Promise<void> {
        const { model } = this, answer = await this.app.ask('model', { body: model.identity, model: { ...model.model, root }, fine: false, from: 0 }, 'ghost').catch(() => null);
        if (!answer || this.ghostShape.key !== key) return;
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(answer.positions, 3));
        geometry.setIndex(new BufferAttribute(answer.triangles, 1));
        this.ghostShape = { key, geometry };
        this.update();
    }

    // ---- what is shown

    update(): void {
        const { model, gizmo, view, app, panel } = this, active = model.active, chosen = active ? model.node : null, inHand = chosen !== null && app.get('tool') === 'shape';
        view.object.visible = active;
        gizmo.show(inHand);
        if (active) {
            view.place(model.start);
            view.show(model.surface, model.surfaceAt, model.byStiffness, app.get('modelled') !== model.identity);
            view.showCut(app.look.cut ? model.cut : null, model.byStiffness);
            view.showLattice(model.showsLattice ? model.lattice : null);
        }
        view.showGhost(chosen && chosen.path.length > 1 ? this.ghostOf(chosen.node) : null, chosen ? matrixAbove(model.model!, chosen.path).multiply(matrixOfNode(chosen.node)) : new Matrix4());
        const { controls } = gizmo;
        controls.setMode(panel.mode);
        controls.setSpace(panel.local ? 'local' : 'world');
        controls.setTranslationSnap(panel.grid || null);
        controls.setRotationSnap(panel.grid ? right : null);
        controls.setScaleSnap(panel.grid ? 0.1 : null);
        if (inHand && !this.dragging) gizmo.place(this.pivot(chosen.path, chosen.node), panel.local ? new Quaternion().setFromRotationMatrix(this.around(chosen.path).multiply(matrixOfNode(chosen.node))) : new Quaternion());
        this.handles.show(inHand ? this.drags(chosen.path, chosen.node).map(({ at, from, drag }) => ({ name: drag.name, at, from })) : []);
        this.points.show(inHand && chosen.node.prim === 'tube' ? { ...chosen, matrix: this.around(chosen.path).multiply(matrixOfNode(chosen.node)) } : null);
        panel.update(inHand ? this.values(chosen.node) : null, inHand ? nodeName(chosen.node) : '', false);
        app.viewport.draw();
    }

    private values(node: JsonObject): Vector3 {
        const { move, turn, scale } = placeOf(node);
        return this.panel.mode === 'translate' ? move : this.panel.mode === 'rotate' ? degreesOf(turn) : scale;
    }

    private type(axis: 0 | 1 | 2, value: number): void {
        const chosen = this.model.node;
        if (!chosen || !Number.isFinite(value)) return;
        const place = placeOf(chosen.node), { mode } = this.panel;
        if (mode === 'translate') place.move.setComponent(axis, value);
        else if (mode === 'rotate') place.turn = fromDegrees(degreesOf(place.turn).setComponent(axis, value));
        else if (value > 0) place.scale.multiplyScalar(value / place.scale.x);
        this.store(chosen.path, place, { translate: 'Move', rotate: 'Turn', scale: 'Scale' }[mode]);
    }

    private store(path: NodePath, place: NodePlace, verb: string): void {
        const chosen = this.model.node, transform = chosen ? withPlace({}, place).transform : undefined;
        this.app.edits.endGesture();
        this.model.set(path, { transform }, `${verb} ${chosen ? nodeName(chosen.node).toLowerCase() : 'node'}`);
        this.app.edits.endGesture();
    }

    // ---- drags of the handle

    /** The node as the motion leaves it. */
    private moved(path: NodePath, node: JsonObject, m: Motion): NodePlace {
        const around = this.around(path), matrix = around.clone().invert().multiply(matrixOf(m)).multiply(around).multiply(matrixOfNode(node));
        const place = { move: new Vector3(), turn: new Quaternion(), scale: new Vector3() };
        matrix.decompose(place.move, place.turn, place.scale);
        return place;
    }

    private say(words: string, at: Vector3): void {
        const place = this.app.viewport.picking.toPage(at), box = this.app.viewport.canvas.getBoundingClientRect();
        this.readout.hidden = false;
        this.readout.textContent = words;
        this.readout.style.translate = `${Math.round(place.x - box.left + 26)}px ${Math.round(place.y - box.top - 44)}px`;
    }

    private end(): void {
        this.dragging = false;
        this.readout.hidden = true;
        this.model.try(null);
    }

    dragGizmo(): Gesture {
        const { picking } = this.app.viewport, { path, node } = this.model.node!, { gizmo } = this;
        this.dragging = true;
        const motionAt = ({ x, y }: Place) => gizmo.drag(picking.inPicture(x, y));
        return {
            move: (to) => {
                const m = motionAt(to);
                this.model.try(path, withPlace(node, this.moved(path, node, m)));
                this.say(motionWords(m), gizmo.middle);
            },
            end: (to) => {
                const m = motionAt(to);
                gizmo.letGo();
                this.end();
                if (m.move.length() > 1e-9 || Math.abs(m.turn.w) < 1 - 1e-12 || m.scale !== 1) this.store(path, this.moved(path, node, m), m.scale !== 1 ? 'Scale' : m.move.length() > 0 ? 'Move' : 'Turn');
            },
            cancel: () => {
                gizmo.letGo();
                this.end();
            },
        };
    }

    dragPoint(point: { index: number; isNew: boolean }, at: Place): Gesture {
        this.dragging = true;
        return this.points.drag(point, at);
    }

    // ---- drags of sizes

    private drags(path: NodePath, node: JsonObject): Array<{ drag: SizeDrag; at: Vector3; from: Vector3; end: Vector3 }> {
        const matrix = this.around(path).multiply(matrixOfNode(node));
        return sizeDrags(node).map((drag) => {
            const at = (far: number) => drag.from.clone().addScaledVector(drag.along, far).applyMatrix4(matrix);
            return { drag, at: at(drag.value), from: at(0), end: at(1) };
        });
    }

    handleAt({ x, y }: Place): number {
        const chosen = this.model.active && this.app.get('tool') === 'shape' ? this.model.node : null;
        if (!chosen) return -1;
        const far = this.drags(chosen.path, chosen.node).map(({ at }) => {
            const page = this.app.viewport.picking.toPage(at);
            return Math.hypot(page.x - x, page.y - y);
        });
        const nearest = far.indexOf(Math.min(...far));
        return nearest >= 0 && far[nearest] < reach ? nearest : -1;
    }

    dragSize(number: number, start: Place): Gesture {
        const { path, node } = this.model.node!, { drag, from, end } = this.drags(path, node)[number];
        const along = (at: Place) => {
            // The point of the way that the pointer is nearest to.
            const far = 1e3 * Math.max(this.app.viewport.extent.size, 1), way = end.clone().sub(from), unit = way.length(), place = new Vector3();
            way.normalize();
            this.app.viewport.picking.rayAt(at.x, at.y).ray.distanceSqToSegment(from.clone().addScaledVector(way, -far), from.clone().addScaledVector(way, far), undefined, place);
            return place.sub(from).dot(way) / unit;
        };
        const before = along(start), valuesAt = (at: Place) => drag.set(drag.value + along(at) - before);
        this.dragging = true;
        return {
            move: (to) => {
                const values = valuesAt(to), [first] = Object.values(values);
                this.model.try(path, { ...node, ...values });
                this.say(`${drag.name} ${Array.isArray(first) ? first.map((c) => brief(Number(c))).join(' × ') : brief(Number(first))} m`, from);
            },
            end: (to) => {
                const values = valuesAt(to);
                this.end();
                this.app.edits.endGesture();
                this.model.set(path, values, `Set ${drag.name.toLowerCase()}`);
                this.app.edits.endGesture();
            },
            cancel: () => this.end(),
        };
    }

    // ---- pointing at nodes

    /** The shape under the pointer: the one whose own surface is where the model is hit. */
    nodeAt({ x, y }: Place): string | null {
        const { model } = this, { picking } = this.app.viewport;
        if (!model.active || !model.model) return null;
        const hit = picking.pickAmong(x, y, [this.view.surface]);
        const leaves = allNodes(model.model).filter(({ node }) => isLeaf(node)).flatMap(({ path, node }) => {
            const geometry = leafGeometry(node);
            if (!geometry) return [];
            const mesh = new Mesh(geometry), key = keyOf(path);
            mesh.matrixAutoUpdate = false;
            mesh.matrixWorld.copy(this.around(path).multiply(matrixOfNode(node)));
            const found = picking.pickAmong(x, y, [mesh]);
            geometry.dispose();
            return found ? [{ key, far: hit ? found.point.distanceTo(hit.point) : 0 }] : [];
        });
        if (!hit) return null;
        return leaves.sort((a, b) => a.far - b.far)[0]?.key ?? 'root';
    }
}

export const tool: Tool = {
    id: 'shape', name: 'Shape', key: 'E', about: 'Move, turn and size the parts of a volume model', order: 51, desk: 'shape',
    icon: 'M12 3.500v17M3.500 12h17M12 3.500 9.500 6M12 3.500 14.500 6M3.500 12 6 9.500M3.500 12 6 14.500M17 17a2.500 2.500 0 1 0 .01 0z',
    cursor: 'move', anywhere: true, chooses: true,
    make(app) {
        const shaper = new Shaper(app), { picking } = app.viewport;
        app.on('gizmoMode', (mode) => { if (app.get('tool') === 'shape') shaper.panel.choose(mode); });
        return {
            overlay: shaper, panel: shaper.panel.element,
            hover(at) {
                const before = shaper.gizmo.controls.axis, onSize = shaper.points.at(at) !== null || shaper.handleAt(at) >= 0, over = !onSize && shaper.gizmo.hover(picking.inPicture(at.x, at.y));
                if (shaper.gizmo.controls.axis !== before) app.viewport.draw();
                return over || onSize;
            },
            press(at) {
                const point = shaper.points.at(at);
                if (point) return shaper.dragPoint(point, at);
                const size = shaper.handleAt(at);
                if (size >= 0) return shaper.dragSize(size, at);
                if (shaper.gizmo.isShown && shaper.gizmo.take(picking.inPicture(at.x, at.y))) return shaper.dragGizmo();
                const key = shaper.nodeAt(at);
                if (key === null) return null;
                shaper.model.choose(at.shift ? [...new Set([...shaper.model.keys, key])] : [key]);
                return { cancel() {} };
            },
            key: (key) => (key === 'Delete' || key === 'Backspace') && shaper.points.remove(),
        };
    },
};
