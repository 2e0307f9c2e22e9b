// Pose by brushes that push the shape as a load pushes an elastic solid: grab, twist, bulge, pinch. Each drag is one touch.
import { MathUtils, Vector3 } from 'three';
import type { App } from '../app';
import { h } from '../dom';
import { Ring } from '../overlays/ring';
import { segmented } from '../panels/segmented';
import { toast } from '../panels/toasts';
import { type PoseStage, poseStageOf } from '../posing/pose_stage';
import { type PoseTouch, refusal, tidy, tidyVector } from '../scene_editing/poses';
import type { JsonObject } from '../scene_editing/schema';
import type { Gesture, Place, Tool, ToolParts } from '../toolbox/tool';

type Brush = 'grab' | 'twist' | 'bulge' | 'pinch';
const about: Record<Brush, string> = {
    grab: 'Drag: what is under the brush follows.', twist: 'Drag to the right or left: it turns as seen from here.',
    bulge: 'Drag up: it swells; down: it shrinks.', pinch: 'Drag: it is squeezed along the drag and stretched across it.',
};
const leastDrag = 4;       // pixels: less does nothing
const perPixel = 0.6;      // degrees of a twist
const amountPerPixel = 0.006;
const mostTouches = 2000;

class BrushHand {
    readonly parts: ToolParts;
    private readonly stage: PoseStage;
    private readonly ring: Ring;
    private readonly why = h('p.why', { role: 'status' });
    private readonly hint = h('p.hint');
    private readonly kind: ReturnType<typeof segmented<Brush>>;
    private readonly radius = h('input', { type: 'range', min: 0.03, max: 0.6, step: 0.01, value: 0.15, 'aria-label': 'Radius of the brush', oninput: () => { this.share = Number(this.radius.value); } });
    private brush: Brush = 'grab';
    private share = 0.15;  // of the body's size

    constructor(private readonly app: App) {
        this.stage = poseStageOf(app);
        this.ring = new Ring('#ff8a1f');
        this.ring.object.visible = false;
        this.kind = segmented<Brush>('Brush', [['grab', 'Grab'], ['twist', 'Twist'], ['bulge', 'Bulge'], ['pinch', 'Pinch']], () => this.brush, (brush) => {
            this.brush = brush;
            this.kind.update();
            this.update();
        });
        const panel = h('div.paint-panel.pose-brush', {}, this.why, this.kind.element, this.hint, h('label.row', {}, h('span', {}, 'Radius'), this.radius));
        this.stage.on(() => this.update());
        app.on('tool', () => this.update());
        this.parts = {
            overlay: { object: this.ring.object, beforePicture: (camera) => this.ring.face(camera) }, panel, press: (at) => this.press(at),
            hover: ({ x, y }) => {
                const hit = this.stage.at(x, y);
                this.ring.object.visible = hit !== null;
                if (hit) this.ring.place(hit.point, this.radiusNow * new Vector3().setFromMatrixScale(this.stage.frame).x);
                app.viewport.draw();
                return hit !== null;
            },
            resize: (factor) => {
                this.share = MathUtils.clamp(this.share * factor, 0.03, 0.6);
                this.radius.value = String(this.share);
            },
        };
        queueMicrotask(() => this.update());
    }

    /** In the lengths of the solid. */
    private get radiusNow(): number {
        return tidy(this.share * this.stage.size);
    }

    private get refusal(): string | null {
        return refusal(this.stage.content, this.stage.body) ?? (this.stage.pose?.mirror ? 'This pose is a mirror image: push its original, or a copy.' : null);
    }

    private update(): void {
        const why = this.refusal;
        this.why.textContent = why ?? '';
        this.why.hidden = why === null;
        this.hint.textContent = about[this.brush];
    }

    private press(from: Place): Gesture | null {
        const hit = this.refusal ? null : this.stage.at(from.x, from.y);
        if (!hit) return null;
        const { picking, view } = this.app.viewport, back = this.stage.frame.invert(), start = hit.point.clone().applyMatrix4(back);
        const base = this.stage.working ?? { name: 'pushed' }, earlier = (base.touches ?? []) as JsonObject[];
        if (earlier.length >= mostTouches) {
            toast(`A pose has at most ${mostTouches} touches.`, 'warning');
            return null;
        }
        const touch = (to: Place): PoseTouch => {
            const way = picking.onScreenPlane(to.x, to.y, hit.point).applyMatrix4(back).sub(start), one = { brush: this.brush, at: hit.pose, radius: this.radiusNow };
            const towards = view.camera.getWorldDirection(new Vector3()).transformDirection(back).normalize();
            switch (this.brush) {
                case 'grab': return { ...one, by: tidyVector(way) };
                case 'twist': return { ...one, by: tidyVector(towards.multiplyScalar(perPixel * (to.x - from.x))) };
                case 'bulge': return { ...one, amount: tidy(MathUtils.clamp(amountPerPixel * (from.y - to.y), -2, 2)) };
                default: return { ...one, by: tidyVector(way.length() > 0 ? way.normalize() : new Vector3(1, 0, 0)), amount: tidy(Math.min(2, amountPerPixel * Math.hypot(to.x - from.x, to.y - from.y))) };
            }
        };
        const posed = (to: Place): JsonObject => ({ ...base, touches: [...earlier, touch(to)] });
        const isDrag = (to: Place) => Math.hypot(to.x - from.x, to.y - from.y) > leastDrag;
        return {
            move: (to) => { if (isDrag(to)) this.stage.draft(posed(to)); },
            resize: (factor) => this.parts.resize!(factor),
            end: (to) => {
                if (isDrag(to)) this.stage.commit(posed(to), `${this.brush[0].toUpperCase()}${this.brush.slice(1)} a pose`);
                else this.stage.draft(null);
            },
            cancel: () => this.stage.draft(null),
        };
    }
}

export const tool: Tool = {
    id: 'pose-brush', name: 'Pose by brush', key: '', about: 'Grab, twist, bulge or pinch a body into a pose', order: 26, desk: 'poses',
    icon: 'M5 19c4 0 3-5 6-8s6-3 8-6M5 19c0-4 2-5 4-5M14 6l4 4', cursor: 'crosshair', anywhere: true, chooses: true,
    make: (app) => new BrushHand(app).parts,
};
