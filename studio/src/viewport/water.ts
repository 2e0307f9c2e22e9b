// The surface of a water that ends somewhere: a sheet that follows its waves, and walls below it where a box ends it.
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshPhysicalMaterial } from 'three';
import type { Scene } from '../protocol/scene';
import { readWaves } from '../scene_editing/formula';

type Medium = NonNullable<Scene['medium']>;

const cells = 96;
/** Lines of a grid from -1 to 1, close together in the middle half: waves are seen there. */
const endlessLines = Float32Array.from({ length: cells + 1 }, (_, k) => {
    const at = (2 * k) / cells - 1;
    return 0.1 * at + 0.9 * at ** 5;
});
/** m, from the middle to the rim of an endless water. */
const reach = 60;

export class Water {
    readonly group = new Group();
    private readonly material = new MeshPhysicalMaterial({
        color: '#2f86a6', roughness: 0.12, metalness: 0, transparent: true, opacity: 0.55, side: DoubleSide, depthWrite: false,
    });
    private readonly sheet = new Mesh(new BufferGeometry(), this.material);
    private readonly walls = new Mesh(new BufferGeometry(), this.material);
    private medium: Medium | null = null;
    private waves: ReturnType<typeof readWaves> = null;
    private level = 0;
    private time = 0;

    constructor() {
        this.group.name = 'water';
        this.group.visible = false;
        this.group.renderOrder = 10;  // over what is in it
        this.sheet.renderOrder = this.walls.renderOrder = 10;
        this.sheet.receiveShadow = true;
        this.sheet.frustumCulled = this.walls.frustumCulled = false;  // they move
        this.group.add(this.sheet, this.walls);
    }

    /** Takes the medium of the document; null or one that is everywhere has no surface. */
    set(medium: Medium | undefined): void {
        if (medium === this.medium) return;
        this.medium = medium ?? null;
        const level = medium?.level ?? medium?.box?.high[1];
        this.group.visible = level !== undefined;
        if (!medium || level === undefined) return;
        this.level = level;
        this.waves = medium.waves ? readWaves(medium.waves) : null;
        this.lay(medium.box ?? null);
        this.move(this.time);
    }

    /** Where the waves are at a time, s. */
    move(time: number): void {
        this.time = time;
        if (!this.group.visible) return;
        const places = this.sheet.geometry.getAttribute('position') as BufferAttribute;
        for (let k = 0; k < places.count; ++k) places.setY(k, this.heightAt(places.getX(k), places.getZ(k)));
        places.needsUpdate = true;
        this.sheet.geometry.computeVertexNormals();
        this.raiseWalls(places);
    }

    private heightAt(x: number, z: number): number {
        return this.level + (this.waves?.(x, z, this.time) ?? 0);
    }

    private lay(box: Medium['box'] | null): void {
        const lines = cells + 1, places = new Float32Array(3 * lines * lines), triangles: number[] = [];
        for (let j = 0; j < lines; ++j) {
            for (let i = 0; i < lines; ++i) {
                const at = 3 * (j * lines + i);
                places[at] = box ? box.low[0] + ((box.high[0] - box.low[0]) * i) / cells : reach * endlessLines[i];
                places[at + 2] = box ? box.low[2] + ((box.high[2] - box.low[2]) * j) / cells : reach * endlessLines[j];
                if (i === cells || j === cells) continue;
                const a = j * lines + i, c = a + lines;
                triangles.push(a, c, a + 1, a + 1, c, c + 1);
            }
        }
        this.sheet.geometry.dispose();
        this.sheet.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(places, 3)).setIndex(triangles);
        this.walls.geometry.dispose();
        this.walls.geometry = new BufferGeometry();
        this.walls.visible = box !== null;
        if (!box) return;
        const rim = rimOf(lines), around: number[] = [];
        rim.forEach((_, k) => {
            const a = 2 * k, b = 2 * ((k + 1) % rim.length);
            around.push(a, a + 1, b, b, a + 1, b + 1);
        });
        this.walls.geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * rim.length), 3)).setIndex(around);
    }

    private raiseWalls(places: BufferAttribute): void {
        const bottom = this.medium?.box?.low[1];
        if (bottom === undefined) return;
        const walls = this.walls.geometry.getAttribute('position') as BufferAttribute;
        rimOf(cells + 1).forEach((vertex, k) => {
            const x = places.getX(vertex), y = places.getY(vertex), z = places.getZ(vertex);
            walls.setXYZ(2 * k, x, y, z).setXYZ(2 * k + 1, x, Math.min(y, bottom), z);
        });
        walls.needsUpdate = true;
        this.walls.geometry.computeVertexNormals();
    }
}

/** The outer vertices of a grid, once around. */
function rimOf(lines: number): number[] {
    const last = lines - 1, rim: number[] = [];
    for (let j = 0; j < last; ++j) rim.push(j * lines);
    for (let i = 0; i < last; ++i) rim.push(last * lines + i);
    for (let j = last; j > 0; --j) rim.push(j * lines + last);
    for (let i = last; i > 0; --i) rim.push(i);
    return rim;
}
