// Colour maps as tables of 256 colours, from a few stops each; the same maps as in the engine's pictures.
import { ClampToEdgeWrapping, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace, UnsignedByteType } from 'three';

const stops: Record<string, string[]> = {
    viridis: ['440154', '482878', '3e4989', '31688e', '26828e', '1f9e89', '35b779', '6ece58', 'b5de2b', 'fde725'],
    cividis: ['00224e', '123570', '3b496c', '575d6d', '707173', '8a8678', 'a59c74', 'c3b369', 'e1cc55', 'fee838'],
    // red is contraction (low), blue is elongation (high)
    coolwarm: ['b40426', 'd65244', 'ee8468', 'f7b89c', 'dddcdc', 'b8cff8', '8caffe', '6282ea', '3b4cc0'],
    turbo: ['30123b', '4662d7', '36aaf9', '1ae4b6', '72fe5e', 'c7ef34', 'faba39', 'f66b19', 'cb2a04', '7a0403'],
};

export const colorMapNames = Object.keys(stops);

function rgb(hex: string): [number, number, number] {
    const n = parseInt(hex, 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
}

/** 256 sRGB colours, four bytes each. */
export function colorTable(name: string): Uint8Array {
    const list = (stops[name] ?? stops.viridis).map(rgb);
    const table = new Uint8Array(1024);
    for (let k = 0; k < 256; ++k) {
        const at = (k / 255) * (list.length - 1), i = Math.min(list.length - 2, Math.floor(at)), t = at - i;
        for (let c = 0; c < 3; ++c) table[4 * k + c] = Math.round(list[i][c] * (1 - t) + list[i + 1][c] * t);
        table[4 * k + 3] = 255;
    }
    return table;
}

const textures = new Map<string, DataTexture>();

export function colorTexture(name: string): DataTexture {
    let texture = textures.get(name);
    if (!texture) {
        texture = new DataTexture(colorTable(name), 256, 1, RGBAFormat, UnsignedByteType);
        texture.colorSpace = SRGBColorSpace;
        texture.minFilter = texture.magFilter = LinearFilter;
        texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
        texture.needsUpdate = true;
        textures.set(name, texture);
    }
    return texture;
}

/** A background for a legend. */
export function gradientOf(name: string): string {
    const table = colorTable(name);
    const colors = Array.from({ length: 17 }, (_, k) => {
        const i = 4 * Math.round((255 * k) / 16);
        return `rgb(${table[i]},${table[i + 1]},${table[i + 2]})`;
    });
    return `linear-gradient(to right, ${colors.join(', ')})`;
}

/** Smallest round number that is not below x. */
export function roundUp(x: number): number {
    if (!(x > 0) || !Number.isFinite(x)) return 1;
    const decade = 10 ** Math.floor(Math.log10(x));
    for (const step of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8]) if (step * decade >= x * 0.9999) return Number((step * decade).toPrecision(3));
    return 10 * decade;
}
