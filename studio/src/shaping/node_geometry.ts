// Base shapes of volume models as meshes, in their own coordinates: for ghosts, and for hands that point at them.
import { BoxGeometry, BufferGeometry, CapsuleGeometry, CatmullRomCurve3, ConeGeometry, CurvePath, CylinderGeometry, LineCurve3, SphereGeometry, TorusGeometry, TubeGeometry, Vector3 } from 'three';
import { mergeGeometries } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { JsonObject } from '../scene_editing/schema';
import { halfSize } from '../scene_editing/volume_tree';

/** null: only the engine knows what it looks like. */
export function leafGeometry(node: JsonObject): BufferGeometry | null {
    const radius = Number(node.radius), height = Number(node.height);
    switch (node.prim) {
        case 'sphere': return new SphereGeometry(radius, 40, 24);
        case 'cube': return new BoxGeometry(...halfSize(node).multiplyScalar(2).toArray());
        case 'cylinder': return new CylinderGeometry(radius, radius, height, 40);
        case 'cone': return new ConeGeometry(radius, height, 40);
        case 'capsule': return new CapsuleGeometry(radius, height, 10, 32);
        case 'torus': return new TorusGeometry(radius, Number(node.tube), 16, 48).rotateX(Math.PI / 2);
        case 'tube': return tubeGeometry((node.points as number[][]).map((p) => new Vector3().fromArray(p)), radius);
        default: return null;
    }
}

export function tubeGeometry(points: Vector3[], radius: number): BufferGeometry | null {
    const parts: BufferGeometry[] = points.map((p) => new SphereGeometry(radius, 16, 10).translate(p.x, p.y, p.z));
    const path = new CurvePath<Vector3>();
    for (let k = 0; k + 1 < points.length; ++k) if (points[k].distanceTo(points[k + 1]) > 1e-9) path.add(new LineCurve3(points[k], points[k + 1]));
    for (const curve of path.curves) parts.push(new TubeGeometry(new CatmullRomCurve3([curve.getPoint(0), curve.getPoint(1)]), 1, radius, 16));
    return parts.length ? mergeGeometries(parts) : null;
}

/** Without points that are nearer than this to the line between others. */
export function simplified(points: Vector3[], off: number): Vector3[] {
    if (points.length < 3) return points;
    const [a, b] = [points[0], points[points.length - 1]], way = b.clone().sub(a), length = way.length();
    const distances = points.map((p) => {
        const along = length > 0 ? Math.min(1, Math.max(0, p.clone().sub(a).dot(way) / length ** 2)) : 0;
        return p.distanceTo(a.clone().addScaledVector(way, along));
    });
    const farthest = distances.indexOf(Math.max(...distances));
    if (distances[farthest] <= off) return [a, b];
    return [...simplified(points.slice(0, farthest + 1), off).slice(0, -1), ...simplified(points.slice(farthest), off)];
}
