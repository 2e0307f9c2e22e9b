// Deformers by a gizmo at the end where they act: a ring twists and bends, an arrow lengthens and shears, a cube tapers.
import { MathUtils, Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { h } from '../dom';
import { Gizmo, type GizmoMode } from '../overlays/gizmo';
import { segmented } from '../panels/segmented';
import { type PoseStage, poseStageOf } from '../posing/pose_stage';
import { type Axis, type Deformer, axes, deformerKinds, deformersOf, newDeformer, refusal, tidy, withDeformer } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { Gesture, Tool, ToolParts } from '../toolbox/tool';

const modes: Record<string, GizmoMode> = { twist: 'rotate', bend: 'rotate', stretch: 'translate', shear: 'translate', taper: 'scale' };

function unit(axis: Axis): Vector3 {
    return new Vector3(axis === 'x' ? 1 : 0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0);
}

/** What the gizmo turns about or moves along, in the frame of the body. */
function gripAxis({ kind, axis, towards }: Deformer): Axis {
    if (kind.id === 'bend') return axes.find((other) => other !== axis && other !== towards)!;
    return kind.id === 'shear' ? towards : axis;
}

class DeformHand {
    readonly parts: ToolParts;
    private readonly stage: PoseStage;
    private readonly gizmo: Gizmo;
    private readonly why = h('p.why', { role: 'status' });
    private readonly hint = h('p.hint');
    private readonly which = h('div');
    private readonly add = h('select', { 'aria-label': 'Deform by', onchange: () => this.addOne() }, h('option', { value: '' }, 'Deform by …'), ...deformerKinds.map(({ id, name }) => h('option', { value: id }, name)));
    private chosen = 0;

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        this.gizmo = new Gizmo(app.viewport.view.camera);
        const panel = h('div.paint-panel.pose-deform', {}, this.why, this.hint, this.which, this.add);
        this.stage.on(() => this.update());
        app.on('tool', () => this.update());
        this.parts = {
            overlay: this.gizmo, panel,
            hover: ({ x, y }) => {
                const before = this.gizmo.controls.axis, over = this.gizmo.hover(app.viewport.picking.inPicture(x, y));
                if (this.gizmo.controls.axis !== before) app.viewport.draw();
                return over;
            },
            press: ({ x, y }) => {
                const { one } = this;
                return one && this.gizmo.isShown && this.gizmo.take(app.viewport.picking.inPicture(x, y)) ? this.drag(one) : null;
            },
        };
        queueMicrotask(() => this.update());
    }

    private get list(): Deformer[] {
        return deformersOf(this.stage.pose);
    }

    private get one(): Deformer | null {
        return this.list[this.chosen] ?? this.list[this.list.length - 1] ?? null;
    }

    private update(): void {
        if (this.app.get('tool') !== 'pose-deform' || !this.stage.content) return this.gizmo.show(false);
        const why = refusal(this.stage.content, this.stage.body), { list, one } = this, middle = this.stage.middle();
        this.chosen = Math.min(this.chosen, Math.max(0, list.length - 1));
        this.why.textContent = why ?? '';
        this.why.hidden = why === null;
        this.add.hidden = why !== null;
        this.hint.textContent = one ? 'Drag the handle at its end. Numbers are under Poses.' : 'Choose how to deform the body: a new pose, or more of the one that is chosen.';
        this.which.replaceChildren(...(list.length > 1 ? [segmented('Deformer', list.map(({ kind }, k) => [String(k), kind.name] as [string, string]), () => String(this.chosen), (k) => { this.chosen = Number(k); this.update(); }).element] : []));
        this.gizmo.show(one !== null && middle !== null && !why);
        if (one && middle && !this.gizmo.controls.dragging) this.place(one, middle);
        this.app.viewport.draw();
    }

    /** At the end where all of it has happened, where the middle of the body is in the pose. */
    private place(one: Deformer, { center, size }: { center: Vector3; size: Vector3 }): void {
        const { controls } = this.gizmo, { frame } = this.stage, axis = gripAxis(one), k = axes.indexOf(one.axis);
        const end = center.clone();
        end.setComponent(k, center.getComponent(k) + (one.range[1] - 0.5) * size.getComponent(k));
        controls.setMode(modes[one.kind.id]);
        controls.setSpace('local');
        controls.showX = axis === 'x';
        controls.showY = axis === 'y';
        controls.showZ = axis === 'z';
        this.gizmo.place(this.posed(end).applyMatrix4(frame), new Quaternion().setFromRotationMatrix(frame.clone().extractRotation(frame)));
    }

    /** Where a place of the rest shape is in the pose, nearly: at the nearest drawn vertex. */
    private posed(rest: Vector3): Vector3 {
        const { positions, rests } = this.stage.mesh, scale = new Vector3().setFromMatrixScale(this.stage.frame).x, place = rest.clone().multiplyScalar(scale), p = new Vector3();
        if (!rests.length || positions.length !== rests.length) return rest;
        let nearest = 0, least = Infinity;
        for (let k = 0; k + 2 < rests.length; k += 3) {
            const away = p.fromArray(rests, k).distanceToSquared(place);
            if (away < least) least = away, nearest = k;
        }
        return new Vector3().fromArray(positions, nearest).divideScalar(scale);
    }

    private drag(one: Deformer): Gesture {
        const { picking } = this.app.viewport, { frame } = this.stage, index = this.list.indexOf(one) >= 0 ? this.list.indexOf(one) : this.list.findIndex(({ json }) => json === one.json);
        const along = unit(gripAxis(one)).transformDirection(frame), size = this.stage.middle()!.size, length = size.getComponent(axes.indexOf(one.axis)) * (one.range[1] - one.range[0]) * new Vector3().setFromMatrixScale(frame).x;
        // A bend goes from its axis to its side: about their cross product, which may point against the third axis.
        const sense = one.kind.id === 'bend' ? Math.sign(unit(one.axis).cross(unit(one.towards)).dot(unit(gripAxis(one)))) : 1;
        let angle = 0, last = new Quaternion();
        const changed = (to: { x: number; y: number }): JsonObject => {
            const { move, turn } = this.gizmo.drag(picking.inPicture(to.x, to.y)), more = turn.clone().multiply(last.clone().invert());
            last = turn.clone();
            if (more.w < 0) more.set(-more.x, -more.y, -more.z, -more.w);
            angle += sense * 2 * Math.atan2(new Vector3(more.x, more.y, more.z).dot(along), more.w) * MathUtils.RAD2DEG;
            const way = move.dot(along) / length, proxy = this.gizmo.motion.scale;
            const value = one.kind.key === 'degrees' ? Math.round(one.value + angle) : one.kind.id === 'taper' ? tidy(Math.max(0.02, one.value * proxy)) : one.kind.id === 'stretch' ? tidy(Math.max(0.02, one.value + way)) : tidy(one.value + way);
            return withDeformer(this.stage.pose!, index, { ...one.json, [one.kind.key]: value });
        };
        return {
            move: (to) => this.stage.draft(changed(to)),
            end: (to) => {
                const done = changed(to);
                this.gizmo.letGo();
                this.stage.commit(done, `${one.kind.name} a pose`);
            },
            cancel: () => {
                this.gizmo.letGo();
                this.stage.draft(null);
            },
        };
    }

    private addOne(): void {
        const kind = deformerKinds.find(({ id }) => id === this.add.value), middle = this.stage.middle(), { working } = this.stage;
        this.add.value = '';
        if (!kind || !middle) return;
        this.chosen = this.list.length;
        if (working) this.stage.commit({ ...working, deform: [...((working.deform ?? []) as JsonObject[]), newDeformer(kind, middle.size)] }, `${kind.name} a pose`);
        else this.stage.add({ name: kind.id, deform: [newDeformer(kind, middle.size)] }, `Add a pose of ${this.stage.name}: ${kind.name.toLowerCase()}`);
    }
}

export const tool: Tool = {
    id: 'pose-deform', name: 'Deform a pose', key: '', about: 'Twist, bend, lengthen, taper or shear a body into a pose', order: 27, desk: 'poses',
    icon: 'M8 4c6 3-2 6 4 9s-2 5 0 7M14 4c6 3-2 6 4 9s-2 5 0 7', cursor: 'crosshair', anywhere: true,
    make: (app) => new DeformHand(app).parts,
};
