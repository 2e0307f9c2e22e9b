// The picture: bodies of one or two runs on the stage, and the overlays of the tools among them.
import { CanvasTexture, Group, SRGBColorSpace, Vector2, Vector3 } from 'three';
import { type Frame, What } from '../connection/frames';
import type { Requests } from '../connection/requests';
import type { Body, ServerScene } from '../protocol/messages';
import type { Camera } from '../protocol/scene';
import { type Look, plainLook } from '../state/look';
import { AmbientOcclusion } from './ambient_occlusion';
import { BodyView } from './body_view';
import { ColorRange } from './color_range';
import { ContactShadow } from './contact_shadow';
import { Cutting } from './cutting';
import { Extent, boxOf } from './extent';
import type { Overlay } from './overlay';
import { Painter, type Quality } from './painter';
import { Picking } from './picking';
import { RestShapes } from './rest_shapes';
import { Stage } from './stage';
import { ViewCamera } from './view_camera';
import { Water } from './water';

interface Run {
    group: Group;
    bodies: BodyView[];
    scene: ServerScene | null;
}

export class Viewport {
    readonly painter: Painter;
    readonly stage: Stage;
    readonly view: ViewCamera;
    readonly picking: Picking;
    readonly cutting = new Cutting();
    readonly water = new Water();
    private readonly contactShadow = new ContactShadow();
    private readonly occlusion = new AmbientOcclusion();
    private readonly scale = document.createElement('div');
    readonly colors = new ColorRange();
    /** Of what is there now, in the first run. */
    readonly extent = new Extent();
    private readonly runs: [Run, Run] = [{ group: new Group(), bodies: [], scene: null }, { group: new Group(), bodies: [], scene: null }];
    private readonly overlays = new Set<Overlay>();
    private readonly dots = { plain: dotTexture('#ffffff'), marked: dotTexture('#ff9d2e', '#161b24') };
    private look: Look = plainLook(false);
    private highlighted: readonly string[] = [];
    private isHidden: (body: string) => boolean = () => false;
    comparing = false;
    private readonly restShapes: RestShapes;

    /** `rangeChanged`: colours that follow what occurs did so. */
    constructor(readonly canvas: HTMLCanvasElement, quality: string | null, private readonly rangeChanged: () => void, private readonly ask: Requests['ask']) {
        this.restShapes = new RestShapes(ask, () => this.findGrains());
        this.painter = new Painter(canvas, quality);
        this.stage = new Stage(this.painter.renderer, this.occlusion.uniforms);
        this.view = new ViewCamera(canvas, this.extent, this.stage, () => this.draw());
        this.picking = new Picking(canvas, this.view.camera, (run) => this.runs[run].bodies, () => this.sides);
        for (const run of this.runs) this.stage.scene.add(run.group);
        this.stage.scene.add(this.water.group, this.contactShadow.plane);
        this.scale.className = 'scale';
        this.scale.setAttribute('aria-hidden', 'true');
        canvas.parentElement!.append(this.scale);
        this.painter.start({
            advance: () => this.view.advance(), paint: () => this.paint(), setQuality: (quality) => this.setQuality(quality),
        });
    }

    private clear = true;

    private setQuality(quality: Quality): void {
        this.stage.setShadows(quality);
        this.clear = quality === 'high';
        for (const run of this.runs) for (const body of run.bodies) body.setClear(this.clear);
    }

    private get sides(): number {
        return this.comparing ? 2 : 1;
    }

    draw(): void {
        this.painter.draw();
    }

    private paint(): void {
        const { renderer } = this.painter, { camera } = this.view;
        const size = renderer.getSize(new Vector2()), { sides } = this;
        camera.aspect = size.x / sides / size.y;
        camera.updateProjectionMatrix();
        for (const overlay of this.overlays) overlay.beforePicture?.(camera, size.y);
        this.tellScale();
        for (let side = 0; side < sides; ++side) {
            this.runs[0].group.visible = side === 0;
            this.runs[1].group.visible = side === 1;
            renderer.setScissorTest(false);
            this.castContactShadow(side);
            const x = (side * size.x) / sides;
            this.darkenGaps(x, size.x / sides, size.y);
            renderer.setScissorTest(sides > 1);
            renderer.setViewport(x, 0, size.x / sides, size.y);
            renderer.setScissor(x, 0, size.x / sides, size.y);
            renderer.render(this.stage.scene, camera);
        }
    }

    /** Where there is time for it, and a ground that can be seen. */
    private castContactShadow(side: number): void {
        const { extent, stage } = this, spot = this.contactShadow;
        if (!this.clear || this.look.show.surface !== 'solid') {
            spot.plane.visible = false;
            return;
        }
        const ground = stage.groundBelow(new Vector3(extent.center.x, extent.low.y + 0.05 * extent.size, extent.center.z));
        spot.update(this.painter.renderer, stage.scene, [this.runs[side].group], ground, extent.center, extent.size, this.cutting.clipping);
    }

    private darkenGaps(x: number, width: number, height: number): void {
        if (!this.clear || this.look.show.surface !== 'solid') return this.occlusion.skip();
        const { renderer } = this.painter, sharpness = renderer.getPixelRatio();
        this.occlusion.update(renderer, this.stage.scene, this.view.camera, sharpness * x, sharpness * width, sharpness * height, this.extent.size, this.cutting.clipping);
    }

    /** How far the lines on the ground are apart. */
    private tellScale(): void {
        const spacing = this.stage.gridSpacing, text = spacing === null ? '' : `grid ${lengthText(spacing)}`;
        if (this.scale.textContent !== text) this.scale.textContent = text;
    }

    /** Puts something of a tool into the picture; what is given back takes it out. */
    host(overlay: Overlay): () => void {
        this.overlays.add(overlay);
        this.stage.scene.add(overlay.object);
        return () => {
            this.overlays.delete(overlay);
            overlay.object.removeFromParent();
            this.draw();
        };
    }

    // ---- what the engine tells

    setScene(message: ServerScene): void {
        const run = this.runs[message.run], before = run.bodies;
        if (message.run === 0 && message.obstacles !== run.scene?.obstacles) this.stage.clearObstacles();
        run.scene = message;
        run.bodies = message.bodies.map((body, k) => this.viewOf(body, k + 100 * message.run, before));
        for (const view of before) if (!run.bodies.includes(view)) view.dispose();
        for (const body of run.bodies) run.group.add(body.group);
        if (message.run === 0) this.stage.setFloor(message.ground);
        this.applyLook(this.look);
        this.hide(this.isHidden);
        this.highlight(this.highlighted);
    }

    /** Shapes that the page has are not sent again: they are taken over, and so is all of a body that stayed. */
    private viewOf(body: Body, order: number, before: BodyView[]): BodyView {
        const same = before.filter((view) => view.body.shape === body.shape), own = same.find((view) => view.body.id === body.id);
        const view = own ?? new BodyView(body, this.colors.uniforms, this.cutting.plane, this.cutting.clipping, this.dots, this.occlusion.uniforms, () => this.draw());
        if (own) own.body = body;
        else if (same.length) view.takeShape(same[0]);
        const earlier = own ? undefined : before.find((other) => other.body.id === body.id);
        if (earlier) view.takePaint(earlier);
        view.setOrder(order);
        view.setClear(this.clear);
        return view;
    }

    dropRun(run: 0 | 1): void {
        for (const body of this.runs[run].bodies) body.dispose();
        this.runs[run].bodies = [];
        this.runs[run].scene = null;
        this.draw();
    }

    setShapes(frame: Frame): void {
        const obstacles = frame.sections.filter((s) => s.run === 0 && [What.obstacleVertices, What.obstacleTriangles, What.plane].includes(s.what));
        if (obstacles.length) this.stage.clearObstacles();
        for (const section of obstacles) this.stage.addShape(section);
        for (const section of frame.sections) {
            if ([What.triangles, What.edges, What.colors, What.uvs, What.texture].includes(section.what)) this.runs[section.run].bodies[section.body]?.setShape(section);
        }
        this.stage.setFloor(this.runs[0].scene?.ground ?? null);
        this.showGrid();
        this.draw();
    }

    setFrame(frame: Frame): void {
        for (const section of frame.sections) {
            if (section.what === What.placement) {
                if (section.run === 0) this.stage.placeObstacle(section);
            } else if (section.what === What.obstacleShape) {
                if (section.run === 0) this.stage.deformObstacle(section);
            } else if (section.what !== What.held && section.what !== What.springs) this.runs[section.run].bodies[section.body]?.move(section);
        }
        this.water.move(frame.time);
        this.extent.measure(this.runs[0].bodies);
        for (const overlay of this.overlays) overlay.frame?.(frame);
        if (this.look.color && !this.look.range && this.colors.follow(frame, this.isSigned(this.look.color))) this.rangeChanged();
        if (this.look.cut) this.placeLids();
        this.draw();
    }

    private isSigned(color: string): boolean {
        return this.runs[0].bodies.some((b) => b.body.quantities.some((q) => q.name === color && q.signed));
    }

    // ---- how it is shown

    applyLook(look: Look): void {
        this.look = look;
        this.colors.apply(look);
        this.cutting.place(look.cut);
        for (const run of this.runs) for (const body of run.bodies) body.show(look.show, look.cut !== null, look.dark, look.color !== '');
        for (const overlay of this.overlays) overlay.look?.(look);
        this.stage.setTheme(look.dark, this.runs[0].scene?.background ?? [0.93, 0.94, 0.96]);
        this.showGrid();
        if (look.cut) this.placeLids();
        for (const body of this.runs[0].bodies) void this.lookInto(body);
        this.findGrains();
        this.draw();
    }

    /** Gets what a cut shows of a body, of either run. */
    private async lookInto({ body: { id }, wantedMap: wanted }: BodyView): Promise<void> {
        if (!wanted) return;
        const map = await this.ask('inside', { body: id }, `inside ${id}`).catch(() => null);
        if (!map) return;
        for (const view of this.runs.flatMap((run) => run.bodies)) if (view.body.id === id && view.wantedMap === wanted) view.setInsideMap(wanted, map);
    }

    /** Gets where the grain of wood and cloth is looked up. */
    private findGrains(): void {
        for (const view of this.runs.flatMap((run) => run.bodies)) {
            const rest = view.lacksRest ? this.restShapes.of(view) : null;
            if (rest && rest.length === 3 * view.body.vertices) view.setRest(rest);
        }
    }

    private showGrid(): void {
        const { scene } = this.runs[0];
        this.stage.setGrid(scene !== null && scene.bodies.length === 0, this.look.dark);
    }

    private placeLids(): void {
        for (const run of this.runs) for (const body of run.bodies) body.placeLid(this.extent.center, this.extent.size);
    }

    /** Outlines bodies. */
    highlight(identities: readonly string[]): void {
        this.highlighted = identities;
        for (const run of this.runs) for (const body of run.bodies) body.setOutlined(identities.includes(body.body.id), this.look.dark);
        this.draw();
    }

    /** Takes bodies out of the picture, and out of reach; they go on moving. */
    hide(isHidden: (body: string) => boolean): void {
        this.isHidden = isHidden;
        for (const run of this.runs) for (const body of run.bodies) body.group.visible = !isHidden(body.body.id);
        this.draw();
    }

    frameScene(): void {
        this.extent.measure(this.runs[0].bodies);
        this.view.frameScene((this.runs[0].scene?.camera ?? null) as Camera | null, this.sides);
        this.cutting.anchorAt(this.extent);
        this.draw();
    }

    frameBodies(): void {
        this.extent.measure(this.runs[0].bodies);
        this.view.frameBodies();
        this.draw();
    }

    get showsNothing(): boolean {
        return this.runs[0].bodies.length > 0 && this.view.showsNothing;
    }

    // ---- bodies

    /** The middle of a body as it lies now. */
    middleOf(body: string, run = 0): Vector3 {
        return boxOf(this.bodyView(body, run)?.positions ?? new Float32Array()).getCenter(new Vector3());
    }

    bodyViews(run = 0): BodyView[] {
        return this.runs[run].bodies;
    }

    bodyView(identity: string, run = 0): BodyView | undefined {
        return this.runs[run].bodies.find((view) => view.body.id === identity);
    }
}

function lengthText(metres: number): string {
    const [value, unit] = metres >= 1000 ? [metres / 1000, 'km'] : metres >= 0.995 ? [metres, 'm'] : metres >= 0.00995 ? [100 * metres, 'cm'] : [1000 * metres, 'mm'];
    return `${Number(value.toPrecision(3))} ${unit}`;
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
