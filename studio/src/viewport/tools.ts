// What the pointer does to bodies: grab, throw, push with a ball, pin, inspect. Beside a body it turns the view.
import { Vector3 } from 'three';
import type { App } from '../app';
import type { Hit } from './viewport';

export type Tool = 'grab' | 'throw' | 'ball' | 'pin' | 'inspect' | 'orbit';

export interface ToolInfo {
    tool: Tool;
    name: string;
    key: string;
    about: string;
}

export const tools: ToolInfo[] = [
    { tool: 'grab', name: 'Grab', key: 'G', about: 'Pull any point; let go and it springs back' },
    { tool: 'throw', name: 'Throw', key: 'T', about: 'Drag a body and let go: it flies' },
    { tool: 'ball', name: 'Ball', key: 'B', about: 'Press a ball into a body and push; [ and ] make it smaller and larger' },
    { tool: 'pin', name: 'Pin', key: 'P', about: 'Click to hold a point where it is; click a held point to free it' },
    { tool: 'inspect', name: 'Inspect', key: 'I', about: 'Click a point to see its region and its numbers' },
    { tool: 'orbit', name: 'Look', key: 'O', about: 'Turn the view, whatever is under the pointer' },
];

/** Over a body and beside it the pointer does different things: its shape says which. */
const cursors: Record<Tool, string> = { grab: 'grab', throw: 'grab', ball: 'crosshair', pin: 'crosshair', inspect: 'crosshair', orbit: 'move' };

const throwPerMetre = 8;  // m/s of speed for a metre of drag
const pressTime = 0.7;    // s of the simulation until a ball is pressed in to the middle of a body

/** What one finger or the mouse is doing. */
interface Gesture {
    pointer: number;
    tool: Tool;
    hold: number;
    hit: Hit;
    from: Vector3;
    moved: boolean;
    start: number;
    x: number;
    y: number;
}

export class Pointer {
    private readonly gestures = new Map<number, Gesture>();
    private ballScale = 1;
    private readonly pending = new Map<number, () => void>();
    private hovered: { x: number; y: number } | null = null;

    constructor(private readonly app: App) {
        const canvas = app.viewport.canvas;
        canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
        addEventListener('pointermove', (event) => this.move(event));
        addEventListener('pointerup', (event) => this.up(event));
        addEventListener('pointercancel', (event) => this.up(event));
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('pointermove', (event) => { if (event.buttons === 0) this.hovered = { x: event.clientX, y: event.clientY }; });
        app.on(['tool'], () => this.setCursor(app.tool === 'orbit' ? cursors.orbit : ''));
        // At most one message a drawn frame, however fast the mouse is.
        const flush = () => {
            for (const act of this.pending.values()) act();
            this.pending.clear();
            for (const gesture of this.gestures.values()) if (gesture.tool === 'ball') this.press(gesture);
            if (this.hovered && !this.gestures.size && app.tool !== 'orbit') this.setCursor(app.viewport.isOverBody(this.hovered.x, this.hovered.y) ? cursors[app.tool] : '');
            this.hovered = null;
            requestAnimationFrame(flush);
        };
        requestAnimationFrame(flush);
    }

    private setCursor(cursor: string): void {
        this.app.viewport.canvas.style.cursor = cursor;
    }

    resizeBall(factor: number): void {
        this.ballScale = Math.min(5, Math.max(0.2, this.ballScale * factor));
    }

    /** No smaller than the gaps between the particles of a body, which are what it touches. */
    private radius(body: string): number {
        const { viewport } = this.app;
        return Math.max(0.16 * viewport.extent.size * this.ballScale, viewport.bodyView(body)?.body.spacing ?? 0);
    }

    private down(event: PointerEvent): void {
        if (event.button !== 0 || this.app.tool === 'orbit' || event.shiftKey) return;
        const { viewport, tool } = this.app;
        const hit = viewport.pick(event.clientX, event.clientY);
        if (!hit) return;
        event.stopImmediatePropagation();
        event.preventDefault();
        viewport.controls.enabled = false;
        viewport.canvas.setPointerCapture?.(event.pointerId);
        const gesture: Gesture = { pointer: event.pointerId, tool, hold: 1 + this.gestures.size, hit, from: hit.point, moved: false, start: this.app.shownTime, x: event.clientX, y: event.clientY };
        this.gestures.set(event.pointerId, gesture);
        this.app.select(hit.body);
        this.app.emit('touched');
        if (cursors[tool] === 'grab') this.setCursor('grabbing');
        if (tool === 'grab') this.app.send({ type: 'grab', hold: gesture.hold, spot: hit.spot, target: hit.point.toArray() });
        if (tool === 'ball') {
            // The ball comes from the viewer's side and touches what was clicked.
            const toCamera = viewport.camera.position.clone().sub(hit.point).normalize();
            gesture.from = hit.point.clone().addScaledVector(toCamera, this.radius(hit.body));
            this.moveBall(gesture, gesture.from);
        }
        if (tool === 'inspect') this.app.inspect(hit.spot);
    }

    private move(event: PointerEvent): void {
        const gesture = this.gestures.get(event.pointerId);
        if (!gesture) return;
        const target = this.app.viewport.onScreenPlane(event.clientX, event.clientY, gesture.hit.point);
        gesture.moved ||= target.distanceTo(gesture.hit.point) > 0.01 * this.app.viewport.extent.size;
        if (gesture.tool === 'grab') this.pending.set(event.pointerId, () => this.app.send({ type: 'drag', hold: gesture.hold, target: target.toArray() }));
        [gesture.x, gesture.y] = [event.clientX, event.clientY];
        if (gesture.tool === 'throw') this.app.viewport.showArrow(gesture.hit.point, target);
    }

    private up(event: PointerEvent): void {
        const gesture = this.gestures.get(event.pointerId);
        if (!gesture) return;
        this.gestures.delete(event.pointerId);
        this.hovered = { x: event.clientX, y: event.clientY };
        if (!this.gestures.size) this.app.viewport.controls.enabled = true;
        this.pending.delete(event.pointerId);
        const { viewport } = this.app;
        if (gesture.tool === 'grab') this.app.send({ type: 'release', hold: gesture.hold });
        if (gesture.tool === 'ball') {
            const radius = this.radius(gesture.hit.body);
            viewport.setBall(null, radius);
            this.app.send({ type: 'ball', center: null, radius });
        }
        if (gesture.tool === 'throw') {
            viewport.showArrow(null, null);
            const target = viewport.onScreenPlane(event.clientX, event.clientY, gesture.hit.point);
            const velocity = target.sub(gesture.hit.point).multiplyScalar(throwPerMetre);
            if (gesture.moved) this.app.send({ type: 'throw', body: gesture.hit.body, velocity: velocity.toArray() });
        }
        if (gesture.tool === 'pin' && !gesture.moved) {
            const held = viewport.isNearPin(gesture.hit.point);
            this.app.send({ type: held ? 'unpin' : 'pin', spot: gesture.hit.spot });
        }
    }

    /** The longer a ball is held, by the clock of the simulation, the deeper it goes, up to the middle of the body; it
     *  follows the pointer. */
    private press(gesture: Gesture): void {
        const { viewport } = this.app;
        const middle = viewport.middleOf(gesture.hit.body, gesture.hit.run);
        const away = viewport.camera.getWorldDirection(new Vector3());
        const depth = Math.max(0, middle.sub(gesture.from).dot(away));
        const share = Math.min(1, Math.max(0, this.app.shownTime - gesture.start) / pressTime);
        const plane = gesture.from.clone().addScaledVector(away, depth * share);
        this.moveBall(gesture, viewport.onScreenPlane(gesture.x, gesture.y, plane));
    }

    private moveBall(gesture: Gesture, center: Vector3): void {
        const radius = this.radius(gesture.hit.body), { ball } = this.app.viewport;
        if (ball.visible && ball.position.distanceTo(center) < 1e-4 * radius && ball.scale.x === radius) return;
        this.app.viewport.setBall(center, radius);
        this.app.send({ type: 'ball', center: center.toArray(), radius });
    }
}
