// The tools of a page: which one is chosen, and the hands that use it. Mouse, fingers, pens and the keyboard are hands alike;
// what no tool wants turns the view.
import type { App } from '../app';
import { h } from '../dom';
import { tools } from './all_tools';
import { KeyboardHand } from './keyboard_hand';
import type { Gesture, Place, Tool, ToolParts } from './tool';

interface Hand {
    hold: number;
    tool: Tool;
    gesture: Gesture;
    /** Where it went since the last picture. */
    moved: Place | null;
}

const keyboardPointer = -1;

export class Toolbox {
    /** Over the picture: the panel of the chosen tool. */
    readonly panel = h('div.tool-panel');
    private readonly parts = new Map<string, ToolParts>();
    private readonly hands = new Map<number, Hand>();
    private readonly keyboard: KeyboardHand;
    /** Where the pointer is over the picture while it is not down; null: it is not there. */
    private hovered: Place | null = null;
    /** What is under the pointer may be something else than when the tool was last asked. */
    private moved = false;
    private framesSeen = 0;
    /** Where the tool was last asked whether it acts, if it does. */
    private actsOn: Place | null = null;

    constructor(private readonly app: App) {
        const { canvas } = app.viewport;
        for (const tool of tools) {
            const parts = tool.make(app);
            this.parts.set(tool.id, parts);
            if (parts.overlay) app.viewport.host(parts.overlay);
            if (parts.panel) this.panel.append(parts.panel);
        }
        this.keyboard = new KeyboardHand(app, {
            down: (at) => this.press(keyboardPointer, at),
            move: (at) => this.moveHand(keyboardPointer, at),
            up: (at) => this.release(keyboardPointer, at),
        });
        canvas.addEventListener('pointerdown', (event) => this.pointerDown(event), { capture: true });
        addEventListener('pointermove', (event) => this.moveHand(event.pointerId, placeOf(event)));
        addEventListener('pointerup', (event) => this.release(event.pointerId, placeOf(event)));
        addEventListener('pointercancel', (event) => this.cancel(event.pointerId));
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('pointermove', (event) => { if (event.buttons === 0) this.hoverAt(placeOf(event)); });
        canvas.addEventListener('pointerleave', () => { this.hovered = null; });
        canvas.addEventListener('wheel', (event) => this.wheel(event), { capture: true, passive: false });
        canvas.addEventListener('keydown', (event) => this.keyboard.heard(event, this.hands.has(keyboardPointer)));
        app.on('tool', () => this.toolChanged());
        app.on(['scene', 'document', 'paint', 'tool', 'restShape'], () => { this.moved = true; });
        const beat = () => {
            this.beat();
            requestAnimationFrame(beat);
        };
        requestAnimationFrame(beat);
        this.toolChanged();
    }

    get current(): Tool {
        return toolNamed(this.app.get('tool'));
    }

    /** What a tool has in this page. */
    of(id: string): ToolParts {
        return this.parts.get(id)!;
    }

    /** The pointer rests at a place and the tool acts on what is under it. */
    actsAt(x: number, y: number): boolean {
        return this.actsOn !== null && Math.hypot(this.actsOn.x - x, this.actsOn.y - y) < 1;
    }

    /** The button or the key of a tool. */
    choose(id: string): void {
        const { choose } = this.of(id);
        if (choose) choose();
        else this.app.set('tool', id);
    }

    /** [ and ]: what hands are doing, or else what the tool will do. */
    resize(factor: number): void {
        if (this.hands.size) for (const { gesture } of this.hands.values()) gesture.resize?.(factor);
        else this.of(this.current.id).resize?.(factor);
    }

    /** Escape: what hands are doing was not meant. False if they do nothing. */
    cancelAll(): boolean {
        const busy = this.hands.size > 0;
        for (const pointer of [...this.hands.keys()]) this.cancel(pointer);
        return busy;
    }

    private toolChanged(): void {
        const { id, anywhere, cursor } = this.current;
        for (const tool of tools) {
            const { panel } = this.of(tool.id);
            if (panel) panel.hidden = tool.id !== id;
        }
        this.setCursor(anywhere ? cursor : '');
    }

    private setCursor(cursor: string): void {
        this.app.viewport.canvas.style.cursor = cursor;
    }

    private pointerDown(event: PointerEvent): void {
        if (event.button !== 0 || (event.shiftKey && !this.current.chooses) || !this.press(event.pointerId, placeOf(event))) return;
        event.stopImmediatePropagation();
        event.preventDefault();  // which would also take the focus
        this.app.viewport.canvas.focus({ preventScroll: true });
        this.app.viewport.canvas.setPointerCapture?.(event.pointerId);
    }

    /** False if the tool does nothing there. */
    private press(pointer: number, at: Place): boolean {
        const tool = this.current, { viewport } = this.app;
        const hit = viewport.picking.pick(at.x, at.y);
        if (!hit && !tool.anywhere) return false;
        const held = [...this.hands.values()].map((hand) => hand.hold);
        let hold = 1;
        while (held.includes(hold)) ++hold;
        const gesture = this.of(tool.id).press?.(at, hit, hold);
        if (!gesture) return false;
        viewport.view.controls.enabled = false;
        this.hands.set(pointer, { hold, tool, gesture, moved: null });
        if (hit && !tool.chooses) this.app.select(hit.body);
        if (hit) this.app.emit('touched', undefined);
        if (tool.heldCursor) this.setCursor(tool.heldCursor);
        return true;
    }

    private moveHand(pointer: number, at: Place): void {
        const hand = this.hands.get(pointer);
        if (hand) hand.moved = at;
    }

    private letGo(pointer: number): Hand | undefined {
        const hand = this.hands.get(pointer);
        if (!hand) return undefined;
        this.hands.delete(pointer);
        if (!this.hands.size) this.app.viewport.view.controls.enabled = true;
        if (pointer === keyboardPointer) this.keyboard.hide();
        return hand;
    }

    private release(pointer: number, at: Place): void {
        const hand = this.letGo(pointer);
        if (!hand) return;
        this.hoverAt(at);
        if (hand.moved) hand.gesture.move?.(hand.moved);  // since the last picture
        hand.gesture.end?.(at);
    }

    private cancel(pointer: number): void {
        this.letGo(pointer)?.gesture.cancel();
    }

    /** True: the key means something to the chosen tool. */
    key(key: string, shift: boolean): boolean {
        return this.of(this.current.id).key?.(key, shift) ?? false;
    }

    private wheel(event: WheelEvent): void {
        const scrolled = event.altKey && (this.of(this.current.id).scroll?.(Math.max(-3, Math.min(3, event.deltaY / 100))) ?? false);
        if (scrolled) {
            event.stopImmediatePropagation();
            event.preventDefault();
            return;
        }
        if (!this.hands.size) return;
        event.stopImmediatePropagation();
        event.preventDefault();
        this.resize(Math.exp(-0.0015 * Math.max(-200, Math.min(200, event.deltaY))));
    }

    private beat(): void {
        for (const hand of this.hands.values()) {
            if (hand.moved) hand.gesture.move?.(hand.moved);
            hand.moved = null;
            hand.gesture.tick?.();
        }
        const tool = this.current, { received } = this.app.frames;
        this.moved ||= received !== this.framesSeen;  // bodies go on under a pointer that rests
        this.framesSeen = received;
        if (this.hovered && this.moved && !this.hands.size) {
            const { hover } = this.of(tool.id), { x, y } = this.hovered, overBody = this.app.viewport.picking.isOverBody(x, y), acts = hover ? hover(this.hovered) : overBody;
            this.actsOn = acts ? this.hovered : null;
            if (hover || !tool.anywhere) this.setCursor(acts || overBody ? tool.cursor : '');
        }
        this.moved = false;
    }

    private hoverAt(at: Place): void {
        this.hovered = at;
        this.moved = true;
    }
}

export function toolNamed(id: string): Tool {
    return tools.find((tool) => tool.id === id)!;
}

function placeOf(event: PointerEvent): Place {
    return { x: event.clientX, y: event.clientY, pressure: event.pressure || 0.5, shift: event.shiftKey, ctrl: event.ctrlKey || event.metaKey };
}
