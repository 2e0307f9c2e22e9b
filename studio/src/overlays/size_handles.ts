// Dots on a shape that are dragged to change its sizes; they keep their size on the screen.
import { BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, type PerspectiveCamera, SphereGeometry, Vector3 } from 'three';
import type { Look } from '../state/look';
import type { Overlay } from '../viewport/overlay';

const radius = 6;  // pixels
export const reach = 14;  // pixels: of a hand

export interface SizeHandle {
    /** What it sets, for a person. */
    name: string;
    at: Vector3;
    /** From where its way begins. */
    from: Vector3;
}

export class SizeHandles implements Overlay {
    readonly object = new Group();
    private readonly dot = new MeshBasicMaterial({ depthTest: false, transparent: true, toneMapped: false });
    private readonly stem = new LineBasicMaterial({ depthTest: false, transparent: true, opacity: 0.7, toneMapped: false });
    private readonly ball = new SphereGeometry(1, 16, 12);
    private dots: Mesh[] = [];

    look(look: Look): void {
        this.dot.color.set(look.dark ? '#ffb27a' : '#d2560a');
        this.stem.color.copy(this.dot.color);
    }

    show(handles: readonly SizeHandle[]): void {
        this.object.clear();
        this.dots = handles.map(({ at, from }) => {
            const mesh = new Mesh(this.ball, this.dot), line = new Line(new BufferGeometry().setFromPoints([from, at]), this.stem);
            mesh.position.copy(at);
            mesh.renderOrder = 995;
            line.renderOrder = 994;
            mesh.frustumCulled = line.frustumCulled = false;
            this.object.add(line, mesh);
            return mesh;
        });
    }

    beforePicture(camera: PerspectiveCamera, height: number): void {
        const perMetre = height / (2 * Math.tan((camera.fov * Math.PI) / 360));
        for (const dot of this.dots) dot.scale.setScalar((radius * dot.position.distanceTo(camera.position)) / perMetre);
    }
}
