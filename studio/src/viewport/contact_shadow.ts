// The soft dark spot under what nearly touches the ground: how near it is, seen from below, blurred. Drawn only where there is time for it.
import {
    type Camera, Color, HalfFloatType, LinearFilter, Mesh, MeshBasicMaterial, MeshDepthMaterial, type Object3D, OrthographicCamera, type Plane, PlaneGeometry,
    Scene, ShaderMaterial, Vector2, Vector3, WebGLRenderTarget, type WebGLRenderer,
} from 'three';
import { solidLayer } from './ambient_occlusion';

const side = 256;         // pixels of the spot's picture
const reach = 0.22;       // of the size of the bodies: what is higher casts none
const softness = 0.012;   // of the picture's width: the first blur; the second is half as wide
const darkness = 0.62;

const blurShader = {
    vertexShader: 'varying vec2 place; void main() { place = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader: `uniform sampler2D picture; uniform vec2 along; varying vec2 place;
        void main() {
            float sum = 0.0, weights = 0.0;
            for (int k = -4; k <= 4; ++k) {
                float weight = exp(-float(k * k) / 6.0);
                sum += weight * texture2D(picture, place + float(k) * along).a;
                weights += weight;
            }
            gl_FragColor = vec4(0.0, 0.0, 0.0, sum / weights);
        }`,
};

export class ContactShadow {
    readonly plane: Mesh<PlaneGeometry, MeshBasicMaterial>;
    private readonly targets = [0, 1].map(() => new WebGLRenderTarget(side, side, { type: HalfFloatType, minFilter: LinearFilter, magFilter: LinearFilter }));
    private readonly fromBelow = new OrthographicCamera();
    private readonly nearness = new MeshDepthMaterial({ depthTest: false, depthWrite: false });
    private readonly blur = new ShaderMaterial({ ...blurShader, uniforms: { picture: { value: null }, along: { value: new Vector2() } }, depthTest: false, depthWrite: false });
    private readonly blurScene = new Scene();
    private readonly blurCamera: Camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);

    constructor() {
        this.fromBelow.layers.set(solidLayer);
        this.nearness.onBeforeCompile = (shader) => {
            shader.fragmentShader = shader.fragmentShader.replace('gl_FragColor = vec4( vec3( 1.0 - fragCoordZ ), opacity );', 'gl_FragColor = vec4(vec3(0.0), (1.0 - fragCoordZ) * (1.0 - fragCoordZ));');
        };
        this.plane = new Mesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new MeshBasicMaterial({ map: this.targets[0].texture, color: '#000000', transparent: true, depthWrite: false, toneMapped: false, opacity: darkness, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 }));
        this.plane.renderOrder = 1;
        this.plane.visible = false;
        this.blurScene.add(new Mesh(new PlaneGeometry(2, 2), this.blur));
    }

    /** Draws the spot under `shown`; everything else of the scene is left out meanwhile. `ground`: its height; null: there is none. */
    update(renderer: WebGLRenderer, scene: Scene, shown: Object3D[], ground: number | null, center: Vector3, size: number, clipping: Plane[]): void {
        this.plane.visible = ground !== null;
        if (ground === null) return;
        const half = 1.6 * size, { fromBelow: camera } = this;
        [camera.left, camera.right, camera.bottom, camera.top, camera.near, camera.far] = [-half, half, -half, half, 0, reach * size];
        camera.position.set(center.x, ground, center.z);
        camera.up.set(0, 0, 1);
        camera.lookAt(center.x, ground + 1, center.z);
        camera.updateProjectionMatrix();
        // From below, what is at the front is at the top: turned back here.
        this.plane.position.set(center.x, ground, center.z);
        this.plane.scale.set(2 * half, 1, -2 * half);

        const hidden = scene.children.filter((child) => child.visible && !shown.includes(child));
        const { background, environment, fog } = scene, clear = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha(), { autoUpdate } = renderer.shadowMap;
        const before = renderer.getRenderTarget();
        for (const child of hidden) child.visible = false;
        [scene.background, scene.environment, scene.fog, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [null, null, null, this.nearness, false];
        this.nearness.clippingPlanes = clipping;
        renderer.setClearColor('#000000', 0);
        renderer.setRenderTarget(this.targets[0]);
        renderer.clear();
        renderer.render(scene, camera);
        [scene.background, scene.environment, scene.fog, scene.overrideMaterial, renderer.shadowMap.autoUpdate] = [background, environment, fog, null, autoUpdate];
        for (const child of hidden) child.visible = true;
        for (const width of [softness, softness / 2]) {
            this.pass(renderer, 0, new Vector2(width, 0));
            this.pass(renderer, 1, new Vector2(0, width));
        }
        renderer.setRenderTarget(before);
        renderer.setClearColor(clear, alpha);
    }

    private pass(renderer: WebGLRenderer, from: 0 | 1, along: Vector2): void {
        this.blur.uniforms.picture.value = this.targets[from].texture;
        this.blur.uniforms.along.value = along;
        renderer.setRenderTarget(this.targets[1 - from]);
        renderer.clear();
        renderer.render(this.blurScene, this.blurCamera);
    }
}
