// The picture: bodies of one or two runs on the stage, drawn when something changed, picked with the pointer.
import {
    ArrowHelper, Box3, CanvasTexture, Frustum, Group, type LineBasicMaterial, type Material, Mesh, MeshStandardMaterial, NeutralToneMapping, PerspectiveCamera, Plane, Raycaster,
    SRGBColorSpace, SphereGeometry, InstancedMesh, Matrix4, Vector2, Vector3, VSMShadowMap, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { ServerScene, Spot } from '../protocol/messages';
import { type Frame, What, floats } from '../connection/frames';
import { BodyView, type BodyShow } from './body_view';
import { colorTexture, roundUp } from './color_maps';
import type { ColorUniforms } from './materials';
import { Spring } from './spring';
import { Stage } from './stage';

export interface Hit {
    run: number;
    body: string;
    spot: Spot;
    point: Vector3;
}

export interface Look {
    show: BodyShow;
    color: string;
    map: string;
    range: [number, number] | null;
    dark: boolean;
    cut: { axis: 'x' | 'y' | 'z'; offset: number; flip: boolean } | null;
}

type Quality = 'high' | 'plain' | 'low';

const slowFrame = 45;      // ms between two pictures of a motion: above this, sharpness and then shadows are given up
const mostSlowTime = 1000; // ms of such pictures in a row; a single long one, as when a scene opens, counts as 250
const stillTime = 400;     // ms without a change: then it is drawn once more, as well as it can be
const wideAspect = 16 / 9; // of the pictures that the cameras of scenes are composed for
const leastRange = 1e-3;   // of colours that follow what occurs: below is the noise of numbers at rest
const mostHovered = 200_000;  // triangles: looking for what is under the pointer would cost more than it tells

export class Viewport {
    readonly renderer: WebGLRenderer;
    readonly camera = new PerspectiveCamera(32, 1, 0.01, 500);
    readonly controls: OrbitControls;
    readonly stage: Stage;
    private readonly runs: Array<{ group: Group; bodies: BodyView[]; scene: ServerScene | null }> = [
        { group: new Group(), bodies: [], scene: null }, { group: new Group(), bodies: [], scene: null }];
    private readonly colors: ColorUniforms = { table: { value: colorTexture('viridis') }, low: { value: 0 }, high: { value: 1 }, shown: { value: 0 } };
    private readonly cutPlane = new Plane(new Vector3(0, -1, 0), 0);
    private readonly clipping: Plane[] = [];
    private readonly raycaster = new Raycaster();
    private readonly dots = { plain: dotTexture('#ffffff'), marked: dotTexture('#ff9d2e', '#161b24') };
    private readonly pins = new InstancedMesh(new SphereGeometry(1, 12, 8), new MeshStandardMaterial({ color: '#2f6fed', roughness: 0.4, emissive: '#123a8c', clippingPlanes: this.clipping }), 4000);
    private readonly springs: Spring[] = [];
    private readonly arrow = new ArrowHelper(new Vector3(0, 1, 0), new Vector3(), 1, '#ff7a1a');
    readonly ball = new Mesh(new SphereGeometry(1, 48, 32), new MeshStandardMaterial({ color: '#f2b33d', roughness: 0.35 }));
    private look: Look = { show: { surface: 'solid', wireframe: false, particles: false, stuff: 'plain' }, color: '', map: 'viridis', range: null, dark: false, cut: null };
    private needsDraw = true;
    private quality: Quality = 'high';
    private slowTime = 0;
    private fixedQuality = false;
    private lastTick = 0;
    private lastDrawn = 0;
    private drewLast = false;
    private sharp = false;
    comparing = false;
    /** Extent of what is there: middle and size. */
    readonly extent = { center: new Vector3(), size: 1, low: new Vector3(), high: new Vector3() };
    seenRange: [number, number] = [0, 1];
    drawnFrames = 0;
    onAutoRange: () => void = () => {};

    constructor(readonly canvas: HTMLCanvasElement, quality: string | null) {
        this.renderer = new WebGLRenderer({ canvas, antialias: quality !== 'low', stencil: true, powerPreference: 'high-performance' });
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.toneMappingExposure = 1.05;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = VSMShadowMap;
        this.renderer.localClippingEnabled = true;
        this.stage = new Stage(this.renderer);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener('change', () => this.draw());
        for (const run of this.runs) this.stage.scene.add(run.group);
        this.pins.count = 0;
        this.pins.frustumCulled = false;
        this.ball.castShadow = true;
        this.ball.visible = false;
        this.arrow.visible = false;
        for (const part of [this.arrow.line, this.arrow.cone]) {  // seen through the body it throws
            part.renderOrder = 950;
            Object.assign(part.material as Material | LineBasicMaterial, { depthTest: false, transparent: true });
        }
        this.stage.scene.add(this.pins, this.ball, this.arrow);
        if (quality === 'low' || quality === 'plain' || quality === 'high') {
            this.fixedQuality = true;
            this.setQuality(quality);
        } else {
            this.setQuality('high');
        }
        this.renderer.setAnimationLoop((now) => this.tick(now));
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
        this.resize();
    }

    draw(): void {
        this.needsDraw = true;
    }

    private setQuality(quality: Quality): void {
        this.quality = quality;
        this.renderer.setPixelRatio(quality === 'low' ? 0.6 : quality === 'plain' ? Math.min(1, devicePixelRatio) : Math.min(2, devicePixelRatio));
        this.stage.setShadows(quality);
        this.resize();
    }

    /** How long pictures take is seen by when the next one can begin: the drawing itself goes on behind our back. */
    private tick(now: number): void {
        this.controls.update();
        const took = now - this.lastTick;
        this.lastTick = now;
        const moving = this.needsDraw;
        if (!this.fixedQuality && this.drewLast && moving) {
            this.slowTime = took > slowFrame ? this.slowTime + Math.min(took, 250) : Math.max(0, this.slowTime - slowFrame);
            if (this.slowTime > mostSlowTime && this.quality !== 'low') {
                this.slowTime = 0;
                this.setQuality(this.quality === 'high' ? 'plain' : 'low');
            }
        }
        this.drewLast = moving;
        if (moving) {
            if (this.sharp) this.setSharp(false);
            this.lastDrawn = now;
            this.drawNow();
        } else if (!this.fixedQuality && !this.sharp && this.quality !== 'high' && now - this.lastDrawn > stillTime) {
            this.setSharp(true);
            this.drawNow();
        }
    }

    /** A picture at rest has time to be a good one, whatever was given up for the motion. */
    private setSharp(sharp: boolean): void {
        const { quality } = this;
        this.sharp = sharp;
        this.setQuality(sharp ? 'high' : quality);
        this.quality = quality;
    }

    resize(): void {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
        if (!width || !height) return;
        this.renderer.setSize(width, height, false);
        this.draw();
    }

    drawNow(): void {
        this.needsDraw = false;
        const size = this.renderer.getSize(new Vector2());
        const sides = this.comparing ? 2 : 1;
        this.camera.aspect = size.x / sides / size.y;
        this.camera.updateProjectionMatrix();
        this.renderer.setScissorTest(sides > 1);
        for (let side = 0; side < sides; ++side) {
            this.runs[0].group.visible = side === 0;
            this.runs[1].group.visible = side === 1;
            const x = (side * size.x) / sides;
            this.renderer.setViewport(x, 0, size.x / sides, size.y);
            this.renderer.setScissor(x, 0, size.x / sides, size.y);
            this.renderer.render(this.stage.scene, this.camera);
        }
        ++this.drawnFrames;
    }

    // ---- what the engine tells

    setScene(message: ServerScene): void {
        const run = this.runs[message.run];
        const known = new Map(run.bodies.map((view) => [view.body.shape, view.shape]));
        if (message.run === 0 && run.scene?.obstacles !== message.obstacles) this.stage.clearObstacles();
        for (const body of run.bodies) body.dispose();
        run.scene = message;
        run.bodies = message.bodies.map((body, k) => new BodyView(body, k + 100 * message.run, this.colors, this.cutPlane, this.clipping, this.dots));
        for (const view of run.bodies) for (const section of known.get(view.body.shape)?.values() ?? []) view.setShape(section);
        run.group.add(...run.bodies.map((body) => body.group));
        this.applyLook(this.look);
    }

    dropRun(run: number): void {
        for (const body of this.runs[run].bodies) body.dispose();
        this.runs[run].bodies = [];
        this.runs[run].scene = null;
        this.draw();
    }

    setShapes(frame: Frame): void {
        for (const section of frame.sections) {
            if ([What.triangles, What.edges, What.colors].includes(section.what)) this.runs[section.run].bodies[section.body]?.setShape(section);
            else if (section.run === 0) this.stage.addShape(section);
        }
        const scene = this.runs[0].scene;
        if (!this.stage.hasGround && scene && scene.ground !== null) this.stage.addGround(new Vector3(0, scene.ground, 0), new Vector3(0, 1, 0));
        this.draw();
    }

    setFrame(frame: Frame): void {
        for (const section of frame.sections) {
            if (section.what === What.held) {
                if (section.run === 0) this.placePins(floats(section));
            } else if (section.what === What.springs) {
                if (section.run === 0) this.placeSprings(floats(section));
            } else {
                this.runs[section.run].bodies[section.body]?.move(section);
            }
        }
        this.measureExtent();
        if (this.colors.shown.value && !this.look.range) this.autoRange(frame);
        if (this.look.cut) this.placeCut();
        this.draw();
    }

    private measureExtent(): void {
        const box = new Box3();
        const point = new Vector3();
        for (const { positions } of this.runs[0].bodies) {
            const stride = 3 * Math.max(1, Math.floor(positions.length / 3000));
            for (let k = 0; k + 2 < positions.length; k += stride) box.expandByPoint(point.set(positions[k], positions[k + 1], positions[k + 2]));
        }
        if (box.isEmpty()) return;
        box.getCenter(this.extent.center);
        this.extent.low.copy(box.min);
        this.extent.high.copy(box.max);
        const largest = Math.max(...this.runs[0].bodies.map((b) => b.body.size));
        this.extent.size = Math.max(box.getSize(point).length() / Math.sqrt(3), largest);
    }

    private placePins(places: Float32Array): void {
        const count = Math.min(places.length / 3, 4000);
        const first = this.runs[0].bodies[0];
        const radius = first ? 0.13 * first.body.spacing : 0.01;
        const matrix = new Matrix4();
        for (let k = 0; k < count; ++k) {
            matrix.makeScale(radius, radius, radius).setPosition(places[3 * k], places[3 * k + 1], places[3 * k + 2]);
            this.pins.setMatrixAt(k, matrix);
        }
        this.pins.count = count;
        this.pins.instanceMatrix.needsUpdate = true;
    }

    private placeSprings(numbers: Float32Array): void {
        const count = numbers.length / 7;
        while (this.springs.length < count) {
            const spring = new Spring();
            this.springs.push(spring);
            this.stage.scene.add(spring.object);
        }
        this.springs.forEach((spring, k) => {
            spring.object.visible = k < count;
            if (k >= count) return;
            const n = numbers.subarray(7 * k, 7 * k + 7);
            spring.place(new Vector3(n[1], n[2], n[3]), new Vector3(n[4], n[5], n[6]), 0.02 * this.extent.size);
        });
    }

    // ---- how it is shown

    applyLook(look: Look): void {
        this.look = look;
        this.colors.shown.value = look.color ? 1 : 0;
        this.colors.table.value = colorTexture(look.map);
        if (look.range) [this.colors.low.value, this.colors.high.value] = this.seenRange = look.range;
        this.clipping.length = 0;
        if (look.cut) this.clipping.push(this.cutPlane);
        for (const run of this.runs) for (const body of run.bodies) body.show(look.show, look.cut !== null, look.dark, look.color !== '');
        this.stage.setTheme(look.dark, this.runs[0].scene?.background ?? [0.93, 0.94, 0.96]);
        (this.pins.material as MeshStandardMaterial).color.set(look.dark ? '#6fa0ff' : '#2f6fed');
        if (look.cut) this.placeCut();
        this.draw();
    }

    /** The cut as the engine knows it: its normal points to what is hidden. */
    cutForEngine(): { point: [number, number, number]; normal: [number, number, number] } | null {
        if (!this.look.cut) return null;
        const normal = this.cutPlane.normal.clone().negate();
        const point = this.cutPlane.coplanarPoint(new Vector3());
        return { point: point.toArray(), normal: normal.toArray() };
    }

    private cutAnchor = { center: new Vector3(), size: 1 };

    /** The cut through the middle whose face the viewer sees best. */
    facingCut(): NonNullable<Look['cut']> {
        const to = this.camera.position.clone().sub(this.controls.target);
        const axes = ['x', 'y', 'z'] as const;
        const axis = axes.reduce((a, b) => (Math.abs(to[b]) > Math.abs(to[a]) ? b : a));
        return { axis, offset: 0, flip: to[axis] < 0 };
    }

    /** From now on the cut is measured from where the bodies are. */
    anchorCut(): void {
        this.cutAnchor.center.copy(this.extent.low).add(this.extent.high).multiplyScalar(0.5);
        this.cutAnchor.size = this.extent.high.distanceTo(this.extent.low) / Math.sqrt(3);
        if (this.look.cut) this.placeCut();
    }

    private placeCut(): void {
        const cut = this.look.cut!;
        const normal = new Vector3(cut.axis === 'x' ? 1 : 0, cut.axis === 'y' ? 1 : 0, cut.axis === 'z' ? 1 : 0);
        const point = this.cutAnchor.center.clone().addScaledVector(normal, cut.offset * this.cutAnchor.size);
        if (!cut.flip) normal.negate();
        this.cutPlane.setFromNormalAndCoplanarPoint(normal, point);
        for (const run of this.runs) for (const body of run.bodies) body.placeLid(this.extent.center, this.extent.size);
    }

    /** Follows what occurs, in round numbers, without flicker. */
    private autoRange(frame: Frame): void {
        const sample: number[] = [];
        for (const section of frame.sections) {
            if (section.what !== What.values) continue;
            const values = floats(section);
            const stride = Math.max(1, Math.floor(values.length / 500));
            for (let k = 0; k < values.length; k += stride) sample.push(values[k]);
        }
        if (!sample.length) return;
        // Single sparks do not dim the whole: one in a hundred may lie beyond either end.
        sample.sort((a, b) => a - b);
        const cut = Math.floor(sample.length / 100), low = sample[cut], high = sample[sample.length - 1 - cut];
        const signed = this.runs[0].bodies.some((b) => b.body.quantities.some((q) => q.name === this.look.color && q.signed));
        const most = roundUp(Math.max(Math.abs(low), Math.abs(high), leastRange));
        const wanted: [number, number] = signed ? [-most, most] : [low < -leastRange ? -roundUp(-low) : 0, roundUp(Math.max(high, leastRange))];
        const [, top] = this.seenRange;
        if (wanted[1] > top || wanted[1] < 0.3 * top || wanted[0] !== this.seenRange[0]) {
            this.seenRange = wanted;
            [this.colors.low.value, this.colors.high.value] = wanted;
            this.onAutoRange();
        }
    }

    /** Looks at the scene from its own camera, or from a pleasant angle. */
    frameScene(): void {
        this.measureExtent();
        const { center, size } = this.extent;
        const camera = this.runs[0].scene?.camera as { eye: [number, number, number]; target: [number, number, number]; field_of_view: number } | null;
        if (camera) {
            this.camera.fov = camera.field_of_view;
            this.controls.target.fromArray(camera.target);
            // Scenes are composed for a wide picture: a tall one is taken from farther away.
            const box = this.canvas.parentElement!;
            const back = Math.min(3.2, Math.max(1, (wideAspect * box.clientHeight * (this.comparing ? 2 : 1)) / Math.max(1, box.clientWidth)));
            this.camera.position.fromArray(camera.eye).sub(this.controls.target).multiplyScalar(back).add(this.controls.target);
        } else {
            // The floor that they will fall to is part of the picture, unless it is far below.
            const floor = this.stage.groundBelow(center) ?? Infinity;
            const target = center.clone(), drop = Math.max(0, this.extent.low.y - floor);
            if (drop < 2 * size) target.y -= 0.5 * drop;
            this.camera.fov = 32;
            this.camera.position.copy(target).add(new Vector3(0.55, 0.42, 1).normalize().multiplyScalar(3.6 * size + (drop < 2 * size ? drop : 0)));
            this.controls.target.copy(target);
        }
        this.fitLight();
        this.anchorCut();
        this.controls.update();
        this.draw();
    }

    /** Brings the bodies into the picture without turning. */
    frameBodies(): void {
        this.measureExtent();
        const away = this.camera.position.clone().sub(this.controls.target).normalize();
        this.controls.target.copy(this.extent.center);
        const span = this.extent.high.distanceTo(this.extent.low);
        const distance = (0.62 * span) / Math.tan((this.camera.fov * Math.PI) / 360) / Math.min(1, this.camera.aspect);
        this.camera.position.copy(this.extent.center).addScaledVector(away, distance);
        this.fitLight();
        this.controls.update();
        this.draw();
    }

    /** Nothing of the bodies can be seen: they left the picture, or the picture left them. */
    get showsNothing(): boolean {
        const { low, high } = this.extent;
        if (!this.runs[0].bodies.length) return false;
        this.camera.updateMatrixWorld();
        const seen = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse));
        return !seen.intersectsBox(new Box3(low, high));
    }

    private fitLight(): void {
        const distance = this.camera.position.distanceTo(this.controls.target);
        const size = Math.max(this.extent.size, 0.55 * distance * Math.tan((this.camera.fov * Math.PI) / 360) * 2);
        this.camera.near = Math.max(1e-3, distance / 200);
        this.camera.far = distance * 30 + 20 * size;
        this.controls.minDistance = 0.1 * this.extent.size;
        this.controls.maxDistance = 12 * distance;
        this.stage.fit(this.controls.target, size, distance);
    }

    // ---- the pointer

    /** A ray through a pixel of the page; with two runs, on the side that was hit. */
    rayAt(clientX: number, clientY: number): { run: number } {
        const box = this.canvas.getBoundingClientRect();
        const sides = this.comparing ? 2 : 1;
        const width = box.width / sides;
        const run = Math.min(sides - 1, Math.max(0, Math.floor((clientX - box.left) / width)));
        const pointer = new Vector2(((clientX - box.left - run * width) / width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
        this.camera.updateMatrixWorld();
        this.raycaster.setFromCamera(pointer, this.camera);
        return { run };
    }

    pick(clientX: number, clientY: number): Hit | null {
        const { run } = this.rayAt(clientX, clientY);
        const bodies = this.runs[run].bodies.filter((b) => b.surface.visible);
        const hits = this.raycaster.intersectObjects(bodies.map((b) => b.surface), false);
        const hit = hits.find((h) => !(h.object.userData.body as BodyView).isCutAway(h.point));
        if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
        const body = hit.object.userData.body as BodyView;
        const corner = (v: number) => new Vector3().fromArray(body.positions, 3 * v);
        const { a, b, c } = hit.face!;
        const weights = barycentric(hit.point, corner(a), corner(b), corner(c));
        const { id } = body.body;
        return { run, body: id, spot: { body: id, triangle: hit.faceIndex, weights }, point: hit.point.clone() };
    }

    /** Is a body under the pointer? Not looked for where that takes long. */
    isOverBody(clientX: number, clientY: number): boolean {
        const triangles = this.runs[0].bodies.reduce((sum, b) => sum + b.body.triangles, 0);
        return triangles <= mostHovered && this.pick(clientX, clientY) !== null;
    }

    /** Where the ray through a pixel meets the plane through `point` that faces the camera. */
    onScreenPlane(clientX: number, clientY: number, point: Vector3): Vector3 {
        this.rayAt(clientX, clientY);
        const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), point);
        return this.raycaster.ray.intersectPlane(plane, new Vector3()) ?? point.clone();
    }

    /** Pixel of the page where a point is drawn, in the first run. */
    toPage(point: Vector3): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect();
        this.camera.updateMatrixWorld();
        const p = point.clone().project(this.camera);
        return { x: box.left + ((p.x + 1) / 2) * (box.width / (this.comparing ? 2 : 1)), y: box.top + ((1 - p.y) / 2) * box.height };
    }

    /** The middle of a body as it lies now. */
    middleOf(body: string, run = 0): Vector3 {
        const positions = this.bodyView(body, run)?.positions ?? new Float32Array();
        const box = new Box3();
        const point = new Vector3();
        const stride = 3 * Math.max(1, Math.floor(positions.length / 1500));
        for (let k = 0; k + 2 < positions.length; k += stride) box.expandByPoint(point.fromArray(positions, k));
        return box.getCenter(new Vector3());
    }

    bodyViews(run = 0): BodyView[] {
        return this.runs[run].bodies;
    }

    bodyView(identity: string, run = 0): BodyView | undefined {
        return this.runs[run].bodies.find((view) => view.body.id === identity);
    }

    /** An arrow while a throw is aimed; null takes it away. */
    showArrow(from: Vector3 | null, to: Vector3 | null): void {
        this.arrow.visible = from !== null && to !== null;
        if (from && to) {
            const along = to.clone().sub(from);
            const length = Math.max(along.length(), 1e-6);
            this.arrow.position.copy(from);
            this.arrow.setDirection(along.divideScalar(length));
            this.arrow.setLength(length, Math.min(0.3 * length, 0.12 * this.extent.size), Math.min(0.15 * length, 0.06 * this.extent.size));
        }
        this.draw();
    }

    /** Something holds the body next to this point. */
    isNearPin(point: Vector3): boolean {
        const first = this.runs[0].bodies[0];
        if (!first) return false;
        const reach = 0.9 * first.body.spacing;
        const matrix = new Matrix4(), place = new Vector3();
        for (let k = 0; k < this.pins.count; ++k) {
            this.pins.getMatrixAt(k, matrix);
            if (place.setFromMatrixPosition(matrix).distanceTo(point) < reach) return true;
        }
        return false;
    }

    setBall(center: Vector3 | null, radius: number): void {
        this.ball.visible = center !== null;
        if (center) this.ball.position.copy(center);
        this.ball.scale.setScalar(radius);
        this.draw();
    }

    /** From now on every picture is a good one, however long it takes; what is given back ends that. */
    beginFilm(): () => void {
        const { quality, fixedQuality } = this;
        this.fixedQuality = true;
        this.setQuality('high');
        return () => {
            this.fixedQuality = fixedQuality;
            this.setQuality(quality);
        };
    }

    /** A PNG of the picture, at twice the sharpness of a plain screen. */
    async picture(): Promise<Blob> {
        const { quality } = this;
        this.stage.setShadows('high');
        this.renderer.setPixelRatio(Math.max(2, devicePixelRatio));
        this.resize();
        this.drawNow();
        const blob = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, 'image/png'));
        this.setQuality(quality);
        if (!blob) throw new Error('the browser gave no picture');
        return blob;
    }
}

function barycentric(p: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number, number] {
    const ab = b.clone().sub(a), ac = c.clone().sub(a), ap = p.clone().sub(a);
    const d00 = ab.dot(ab), d01 = ab.dot(ac), d11 = ac.dot(ac), d20 = ap.dot(ab), d21 = ap.dot(ac);
    const d = d00 * d11 - d01 * d01;
    if (!(Math.abs(d) > 0)) return [1, 0, 0];
    const v = Math.min(1, Math.max(0, (d11 * d20 - d01 * d21) / d)), w = Math.min(1 - v, Math.max(0, (d00 * d21 - d01 * d20) / d));
    return [1 - v - w, v, w];
}

/** A round dot for points, with an edge that tells it from what is behind. */
function dotTexture(color: string, edge = color): CanvasTexture {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 64;
    const context = canvas.getContext('2d')!;
    for (const [radius, style] of [[30, edge], [22, color]] as const) {
        context.fillStyle = style;
        context.beginPath();
        context.arc(32, 32, radius, 0, 2 * Math.PI);
        context.fill();
    }
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    return texture;
}
