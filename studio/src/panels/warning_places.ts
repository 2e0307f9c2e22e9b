// Warnings that name a place of a body: "... near (0.1, 0.2, 0)" can be clicked, the camera goes there and a ring marks it.
import { Vector3 } from 'three';
import type { App } from '../app';
import { h } from '../dom';
import { Ring } from '../overlays/ring';
import { spotsOf } from '../painting/spots';
import { identityOf } from '../scene_editing/commands';
import type { Json } from '../scene_editing/schema';

const shownFor = 6000;  // ms that a place stays marked

export interface WarningPlace {
    /** Number of the body in the document. */
    body: number;
    /** At rest, in the coordinates of fields. */
    place: [number, number, number];
}

/** Where a warning points to; null: nowhere. */
export function placeOfWarning(warning: string): WarningPlace | null {
    const body = /^bodies\[(\d+)\]/.exec(warning), near = /near \(([^,()]+), ([^,()]+), ([^,()]+)\)/.exec(warning);
    if (!body || !near) return null;
    const place = near.slice(1).map(Number) as [number, number, number];
    return place.every(Number.isFinite) ? { body: Number(body[1]), place } : null;
}

/** A sentence, and a button if it points to a place. */
export function warningItem(app: App, warning: string, words: string): HTMLElement {
    const found = placeOfWarning(warning);
    return h('p.warning', {}, words, found && h('button.show-place', { type: 'button', title: 'Look at the place', onclick: () => show(app, found) }, 'Show'));
}

let unmark: (() => void) | null = null;

/** `tries`: the shape at rest may be on its way. */
function show(app: App, where: WarningPlace, tries = 20): void {
    const { body, place } = where;
    const entry = (app.document?.content.bodies ?? [])[body] as unknown as Json | undefined;
    if (entry === undefined) return;
    const own = identityOf(entry, body), view = app.viewport.bodyViews().find(({ body: { id } }) => id === own || id.startsWith(`${own}/`));
    const at = view && spotsOf(app).nowOf(view.body.id, new Vector3(...place));
    if (view && !at && tries > 0) setTimeout(() => show(app, where, tries - 1), 150);
    if (!view || !at) return;
    app.select(view.body.id);
    app.viewport.view.lookAt(at);
    unmark?.();
    const ring = new Ring('#d9730d'), remove = app.viewport.host({ object: ring.object, beforePicture: (camera) => { ring.face(camera); } });
    ring.place(at, 0.06 * view.body.size);
    const timer = setTimeout(() => unmark?.(), shownFor);
    unmark = () => {
        clearTimeout(timer);
        unmark = null;
        remove();
    };
    app.viewport.draw();
}
