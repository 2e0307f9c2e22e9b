// Ball: pressed into a body for as long as the hand is down, deeper with the clock of the simulation.
import { Mesh, MeshStandardMaterial, SphereGeometry, Vector3 } from 'three';
import { sizePanel } from '../panels/size_panel';
import type { Tool } from '../toolbox/tool';

const pressTime = 0.7;  // s of the simulation until it is pressed in to the middle of a body
const sizes = { least: 0.03, most: 0.8, usual: 0.16 };  // of the size of the bodies

export const tool: Tool = {
    id: 'ball', name: 'Ball', key: 'B', about: 'Press a ball into a body and push; [ and ] make it smaller and larger', order: 3,
    icon: 'M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM8.8 9.5c.7-1.3 1.8-2 3.2-2.2',
    cursor: 'crosshair',
    make(app) {
        const { viewport } = app;
        const object = new Mesh(new SphereGeometry(1, 48, 32), new MeshStandardMaterial({ color: '#f2b33d', roughness: 0.35 }));
        object.castShadow = true;
        object.visible = false;
        const size = sizePanel('Ball', 'Radius of the ball', sizes);
        return {
            overlay: { object }, panel: size.element, resize: size.scale,
            press(at, hit) {
                if (!hit) return null;
                const { spacing } = viewport.bodyView(hit.body)!.body;
                // No smaller than the gaps between the particles, which are what it touches.
                const radius = () => Math.max(size.share * viewport.extent.size, spacing);
                const toEye = viewport.view.camera.position.clone().sub(hit.point).normalize();
                const from = hit.point.clone().addScaledVector(toEye, radius()), start = app.shownTime;
                let { x, y } = at;
                const put = (center: Vector3) => {
                    if (object.visible && object.position.distanceTo(center) < 1e-4 * radius() && object.scale.x === radius()) return;
                    object.visible = true;
                    object.position.copy(center);
                    object.scale.setScalar(radius());
                    viewport.draw();
                    app.send({ type: 'ball', center: center.toArray(), radius: radius() });
                };
                const takeAway = () => {
                    object.visible = false;
                    viewport.draw();
                    app.send({ type: 'ball', center: null, radius: radius() });
                };
                put(from);
                return {
                    move(to) { ({ x, y } = to); },
                    tick() {
                        const away = viewport.view.camera.getWorldDirection(new Vector3());
                        const depth = Math.max(0, viewport.middleOf(hit.body, hit.run).sub(from).dot(away));
                        const share = Math.min(1, Math.max(0, app.shownTime - start) / pressTime);
                        put(viewport.picking.onScreenPlane(x, y, from.clone().addScaledVector(away, depth * share)));
                    },
                    resize: size.scale,
                    end: takeAway, cancel: takeAway,
                };
            },
        };
    },
};
