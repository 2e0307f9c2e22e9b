// From where a body is at the start of the scene to where it is now, and back.
import { Matrix4, type Vector3 } from 'three';
import type { App } from '../app';
import { scaleOfBody, startOfBody } from '../scene_editing/placement';
import type { JsonObject } from '../scene_editing/schema';
import { spotsOf } from './spots';

/** From the start to the body at rest, in the coordinates of fields. */
export function toRest(app: App, body: string): Matrix4 {
    const content = app.document!.content as unknown as JsonObject, scale = 1 / scaleOfBody(content, body);
    return new Matrix4().makeScale(scale, scale, scale).multiply(startOfBody(content, body).invert());
}

/** null: it is not known yet, or the body is bent too much for one map. */
export function sinceStart(app: App, body: string): Matrix4 | null {
    return spotsOf(app).motionOf(body)?.multiply(toRest(app, body)) ?? null;
}

/** Where a place of the body at the start is now, nearly if the body is bent; null: not known yet. */
export function nowOfStart(app: App, body: string, point: Vector3): Vector3 | null {
    const motion = sinceStart(app, body);
    return motion ? point.clone().applyMatrix4(motion) : spotsOf(app).nowOf(body, point.clone().applyMatrix4(toRest(app, body)));
}
