// Areas that a hand draws over the picture: a lasso, a box, the track of a brush; and which particles lie in them.
import { Matrix4 } from 'three';
import type { App } from '../app';
import type { AnswerLasso, QueryLasso } from '../protocol/messages';
import type { Place } from '../toolbox/tool';

export class ScreenArea {
    private readonly outline = document.createElementNS('http://www.w3.org/2000/svg', 'svg');

    constructor(private readonly app: App) {
        this.outline.setAttribute('class', 'lasso');
        this.outline.setAttribute('aria-hidden', 'true');
        app.viewport.canvas.parentElement!.append(this.outline);
    }

    /** In pixels of the page. */
    draw(areas: Place[][]): void {
        const box = this.app.viewport.canvas.getBoundingClientRect();
        const path = areas.map((area) => `M${area.map(({ x, y }) => `${(x - box.left).toFixed(1)} ${(y - box.top).toFixed(1)}`).join('L')}Z`).join('');
        const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        line.setAttribute('d', path);
        this.outline.replaceChildren(...(path ? [line] : []));
    }

    get isDrawn(): boolean {
        return this.outline.firstChild !== null;
    }

    /** null: the areas are none, or a newer question of the same slot took its place. */
    ask(areas: Place[][], body: string, through: boolean, slot: string): Promise<AnswerLasso | null> {
        const { viewport } = this.app, { camera } = viewport.view;
        camera.updateMatrixWorld();
        const view = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).elements.slice() as QueryLasso['view'];
        const flat = areas.map((area) => area.flatMap(({ x, y }) => { const at = viewport.picking.inPicture(x, y); return [at.x, at.y]; })).filter((area) => area.length >= 6).slice(-500);
        return flat.length ? this.app.ask('lasso', { body, view, eye: camera.position.toArray(), areas: flat, through }, slot) : Promise.resolve(null);
    }
}

/** The corners of a box between two places. */
export function boxArea(from: Place, to: Place): Place[] {
    return [from, { ...from, x: to.x }, to, { ...from, y: to.y }];
}

/** The body that most of an area lies on; without: the only one there is. */
export function bodyUnder(app: App, area: Place[]): string | null {
    const { picking } = app.viewport, middle = area.reduce((sum, { x, y }) => ({ x: sum.x + x / area.length, y: sum.y + y / area.length }), { x: 0, y: 0 });
    const tried = [middle, ...area.filter((_, k) => k % Math.ceil(area.length / 24) === 0).flatMap((p) => [0.5, 0.9, 0.1].map((t) => ({ x: middle.x + t * (p.x - middle.x), y: middle.y + t * (p.y - middle.y) })))];
    for (const { x, y } of tried) {
        const found = picking.pick(x, y);
        if (found) return found.body;
    }
    return app.scene?.bodies.length === 1 ? app.scene.bodies[0].id : null;
}
