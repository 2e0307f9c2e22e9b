// A hand for those without a pointer: Enter puts it down on the selected body, arrows move it, Enter lets go, Escape undoes.
import type { App } from '../app';
import { h } from '../dom';
import type { Place } from './tool';

interface Hands {
    down(at: Place): boolean;
    move(at: Place): void;
    up(at: Place): void;
}

const step = 12;        // pixels
const largeStep = 48;   // with Shift
const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const turnAngle = Math.PI / 36;

export class KeyboardHand {
    private readonly mark = h('div.keyboard-hand', { hidden: true, 'aria-hidden': 'true' });
    private at: Place = { x: 0, y: 0, pressure: 0.5 };

    constructor(private readonly app: App, private readonly hands: Hands) {
        app.viewport.canvas.parentElement!.append(this.mark);
    }

    hide(): void {
        this.mark.hidden = true;
    }

    /** A key on the picture. */
    heard(event: KeyboardEvent, isDown: boolean): void {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const way = arrows[event.key];
        if (event.key === 'Enter') {
            if (isDown) this.hands.up(this.at);
            else this.putDown();
        } else if (way && isDown) {
            const far = event.shiftKey ? largeStep : step;
            this.at = { ...this.at, x: this.at.x + far * way[0], y: this.at.y + far * way[1] };
            this.place();
            this.hands.move(this.at);
        } else if (way && event.shiftKey) {
            this.app.viewport.view.pan(0.04 * way[0], -0.04 * way[1]);
        } else if (way) {
            this.app.viewport.view.turn(turnAngle * way[0], -turnAngle * way[1]);
        } else if (event.key === '+' || event.key === '-') {
            this.app.viewport.view.dolly(event.key === '+' ? 0.9 : 1 / 0.9);
        } else {
            return;
        }
        event.preventDefault();
        event.stopPropagation();
    }

    private putDown(): void {
        const { viewport } = this.app, { selected } = this.app;
        if (!viewport.bodyView(selected)) return;
        this.at = { ...viewport.picking.toPage(viewport.middleOf(selected)), pressure: 0.5 };
        if (!this.hands.down(this.at)) return;
        this.mark.hidden = false;
        this.place();
    }

    private place(): void {
        const box = this.app.viewport.canvas.getBoundingClientRect();
        this.mark.style.translate = `${this.at.x - box.left}px ${this.at.y - box.top}px`;
    }
}
