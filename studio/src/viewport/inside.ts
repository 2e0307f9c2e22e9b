// What a cut shows of a body: layers below its surface, a grain and the colours of its volume model, at each pixel of the cut;
// and the grain of wood and cloth on its outside.
// The engine's pictures follow the same formulas (src/geometry/inside.cpp).
import { ClampToEdgeWrapping, type Color, Data3DTexture, LinearFilter, type Material, NoColorSpace, RGBAFormat, UnsignedByteType, Vector3, Vector4, type WebGLProgramParametersWithUniforms } from 'three';
import type { Grain, Inside } from '../protocol/messages';

const mostLayers = 8;
const grainKinds: Grain['kind'][] = ['none', 'rings', 'fibres', 'veins', 'threads'];  // by the numbers of the shader

/** grainShare(rest): 0 to 1. */
const grainShader = `
    uniform vec3 grainColor, grainAxis, grainThrough;
    uniform float grainWidth;
    uniform int grainKind;

    float scattered(ivec3 p) {
        uint h = uint(p.x) * 73856093u ^ uint(p.y) * 19349663u ^ uint(p.z) * 83492791u;
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        h ^= h >> 16;
        return float(h >> 8) / 16777216.0;
    }
    float insideNoise(vec3 p) {
        vec3 base = floor(p), t = smoothstep(0.0, 1.0, p - base);
        ivec3 at = ivec3(base);
        #define bump(dx, dy, dz) scattered(at + ivec3(dx, dy, dz))
        return mix(mix(mix(bump(0, 0, 0), bump(1, 0, 0), t.x), mix(bump(0, 1, 0), bump(1, 1, 0), t.x), t.y),
                   mix(mix(bump(0, 0, 1), bump(1, 0, 1), t.x), mix(bump(0, 1, 1), bump(1, 1, 1), t.x), t.y), t.z);
    }
    float grainShare(vec3 rest) {
        vec3 from = rest - grainThrough;
        float along = dot(from, grainAxis);
        vec3 across = from - grainAxis * along;
        if (grainKind == 1) {
            float t = fract(length(across) / grainWidth + 0.9 * insideNoise(from * (0.35 / grainWidth)));
            float streaks = insideNoise(across * (7.0 / grainWidth) + grainAxis * (along * 0.5 / grainWidth));
            return smoothstep(0.2, 0.85, t) * (1.0 - smoothstep(0.9, 1.0, t)) * (0.65 + 0.35 * streaks);
        }
        if (grainKind == 2) {
            vec3 p = across / grainWidth + grainAxis * (along / (9.0 * grainWidth));
            return smoothstep(0.42, 0.62, 0.65 * insideNoise(p) + 0.35 * insideNoise(p * 2.03));
        }
        if (grainKind == 3) {
            vec3 p = from / grainWidth;
            float n = 0.6 * insideNoise(p) + 0.3 * insideNoise(p * 2.1) + 0.1 * insideNoise(p * 4.3);
            return 1.0 - smoothstep(0.01, 0.07, abs(n - 0.5));
        }
        if (grainKind == 4) {
            vec3 p = from * (3.14159265 / grainWidth);
            return 1.0 - smoothstep(-0.9, 0.5, sin(p.x) * cos(p.y) + sin(p.y) * cos(p.z) + sin(p.z) * cos(p.x));
        }
        return 0.0;
    }`;

/** insideColor(rest): sRGB. */
export const insideShader = `${grainShader}
    uniform highp sampler3D insideMap;
    uniform vec3 insideLow, insideNodes, insideCore;
    uniform float insideCell, insideDeepest;
    uniform int insideShown, insideOfVolume, insideLayers;
    uniform vec4 insideLayer[${mostLayers}];

    vec3 layeredColor(vec3 core, vec3 rest, float depth) {
        vec3 color = mix(core, grainColor, grainShare(rest));
        float reach = 0.0;
        for (int k = 0; k < insideLayers; ++k) reach += insideLayer[k].w;
        for (int k = insideLayers - 1; k >= 0; --k) {
            float thickness = insideLayer[k].w;
            color = mix(insideLayer[k].rgb, color, smoothstep(reach - 0.05 * thickness, reach + 0.05 * thickness, depth));
            reach -= thickness;
        }
        return color;
    }
    vec3 insideColor(vec3 rest) {
        vec4 here = texture(insideMap, ((rest - insideLow) / insideCell + 0.5) / insideNodes);
        return layeredColor(insideOfVolume == 1 ? here.rgb : insideCore, rest, here.a * insideDeepest);
    }`;

const srgbToLinear = (color: string) => `mix(pow((${color} + 0.055) / 1.055, vec3(2.4)), ${color} / 12.92, vec3(lessThanEqual(${color}, vec3(0.04045))))`;

function grainUniforms() {
    return { grainKind: { value: 0 }, grainColor: { value: new Vector3() }, grainAxis: { value: new Vector3(0, 1, 0) }, grainThrough: { value: new Vector3() }, grainWidth: { value: 1 } };
}

function describeGrain(to: ReturnType<typeof grainUniforms>, grain: Grain): void {
    to.grainKind.value = grainKinds.indexOf(grain.kind);
    to.grainColor.value.fromArray(grain.color);
    to.grainAxis.value.fromArray(grain.axis);
    to.grainThrough.value.fromArray(grain.through);
    to.grainWidth.value = grain.width;
}

/** The grain on the outside of one body. */
export class OuterGrain {
    readonly uniforms = { ...grainUniforms(), grainUnder: { value: new Vector3() } };

    /** Null: none is seen. */
    describe(grain: Grain | null, color: Color): void {
        if (!grain) this.uniforms.grainKind.value = 0;
        else describeGrain(this.uniforms, grain);
        const { r, g, b } = color.clone().convertLinearToSRGB();
        this.uniforms.grainUnder.value.set(r, g, b);
    }
}

/** Makes a material draw a grain over its colour, by the attribute `rest`. What is finer than pixels becomes its mean. */
export function showingGrain<M extends Material>(material: M, { uniforms }: OuterGrain): M {
    return patchedShader(material, 'grain', uniforms, grainShader, `
        if (grainKind > 0) {
            float blur = length(fwidth(vRest)) / grainWidth;
            vec3 grainSeen = mix(grainUnder, grainColor, mix(grainShare(vRest), 0.45, smoothstep(0.35, 1.1, blur)));
            diffuseColor.rgb = ${srgbToLinear('grainSeen')};
        }`, 'uniform vec3 grainUnder;');
}

/** The numbers of the shader, for one body. */
export class InsideUniforms {
    readonly uniforms = {
        insideMap: { value: emptyMap() }, insideLow: { value: new Vector3() }, insideNodes: { value: new Vector3(1, 1, 1) }, insideCell: { value: 1 }, insideDeepest: { value: 1 },
        insideShown: { value: 0 }, insideOfVolume: { value: 0 }, insideCore: { value: new Vector3() }, insideLayers: { value: 0 },
        insideLayer: { value: Array.from({ length: mostLayers }, () => new Vector4()) },
        ...grainUniforms(),
    };

    describe(inside: Inside): void {
        const { uniforms: to } = this;
        to.insideOfVolume.value = inside.of_volume ? 1 : 0;
        to.insideCore.value.fromArray(inside.color);
        to.insideLayers.value = inside.layers.length;
        inside.layers.forEach(({ color, thickness }, k) => to.insideLayer.value[k].set(...color, thickness));
        describeGrain(to, inside.grain);
    }

    setMap(frame: Float32Array, nodes: Uint32Array, rgba: Uint32Array): void {
        const { uniforms: to } = this;
        to.insideMap.value.dispose();
        to.insideMap.value = mapOf(new Uint8Array(rgba.buffer, rgba.byteOffset, rgba.byteLength).slice(), nodes[0], nodes[1], nodes[2]);
        to.insideLow.value.fromArray(frame);
        to.insideNodes.value.fromArray(nodes);
        [to.insideCell.value, to.insideDeepest.value] = [frame[3], frame[4]];
    }

    dispose(): void {
        this.uniforms.insideMap.value.dispose();
    }
}

function mapOf(bytes: Uint8Array<ArrayBuffer>, width: number, height: number, depth: number): Data3DTexture {
    const texture = new Data3DTexture(bytes, width, height, depth);
    texture.format = RGBAFormat;
    texture.type = UnsignedByteType;
    texture.colorSpace = NoColorSpace;
    texture.minFilter = texture.magFilter = LinearFilter;
    texture.wrapS = texture.wrapT = texture.wrapR = ClampToEdgeWrapping;
    texture.needsUpdate = true;
    return texture;
}

function emptyMap(): Data3DTexture {
    return mapOf(new Uint8Array([0, 0, 0, 255]), 1, 1, 1);
}

/** Makes a material draw the inside at the attribute `rest`, unless something else colours it. */
export function showingInside<M extends Material>(material: M, { uniforms }: InsideUniforms): M {
    return patchedShader(material, 'inside', uniforms, insideShader, `
        if (insideShown == 1) {
            vec3 insideSeen = insideColor(vRest);
            diffuseColor.rgb = ${srgbToLinear('insideSeen')};
        }`);
}

/** Adds to the shader of a material what gives a colour by the place at rest, `vRest`. */
function patchedShader<M extends Material>(material: M, name: string, uniforms: Record<string, { value: unknown }>, declarations: string, coloring: string, more = ''): M {
    const { onBeforeCompile } = material, key = `${material.customProgramCacheKey()} ${name}`;
    material.onBeforeCompile = (shader: WebGLProgramParametersWithUniforms, renderer) => {
        Object.assign(shader.uniforms, uniforms);
        // Before what shows quantities and paint, which replaces the same lines.
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nattribute vec3 rest;\nvarying vec3 vRest;')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nvRest = rest;');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', `#include <common>\nvarying vec3 vRest;\n${declarations}\n${more}`)
            .replace('#include <color_fragment>', `#include <color_fragment>${coloring}`);
        onBeforeCompile.call(material, shader, renderer);
    };
    material.customProgramCacheKey = () => key;
    return material;
}
