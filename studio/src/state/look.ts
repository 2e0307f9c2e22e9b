// How things are shown: of this page alone, and not of the document.

export type SurfaceMode = 'solid' | 'glass' | 'hidden';
export type Stuff = 'jelly' | 'rubber' | 'flesh' | 'plain';
export const stuffs: Stuff[] = ['plain', 'jelly', 'rubber', 'flesh'];

export interface BodyShow {
    surface: SurfaceMode;
    wireframe: boolean;
    particles: boolean;
    stuff: Stuff;
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
    return { show: { surface: 'solid', wireframe: false, particles: false, stuff: 'plain' }, color: '', map: 'viridis', range: null, dark, cut: null };
}
