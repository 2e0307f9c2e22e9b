// Which layer of muscles of a body is edited, and which gait of it: those a person chose, or the first ones.
import { muscleLayers } from '../scene_editing/charts';
import { identityOf, type Path } from '../scene_editing/commands';
import { gaitNames, mainGait } from '../scene_editing/gaits';
import { type JsonObject, isObject } from '../scene_editing/schema';

const chosen = new Map<string, number>();
const chosenGaits = new Map<string, string>();

/** Number in `matching.stretch`; null: the body has no muscles. */
export function layerOf(body: JsonObject | null): number | null {
    const layers = muscleLayers(body), wanted = body && chosen.get(identityOf(body, 0));
    return wanted !== undefined && wanted !== null && layers.includes(wanted) ? wanted : layers[0] ?? null;
}

export function chooseLayer(body: JsonObject, layer: number): void {
    chosen.set(identityOf(body, 0), layer);
}

/** Of the muscles in a layer, within the body. */
export function layerPath(layer: number): Path {
    return ['matching', 'stretch', layer, 'active'];
}

/** The muscles of the layer that is edited. */
export function activeOf(body: JsonObject | null): JsonObject | null {
    const layer = layerOf(body);
    const entry = layer === null ? null : ((body!.matching as JsonObject).stretch as JsonObject[])[layer].active;
    return isObject(entry ?? undefined) ? (entry as JsonObject) : null;
}

/** Name of the gait whose charts are edited. */
export function gaitOf(body: JsonObject | null): string {
    const active = activeOf(body), wanted = body && chosenGaits.get(`${identityOf(body, 0)} ${layerOf(body)}`);
    return active && wanted && gaitNames(active).includes(wanted) ? wanted : mainGait;
}

export function chooseGait(body: JsonObject, name: string): void {
    chosenGaits.set(`${identityOf(body, 0)} ${layerOf(body)}`, name);
}
