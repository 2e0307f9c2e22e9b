// The light around the bodies, by the formulas of the ray tracer (src/render/light.cpp): a bright sky that is bluer and brighter above, and a large
// soft lamp overhead. The key light comes from the upper left.
import { BackSide, Mesh, PMREMGenerator, Scene, ShaderMaterial, SphereGeometry, type Texture, Vector3, type WebGLRenderer } from 'three';

/** Towards the middle of the key light. */
export const toKeyLight = new Vector3(-0.42, 0.95, 0.58).normalize();

const sky = new ShaderMaterial({
    side: BackSide, depthWrite: false,
    vertexShader: 'varying vec3 direction; void main() { direction = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `varying vec3 direction;
        void main() {
            float height = normalize(direction).y;
            vec3 open = vec3(0.245, 0.265, 0.300) + vec3(0.095, 0.105, 0.120) * height;
            gl_FragColor = vec4(open * 2.2 + vec3(1.0, 0.99, 0.97) * (1.1 * smoothstep(0.35, 0.80, height)), 1.0);
        }`,
});

/** The sky as surfaces of all roughnesses mirror it. */
export function studioLight(renderer: WebGLRenderer): Texture {
    const scene = new Scene(), pmrem = new PMREMGenerator(renderer), sphere = new SphereGeometry(10, 48, 32);
    scene.add(new Mesh(sphere, sky));
    const { texture } = pmrem.fromScene(scene, 0.02);
    pmrem.dispose();
    sphere.dispose();
    return texture;
}
