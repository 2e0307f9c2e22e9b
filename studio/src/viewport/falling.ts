// How far something can fall until it lies on what is below: for putting bodies down without simulating.
import { type BufferGeometry, DoubleSide, type Matrix4, Mesh, MeshBasicMaterial, Raycaster, Vector3 } from 'three';

const mostRays = 400;
const down = new Vector3(0, -1, 0), up = new Vector3(0, 1, 0);
const material = new MeshBasicMaterial({ side: DoubleSide });

/** A mesh of a shape somewhere, to be looked at by rays alone. */
export function placed(geometry: BufferGeometry, at: Matrix4): Mesh {
    const mesh = new Mesh(geometry, material);
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(at);
    mesh.matrixWorld.copy(at);
    return mesh;
}

function someVertices(mesh: Mesh): Vector3[] {
    const position = mesh.geometry.getAttribute('position'), stride = Math.max(1, Math.floor(position.count / mostRays));
    return Array.from({ length: Math.ceil(position.count / stride) }, (_, k) => new Vector3().fromBufferAttribute(position, k * stride).applyMatrix4(mesh.matrixWorld));
}

/** m; null: there is nothing below. Negative: it is inside, and has to rise. */
export function fall(mesh: Mesh, others: Mesh[]): number | null {
    const own = someVertices(mesh), low = Math.min(...own.map(({ y }) => y)), high = Math.max(...own.map(({ y }) => y));
    const caster = new Raycaster();
    let least = Infinity;
    for (const from of own) {
        // From the height of its top: what it is stuck in counts, too.
        caster.set(new Vector3(from.x, high, from.z), down);
        for (const { point } of caster.intersectObjects(others, false)) if (point.y <= low + 0.5 * (high - low)) least = Math.min(least, from.y - point.y);
    }
    // Corners of what is below reach between its vertices.
    for (const other of others) {
        for (const from of other.name === 'ground' ? [] : someVertices(other)) {
            if (from.y > low + 0.5 * (high - low)) continue;
            caster.set(new Vector3(from.x, low - 1e4, from.z), up);
            const [hit] = caster.intersectObject(mesh, false);
            if (hit) least = Math.min(least, hit.point.y - from.y);
        }
    }
    return Number.isFinite(least) ? least : null;
}
