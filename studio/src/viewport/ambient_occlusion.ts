// How much of the sky each pixel sees past what stands close to it: bodies darken each other and themselves where they nearly touch.
// From the depths of a picture of the bodies alone, at half the sharpness. Drawn only where there is time for it.
import {
    type Camera, Color, DepthTexture, DoubleSide, LinearFilter, type Material, Matrix4, Mesh, MeshBasicMaterial, NearestFilter, OrthographicCamera, type PerspectiveCamera, type Plane,
    PlaneGeometry, Scene, ShaderMaterial, Vector2, WebGLRenderTarget, type WebGLRenderer,
} from 'three';

const reach = 0.09;      // of the size of the bodies: what is farther away hides nothing
const strength = 1.5;
/** Layer of all that has a surface: pictures of depths show nothing else. */
export const solidLayer = 1;
const directShare = 0.4; // of it that the key light loses, too: its own shadows are too soft for gaps

const screen = 'varying vec2 place; void main() { place = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';
const gatherShader = `
    uniform sampler2D depths; uniform mat4 unproject; uniform vec2 pixel; uniform float reach, zoom, strength; varying vec2 place;
    vec3 seen(vec2 at) {
        vec4 p = unproject * vec4(2.0 * at - 1.0, 2.0 * texture2D(depths, at).r - 1.0, 1.0);
        return p.xyz / p.w;
    }
    void main() {
        if (texture2D(depths, place).r >= 1.0) { gl_FragColor = vec4(1.0); return; }
        vec3 here = seen(place);
        // Of the two neighbours on each axis the one at the nearer depth: the other may be another body's.
        vec3 right = seen(place + vec2(pixel.x, 0.0)) - here, left = here - seen(place - vec2(pixel.x, 0.0));
        vec3 up = seen(place + vec2(0.0, pixel.y)) - here, down = here - seen(place - vec2(0.0, pixel.y));
        vec3 normal = normalize(cross(abs(right.z) < abs(left.z) ? right : left, abs(up.z) < abs(down.z) ? up : down));
        float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
        vec2 span = min(0.2, 0.5 * reach * zoom / max(1e-6, -here.z)) * vec2(pixel.x / pixel.y, 1.0);
        float hidden = 0.0;
        const int count = 14;
        for (int k = 0; k < count; ++k) {
            float share = (float(k) + 0.5) / float(count), angle = turn + 2.3999632 * float(k);
            vec3 there = seen(place + sqrt(share) * span * vec2(cos(angle), sin(angle))) - here;
            float distance = length(there);
            float rise = max(0.0, dot(there, normal) / max(distance, 1e-9) - 0.08);
            hidden += rise * (1.0 - smoothstep(0.4, 1.0, distance / reach));
        }
        gl_FragColor = vec4(vec3(max(0.0, 1.0 - strength * hidden / float(count))), 1.0);
    }`;
const blurShader = `
    uniform sampler2D picture, depths; uniform vec2 pixel; uniform float near, far; varying vec2 place;
    float metres(vec2 at) { return near * far / (far - texture2D(depths, at).r * (far - near)); }
    void main() {
        float here = metres(place), sum = 0.0, weights = 0.0;
        for (int x = -2; x <= 2; ++x) for (int y = -2; y <= 2; ++y) {
            vec2 at = place + pixel * vec2(x, y);
            float weight = max(1e-3, 1.0 - 40.0 * abs(metres(at) - here) / here);
            sum += weight * texture2D(picture, at).r;
            weights += weight;
        }
        gl_FragColor = vec4(vec3(sum / weights), 1.0);
    }`;

export interface OcclusionUniforms {
    picture: { value: unknown };
    corner: { value: Vector2 };
    size: { value: Vector2 };
    shown: { value: number };
}

/** Makes a lit material darker where the picture of occlusion says so. */
export function occluded<M extends Material>(material: M, uniforms: OcclusionUniforms): M {
    const { onBeforeCompile } = material, key = `${material.customProgramCacheKey()} occluded`;
    material.onBeforeCompile = (shader, renderer) => {
        Object.assign(shader.uniforms, { occlusionPicture: uniforms.picture, occlusionCorner: uniforms.corner, occlusionSize: uniforms.size, occlusionShown: uniforms.shown });
        onBeforeCompile.call(material, shader, renderer);
        shader.fragmentShader = shader.fragmentShader
            .replace('#include <common>', '#include <common>\nuniform sampler2D occlusionPicture;\nuniform vec2 occlusionCorner, occlusionSize;\nuniform float occlusionShown;')
            .replace('#include <aomap_fragment>', `#include <aomap_fragment>
                if (occlusionShown > 0.5) {
                    float openSky = texture2D(occlusionPicture, (gl_FragCoord.xy - occlusionCorner) / occlusionSize).r;
                    reflectedLight.indirectDiffuse *= openSky;
                    reflectedLight.indirectSpecular *= openSky;
                    reflectedLight.directDiffuse *= 1.0 - ${directShare} * (1.0 - openSky);
                }`);
    };
    material.customProgramCacheKey = () => key;
    return material;
}

export class AmbientOcclusion {
    readonly uniforms: OcclusionUniforms = { picture: { value: null }, corner: { value: new Vector2() }, size: { value: new Vector2(1, 1) }, shown: { value: 0 } };
    private readonly depths = new WebGLRenderTarget(1, 1, { depthTexture: new DepthTexture(1, 1), minFilter: NearestFilter, magFilter: NearestFilter });
    private readonly targets = [0, 1].map(() => new WebGLRenderTarget(1, 1, { minFilter: LinearFilter, magFilter: LinearFilter, depthBuffer: false }));
    private readonly plain = new MeshBasicMaterial({ colorWrite: false, side: DoubleSide });
    private readonly gather = new ShaderMaterial({ vertexShader: screen, fragmentShader: gatherShader, depthTest: false, depthWrite: false, uniforms: {
        depths: { value: this.depths.depthTexture }, unproject: { value: new Matrix4() }, pixel: { value: new Vector2() }, reach: { value: 1 }, zoom: { value: 1 }, strength: { value: strength },
    } });
    private readonly blur = new ShaderMaterial({ vertexShader: screen, fragmentShader: blurShader, depthTest: false, depthWrite: false, uniforms: {
        picture: { value: this.targets[0].texture }, depths: { value: this.depths.depthTexture }, pixel: { value: new Vector2() }, near: { value: 1 }, far: { value: 2 },
    } });
    private readonly quad = new Mesh(new PlaneGeometry(2, 2), this.gather);
    private readonly quadScene = new Scene().add(this.quad);
    private readonly quadCamera: Camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);

    constructor() {
        this.quad.frustumCulled = false;
        this.uniforms.picture.value = this.targets[1].texture;
    }

    /** Leaves the next pictures as they are. */
    skip(): void {
        this.uniforms.shown.value = 0;
    }

    /** Before a picture of `width` times `height` pixels whose lower left corner is at `x`; `size`: of the bodies, m. */
    update(renderer: WebGLRenderer, scene: Scene, camera: PerspectiveCamera, x: number, width: number, height: number, size: number, clipping: Plane[]): void {
        this.uniforms.shown.value = 1;
        this.uniforms.corner.value.set(x, 0);
        this.uniforms.size.value.set(width, height);
        const w = Math.max(1, Math.ceil(width / 2)), h = Math.max(1, Math.ceil(height / 2));
        for (const target of [this.depths, ...this.targets]) if (target.width !== w || target.height !== h) target.setSize(w, h);

        const { background } = scene, { autoUpdate } = renderer.shadowMap, before = renderer.getRenderTarget(), clear = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha();
        [scene.background, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [null, this.plain, false];
        this.plain.clippingPlanes = clipping;
        const layers = camera.layers.mask;
        camera.layers.set(solidLayer);
        renderer.setRenderTarget(this.depths);
        renderer.clear();
        renderer.render(scene, camera);
        camera.layers.mask = layers;
        [scene.background, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [background, null, autoUpdate];

        const { uniforms: gather } = this.gather, { uniforms: blur } = this.blur;
        gather.unproject.value.copy(camera.projectionMatrixInverse);
        gather.reach.value = reach * size;
        gather.zoom.value = camera.projectionMatrix.elements[5];
        [blur.near.value, blur.far.value] = [camera.near, camera.far];
        for (const uniforms of [gather, blur]) uniforms.pixel.value.set(1 / w, 1 / h);
        for (const [k, material] of [this.gather, this.blur].entries()) {
            this.quad.material = material;
            renderer.setRenderTarget(this.targets[k]);
            renderer.render(this.quadScene, this.quadCamera);
        }
        renderer.setRenderTarget(before);
        renderer.setClearColor(clear, alpha);
    }
}
