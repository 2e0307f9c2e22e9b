// What a tool is: words, a button and a key for it, and what a press on the picture does. One file of tools/ each.
import type { App } from '../app';
import type { Overlay } from '../viewport/overlay';
import type { Hit } from '../viewport/picking';

/** Where a mouse, finger, pen or the keyboard's cursor is on the page. */
export interface Place {
    x: number;
    y: number;
    /** 0 to 1, of a pen; 0.5 of what cannot tell. */
    pressure: number;
    /** Shift is held. */
    shift?: boolean;
    /** Control, or Command, is held. */
    ctrl?: boolean;
}

/** What one hand does from press to release. A draft until then: cancel leaves nothing behind. */
export interface Gesture {
    /** At most once a drawn picture, however fast the mouse is. */
    move?(at: Place): void;
    /** Once a drawn picture. */
    tick?(): void;
    /** Wheel, [ and ]: by this factor. */
    resize?(factor: number): void;
    end?(at: Place): void;
    cancel(): void;
}

/** What a tool has in one page. */
export interface ToolParts {
    overlay?: Overlay;
    /** Over the picture while the tool is chosen. */
    panel?: HTMLElement;
    /** Its button or key; without: it is chosen. */
    choose?(): void;
    /** A hand goes down at a place, on a body or beside. null: not for this tool, the view is turned. `hold`: number of the hand. */
    press?(at: Place, hit: Hit | null, hold: number): Gesture | null;
    /** The pointer is over the picture and no hand is down, once a drawn picture. True: over something that the tool acts on. */
    hover?(at: Place): boolean;
    /** [ and ] while no hand is down. */
    resize?(factor: number): void;
    /** A key while the tool is chosen, letters in lower case. True: it meant something to it, and does nothing else. */
    key?(key: string, shift: boolean): boolean;
    /** The wheel with Alt, in notches. True: it meant something. */
    scroll?(notches: number): boolean;
}

export interface Tool {
    readonly id: string;
    readonly name: string;
    readonly key: string;
    readonly about: string;
    /** Path of a line icon, 24 by 24. */
    readonly icon: string;
    /** Among the buttons. */
    readonly order: number;
    /** Over what it acts on, and while it does. */
    readonly cursor: string;
    readonly heldCursor?: string;
    /** Where a press acts without a body under it. */
    readonly anywhere?: boolean;
    /** The desk it belongs to; without: it is always at hand. */
    readonly desk?: string;
    /** It chooses by itself what is under a hand, and Shift means something to it. */
    readonly chooses?: boolean;
    make(app: App): ToolParts;
}
