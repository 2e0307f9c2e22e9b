// How a hand paints, whatever it paints: brush, operation, size, strength, and where it may.
import type { Reach } from './coat';

export type PaintBrush = 'brush' | 'triangle' | 'side' | 'box' | 'lasso' | 'ball' | 'gradient';
export type PaintOperation = 'set' | 'add' | 'subtract' | 'smooth' | 'erase';

export interface PaintSettings {
    /** Id of what is painted. */
    target: string;
    /** By target: the stored value, that at the end of a gradient, and the step of adding as a share of the scale. */
    values: Readonly<Record<string, { value: number; to: number }>>;
    step: number;
    brush: PaintBrush;
    operation: PaintOperation;
    /** Of the size of the body. */
    radius: number;
    strength: number;
    reach: Reach;
    mirror: '' | 'x' | 'y' | 'z';
    /** In stored values; null: anywhere. */
    within: [number, number] | null;
    /** Degrees: edges that are bent more end a flat side. */
    angle: number;
    /** Gradients go by ways through the body. */
    follow: 'line' | 'mesh';
    /** What is painted for the first time is filled smoothly between its coats. */
    filled: boolean;
    /** Muscles show the wave that they will make. */
    wave: boolean;
}

export const plainPaint: PaintSettings = {
    target: 'stiffness', values: {}, step: 0.1, brush: 'brush', operation: 'set', radius: 0.12, strength: 1, reach: 'body', mirror: '', within: null, angle: 30, follow: 'line', filled: false, wave: false,
};

export const leastRadius = 0.005, mostRadius = 1;
