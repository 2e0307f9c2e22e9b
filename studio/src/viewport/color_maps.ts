// Colour maps as tables of 256 colours, from a few stops each; the same maps as in the engine's pictures.
import { ClampToEdgeWrapping, DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace, UnsignedByteType } from 'three';

/** Without their darkest ends, which would leave shading no room. */
const stops: Record<string, string[]> = {
    viridis: ['424086', '3b528b', '33638d', '2c728e', '26818e', '21908c', '1f9f88', '28ae80', '3ebc74', '5dc963', '82d34c', 'abdc32', 'd5e21a', 'fde725'],
    cividis: ['1a386f', '32436d', '434e6c', '52596d', '61656f', '6f7073', '7c7b78', '8b8778', '9b9376', 'aba072', 'bbad6c', 'ccba64', 'ddc958', 'efd748', 'fee838'],
    // red is contraction (low), blue is elongation (high)
    coolwarm: ['b40426', 'cb3e38', 'de614c', 'ec7f63', 'f49a7b', 'f7b194', 'f5c4ad', 'ecd3c6', 'dddddd', 'ccd9ee', 'b8d0f9', 'a3c2ff', '8db0fe', '779af7', '6282ea', '4e68d7', '3b4cc0'],
    turbo: ['4040a1', '466be3', '4293ff', '29bbec', '18dcc3', '31f299', '6bfd64', 'a3fd3c', 'cced34', 'edd03a', 'fdae35', 'fb8022', 'ec520f', 'd23105', 'ac1701'],
};

/** For what is painted: soft orange to hard blue, as [CVG] has it; colours that tell labels apart; amplitude, phase and depth as in [ProcDef]; strokes by their depth, and what is pale behind them. */
const paintStops: Record<string, string[]> = {
    stiffness: ['f28e2b', 'f6b26b', 'f3e3cf', '9cc3e6', '2f6fed', '12307a'],
    groups: ['9aa3b2', '4e79a7', 'f28e2b', '59a14f', 'e15759', 'b07aa1', 'edc948', '76b7b2', 'ff9da7', '9c755f'],
    amplitude: ['2f6fed', '1d3f86', '15181f', '8a2226', 'e5383b'],
    phase: ['15181f', '1d5c36', '36c26e'],
    depth: ['e5383b', 'ef9a8f', 'efeae6', '93b4f2', '2f6fed'],
    depth_pale: ['f0a9aa', 'f6d3cf', 'f3f1ef', 'd0ddf8', 'a3bff6'],
    stiffness_pale: ['f8cf9f', 'fadfc0', 'f7efe3', 'cfe1f2', 'a9c3f6', '8fa4d6'],
    backdrop: ['dfe3ea', 'dfe3ea'],
    strokes: ['d8232a', 'a8329a', '6a3fd0', '1f5fe0'],
};

export const colorMapNames = Object.keys(stops);

function rgb(hex: string): [number, number, number] {
    const n = parseInt(hex, 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
}

/** 256 sRGB colours, four bytes each. */
export function colorTable(name: string): Uint8Array {
    const list = (stops[name] ?? paintStops[name] ?? stops.viridis).map(rgb);
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
