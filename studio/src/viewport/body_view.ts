// One body on the screen: its surface, the lines and points of its solid, and the cap of a cut.
import {
    AlwaysStencilFunc, BackSide, BufferAttribute, BufferGeometry, Color, DecrementWrapStencilOp, DoubleSide, DynamicDrawUsage,
    FrontSide, Group, IncrementWrapStencilOp, KeepStencilOp, LineBasicMaterial, LineSegments, type Material, Mesh, MeshBasicMaterial,
    MeshPhysicalMaterial, MeshStandardMaterial, NotEqualStencilFunc, type Plane, PlaneGeometry, Points, PointsMaterial,
    Sphere, Texture, Vector3, type WebGLRenderer,
} from 'three';
import type { Body } from '../protocol/messages';
import { type Section, What, floats, integers, plainBytes, readPositions, signedBytes } from '../connection/frames';
import type { BodyShow } from '../state/look';
import { type OcclusionUniforms, occluded, solidLayer } from './ambient_occlusion';
import { colorTexture } from './color_maps';
import { CutOutline } from './cut_outline';
import { InsideUniforms, OuterGrain, showingGrain, showingInside } from './inside';
import { type ColorUniforms, type PaintUniforms, applyFinish, applySkin, bodyMaterial, coloredByValue, isClear, outlineMaterial, trueSize } from './materials';
import { SkinTextures } from './skin_textures';

const everywhere = new Sphere(new Vector3(), Infinity);

function dynamic(array: Float32Array | Int8Array, size: number, normalized = false): BufferAttribute {
    return new BufferAttribute(array, size, normalized).setUsage(DynamicDrawUsage);
}

/** Puts new numbers into an attribute, which keeps its buffer while the length stays. */
function fill(geometry: BufferGeometry, name: string, array: Float32Array | Int8Array, size: number, normalized = false): void {
    const attribute = geometry.getAttribute(name) as BufferAttribute | undefined;
    if (attribute && attribute.array.length === array.length) {
        attribute.array.set(array);
        attribute.needsUpdate = true;
    } else {
        geometry.setAttribute(name, dynamic(array.slice(), size, normalized));
    }
}

export class BodyView {
    readonly group = new Group();
    readonly surface: Mesh<BufferGeometry, MeshPhysicalMaterial | MeshPhysicalMaterial[]>;
    /** The first is that of its colour; behind it those of its skin. */
    private readonly materials: MeshPhysicalMaterial[];
    private textures: SkinTextures | null = null;
    private readonly outline: Mesh<BufferGeometry, MeshBasicMaterial>;
    private readonly wires: LineSegments<BufferGeometry, LineBasicMaterial>;
    private readonly outerWires: LineSegments<BufferGeometry, LineBasicMaterial>;
    private readonly points: Points<BufferGeometry, PointsMaterial>;
    private readonly region: Points<BufferGeometry, PointsMaterial>;
    private readonly capGroup = new Group();
    private readonly section: Mesh<BufferGeometry, MeshStandardMaterial>;
    private readonly lid: Mesh<PlaneGeometry, MeshStandardMaterial>;
    private readonly solidGeometry = new BufferGeometry();
    private readonly linesColored = { value: 0 };
    private readonly inside = new InsideUniforms();
    private readonly grain = new OuterGrain();
    private readonly cutOutline = new CutOutline();
    private readonly paintUniforms: PaintUniforms = { table: { value: colorTexture('viridis') }, shown: { value: 0 } };
    private shownAs: Parameters<BodyView['show']> | null = null;

    constructor(public body: Body, private readonly uniforms: ColorUniforms, private readonly cut: Plane, private readonly clipping: Plane[], dots: { plain: Texture; marked: Texture }, private readonly occlusion: OcclusionUniforms, private readonly redraw: () => void) {
        const geometry = new BufferGeometry();
        geometry.boundingSphere = everywhere;
        this.materials = [this.newMaterial()];
        this.surface = new Mesh<BufferGeometry, MeshPhysicalMaterial | MeshPhysicalMaterial[]>(geometry, this.materials[0]);
        this.surface.castShadow = this.surface.receiveShadow = true;
        this.surface.userData.body = this;
        this.surface.layers.enable(solidLayer);

        this.outline = new Mesh(geometry, outlineMaterial(clipping));
        this.wires = new LineSegments(this.solidGeometry, coloredByValue(new LineBasicMaterial({ transparent: true, clippingPlanes: clipping }), { ...uniforms, shown: this.linesColored }));
        const outerGeometry = new BufferGeometry();
        outerGeometry.attributes = geometry.attributes;  // the same numbers, between other neighbours
        outerGeometry.boundingSphere = everywhere;
        this.outerWires = new LineSegments(outerGeometry, this.wires.material);
        this.points = new Points(this.solidGeometry, trueSize(coloredByValue(new PointsMaterial({ map: dots.plain, alphaTest: 0.5, clippingPlanes: clipping }), uniforms), 2));
        const regionGeometry = new BufferGeometry();
        this.region = new Points(regionGeometry, trueSize(new PointsMaterial({ map: dots.marked, alphaTest: 0.5, depthTest: false, transparent: true, toneMapped: false }), 7));
        this.region.renderOrder = 900;

        // The cap: where the back of the surface is seen through the cut, the stencil is not zero; there the lid, and on
        // it the section of the solid with its colours, are drawn.
        const stencil = (side: typeof BackSide | typeof FrontSide, op: typeof IncrementWrapStencilOp | typeof DecrementWrapStencilOp) => {
            const material = new MeshBasicMaterial({ side, depthWrite: false, depthTest: false, colorWrite: false, stencilWrite: true, stencilFunc: AlwaysStencilFunc, clippingPlanes: clipping });
            material.stencilFail = material.stencilZFail = material.stencilZPass = op;
            const mesh = new Mesh(geometry, material);
            return mesh;
        };
        const masked = <M extends Material>(material: M): M => {
            if (!body.closed) return material;
            material.stencilWrite = true;
            material.stencilRef = 0;
            material.stencilFunc = NotEqualStencilFunc;
            material.stencilFail = material.stencilZFail = material.stencilZPass = KeepStencilOp;
            return material;
        };
        this.lid = new Mesh(new PlaneGeometry(1, 1), masked(new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 })));
        this.section = new Mesh(new BufferGeometry(), showingInside(coloredByValue(masked(new MeshStandardMaterial({ roughness: 0.85, side: DoubleSide, flatShading: true })), uniforms, this.paintUniforms), this.inside));
        this.section.geometry.boundingSphere = everywhere;
        this.section.onAfterRender = (renderer: WebGLRenderer) => renderer.clearStencil();
        this.capGroup.add(this.section, this.cutOutline.object);
        if (body.closed) this.capGroup.add(stencil(BackSide, IncrementWrapStencilOp), stencil(FrontSide, DecrementWrapStencilOp), this.lid);
        this.capGroup.visible = false;

        for (const object of [this.surface, this.outline, this.wires, this.outerWires, this.points, this.region, this.capGroup]) {
            object.traverse((o) => { o.frustumCulled = false; });
            this.group.add(object);
        }
        this.outline.visible = this.wires.visible = this.outerWires.visible = this.points.visible = this.region.visible = false;
        this.solidGeometry.boundingSphere = regionGeometry.boundingSphere = everywhere;
    }

    /** Among the bodies: their caps are drawn one after the other. */
    setOrder(order: number): void {
        const base = 10 + 10 * order;
        for (const part of this.capGroup.children) part.renderOrder = part === this.lid ? base + 1 : part === this.section ? base + 2 : part === this.cutOutline.object ? base + 3 : base;
    }

    /** Those of another body of the same make. */
    takeShape(other: BodyView): void {
        const copy = (from: BufferAttribute | null | undefined) => (from ? new BufferAttribute(from.array, from.itemSize) : null);
        this.surface.geometry.setIndex(copy(other.surface.geometry.getIndex()));
        this.solidGeometry.setIndex(copy(other.solidGeometry.getIndex()));
        for (const name of ['color', 'uv', 'rest']) {
            const attribute = copy(other.surface.geometry.getAttribute(name) as BufferAttribute | undefined);
            if (attribute) this.surface.geometry.setAttribute(name, attribute);
        }
        if (other.textures) this.wear(other.textures.share());
    }

    private wear(textures: SkinTextures): void {
        this.textures?.release(this.dressed);
        this.textures = textures;
        textures.listen(this.dressed);
    }

    private readonly dressed = (): void => {
        if (this.shownAs) this.show(...this.shownAs);
        this.redraw();
    };

    /** Pictures of its skin that are in the page. */
    get textureCount(): number {
        return this.textures?.count ?? 0;
    }

    setShape(section: Section): void {
        if (section.what === What.triangles) {
            this.surface.geometry.setIndex(new BufferAttribute(integers(section).slice(), 1));
            if (this.outerWires.visible) this.drawOuterLines();
        }
        if (section.what === What.edges) this.solidGeometry.setIndex(new BufferAttribute(integers(section).slice(), 1));
        if (section.what === What.colors) {
            const color = new Color(), linear = floats(section).slice();
            for (let k = 0; k < linear.length; k += 3) color.setRGB(linear[k], linear[k + 1], linear[k + 2], 'srgb').toArray(linear, k);
            this.surface.geometry.setAttribute('color', new BufferAttribute(linear, 3));
            if (this.shownAs) this.show(...this.shownAs);
        }
        if (section.what === What.uvs) {
            this.surface.geometry.setAttribute('uv', new BufferAttribute(floats(section).slice(), 2));
            this.wear(new SkinTextures());  // the pictures follow
        }
        if (section.what === What.texture) void this.textures?.add(section.count, plainBytes(section));
    }

    /** Takes over the numbers of a frame. */
    move(section: Section): void {
        const geometry = this.surface.geometry;
        switch (section.what) {
            case What.positions: case What.smallPositions: fill(geometry, 'position', readPositions(section), 3); break;
            case What.normals: fill(geometry, 'normal', signedBytes(section), 4, true); break;
            case What.values: if (!this.isPainted) fill(geometry, 'value', floats(section), 1); break;
            case What.particles: fill(this.solidGeometry, 'position', floats(section), 3); this.followRegion(); break;
            case What.particleValues: fill(this.solidGeometry, 'value', floats(section), 1); break;
            case What.sectionPoints:
                if (this.isPainted) break;
                fill(this.section.geometry, 'position', floats(section), 3);
                if (this.section.geometry.getAttribute('rest')?.count !== section.count) this.section.geometry.deleteAttribute('rest');  // others follow
                this.section.visible = section.count > 0;
                break;
            case What.sectionRests: if (!this.isPainted) fill(this.section.geometry, 'rest', floats(section), 3); break;
            case What.sectionValues: if (!this.isPainted) fill(this.section.geometry, 'value', floats(section), 1); break;
        }
    }

    // ---- what is painted on it

    get isPainted(): boolean {
        return this.paintUniforms.shown.value > 0;
    }

    /** Shares of a table of colours, of each drawn vertex and of the corners of the cut. They stay until others come. False: they
     *  are of a shape that is gone, or the first frame of this one is still on its way. */
    paint(map: string, values: Float32Array, cut: { points: Float32Array; rests: Float32Array; values: Float32Array }): boolean {
        if (values.length * 3 !== this.positions.length) return false;
        this.paintUniforms.table.value = colorTexture(map);
        const begins = !this.isPainted;
        this.paintUniforms.shown.value = 1;
        fill(this.surface.geometry, 'value', values, 1);
        fill(this.section.geometry, 'position', cut.points, 3);
        fill(this.section.geometry, 'value', cut.values, 1);
        this.section.geometry.deleteAttribute('rest');
        this.section.visible = cut.points.length > 0;
        this.sectionRests = cut.rests;
        if (begins && this.shownAs) this.show(...this.shownAs);
        return true;
    }

    /** Of the same body with another model, until its own comes. */
    takePaint(other: BodyView): void {
        if (!other.isPainted || other.body.vertices !== this.body.vertices) return;
        const copy = (from: BufferGeometry, to: BufferGeometry, name: string, size: number) => {
            const attribute = from.getAttribute(name) as BufferAttribute | undefined;
            if (attribute) fill(to, name, attribute.array as Float32Array, size);
        };
        copy(other.surface.geometry, this.surface.geometry, 'value', 1);
        copy(other.section.geometry, this.section.geometry, 'position', 3);
        copy(other.section.geometry, this.section.geometry, 'value', 1);
        this.section.geometry.deleteAttribute('rest');
        this.section.visible = other.section.visible;
        this.sectionRests = other.sectionRests;
        this.paintUniforms.table.value = other.paintUniforms.table.value;
        this.paintUniforms.shown.value = 1;
    }

    /** Shows again what the others show, from the next frame on. */
    unpaint(): void {
        if (!this.isPainted) return;
        this.paintUniforms.shown.value = 0;
        this.sectionRests = new Float32Array();
        if (this.shownAs) this.show(...this.shownAs);
    }

    private sectionRests: Float32Array = new Float32Array();

    /** Where a place of a triangle of the cut is at rest, in the coordinates of fields. */
    restOnCut(triangle: number, weights: readonly number[]): Vector3 {
        const place = new Vector3(), corner = new Vector3();
        for (let k = 0; k < 3; ++k) place.addScaledVector(corner.fromArray(this.sectionRests, 9 * triangle + 3 * k), weights[k]);
        return place;
    }

    /** The cut while its places at rest are known. */
    get paintedSection(): Mesh | null {
        return this.isPainted && this.section.visible && this.capGroup.visible && this.sectionRests.length > 0 ? this.section : null;
    }

    private clear = true;

    /** Whether there is time to draw what is behind jelly, gelatin and glass. */
    setClear(clear: boolean): void {
        if (this.clear === clear) return;
        this.clear = clear;
        if (this.shownAs && (this.shownAs[0].finish !== 'own' || isClear(this.body.finish))) this.show(...this.shownAs);
    }

    private peeled = false;

    /** Its outside is glass, whatever the others are: a layer inside is looked at. */
    setPeeled(peeled: boolean): void {
        if (this.peeled === peeled) return;
        this.peeled = peeled;
        if (this.shownAs) this.show(...this.shownAs);
    }

    show(show: BodyShow, cutting: boolean, dark: boolean, byQuantity: boolean): void {
        this.shownAs = [show, cutting, dark, byQuantity];
        const colored = byQuantity || this.isPainted;
        const color = new Color().setRGB(...this.body.color, 'srgb');
        // Gloss would falsify the colours of a quantity.
        const finish = show.finish === 'own' ? this.body.finish : show.finish;
        const glass = show.surface === 'glass' || this.peeled;
        this.putOnSkin();
        this.materials.forEach((material, k) => {
            applyFinish(material, colored ? 'rubber' : finish, color, this.body.gloss, this.body.size, this.clear && !cutting);
            material.vertexColors = this.surface.geometry.hasAttribute('color');
            if (material.vertexColors) material.color.set('#ffffff');
            if (k > 0 && !colored && this.body.skin) applySkin(material, this.body.skin, k - 1, this.textures, finish);
            material.transparent = glass;
            material.opacity = this.peeled ? 0.12 : glass ? 0.22 : 1;
            material.depthWrite = !glass;
            material.side = cutting ? DoubleSide : FrontSide;
            material.polygonOffset = show.wireframe;
            material.polygonOffsetFactor = material.polygonOffsetUnits = 1.5;
            material.needsUpdate = true;
        });
        const grain = !colored && !this.body.skin && !this.surface.geometry.hasAttribute('color') ? finish === 'wood' ? this.body.wood : finish === 'cloth' ? this.body.cloth : null : null;
        this.wantsRest = grain !== null;
        this.grain.describe(grain && this.surface.geometry.hasAttribute('rest') ? grain : null, color);
        this.surface.visible = show.surface !== 'hidden';
        this.surface.castShadow = show.surface !== 'hidden' && !this.peeled;
        this.wires.visible = show.wireframe && !show.outerLines;
        this.outerWires.visible = show.wireframe && show.outerLines;
        if (this.outerWires.visible) this.drawOuterLines();
        this.points.visible = show.particles;
        // On a surface with colours lines of the same colours would not be seen.
        this.linesColored.value = colored && show.surface !== 'solid' ? 1 : 0;
        this.wires.material.opacity = this.linesColored.value ? 0.8 : show.surface === 'solid' ? 0.5 : 0.35;
        this.wires.material.color.set(show.surface !== 'solid' && dark ? '#dfe6f2' : '#161b24');
        this.points.material.color.copy(color).offsetHSL(0, 0.1, dark ? 0.1 : -0.1);
        this.points.material.size = 0.22 * this.body.spacing;
        this.region.material.size = 0.32 * this.body.spacing;
        this.capGroup.visible = cutting && show.surface === 'solid' && !this.peeled;
        this.showInside(color, colored);
    }

    /** Its places at rest are asked for: a grain is looked up there. */
    private wantsRest = false;

    get lacksRest(): boolean {
        return this.wantsRest && this.surface.geometry.getAttribute('rest')?.count !== this.body.vertices;
    }

    get showsGrain(): boolean {
        return this.grain.uniforms.grainKind.value > 0;
    }

    /** Three numbers of each drawn vertex. */
    setRest(positions: Float32Array): void {
        this.surface.geometry.setAttribute('rest', new BufferAttribute(positions, 3));
        if (this.shownAs) this.show(...this.shownAs);
        this.redraw();
    }

    private showInside(color: Color, colored: boolean): void {
        const { inside } = this.body;
        const core = inside ? new Color().setRGB(...(inside.layers[0]?.color ?? inside.color), 'srgb') : color.clone().multiplyScalar(0.82);
        this.lid.material.color.copy(core);
        this.section.material.color.copy(core);
        if (inside) this.inside.describe(inside);
        this.cutOutline.object.material.color.copy(core).multiplyScalar(0.35);
        this.inside.uniforms.insideShown.value = inside && this.mapOf && !colored ? 1 : 0;
    }

    /** What the map of its inside was made for; empty: there is none. */
    private mapOf = '';

    /** What a map of its inside depends on while it is cut; empty: it needs none, or has it. */
    get wantedMap(): string {
        const { inside, shape } = this.body;
        if (!inside || !this.capGroup.visible) return '';
        const wanted = `${shape} ${inside.layers.map((layer) => layer.thickness).join(' ')}`;
        return wanted === this.mapOf ? '' : wanted;
    }

    /** A cut shows more of it than one colour: the map of its inside and the places of the cut at rest are there. */
    get showsInside(): boolean {
        const { attributes } = this.section.geometry;
        return this.inside.uniforms.insideShown.value === 1 && attributes.rest?.count === attributes.position?.count;
    }

    /** Pieces of the line around its cut. */
    get cutOutlinePieces(): number {
        return this.capGroup.visible ? this.cutOutline.pieces : 0;
    }

    setInsideMap(wanted: string, { frame, nodes, rgba }: { frame: Float32Array; nodes: Uint32Array; rgba: Uint32Array }): void {
        this.mapOf = wanted;
        this.inside.setMap(frame, nodes, rgba);
        if (this.shownAs) this.show(...this.shownAs);
        this.redraw();
    }

    private newMaterial(): MeshPhysicalMaterial {
        return occluded(showingGrain(bodyMaterial(this.uniforms, this.paintUniforms, this.clipping), this.grain), this.occlusion);
    }

    /** A material for each of its skin's, and the runs of triangles that have them; without a skin the first is that of all. */
    private putOnSkin(): void {
        const { geometry } = this.surface, { skin } = this.body;
        const wanted = 1 + (skin?.materials.length ?? 0);
        while (this.materials.length < wanted) this.materials.push(this.newMaterial());
        for (const material of this.materials.splice(wanted)) material.dispose();
        geometry.clearGroups();
        for (let k = 0; skin && k + 2 < skin.groups.length; k += 3) geometry.addGroup(3 * skin.groups[k], 3 * skin.groups[k + 1], 1 + skin.groups[k + 2]);
        this.surface.material = skin ? this.materials : this.materials[0];
    }

    /** Edges of its triangles, each once. */
    private drawOuterLines(): void {
        const corners = this.surface.geometry.getIndex(), { geometry } = this.outerWires;
        if (!corners || geometry.userData.corners === corners) return;
        geometry.userData.corners = corners;
        const seen = new Set<number>(), edges: number[] = [], vertices = this.body.vertices;
        for (let k = 0; k < corners.count; ++k) {
            const a = corners.getX(k), b = corners.getX(k % 3 === 2 ? k - 2 : k + 1), key = Math.min(a, b) * vertices + Math.max(a, b);
            if (!seen.has(key)) edges.push(a, b);
            seen.add(key);
        }
        geometry.setIndex(new BufferAttribute(new Uint32Array(edges), 1));
    }

    setOutlined(outlined: boolean, dark: boolean): void {
        this.outline.visible = outlined && this.surface.visible;
        this.outline.material.color.set(dark ? '#8fb6ff' : '#1f5fe0');
    }

    /** Puts the lid into the plane of the cut, around the body. */
    placeLid(center: Vector3, size: number): void {
        this.cut.projectPoint(center, this.lid.position);
        this.lid.lookAt(this.lid.position.clone().add(this.cut.normal));
        this.lid.scale.setScalar(4 * size);
        if (this.capGroup.visible) this.cutOutline.follow(this.positions, this.surface.geometry.getIndex(), this.cut, this.body.size);
    }

    private regionParticles: number[] = [];

    showRegion(particles: number[]): void {
        this.regionParticles = particles;
        this.region.visible = particles.length > 0;
        this.followRegion();
    }

    private followRegion(): void {
        const all = this.solidGeometry.getAttribute('position');
        if (!all || !this.regionParticles.length) return;
        const out = new Float32Array(3 * this.regionParticles.length);
        this.regionParticles.forEach((i, k) => out.set([all.getX(i), all.getY(i), all.getZ(i)], 3 * k));
        fill(this.region.geometry, 'position', out, 3);
    }

    /** The positions that are drawn, three numbers a vertex. */
    get positions(): Float32Array {
        return (this.surface.geometry.getAttribute('position')?.array ?? new Float32Array()) as Float32Array;
    }

    get sectionTriangles(): number {
        return (this.section.geometry.getAttribute('position')?.count ?? 0) / 3;
    }

    get particleCount(): number {
        return this.solidGeometry.getAttribute('position')?.count ?? 0;
    }

    /** Lines of the solid: edges of its cells, or of the tets that are active now. */
    get lineCount(): number {
        return (this.solidGeometry.getIndex()?.count ?? 0) / 2;
    }

    /** Lines of the surface, while they are shown. */
    get outerLineCount(): number {
        return this.outerWires.visible ? (this.outerWires.geometry.getIndex()?.count ?? 0) / 2 : 0;
    }

    isCutAway(point: Vector3): boolean {
        return this.clipping.length > 0 && this.cut.distanceToPoint(point) < 0;
    }

    dispose(): void {
        this.group.removeFromParent();
        this.group.traverse((object) => {
            const mesh = object as Mesh;
            mesh.geometry?.dispose();
            for (const material of [mesh.material ?? []].flat() as Material[]) material.dispose();
        });
        this.textures?.release(this.dressed);
        this.inside.dispose();
    }
}
