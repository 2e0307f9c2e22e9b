// How things are shown: of this page alone, and not of the document.
import type { Body } from '../protocol/messages';

export type SurfaceMode = 'solid' | 'glass' | 'hidden';
export type Finish = Body['finish'];
export const finishes: Finish[] = ['plain', 'chalk', 'rubber', 'flesh', 'wet', 'jelly', 'glass', 'wood', 'cloth', 'skin', 'gelatin'];

export interface BodyShow {
    surface: SurfaceMode;
    wireframe: boolean;
    /** Lines are those of the surface alone, not of all that is inside. */
    outerLines: boolean;
    particles: boolean;
    /** Of all bodies, or each its own. */
    finish: Finish | 'own';
}

export type Axis = 'x' | 'y' | 'z';

/** A plane across an axis; `offset` from -1 to 1 over the bodies; what lies beyond it is hidden, or before it with `flip`. */
export interface Cut {
    axis: Axis;
    offset: number;
    flip: boolean;
}

export interface Look {
    show: BodyShow;
    /** Quantity; empty: own colours. */
    color: string;
    map: string;
    /** null: follows what occurs. */
    range: [number, number] | null;
    dark: boolean;
    cut: Cut | null;
}

export function plainLook(dark: boolean): Look {
    return { show: { surface: 'solid', wireframe: false, outerLines: false, particles: false, finish: 'own' }, color: '', map: 'viridis', range: null, dark, cut: null };
}
