// A volume model in the picture: its surface, the face of the cut with what is inside, the ghost of the chosen part, and the
// lattice that will come of it. Solid where the body starts; glass while the body is elsewhere.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, type Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, type Plane, Sphere, Vector3 } from 'three';
import type { ModelCut, ModelLattice, ModelSurface } from '../shaping/shape_model';
import type { Look } from '../state/look';
import type { Overlay } from '../viewport/overlay';

/** As in the paper: hard is blue, soft is orange. */
export const softColor: readonly [number, number, number] = [1, 0.55, 0.1], hardColor: readonly [number, number, number] = [0.1, 0.3, 0.9];

const everywhere = new Sphere(new Vector3(), Infinity);

function geometry(): BufferGeometry {
    const made = new BufferGeometry();
    made.boundingSphere = everywhere;
    return made;
}

/** Colours of each point, linear: its own, or by its stiffness. */
function paints(colors: Float32Array | null, stiffness: Float32Array, repeat = 1): BufferAttribute {
    const out = new Float32Array(3 * repeat * stiffness.length), color = new Color();
    stiffness.forEach((s, k) => {
        if (colors) color.setRGB(colors[3 * k], colors[3 * k + 1], colors[3 * k + 2], 'srgb');
        else color.setRGB(...(softColor.map((soft, c) => soft + (hardColor[c] - soft) * s) as [number, number, number]), 'srgb');
        for (let n = 0; n < repeat; ++n) color.toArray(out, 3 * (repeat * k + n));
    });
    return new BufferAttribute(out, 3);
}

export class ModelView implements Overlay {
    readonly object = new Group();
    readonly surface: Mesh<BufferGeometry, MeshStandardMaterial>;
    private readonly placed = new Group();
    private readonly face: Mesh<BufferGeometry, MeshStandardMaterial>;
    private readonly cells: LineSegments<BufferGeometry, LineBasicMaterial>;
    private readonly ghost: Mesh<BufferGeometry, MeshBasicMaterial>;

    constructor(clipping: Plane[]) {
        this.surface = new Mesh(geometry(), new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, side: DoubleSide, clippingPlanes: clipping }));
        this.face = new Mesh(geometry(), new MeshStandardMaterial({ vertexColors: true, roughness: 0.9, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 }));
        this.cells = new LineSegments(geometry(), new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.55, clippingPlanes: clipping, toneMapped: false }));
        this.ghost = new Mesh(geometry(), new MeshBasicMaterial({ transparent: true, opacity: 0.28, depthTest: false, depthWrite: false, toneMapped: false, side: DoubleSide }));
        this.ghost.renderOrder = 930;
        this.surface.name = 'model surface';
        this.surface.castShadow = this.surface.receiveShadow = true;
        for (const part of [this.object, this.placed, this.ghost]) part.matrixAutoUpdate = false;
        this.placed.add(this.surface, this.face);
        this.object.add(this.placed, this.cells, this.ghost);
        this.object.traverse((part) => { part.frustumCulled = false; });
        this.object.visible = false;
    }

    look(look: Look): void {
        this.ghost.material.color.set(look.dark ? '#8fb6ff' : '#1f5fe0');
    }

    /** Where the model is in the scene. */
    place(matrix: Matrix4): void {
        this.object.matrix.copy(matrix);
        this.object.matrixWorldNeedsUpdate = true;
    }

    /** `glass`: the body itself is elsewhere. */
    show(surface: ModelSurface | null, at: Matrix4, byStiffness: boolean, glass: boolean): void {
        const { geometry: made, material } = this.surface;
        this.placed.matrix.copy(at);
        this.placed.matrixWorldNeedsUpdate = true;
        this.surface.visible = surface !== null && surface.triangles.length > 0;
        material.transparent = glass;
        material.opacity = glass ? 0.3 : 1;
        material.depthWrite = !glass;
        if (!surface || this.shown === surface && this.shownBy === byStiffness) return;
        if (this.shown !== surface) {
            made.setAttribute('position', new BufferAttribute(surface.positions, 3));
            made.setIndex(new BufferAttribute(surface.triangles, 1));
            made.computeVertexNormals();
        }
        made.setAttribute('color', paints(byStiffness ? null : surface.colors, surface.stiffness));
        this.shown = surface;
        this.shownBy = byStiffness;
    }

    private shown: ModelSurface | null = null;
    private shownBy = false;
    private shownCut: { cut: ModelCut; byStiffness: boolean } | null = null;

    showCut(cut: ModelCut | null, byStiffness: boolean): void {
        this.face.visible = cut !== null && cut.positions.length > 0;
        if (!cut || (this.shownCut?.cut === cut && this.shownCut.byStiffness === byStiffness)) return;
        this.shownCut = { cut, byStiffness };
        const { geometry: made } = this.face, strips = cut.stiffness.length, index = new Uint32Array(6 * strips);
        for (let k = 0; k < strips; ++k) index.set([0, 1, 2, 0, 2, 3].map((corner) => 4 * k + corner), 6 * k);
        made.setAttribute('position', new BufferAttribute(cut.positions, 3));
        made.setAttribute('color', paints(byStiffness ? null : cut.colors, cut.stiffness, 4));
        made.setIndex(new BufferAttribute(index, 1));
        made.computeVertexNormals();
    }

    private shownLattice: ModelLattice | null = null;

    showLattice(lattice: ModelLattice | null): void {
        this.cells.visible = lattice !== null;
        if (!lattice || lattice === this.shownLattice) return;
        this.shownLattice = lattice;
        const { geometry: made } = this.cells;
        made.setAttribute('position', new BufferAttribute(lattice.positions, 3));
        made.setAttribute('color', paints(null, lattice.stiffness));
        made.setIndex(new BufferAttribute(lattice.edges, 1));
    }

    showGhost(shape: BufferGeometry | null, at: Matrix4): void {
        this.ghost.visible = shape !== null;
        if (!shape) return;
        if (this.ghost.geometry !== shape) {
            this.ghost.geometry.dispose();
            this.ghost.geometry = shape;
        }
        this.ghost.matrix.copy(at);
        this.ghost.matrixWorldNeedsUpdate = true;
    }
}
