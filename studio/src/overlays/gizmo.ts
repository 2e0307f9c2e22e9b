// The handle that moves, turns and scales what is chosen, and ghosts of where it will start.
import { BufferGeometry, Group, type Material, type Matrix4, Mesh, MeshBasicMaterial, Object3D, type PerspectiveCamera, Quaternion, type Vector2, Vector3 } from 'three';
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js';
import { brief } from '../dom';
import { type Motion, matrixOf, motion } from '../scene_editing/placement';
import type { Look } from '../state/look';
import type { Overlay } from '../viewport/overlay';

export type GizmoMode = 'translate' | 'rotate' | 'scale';

const leastScale = 0.01;

export interface Ghost {
    geometry: BufferGeometry;
    at: Matrix4;
    /** Key of the thing. */
    key: string;
}

export class Gizmo implements Overlay {
    readonly object = new Group();
    readonly controls: TransformControls;
    private readonly proxy = new Object3D();
    private readonly ghosts = new Group();
    private readonly material = new MeshBasicMaterial({ transparent: true, opacity: 0.3, depthWrite: false, toneMapped: false });
    private readonly from = { position: new Vector3(), quaternion: new Quaternion() };

    constructor(camera: PerspectiveCamera) {
        this.controls = new TransformControls(camera);
        this.controls.attach(this.proxy);
        this.controls.setSize(matchMedia('(pointer: coarse)').matches ? 1.15 : 0.85);
        this.ghosts.matrixAutoUpdate = false;
        this.ghosts.renderOrder = 940;
        this.object.add(this.proxy, this.controls.getHelper(), this.ghosts);
        this.controls.getHelper().traverse((part) => {
            part.renderOrder = Math.max(part.renderOrder, 990);
            const { material } = part as Mesh;
            if (material) (material as Material).toneMapped = false;
        });
        this.show(false);
    }

    look(look: Look): void {
        this.material.color.set(look.dark ? '#8fb6ff' : '#1f5fe0');
    }

    show(shown: boolean): void {
        this.controls.getHelper().visible = shown;
        this.controls.enabled = shown;
    }

    get isShown(): boolean {
        return this.controls.enabled;
    }

    /** Where it stands while nobody drags it. */
    place(at: Vector3, turn: Quaternion): void {
        if (this.controls.dragging) return;
        this.from.position.copy(at);
        this.from.quaternion.copy(turn);
        this.back();
    }

    private back(): void {
        this.proxy.position.copy(this.from.position);
        this.proxy.quaternion.copy(this.from.quaternion);
        this.proxy.scale.set(1, 1, 1);
        this.object.updateMatrixWorld(true);
    }

    get middle(): Vector3 {
        return this.proxy.position;
    }

    setGhosts(ghosts: Ghost[]): void {
        this.ghosts.clear();
        for (const { geometry, at, key } of ghosts) {
            const mesh = new Mesh(geometry, this.material);
            mesh.matrixAutoUpdate = false;
            mesh.matrix.copy(at);
            mesh.frustumCulled = false;
            mesh.userData.key = key;
            this.ghosts.add(mesh);
        }
        this.ghosts.updateMatrixWorld(true);
    }

    get ghostMeshes(): Object3D[] {
        return this.ghosts.visible ? this.ghosts.children : [];
    }

    showGhosts(shown: boolean, moved: Motion = motion()): void {
        this.ghosts.visible = shown;
        this.ghosts.matrix.copy(matrixOf(moved));
        this.ghosts.matrixWorldNeedsUpdate = true;
        this.ghosts.updateMatrixWorld(true);
    }

    // ---- driven by the hands of the toolbox

    hover(at: Vector2): boolean {
        this.object.updateMatrixWorld(true);
        this.controls.pointerHover(pointerAt(at, -1));
        return this.isShown && this.controls.axis !== null;
    }

    /** False: the pointer is beside it. */
    take(at: Vector2): boolean {
        if (!this.hover(at)) return false;
        this.controls.pointerDown(pointerAt(at, 0));
        return this.controls.dragging;
    }

    drag(at: Vector2): Motion {
        this.controls.pointerMove(pointerAt(at, -1));
        return this.motion;
    }

    letGo(): Motion {
        const { motion: done } = this;
        this.controls.pointerUp(pointerAt(null, 0));
        this.controls.axis = null;
        this.back();
        return done;
    }

    /** What the drag amounts to. Bodies keep their proportions: of three scales the one that was meant. */
    get motion(): Motion {
        const { position, quaternion, scale } = this.proxy, { from } = this;
        const meant = scale.toArray().reduce((a, b) => (Math.abs(Math.log(Math.max(b, leastScale))) > Math.abs(Math.log(Math.max(a, leastScale))) ? b : a), 1);
        return motion({
            about: from.position.clone(), move: position.clone().sub(from.position), turn: quaternion.clone().multiply(from.quaternion.clone().invert()).normalize(), scale: Math.max(leastScale, meant),
        });
    }
}

function pointerAt(at: Vector2 | null, button: number) {
    return { x: at?.x ?? 0, y: at?.y ?? 0, button } as unknown as PointerEvent;
}

/** What a drag amounts to, beside the handle. */
export function motionWords({ move, turn, scale }: Motion): string {
    if (scale !== 1) return `× ${brief(scale)}`;
    const angle = 2 * Math.acos(Math.min(1, Math.abs(turn.w)));
    if (angle > 1e-4) return `${brief((angle * 180) / Math.PI)}°`;
    const parts = (['x', 'y', 'z'] as const).filter((axis) => Math.abs(move[axis]) > 5e-4).map((axis) => `${axis} ${move[axis] > 0 ? '+' : '−'}${Math.abs(move[axis]).toFixed(2)}`);
    return parts.length ? `${parts.join('  ')} m` : '0 m';
}
