// Waits for a recorded frame to be shown.
import type { App } from '../app';

const patience = 15000;  // ms

export class ShownFrames {
    /** Of the frame on the screen. */
    now = -1;
    /** How many came. */
    received = 0;
    private readonly waiting: Array<{ frame: number; done(): void }> = [];

    constructor(private readonly app: App) {}

    /** A frame was put on the screen. */
    shown(frame: number): void {
        this.now = frame;
        ++this.received;
        for (const { done } of this.waiting.filter((w) => w.frame === frame)) done();
    }

    /** Asks for a frame of the take; resolves when it is shown. */
    async show(frame: number): Promise<void> {
        if (frame === this.now) return;
        const { waiting } = this;
        await new Promise<void>((done, fail) => {
            const wait = { frame, done: () => { end(); done(); } };
            const timer = setTimeout(() => { end(); fail(new Error('A frame did not arrive.')); }, patience);
            const end = () => {
                clearTimeout(timer);
                waiting.splice(waiting.indexOf(wait), 1);
            };
            waiting.push(wait);
            this.app.send({ type: 'seek', frame });
        });
    }
}
