// Materials of bodies: soft and glossy stuff under real light, and colours of a quantity through a table.
import { BackSide, Color, type Material, MeshBasicMaterial, MeshPhysicalMaterial, type Plane, type PointsMaterial, type Texture } from 'three';
import type { Skin } from '../protocol/messages';
import type { Finish } from '../state/look';
import type { SkinTextures } from './skin_textures';

/** Shared by all that shows a quantity: changing them recolours everything at once. */
export interface ColorUniforms {
    table: { value: Texture | null };
    low: { value: number };
    high: { value: number };
    shown: { value: number };
}

/** Of one body: it shows what is painted on it, as shares of a table from 0 to 1, whatever the others show. */
export interface PaintUniforms {
    table: { value: Texture | null };
    shown: { value: number };
}
const noPaint: PaintUniforms = { table: { value: null }, shown: { value: 0 } };

/** Makes a material of three.js take its colour from the attribute `value` while `shown` is 1, of a quantity or of paint. */
export function coloredByValue<M extends Material>(material: M, uniforms: ColorUniforms, paint: PaintUniforms = noPaint): M {
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, { valueTable: uniforms.table, valueLow: uniforms.low, valueHigh: uniforms.high, valueShown: uniforms.shown, paintTable: paint.table, paintShown: paint.shown });
        shader.vertexShader = shader.vertexShader
            .replace('#include <common>', '#include <common>\nattribute float value;\nvarying float vValue;')
            .replace('#include <begin_vertex>', '#include <begin_vertex>\nvValue = value;');
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\nuniform sampler2D valueTable, paintTable;\nuniform float valueLow, valueHigh, valueShown, paintShown;\nvarying float vValue;')
            .replace('#include <color_fragment>', `#include <color_fragment>
                if (paintShown > 0.5) {
                    diffuseColor.rgb = texture2D(paintTable, vec2(clamp(vValue, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
                } else if (valueShown > 0.5) {
                    float share = clamp((vValue - valueLow) / (valueHigh - valueLow), 0.0, 1.0);
                    diffuseColor.rgb = texture2D(valueTable, vec2(share * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
                }`);
    };
    material.customProgramCacheKey = () => 'colored-by-value';
    return material;
}

/** Points as large as their size says, in metres (three.js leaves out the field of view), and never too small to see. */
export function trueSize<M extends PointsMaterial>(material: M, leastPixels: number): M {
    const { onBeforeCompile } = material, key = `${material.customProgramCacheKey()} in metres, at least ${leastPixels}`;
    material.onBeforeCompile = (shader, renderer) => {
        onBeforeCompile.call(material, shader, renderer);
        shader.vertexShader = shader.vertexShader.replace('gl_PointSize *= ( scale / - mvPosition.z );',
            `gl_PointSize = max(gl_PointSize * scale * projectionMatrix[1][1] / -mvPosition.z, ${leastPixels.toFixed(1)});`);
    };
    material.customProgramCacheKey = () => key;
    return material;
}

/** Makes a material look as the file of its body wants it; with a finish of the scene, that stays, and the file gives the colours. */
export function applySkin(material: MeshPhysicalMaterial, skin: Skin, number: number, textures: SkinTextures | null, finish: Finish): void {
    const from = skin.materials[number], texture = (k: number, isColor: boolean) => textures?.texture(k, isColor, skin.wraps) ?? null;
    if (material.transmission === 0) material.color.setRGB(...from.color, 'srgb');
    material.map = texture(from.texture, true);
    material.normalMap = texture(from.normal_map, false);
    material.normalScale.setScalar(from.bump);
    if (finish !== 'plain') return;
    material.roughness = from.roughness;
    material.metalness = from.metallic;
    material.roughnessMap = material.metalnessMap = texture(from.roughness_map, false);
    material.clearcoat = 0;
}

/** Finishes that one sees through. `clearer`: how far towards white their surface is; `depth`: in sizes of the body, where light has its colour. */
const clearness = {
    jelly: { roughness: 0.16, coat: 1, clearer: 0.35, transmission: 0.8, ior: 1.36, depth: 0.45 },
    glass: { roughness: 0.03, coat: 1, clearer: 0.9, transmission: 1, ior: 1.5, depth: 2 },
    gelatin: { roughness: 0.42, coat: 0.4, clearer: 0.15, transmission: 0.5, ior: 1.38, depth: 0.35 },
};

export function isClear(finish: Finish): finish is keyof typeof clearness {
    return finish in clearness;
}

/** Makes a material look like a finish. `size`: of the body, m; `clear`: jelly and glass are really seen through, which takes another picture of
 *  what is behind; otherwise bright rims and a wet coat let them seem so. */
export function applyFinish(material: MeshPhysicalMaterial, finish: Finish, color: Color, gloss: number, size: number, clear: boolean): void {
    material.color.copy(color);
    material.roughness = 0.75 - 0.5 * gloss;
    material.clearcoat = 0.6 * gloss;
    material.clearcoatRoughness = 0.35;
    material.sheen = 0;
    material.emissive.setScalar(0);
    material.specularIntensity = 0.6;
    material.transmission = 0;
    material.metalness = 0;
    material.map = material.normalMap = material.roughnessMap = material.metalnessMap = null;
    switch (finish) {
        case 'plain': break;
        case 'chalk':
            material.roughness = 1;
            material.clearcoat = 0;
            material.specularIntensity = 0.1;
            break;
        case 'rubber':
            material.roughness = 0.82;
            material.clearcoat = 0.08;
            material.specularIntensity = 0.35;
            break;
        case 'flesh': case 'wet':
            material.roughness = 0.5;
            material.clearcoat = finish === 'wet' ? 1 : 0.25;
            material.clearcoatRoughness = finish === 'wet' ? 0.1 : 0.5;
            material.emissive.setRGB(color.r * 0.1, color.g * 0.03, color.b * 0.03);
            material.sheen = finish === 'wet' ? 0.4 : 0.8;
            material.sheenRoughness = 0.5;
            material.sheenColor.setRGB(0.9, 0.35, 0.3);
            break;
        case 'wood':
            material.roughness = 0.62 - 0.3 * gloss;
            material.clearcoat = 0.12;
            material.specularIntensity = 0.5;
            break;
        case 'cloth':
            material.roughness = 1;
            material.clearcoat = 0;
            material.specularIntensity = 0.05;
            material.sheen = 1;
            material.sheenRoughness = 0.45;
            material.sheenColor.copy(color).lerp(new Color(1, 1, 1), 0.35).multiplyScalar(0.7);
            break;
        case 'skin':
            material.roughness = 0.62 - 0.25 * gloss;
            material.clearcoat = 0.1;
            material.clearcoatRoughness = 0.5;
            material.sheen = 0.5;
            material.sheenRoughness = 0.55;
            material.sheenColor.setRGB(0.75, 0.35, 0.28);
            break;
        case 'jelly': case 'glass': case 'gelatin': {
            const { roughness, coat, clearer, transmission, ior, depth } = clearness[finish];
            material.roughness = roughness;
            material.clearcoat = coat;
            material.clearcoatRoughness = 0.06;
            if (clear) {
                material.color.lerp(new Color(1, 1, 1), clearer);
                material.transmission = transmission;
                material.ior = ior;
                material.thickness = 0.4 * size;
                material.attenuationColor.copy(color);
                material.attenuationDistance = depth * size;
            } else {
                material.emissive.copy(color).multiplyScalar(0.12);
                material.sheen = 0.35;
                material.sheenRoughness = 0.25;
                material.sheenColor.copy(color).lerp(new Color(1, 1, 1), 0.3);
            }
        }
    }
    material.userData.skin.value = finish === 'skin' ? 1 : 0;
}

export function bodyMaterial(uniforms: ColorUniforms, paint: PaintUniforms, clipping: Plane[]): MeshPhysicalMaterial {
    return scattering(coloredByValue(new MeshPhysicalMaterial({ clippingPlanes: clipping, clipShadows: true }), uniforms, paint));
}

/** Light in skin creeps past the line where the key light's shadow begins, red further than blue: `userData.skin.value` is 1 where it does. */
function scattering(material: MeshPhysicalMaterial): MeshPhysicalMaterial {
    const { onBeforeCompile } = material, key = `${material.customProgramCacheKey()} scattering`, skin = { value: 0 };
    material.userData.skin = skin;
    material.onBeforeCompile = (shader, renderer) => {
        onBeforeCompile.call(material, shader, renderer);
        shader.uniforms.skinShare = skin;
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\nuniform float skinShare;')
            .replace('#include <lights_physical_fragment>', `#include <lights_physical_fragment>
                #ifdef USE_SHEEN
                    // What is painted black, such as a pupil, stays black.
                    material.sheenColor *= smoothstep(0.02, 0.35, max(diffuseColor.r, max(diffuseColor.g, diffuseColor.b)));
                #endif`)
            .replace('#include <lights_fragment_begin>', `#include <lights_fragment_begin>
                #if NUM_DIR_LIGHTS > 0
                    if (skinShare > 0.0) {
                        const vec3 creep = vec3(0.55, 0.2, 0.1);
                        float toLight = dot(geometryNormal, directionalLights[0].direction);
                        vec3 crept = max((toLight + creep) / (1.0 + creep), 0.0);
                        reflectedLight.directDiffuse += (crept * crept - pow2(max(toLight, 0.0))) * skinShare * 0.6 * directionalLights[0].color * BRDF_Lambert(material.diffuseContribution);
                    }
                #endif`);
    };
    material.customProgramCacheKey = () => key;
    return material;
}

/** A line around a body: its far side, moved outwards by a share of the picture's height, in one colour. */
export function outlineMaterial(clipping: Plane[]): MeshBasicMaterial {
    const material = new MeshBasicMaterial({ side: BackSide, clippingPlanes: clipping, toneMapped: false });
    material.onBeforeCompile = (shader) => {
        shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', `#include <project_vertex>
            vec2 outward = (normalMatrix * normal).xy;
            gl_Position.xy += outward / max(1e-3, length(outward)) * vec2(projectionMatrix[0][0] / projectionMatrix[1][1], 1.0) * (0.008 * gl_Position.w);`);
    };
    material.customProgramCacheKey = () => 'outline';
    return material;
}
