// Tube: a line drawn over a volume model becomes a tube through the middle of it, a part of its own.
import { Mesh, MeshBasicMaterial, Raycaster, Vector3 } from 'three';
import { h } from '../dom';
import { addNode } from '../scene_editing/volume_tree';
import type { JsonObject } from '../scene_editing/schema';
import { simplified, tubeGeometry } from '../shaping/node_geometry';
import { shapeModelOf } from '../shaping/shape_model';
import type { Place, Tool } from '../toolbox/tool';

const apart = 0.035;  // of the size of the model: between points
const thick = 0.05;   // of the size of the model: radius at first

export const tool: Tool = {
    id: 'tube', name: 'Tube', key: '', about: 'Draw a line over the model: a tube through the middle of it', order: 52, desk: 'shape',
    icon: 'M4 17c5 0 4-10 8-10s3 6 8 6M4 20c7 0 5.500-10 8-10s2 6 8 6', cursor: 'crosshair', anywhere: true,
    make(app) {
        const model = shapeModelOf(app), { picking } = app.viewport;
        const draft = new Mesh(undefined, new MeshBasicMaterial({ color: '#2f6bff', transparent: true, opacity: 0.75, depthTest: false, toneMapped: false }));
        draft.matrixAutoUpdate = draft.visible = draft.frustumCulled = false;
        draft.renderOrder = 950;
        const stiffness = h('input', { type: 'range', min: 0, max: 1, step: 0.05, value: 1, 'aria-label': 'Stiffness of the tube' });
        const panel = h('div.cut-panel', {}, h('p.hint', {}, 'Draw over the model: the tube runs midway between its front and its back.'), h('label.row', {}, h('span', {}, 'Stiffness'), stiffness));

        /** Midway through the model under the pointer, in its own coordinates; null: beside it. */
        const through = ({ x, y }: Place): Vector3 | null => {
            if (!model.surface) return null;
            const { ray } = picking.rayAt(x, y), caster = new Raycaster(ray.origin.clone(), ray.direction.clone());
            const surface = app.viewport.stage.scene.getObjectByName('model surface') as Mesh | undefined;
            if (!surface) return null;
            const hits = caster.intersectObject(surface, false);
            if (!hits.length) return null;
            const middle = hits[0].point.clone().add(hits[hits.length - 1].point).multiplyScalar(0.5);
            return middle.applyMatrix4(model.start.invert());
        };
        return {
            overlay: { object: draft }, panel,
            press(at) {
                const first = model.active ? through(at) : null;
                if (!first) return null;
                const points = [first], extent = sizeOf(model.surface!.positions), radius = Number((thick * extent).toPrecision(2));
                const show = () => {
                    draft.geometry.dispose();
                    draft.geometry = tubeGeometry(points, radius) ?? draft.geometry;
                    draft.matrix.copy(model.start);
                    draft.matrixWorldNeedsUpdate = draft.visible = true;
                    app.viewport.draw();
                };
                const end = () => {
                    draft.visible = false;
                    app.viewport.draw();
                };
                show();
                return {
                    move(to) {
                        const next = through(to);
                        if (!next || next.distanceTo(points[points.length - 1]) < apart * extent) return;
                        points.push(next);
                        show();
                    },
                    end(to) {
                        const last = through(to);
                        if (last && last.distanceTo(points[points.length - 1]) > 0.3 * apart * extent) points.push(last);
                        end();
                        if (points.length < 2) return;
                        const line = simplified(points, 0.25 * radius).map((p) => p.toArray().map((c) => Number(c.toFixed(4)))), hard = Number(stiffness.value);
                        const node: JsonObject = { prim: 'tube', radius, points: line, stiffness: hard, color: [0.1, 0.3, 0.9], name: 'tube' };
                        model.edit((now) => addNode(now, ['root'], node));
                        app.set('tool', 'shape');
                    },
                    cancel: end,
                };
            },
            hover: (at) => through(at) !== null,
        };
    },
};

function sizeOf(positions: Float32Array): number {
    const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
    for (let k = 0; k < positions.length; k += 3) {
        p.fromArray(positions, k);
        low.min(p);
        high.max(p);
    }
    return high.sub(low).length();
}
