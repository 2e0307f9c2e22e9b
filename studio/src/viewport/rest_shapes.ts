// The drawn surfaces of bodies at rest, asked for once each: what shows where a body will start.
import { Box3, BufferAttribute, BufferGeometry, Matrix4, Vector3 } from 'three';
import type { Requests } from '../connection/requests';
import type { BodyView } from './body_view';

export class RestShapes {
    /** By number of the shape: bodies of the same make share one. */
    private readonly known = new Map<number, Float32Array>();
    private readonly asked = new Set<number>();
    /** By body: what it was like when its shape came. Another material of the same mesh has a number of its own. */
    private readonly before = new Map<string, { make: string; positions: Float32Array }>();

    constructor(private readonly ask: Requests['ask'], private readonly arrived: () => void) {}

    /** Three numbers of each drawn vertex; null: on its way, `arrived` tells. */
    of(view: BodyView): Float32Array | null {
        const { shape, id } = view.body, found = this.known.get(shape);
        if (found) {
            if (this.before.get(id)?.positions !== found) this.before.set(id, { make: makeOf(view), positions: found });
            return found;
        }
        if (!this.asked.has(shape)) void this.load(view.body, makeOf(view));
        const earlier = this.before.get(id);
        return earlier?.make === makeOf(view) ? earlier.positions : null;
    }

    private async load({ shape, id: body }: BodyView['body'], make: string): Promise<void> {
        this.asked.add(shape);
        const answer = await this.ask('rest_shape', { body }, `rest_shape ${shape}`).catch(() => null);
        this.asked.delete(shape);
        if (!answer) return;
        const earlier = this.before.get(body)?.positions, same = earlier?.length === answer.positions.length && earlier.every((x, k) => x === answer.positions[k]);
        const positions = same ? earlier! : answer.positions.slice();
        this.known.set(shape, positions);
        this.before.set(body, { make, positions });
        this.arrived();
    }

    /** A mesh of it in its own coordinates, with the triangles that are drawn. */
    geometryOf(view: BodyView): BufferGeometry | null {
        const positions = this.of(view), index = view.surface.geometry.getIndex();
        if (!positions || !index) return null;
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', new BufferAttribute(positions, 3));
        geometry.setIndex(index);
        return geometry;
    }

    /** The box of it where it starts. */
    boxOf(view: BodyView, start: Matrix4): Box3 | null {
        const positions = this.of(view);
        if (!positions) return null;
        const box = new Box3(), point = new Vector3();
        for (let k = 0; k + 2 < positions.length; k += 3) box.expandByPoint(point.fromArray(positions, k).applyMatrix4(start));
        return box;
    }
}

/** Tells bodies apart by their mesh. */
function makeOf({ body: { vertices, triangles, size } }: BodyView): string {
    return `${vertices} ${triangles} ${size}`;
}
