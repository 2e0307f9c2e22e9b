// Small pictures of materials, drawn: a lump of each that shows what it looks like and how its inside is made.
import type { Material } from '../scene_editing/materials';

const ns = 'http://www.w3.org/2000/svg';
let count = 0;

/** The same numbers for the same seed. */
function chance(seed: number): () => number {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}

function shade(hex: string, by: number): string {
    const part = (k: number) => Math.round(Math.min(255, Math.max(0, parseInt(hex.slice(k, k + 2), 16) * (by < 0 ? 1 + by : 1) + (by > 0 ? by * (255 - parseInt(hex.slice(k, k + 2), 16)) : 0))));
    return `rgb(${part(1)},${part(3)},${part(5)})`;
}

const ball = 'M32 9a23 23 0 1 1 0 46 23 23 0 1 1 0-46z';
const block = 'M14 18q18-7 36 0q5 2 5 8v20q0 6-5 8q-18 6-36 0q-5-2-5-8V26q0-6 5-8z';
const plank = 'M6 22h52v22H6z';
const beam = 'M19 7h26v50H19z';
const sheet = 'M6 30q13-15 26-3t26-4v8q-13 12-26 4t-26 4z';
const cube = 'M12 24q0-7 7-8h26q7 1 7 8l3 24q0 6-7 6H16q-7 0-7-6z';
const outlines: Record<string, string> = { jelly: cube, smooth: ball, pores: block, meat: block, fibres: block, grain_along: plank, grain_up: beam, grains: block, sheet, core: ball };

function inside({ picture, color, id }: Material): string {
    const next = chance([...id].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7)), lines: string[] = [];
    const dark = shade(color, -0.35), light = shade(color, 0.45);
    const many = (n: number, make: (k: number) => string) => { for (let k = 0; k < n; ++k) lines.push(make(k)); };
    switch (picture) {
        case 'jelly':
            lines.push(`<path d="M13 26q19 6 38 0" fill="none" stroke="${light}" stroke-width="2" opacity=".7"/><path d="M17 30l-2 18" stroke="#fff" stroke-width="4" stroke-linecap="round" opacity=".5"/>`);
            many(5, () => `<circle cx="${20 + 26 * next()}" cy="${32 + 16 * next()}" r="${0.8 + 1.2 * next()}" fill="#fff" opacity=".35"/>`);
            break;
        case 'pores': many(46, () => { const r = 0.8 + 2.4 * next(); return `<ellipse cx="${9 + 46 * next()}" cy="${15 + 40 * next()}" rx="${r}" ry="${0.8 * r}" fill="${shade(color, -0.45)}" opacity="${0.35 + 0.4 * next()}"/>`; }); break;
        case 'meat': many(9, (k) => { const y = 18 + 4 * k; return `<path d="M6 ${y + 3 * next()}q12 ${-5 + 8 * next()} 24 ${3 * next()}t30 ${-4 + 8 * next()}" fill="none" stroke="${k % 3 ? dark : light}" stroke-width="${0.8 + 1.4 * next()}" opacity=".55"/>`; }); break;
        case 'fibres': many(17, (k) => { const y = 14 + 2.600 * k; return `<path d="M7 ${y}q25 ${-3 + 2 * next()} 50 ${1.500 * next()}" fill="none" stroke="${k % 2 ? dark : light}" stroke-width="1.300" opacity=".7"/>`; }); break;
        case 'grain_along': many(8, (k) => { const y = 23.500 + 2.700 * k; return `<path d="M6 ${y}q26 ${-2.500 + 5 * next()} 52 0" fill="none" stroke="${dark}" stroke-width="${0.6 + 0.8 * next()}" opacity=".7"/>`; }); break;
        case 'grain_up':
            many(7, (k) => { const x = 21 + 3.500 * k; return `<path d="M${x} 7q${-2.500 + 5 * next()} 25 0 50" fill="none" stroke="${dark}" stroke-width="${0.6 + 0.8 * next()}" opacity=".7"/>`; });
            break;
        case 'grains': many(90, () => `<rect x="${8 + 48 * next()}" y="${14 + 42 * next()}" width="${1 + 2 * next()}" height="${0.8 + 1.400 * next()}" fill="${next() < 0.5 ? dark : light}" opacity="${0.3 + 0.4 * next()}"/>`); break;
        case 'sheet': many(30, () => `<circle cx="${6 + 52 * next()}" cy="${18 + 24 * next()}" r=".7" fill="${dark}" opacity=".6"/>`); break;
        case 'core': lines.push(`<path d="M32 9a23 23 0 0 1 23 23H32z" fill="${shade(color, -0.3)}"/><path d="M32 20a12 12 0 0 1 12 12H32z" fill="#aab2bd"/><path d="M32 20a12 12 0 0 1 12 12" fill="none" stroke="#6d7682" stroke-width="1.500"/>`); break;
    }
    return lines.join('');
}

export function swatch(material: Material): SVGSVGElement {
    const svg = document.createElementNS(ns, 'svg'), { color, gloss, picture } = material, name = `swatch-${++count}`;
    svg.setAttribute('viewBox', '0 0 64 64');
    svg.setAttribute('class', 'swatch-picture');
    svg.setAttribute('aria-hidden', 'true');
    const outline = outlines[picture] ?? ball;
    svg.innerHTML = `<defs><radialGradient id="${name}-light" cx=".36" cy=".28" r=".85"><stop offset="0" stop-color="${shade(color, 0.35 + 0.2 * gloss)}"/><stop offset=".45" stop-color="${color}"/><stop offset="1" stop-color="${shade(color, -0.42)}"/></radialGradient><clipPath id="${name}-clip"><path d="${outline}"/></clipPath></defs>`
        + `<ellipse cx="33" cy="${picture === 'sheet' ? 44 : 56}" rx="22" ry="4" fill="#000" opacity=".14"/><path d="${outline}" fill="url(#${name}-light)" ${picture === 'jelly' ? 'opacity=".88"' : ''}/><g clip-path="url(#${name}-clip)">${inside(material)}</g>`
        + (gloss > 0.15 ? `<ellipse cx="24" cy="${picture === 'sheet' ? 27 : 21}" rx="${5 + 3 * gloss}" ry="${2.500 + gloss}" fill="#fff" opacity="${0.25 + 0.5 * gloss}" transform="rotate(-24 24 21)"/>` : '');
    return svg;
}
