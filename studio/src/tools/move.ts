// Move: a handle that moves, turns and scales what is chosen, several things about their common middle in one step of undo;
// of a handle on a body it sets keys. What moves shows as a ghost where it will start.
import { Box3, Matrix4, Mesh, Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { brief, h } from '../dom';
import { Gizmo, type Ghost, motionWords } from '../overlays/gizmo';
import { KeyPath } from '../overlays/key_path';
import { movePanel } from '../panels/move_panel';
import { toast } from '../panels/toasts';
import { valueAt } from '../scene_editing/commands';
import { type Motion, degreesOf, fromDegrees, motion, movableKeys, moveChanges, obstacleFrame, scaleOfBody, startOfBody } from '../scene_editing/placement';
import { setKey } from '../scene_editing/path_keys';
import type { JsonObject } from '../scene_editing/schema';
import { wordsFor } from '../scene_editing/thing_commands';
import { type Keyed, timeOfKeys } from '../state/keyed';
import { kindOfKey, obstacleNumber, pathOfKey } from '../state/things';
import type { Gesture, Tool } from '../toolbox/tool';
import { fall, placed } from '../viewport/falling';
import { snapToFaces } from '../viewport/face_snap';
import { RestShapes } from '../viewport/rest_shapes';

const leastDrag = 5;  // pixels: less is a click
const right = Math.PI / 12;

/** "bodies/@ball" -> "ball", of a body that runs. */
function identityOf(key: string): string {
    return key.split('/').filter((part) => part.startsWith('@')).map((part) => part.slice(1)).join('/');
}

class Mover {
    readonly gizmo: Gizmo;
    readonly path = new KeyPath();
    readonly readout = h('output.gizmo-numbers', { hidden: true });
    readonly shapes: RestShapes;
    readonly panel = movePanel({
        changed: () => this.update(), type: (axis, value) => this.type(axis, value), drop: () => this.drop(), reset: () => this.app.send({ type: 'reset' }),
    });
    private dragged: Motion | null = null;

    constructor(readonly app: App) {
        const { viewport } = app;
        this.gizmo = new Gizmo(viewport.view.camera);
        this.gizmo.object.add(this.path.object);
        this.shapes = new RestShapes(app.ask, () => this.update());
        viewport.canvas.parentElement!.append(this.readout);
        app.on(['chosen', 'document', 'scene', 'tool', 'locked', 'keyTime', 'keyed'], () => this.update());
        let atStart = true;
        app.on('status', (status) => {
            if (this.led) this.update();
            if ((status?.frame === 0) === atStart) return;
            atStart = status?.frame === 0;
            this.update();
        });
    }

    private get led(): Keyed | null {
        return this.app.get('keyed');
    }

    /** What a drag sets a key of; null: it moves where things start. */
    private get keyed(): Keyed | null {
        return this.led && (!this.led.starts || this.app.get('keyTime') !== null) ? this.led : null;
    }

    private get content(): JsonObject {
        return this.app.document!.content as unknown as JsonObject;
    }

    /** What a drag would move. */
    private get keys(): string[] {
        const locked = this.app.get('locked');
        return this.app.document ? movableKeys(this.content, this.app.get('chosen').filter((key) => !locked.has(key))) : [];
    }

    // ---- where things are

    private boxOf(key: string): Box3 {
        const { viewport } = this.app;
        if (kindOfKey(key) === 'obstacle') {
            const mesh = this.obstacleMesh(key), frame = obstacleFrame(valueAt(this.content, pathOfKey(key)) as JsonObject);
            return mesh && mesh.name !== 'ground' ? new Box3().setFromObject(mesh) : new Box3(frame.move.clone(), frame.move.clone());
        }
        const view = viewport.bodyView(identityOf(key));
        const box = view && this.shapes.boxOf(view, startOfBody(this.content, identityOf(key)));
        const middle = view ? viewport.middleOf(identityOf(key)) : new Vector3();
        return box ?? new Box3(middle.clone(), middle);
    }

    private obstacleMesh(key: string): Mesh | undefined {
        const number = obstacleNumber(this.content, key);
        return this.app.viewport.stage.obstacleMeshes().find((mesh) => mesh.userData.obstacle === number);
    }

    private pivot(keys: string[]): Vector3 {
        if (this.keyed) return this.keyed.place(this.content, timeOfKeys(this.app));
        const box = new Box3();
        for (const key of keys) box.union(this.boxOf(key));
        return box.getCenter(new Vector3());
    }

    private turnOf(key: string): Quaternion {
        if (kindOfKey(key) === 'obstacle') return obstacleFrame(valueAt(this.content, pathOfKey(key)) as JsonObject).turn;
        return new Quaternion().setFromRotationMatrix(startOfBody(this.content, identityOf(key)));
    }

    private positionOf(key: string): Vector3 {
        if (kindOfKey(key) === 'obstacle') return obstacleFrame(valueAt(this.content, pathOfKey(key)) as JsonObject).move;
        return new Vector3().setFromMatrixPosition(startOfBody(this.content, identityOf(key)));
    }

    private ghosts(keys: string[]): Ghost[] {
        return keys.flatMap((key) => {
            if (kindOfKey(key) === 'obstacle') {
                const mesh = this.obstacleMesh(key);
                return mesh ? [{ geometry: mesh.geometry, at: mesh.matrixWorld.clone(), key }] : [];
            }
            const view = this.app.viewport.bodyView(identityOf(key)), geometry = view && this.shapes.geometryOf(view);
            return geometry ? [{ geometry, at: startOfBody(this.content, identityOf(key)), key }] : [];
        });
    }

    // ---- what is shown

    private get isAtStart(): boolean {
        return this.app.status?.frame === 0;
    }

    /** The numbers of the present mode; null: nothing is chosen. */
    private values(keys: string[]): Vector3 | null {
        const [only] = keys, one = keys.length === 1;
        if (this.keyed) return this.keyed.values(this.content, timeOfKeys(this.app), this.panel.mode);
        if (!keys.length) return null;
        switch (this.panel.mode) {
            case 'translate': return one ? this.positionOf(only) : this.pivot(keys);
            case 'rotate': return one ? degreesOf(this.turnOf(only)) : new Vector3();
            case 'scale': return one && kindOfKey(only) === 'body' ? new Vector3().setScalar(scaleOfBody(this.content, identityOf(only))) : new Vector3(1, 1, 1);
        }
    }

    update(): void {
        const { app, gizmo, panel } = this, active = app.get('tool') === 'move' && app.document !== null;
        const keys = active ? this.keys : [], shown = keys.length > 0 || (active && this.keyed !== null);
        const { controls } = gizmo;
        gizmo.show(shown);
        controls.setMode(panel.mode);
        controls.setSpace(panel.local ? 'local' : 'world');
        controls.setTranslationSnap(panel.grid || null);
        controls.setRotationSnap(panel.grid ? right : null);
        controls.setScaleSnap(panel.grid ? 0.1 : null);
        if (shown) gizmo.place(this.pivot(keys), panel.local && keys.length === 1 ? this.turnOf(keys[0]) : new Quaternion());
        if (!this.dragged) {
            gizmo.setGhosts(shown ? this.ghosts(keys) : []);
            gizmo.showGhosts(shown && !this.keyed && !this.isAtStart);
        }
        this.path.show(active ? this.led?.line(this.content) ?? [] : [], active ? this.led?.dots(this.content) ?? [] : [], app.viewport.extent.size);
        panel.update(shown ? this.values(keys) : null, this.keyed ? `${this.keyed.name} at ${brief(timeOfKeys(app))} s` : shown ? wordsFor(this.content, app.get('chosen')) : '', shown && !this.keyed && !this.isAtStart);
        app.viewport.draw();
    }

    private showDrag(m: Motion): void {
        this.dragged = m;
        this.gizmo.showGhosts(!this.keyed, m);
        const at = this.app.viewport.picking.toPage(this.gizmo.middle), box = this.app.viewport.canvas.getBoundingClientRect();
        const values = this.values(this.keys);
        if (values && this.panel.mode === 'translate') this.panel.show(values.add(m.move));
        this.readout.hidden = false;
        this.readout.textContent = motionWords(m);
        this.readout.style.translate = `${Math.round(at.x - box.left + 26)}px ${Math.round(at.y - box.top - 44)}px`;
        this.app.viewport.draw();
    }

    private endDrag(): void {
        this.dragged = null;
        this.readout.hidden = true;
        this.update();
    }

    // ---- what is done

    /** One step of undo. */
    private apply(m: Motion): void {
        const { app, keys, keyed } = this, label = m.scale !== 1 ? 'Scale' : m.move.length() > 0 ? 'Move' : 'Turn';
        if (keyed) {
            if (m.scale !== 1) return toast('A handle has no size: it is moved and turned.', 'warning');
            const time = timeOfKeys(app), { center } = keyed;
            return app.edits.once((content) => setKey(content as unknown as JsonObject, keyed.path, center, time, m));
        }
        const chosen = app.get('chosen'), tried = moveChanges(this.content, keys, m);
        if ('problem' in tried) return toast(tried.problem, 'warning');
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, moved = moveChanges(content, keys, m);
            return 'changes' in moved ? { label: `${label} ${wordsFor(content, chosen)}`, changes: moved.changes } : null;
        });
    }

    private type(axis: 0 | 1 | 2, value: number): void {
        const { keys } = this, values = this.values(keys);
        if (!values || !Number.isFinite(value)) return;
        const { mode } = this.panel, about = this.pivot(keys), wanted = values.clone().setComponent(axis, value);
        if (mode === 'translate') this.apply(motion({ about, move: wanted.sub(values) }));
        else if (mode === 'rotate') this.apply(motion({ about, turn: fromDegrees(wanted).multiply(fromDegrees(values).invert()) }));
        else this.apply(motion({ about, scale: value / values.x }));
        this.update();
    }

    /** Each thing falls onto what is below it, the lowest first. */
    drop(): void {
        const { viewport } = this.app;
        const keys = this.keys.filter((key) => !this.isPlane(key)).sort((a, b) => this.boxOf(a).min.y - this.boxOf(b).min.y);
        if (!keys.length) return;
        const views = viewport.bodyViews().map((view) => ({ key: keyOf(view.body.id), geometry: this.shapes.geometryOf(view), at: startOfBody(this.content, view.body.id) }));
        const lying = [
            ...views.filter(({ key, geometry }) => geometry && !keys.includes(key)).map(({ geometry, at }) => placed(geometry!, at)),
            ...viewport.stage.obstacleMeshes().filter((mesh) => !keys.some((key) => kindOfKey(key) === 'obstacle' && obstacleNumber(this.content, key) === mesh.userData.obstacle)),
        ];
        const falls: Array<{ key: string; move: Vector3 }> = [];
        for (const key of keys) {
            const [ghost] = this.ghosts([key]);
            if (!ghost) continue;
            const far = fall(placed(ghost.geometry, ghost.at), lying);
            const move = new Vector3(0, -(far ?? 0), 0);
            if (far !== null && Math.abs(far) > 1e-5) falls.push({ key, move });
            lying.push(placed(ghost.geometry, new Matrix4().makeTranslation(move).multiply(ghost.at)));
            if (far === null) toast(`There is nothing below ${wordsFor(this.content, [key])}.`, 'warning');
        }
        if (!falls.length) return;
        this.app.edits.once((now) => {
            const content = now as unknown as JsonObject;
            const changes = falls.flatMap(({ key, move }) => { const moved = moveChanges(content, [key], motion({ move })); return 'changes' in moved ? moved.changes : []; });
            return { label: `Drop ${wordsFor(content, keys)}`, changes };
        });
    }

    private isPlane(key: string): boolean {
        return kindOfKey(key) === 'obstacle' && this.obstacleMesh(key)?.name === 'ground';
    }

    /** With a grid: also the floor, and the faces of the boxes of other things, where they come near. */
    private snapped(m: Motion): Motion {
        const { grid } = this.panel, { keys } = this;
        if (!grid || this.keyed || m.move.length() === 0 || !keys.length) return m;
        const box = new Box3();
        for (const key of keys) box.union(this.boxOf(key));
        box.translate(m.move);
        m.move.add(snapToFaces(box, this.boxesBeside(keys), m.move, 0.5 * grid));
        const low = box.min.y, floor = m.move.y === 0 ? null : this.app.viewport.stage.groundBelow(new Vector3(0, low + grid, 0));
        if (floor !== null && Math.abs(low - floor) < 0.5 * grid) m.move.y += floor - low;
        return m;
    }

    /** Of what is not moved. */
    private boxesBeside(keys: string[]): Box3[] {
        const { viewport } = this.app, moved = (key: string) => keys.some((own) => own === key || key.startsWith(`${own}/`));
        const bodies = viewport.bodyViews().map((view) => keyOf(view.body.id)).filter((key) => !moved(key)).map((key) => this.boxOf(key));
        const obstacles = ((this.content.obstacles ?? []) as unknown[]).map((_, k) => `/obstacles/@${identityOfObstacle(this.content, k)}`).filter((key) => !moved(key) && !this.isPlane(key)).map((key) => this.boxOf(key));
        return [...bodies, ...obstacles].filter((box) => !box.isEmpty() && box.getSize(new Vector3()).length() > 0);
    }

    dragGizmo(): Gesture {
        const { picking } = this.app.viewport;
        return {
            move: (to) => this.showDrag(this.snapped(this.gizmo.drag(picking.inPicture(to.x, to.y)))),
            end: (to) => {
                const m = this.snapped(this.gizmo.drag(picking.inPicture(to.x, to.y)));
                this.gizmo.letGo();
                this.endDrag();
                if (m.move.length() > 1e-9 || Math.abs(m.turn.w) < 1 - 1e-12 || m.scale !== 1) this.apply(m);
            },
            cancel: () => {
                this.gizmo.letGo();
                this.endDrag();
            },
        };
    }

    /** A drag of a thing itself goes along the ground, or across the picture where the ground is seen edge-on. */
    dragThing(point: Vector3, from: { x: number; y: number }): Gesture {
        const { picking, view } = this.app.viewport;
        const steep = Math.abs(view.camera.getWorldDirection(new Vector3()).y) > 0.2;
        const at = (x: number, y: number) => {
            if (!steep) return picking.onScreenPlane(x, y, point);
            const { ray } = picking.rayAt(x, y), t = (point.y - ray.origin.y) / ray.direction.y;
            return t > 0 ? ray.origin.clone().addScaledVector(ray.direction, t) : point.clone();
        };
        const motionTo = (x: number, y: number) => {
            const move = at(x, y).sub(point), { grid } = this.panel;
            if (grid) move.set(grid * Math.round(move.x / grid), grid * Math.round(move.y / grid), grid * Math.round(move.z / grid));
            return this.snapped(motion({ move }));
        };
        const isDrag = (x: number, y: number) => this.dragged !== null || Math.hypot(x - from.x, y - from.y) > leastDrag;
        return {
            move: ({ x, y }) => { if (isDrag(x, y) && !this.keyed) this.showDrag(motionTo(x, y)); },
            end: ({ x, y }) => {
                const m = isDrag(x, y) && !this.keyed ? motionTo(x, y) : null;
                this.endDrag();
                if (m && m.move.length() > 1e-9) this.apply(m);
            },
            cancel: () => this.endDrag(),
        };
    }

    /** What is under the pointer: a body, an obstacle with an end, or the ghost of one. */
    thingAt(x: number, y: number, body: string | null, point: Vector3 | null): { key: string; point: Vector3 } | null {
        const { picking, stage, view } = this.app.viewport, locked = this.app.get('locked');
        const near = (p: Vector3) => p.distanceTo(view.camera.position);
        const ghost = picking.pickAmong(x, y, this.gizmo.ghostMeshes);
        const hard = picking.pickAmong(x, y, stage.obstacleMeshes().filter((mesh) => mesh.name !== 'ground'));
        const found: Array<{ key: string; point: Vector3 }> = [];
        if (body !== null && point) found.push({ key: keyOf(body), point });
        if (ghost) found.push({ key: ghost.object.userData.key as string, point: ghost.point });
        if (hard) {
            const obstacles = (this.content.obstacles ?? []) as unknown[], number = hard.object.userData.obstacle as number;
            const key = obstacles.map((_, k) => `/obstacles/@${identityOfObstacle(this.content, k)}`)[number];
            if (key) found.push({ key, point: hard.point });
        }
        return found.filter(({ key }) => !locked.has(key)).sort((a, b) => near(a.point) - near(b.point))[0] ?? null;
    }
}

function identityOfObstacle(content: JsonObject, index: number): string {
    const obstacle = (content.obstacles as JsonObject[])[index];
    return String(obstacle.id ?? index + 1);
}

function keyOf(body: string): string {
    const [name, copy] = body.split('/');
    return copy === undefined ? `/bodies/@${name}` : `/bodies/@${name}/instances/@${copy}`;
}

export const tool: Tool = {
    id: 'move', name: 'Move', key: 'Q', about: 'Move, turn and scale bodies and obstacles where they start', order: 11, desk: 'scene',
    icon: 'M12 3.500v17M3.500 12h17M12 3.500 9.500 6M12 3.500 14.500 6M12 20.500 9.500 18M12 20.500l2.500-2.500M3.500 12 6 9.500M3.500 12 6 14.500M20.500 12 18 9.500M20.500 12 18 14.500',
    cursor: 'move', anywhere: true, chooses: true,
    make(app) {
        const mover = new Mover(app), { picking } = app.viewport;
        app.on('dropDown', () => mover.drop());
        app.on('gizmoMode', (mode) => { if (app.get('tool') === 'move') mover.panel.choose(mode); });
        return {
            overlay: mover.gizmo, panel: mover.panel.element,
            hover: ({ x, y }) => {
                const before = mover.gizmo.controls.axis, over = mover.gizmo.hover(picking.inPicture(x, y));
                if (mover.gizmo.controls.axis !== before) app.viewport.draw();
                return over;
            },
            press(at, hit) {
                if (!at.shift && mover.gizmo.isShown && mover.gizmo.take(picking.inPicture(at.x, at.y))) return mover.dragGizmo();
                const found = mover.thingAt(at.x, at.y, hit?.body ?? null, hit?.point ?? null);
                if (!found) return null;
                const chosen = app.get('chosen'), { key } = found;
                if (at.shift) app.choose(chosen.includes(key) ? chosen.filter((other) => other !== key) : [...chosen, key]);
                else if (!chosen.includes(key) && !chosen.some((other) => key.startsWith(`${other}/`))) app.choose([key]);
                return at.shift ? { cancel() {} } : mover.dragThing(found.point, at);
            },
        };
    },
};
