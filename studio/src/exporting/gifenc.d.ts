// The part of gifenc that is used here; it comes without types.
declare module 'gifenc' {
    export type Palette = number[][];
    export function GIFEncoder(): {
        /** `delay` in ms. */
        writeFrame(index: Uint8Array, width: number, height: number, options: { palette: Palette; delay: number }): void;
        finish(): void;
        bytes(): Uint8Array;
    };
    export function quantize(rgba: Uint8Array | Uint8ClampedArray, colors: number): Palette;
    export function applyPalette(rgba: Uint8Array | Uint8ClampedArray, palette: Palette): Uint8Array;
}
