// What is led along a path with keys: a handle of a body, or an obstacle; and where its centre is at the start.
import { Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { type Path, valueAt } from '../scene_editing/commands';
import { keysOf, placeOf, poseAt } from '../scene_editing/path_keys';
import { degreesOf, obstacleFrame } from '../scene_editing/placement';
import { type Json, type JsonObject, type Schema, isObject } from '../scene_editing/schema';
import { kindOfKey, ownerOf, pathOfKey } from './things';

const samples = 24;  // of a path, between two keys

/** s: where keys are set. */
export function timeOfKeys(app: App): number {
    return app.get('keyTime') ?? app.shownTime;
}

export class Keyed {
    /** `center`: at the start, m. `starts`: it has a place to start from, too, that a hand moves unless a time for a key was chosen. */
    constructor(readonly key: string, readonly path: Path, readonly name: string, readonly center: Vector3, readonly starts: boolean) {}

    private entry(content: JsonObject): Json | undefined {
        return valueAt(content, this.path);
    }

    private isSmooth(content: JsonObject): boolean {
        const entry = this.entry(content);
        return !isObject(entry) || entry.smooth !== false;
    }

    keys(content: JsonObject) {
        return keysOf(this.entry(content), this.center);
    }

    private poseAt(content: JsonObject, time: number) {
        return poseAt(this.keys(content), time, this.isSmooth(content), this.center);
    }

    place(content: JsonObject, time: number): Vector3 {
        return placeOf(this.poseAt(content, time), this.center);
    }

    /** What the numbers beside the gizmo say: the offset, or the turn. */
    values(content: JsonObject, time: number, mode: 'translate' | 'rotate' | 'scale'): Vector3 {
        const { turn } = this.poseAt(content, time), angle = turn.length();
        if (mode === 'scale') return new Vector3(1, 1, 1);
        if (mode === 'translate') return this.place(content, time).sub(this.center);
        return degreesOf(angle > 0 ? new Quaternion().setFromAxisAngle(turn.clone().divideScalar(angle), angle) : new Quaternion());
    }

    dots(content: JsonObject): Vector3[] {
        return this.keys(content).map((key) => placeOf(key, this.center));
    }

    line(content: JsonObject): Vector3[] {
        const keys = this.keys(content);
        return keys.slice(1).flatMap((to, k) => Array.from({ length: samples + 1 }, (_, n) => this.place(content, keys[k].time + (n / samples) * (to.time - keys[k].time))));
    }
}

/** Obstacles can be led, too, where the engine knows how. */
function keyedObstacle(app: App, key: string): Keyed | null {
    const entry = valueAt(app.document!.content as unknown as JsonObject, pathOfKey(key)), schema = app.schema as Schema | null;
    if (!schema?.$defs.obstacle.properties?.path || !isObject(entry) || entry.plane !== undefined) return null;
    return new Keyed(key, pathOfKey(key), 'Obstacle', obstacleFrame(entry).move, true);
}

/** null: the thing is not led by keys, or not there yet. */
async function keyedOf(app: App, key: string): Promise<Keyed | null> {
    if (!app.document) return null;
    if (kindOfKey(key) === 'obstacle') return keyedObstacle(app, key);
    if (kindOfKey(key) !== 'handle') return null;
    const path = pathOfKey(key), owner = ownerOf(key), list = path.slice(-2);
    const body = app.scene?.bodies.find(({ id }) => `/bodies/@${id.replace('/', '/instances/@')}` === owner || owner === `/bodies/@${id.split('/')[0]}`);
    const answer = body && (await app.ask('grips', { body: body.id }, 'grips').catch(() => null));
    const depth = owner.split('/').length;
    const grip = answer?.grips.find((found) => found.path.endsWith(`/${list[0]}/${list[1]}`) && found.path.split('/').length === depth + 2);
    return grip ? new Keyed(key, path, `Handle ${Number(list[1]) + 1}`, new Vector3().fromArray(grip.center), false) : null;
}

/** Keeps the store's `keyed` to what is chosen. */
export function followKeyed(app: App): void {
    const find = async () => {
        const chosen = app.get('chosen');
        const found = chosen.length === 1 ? await keyedOf(app, chosen[0]) : null;
        if (app.get('chosen') !== chosen) return;
        if (found?.key !== app.get('keyed')?.key) app.set('keyTime', null);
        app.set('keyed', found);
    };
    app.on(['chosen', 'scene', 'build'], () => void find());
}
