// A hand that paints: brush, side, box, lasso, ball or gradient, on the surface of a body or on the cut. What it draws is a
// draft until it is let go. Whatever is painted: desks give it their targets.
import { Group, Matrix4, type Vector3 } from 'three';
import type { App } from '../app';
import { MarkedFaces } from '../overlays/marked_faces';
import { Ring } from '../overlays/ring';
import { ScreenArea, bodyUnder, boxArea } from '../overlays/screen_area';
import { type Coat, type Operation, tidyNumber, tidyPlace } from './coat';
import type { FieldColors } from './field_colors';
import { PaintDesk } from './paint_desk';
import { leastRadius, mostRadius } from './paint_settings';
import { type PaintSpot, type PaintSpots, spotsOf } from './spots';
import type { PaintTarget, TargetField } from './target';
import { PaintPanel } from '../panels/paint_panel';
import { toast } from '../panels/toasts';
import type { Json } from '../scene_editing/schema';
import { unscaled } from '../scene_editing/selections';
import type { Gesture, Place, ToolParts } from '../toolbox/tool';
import { toolBeneath } from '../toolbox/tool_beneath';
import type { Overlay } from '../viewport/overlay';

const stepShare = 0.2;     // of the radius, between two places of a stroke
const leastStep = 4;       // pixels between two points of a lasso
const mostPlaces = 500;    // of a stroke

/** The circle of the brush and what it marks, in the picture; colours hear from it that bodies moved. */
class BrushRing implements Overlay {
    readonly object = new Group();
    private readonly ring = new Ring('#d9730d');

    constructor(marked: MarkedFaces, readonly colors: FieldColors) {
        this.object.add(this.ring.object, marked.object);
        this.ring.object.visible = false;
    }

    frame(): void {
        this.colors.moved();
    }

    show(at: Vector3 | null, radius: number): void {
        this.ring.object.visible = at !== null;
        if (at) this.ring.place(at, radius);
    }

    beforePicture(camera: Parameters<Ring['face']>[0]): void {
        this.ring.face(camera);
    }
}

export class PaintHand {
    private readonly overlay: BrushRing;
    private readonly panel: PaintPanel;
    private readonly desk: PaintDesk;
    private readonly spots: PaintSpots;
    private readonly area: ScreenArea;
    private readonly marked = new MarkedFaces();
    /** What is asked about the faces under the pointer; the same is not asked again. */
    private markedFor = '';

    /** `tool`: its id; `desk`: the one it belongs to; `shownBy`: other tools while which a field is shown, and the id of its target. */
    constructor(private readonly app: App, targets: readonly PaintTarget[], tool: string, desk: string, shownBy: Readonly<Record<string, string>> = {}) {
        const showing = [tool, ...Object.keys(shownBy)];
        this.spots = spotsOf(app);
        this.area = new ScreenArea(app);
        this.desk = new PaintDesk(app, targets, {
            isShown: () => showing.includes(toolBeneath(app)) && !(toolBeneath(app) === tool && app.get('paint').wave), backdrop: () => shownBy[toolBeneath(app)] ?? null,
        }, () => this.panel?.update());
        this.panel = new PaintPanel(app, this.desk);
        this.overlay = new BrushRing(this.marked, this.desk.colors);
        app.on(['selection', 'scene', 'tool'], () => { if (app.get('tool') === tool) this.spots.prepare(app.selected); });
        app.on(['tool', 'desk', 'paint', 'scene'], () => {
            this.overlay.show(null, 0);
            this.marked.hide();
            this.markedFor = '';
        });
        app.on('desk', (now) => { if (now !== desk && showing.includes(app.get('tool'))) app.set('tool', 'grab'); });
    }

    get parts(): ToolParts {
        return {
            overlay: this.overlay, panel: this.panel.element, resize: (factor) => this.resize(factor),
            hover: (at) => this.hover(at), press: (at) => this.press(at),
        };
    }

    private sizeOf(body: string): number {
        return this.app.viewport.bodyView(body)?.body.size ?? 1;
    }

    /** m, in the scene. */
    private radiusOn(body: string): number {
        return this.app.get('paint').radius * this.sizeOf(body);
    }

    private resize(factor: number): void {
        this.app.setPaint({ radius: Math.min(mostRadius, Math.max(leastRadius, this.app.get('paint').radius * factor)) });
    }

    private hover(at: Place): boolean {
        const spot = this.spots.at(at.x, at.y);
        this.ringAt(spot);
        this.mark(at, spot);
        return spot !== null;
    }

    /** Shows the triangle or the flat side that a click would paint. */
    private mark(at: Place, spot: PaintSpot | null): void {
        const { brush, angle } = this.app.get('paint'), hit = spot && !spot.onCut && (brush === 'side' || brush === 'triangle') ? this.app.viewport.picking.pick(at.x, at.y) : null;
        const key = hit ? `${brush} ${angle} ${hit.body} ${hit.spot.triangle}` : '';
        if (key === this.markedFor) return;
        this.markedFor = key;
        if (!hit) {
            this.marked.hide();
            this.app.viewport.draw();
            return;
        }
        void this.app.ask('brush', { spot: hit.spot, kind: brush === 'side' ? 'flat' : 'polygon', radius: 0, angle }, 'marked').catch(() => null).then((answer) => {
            const view = this.app.viewport.bodyView(hit.body);
            if (this.markedFor !== key) return;
            if (answer && view) {
                this.marked.show(view, answer.vertices);
            } else {
                this.marked.hide();
                this.markedFor = '';  // asked again as soon as something moves
            }
            this.app.viewport.draw();
        });
    }

    private ringAt(spot: PaintSpot | null): void {
        this.overlay.show(spot && this.app.get('paint').brush === 'brush' ? spot.point : null, spot ? this.radiusOn(spot.body) : 0);
        this.app.viewport.draw();
    }

    /** Keys that a hand holds change what it does: Shift smooths, Control does the opposite. */
    private static operationOf({ shift, ctrl }: Place, operation: Operation): Operation | null {
        if (shift) return 'smooth';
        if (!ctrl) return null;
        return operation === 'add' ? 'subtract' : operation === 'subtract' ? 'add' : 'erase';
    }

    // ---- gestures

    private press(at: Place): Gesture | null {
        const { brush, operation } = this.app.get('paint'), held = PaintHand.operationOf(at, operation);
        if (brush === 'box' || brush === 'lasso') return this.areaGesture(at, held);
        const spot = this.spots.at(at.x, at.y);
        if (!spot) return null;  // beside the body the view is turned
        if (this.app.selected !== spot.body) this.app.select(spot.body);
        this.app.emit('touched', undefined);
        const field = this.desk.fieldOf(spot.body);
        if (typeof field === 'string') {
            toast(field, 'warning');
            return { cancel() {} };
        }
        switch (brush) {
            case 'triangle': case 'side': return this.sideGesture(spot, this.desk.coat(field, held));
            case 'ball': return this.ballGesture(at, spot, this.desk.coat(field, held));
            case 'gradient': return this.gradientGesture(spot, field);
            default: return this.strokeGesture(at, spot, this.desk.coat(field, held));
        }
    }

    /** Shows what a gesture makes as it is, and paints it when it ends. null: nothing yet. */
    private drafted(body: string, make: () => Coat | null, follow: (to: Place) => void): Gesture {
        const show = () => {
            const coat = make();
            if (coat) this.desk.preview(body, coat);
        };
        show();
        return {
            move: (to) => {
                follow(to);
                show();
            },
            resize: (factor) => {
                this.resize(factor);
                show();
            },
            end: (to) => {
                follow(to);
                const coat = make();
                if (coat) this.desk.commit(body, coat);
                else this.desk.drop();
            },
            cancel: () => this.desk.drop(),
        };
    }

    private place(rest: Vector3, body: string): number[] {
        return tidyPlace(rest.toArray(), this.sizeOf(body) / this.spots.scaleOf(body));
    }

    private strokeGesture(at: Place, first: PaintSpot, base: Coat): Gesture {
        const { body } = first, { reach } = this.app.get('paint'), scale = this.spots.scaleOf(body);
        const path = [this.place(first.rest, body)], pressures = [tidyNumber(at.pressure, 2)];
        let last = first.rest, isPen = at.pressure !== 0.5;
        const along = reach === 'through' && !first.onCut ? this.alongView(first) : null;
        return this.drafted(body, () => ({
            ...base, radius: tidyNumber(this.radiusOn(body) / scale), ...(reach === 'skin' && !first.onCut ? { reach } : {}),
            ...(along ? { reach, along } : {}), path, ...(isPen ? { pressures } : {}),
        }), (to) => {
            const spot = this.spots.at(to.x, to.y);
            this.ringAt(spot);
            if (!spot || spot.body !== body || path.length >= mostPlaces || spot.rest.distanceTo(last) < (stepShare * this.radiusOn(body)) / scale) return;
            last = spot.rest;
            isPen ||= to.pressure !== 0.5;
            path.push(this.place(spot.rest, body));
            pressures.push(tidyNumber(to.pressure, 2));
        });
    }

    /** The direction of sight in the body at rest: towards where the same ray leaves it. */
    private alongView(spot: PaintSpot): number[] {
        const { viewport } = this.app, eye = viewport.view.camera.position.clone();
        const sight = spot.point.clone().sub(eye).normalize(), turned = this.restTurnOf(spot, sight);
        return turned.map((x) => tidyNumber(x, 4));
    }

    /** A direction of the scene as the body has it at rest: by three places next to the spot. */
    private restTurnOf(spot: PaintSpot, direction: Vector3): number[] {
        const { picking } = this.app.viewport, at = picking.toPage(spot.point), far = 6;
        const beside = [[far, 0], [0, far], [-far, 0], [0, -far]].map(([x, y]) => this.spots.at(at.x + x, at.y + y)).filter((other) => other?.body === spot.body) as PaintSpot[];
        const edges = beside.map((other) => ({ now: other.point.clone().sub(spot.point), rest: other.rest.clone().sub(spot.rest) })).filter(({ now }) => now.length() > 0);
        const [a, b] = [edges[0], edges[1]];
        if (!a || !b) return direction.toArray();
        const frame = (u: Vector3, v: Vector3) => { const x = u.clone().normalize(), z = u.clone().cross(v).normalize(); return [x, z.clone().cross(x), z]; };
        const now = frame(a.now, b.now), rest = frame(a.rest, b.rest);
        return rest[0].multiplyScalar(direction.dot(now[0])).addScaledVector(rest[1], direction.dot(now[1])).addScaledVector(rest[2], direction.dot(now[2])).toArray();
    }

    private sideGesture(spot: PaintSpot, base: Coat): Gesture {
        const { body } = spot, { reach, angle, brush } = this.app.get('paint'), isSide = brush === 'side';
        let at = spot;
        return this.drafted(body, () => ({
            ...base, brush: isSide ? 'flat' : 'polygon', ...(angle === 30 || !isSide ? {} : { angle }), ...(reach === 'skin' ? {} : { radius: tidyNumber(this.radiusOn(body) / this.spots.scaleOf(body)) }), path: [this.place(at.rest, body)],
        }), (to) => {
            const other = this.spots.at(to.x, to.y);
            if (other?.body === body) at = other;
        });
    }

    /** From its middle outwards. */
    private ballGesture(at: Place, spot: PaintSpot, base: Coat): Gesture {
        const { body } = spot, scale = this.spots.scaleOf(body);
        let radius = this.radiusOn(body);
        this.overlay.show(spot.point, radius);
        return this.drafted(body, () => ({
            ...base, brush: 'select', select: { sphere: { center: this.place(spot.rest, body), radius: tidyNumber(radius / scale) } },
        }), (to) => {
            const far = this.app.viewport.picking.onScreenPlane(to.x, to.y, spot.point).distanceTo(spot.point);
            if (Math.hypot(to.x - at.x, to.y - at.y) > leastStep) radius = far;
            this.overlay.show(spot.point, radius);
        });
    }

    private gradientGesture(spot: PaintSpot, field: TargetField): Gesture {
        const { body } = spot, { value, to } = this.desk.values(field), { op: _, mirror: __, ...base } = this.desk.coat(field, 'set');
        let end: Vector3 | null = null;
        return this.drafted(body, () => end && { ...base, brush: 'gradient', value, to, ...(this.app.get('paint').follow === 'mesh' ? { follow: 'mesh' as const } : {}), path: [this.place(spot.rest, body), this.place(end, body)] }, (there) => {
            const other = this.spots.at(there.x, there.y);
            if (other?.body === body && other.rest.distanceTo(spot.rest) > 1e-4 * this.sizeOf(body)) end = other.rest;
        });
    }

    /** What lies behind an area, as an outline on a picture of the body at rest; null: it is bent too much for that. */
    private outlineOf(area: Place[], body: string): Coat['outline'] | null {
        const { viewport } = this.app, { camera } = viewport.view, motion = this.spots.motionOf(body);
        if (!motion || area.length < 3) return null;
        camera.updateMatrixWorld();
        const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).multiply(motion);
        const corners = area.flatMap(({ x, y }) => { const at = viewport.picking.inPicture(x, y); return [at.x, at.y]; });
        return { view: view.elements.map((x) => tidyNumber(x, 6)), areas: [corners.map((x) => Number(x.toFixed(4)))] };
    }

    /** What lies in an area of the picture. */
    private areaGesture(at: Place, held: Operation | null): Gesture {
        const { brush, reach } = this.app.get('paint'), through = reach === 'through', points: Place[] = [at];
        const begun = this.spots.at(at.x, at.y)?.body ?? null;
        let pending = false;
        const shape = (to: Place) => (brush === 'box' ? boxArea(at, to) : points);
        const follow = (to: Place) => {
            const last = points[points.length - 1];
            if (Math.hypot(to.x - last.x, to.y - last.y) >= leastStep) points.push(to);
        };
        const coatOf = async (to: Place, slot: string): Promise<{ body: string; coat: Coat } | string> => {
            const area = shape(to), body = begun ?? bodyUnder(this.app, area);
            if (!body) return 'There is no body inside it, so nothing was painted.';
            const field = this.desk.fieldOf(body);
            if (typeof field === 'string') return field;
            const answer = await this.area.ask([area], body, through, slot);
            if (!answer || answer.particles === 0) return through ? 'No particle lies inside it, so nothing was painted.' : 'No visible particle lies inside it, so nothing was painted. “Through” includes the hidden ones.';
            const outline = through ? this.outlineOf(area, body) : null, where = outline ? { outline } : { select: unscaled(answer.select as Json, this.spots.scaleOf(body)) };
            return { body, coat: { ...this.desk.coat(field, held), brush: 'select', ...where } };
        };
        const end = () => {
            this.area.draw([]);
            this.app.viewport.draw();
        };
        return {
            move: (to) => {
                follow(to);
                this.area.draw([shape(to)]);
                if (pending) return;
                pending = true;
                void coatOf(to, 'paint area').catch(() => '').then((made) => {
                    pending = false;
                    if (typeof made !== 'string' && this.area.isDrawn) this.desk.preview(made.body, made.coat);
                });
            },
            end: (to) => {
                follow(to);
                end();
                void coatOf(to, 'paint').catch((error: Error) => error.message).then((made) => {
                    if (typeof made !== 'string') {
                        if (this.app.selected !== made.body) this.app.select(made.body);
                        return this.desk.commit(made.body, made.coat);
                    }
                    toast(made, 'warning');
                    this.desk.drop();
                });
            },
            cancel: () => {
                end();
                this.desk.drop();
            },
        };
    }
}
