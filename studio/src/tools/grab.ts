// Grab: a patch of a body follows the hand on a spring; its size by the wheel.
import type { App } from '../app';
import { sizePanel } from '../panels/size_panel';
import { Springs } from '../overlays/springs';
import type { Tool } from '../toolbox/tool';

const sizes = { least: 0.02, most: 0.6, usual: 0.12 };  // of the size of a body

export const tool: Tool = {
    id: 'grab', name: 'Grab', key: 'G', about: 'Pull a patch of a body; let go and it springs back. The wheel sets its size', order: 1,
    icon: 'M8.2 12.8V6.7a1.35 1.35 0 0 1 2.7 0V11V5.2a1.35 1.35 0 0 1 2.7 0V11V6.2a1.35 1.35 0 0 1 2.7 0v6.3V9.2a1.3 1.3 0 0 1 2.6 0v5.3c0 3.5-2.2 6-5.6 6-2.6 0-4-1-5.3-3.2l-2.7-4.4c-.9-1.6 1.1-2.8 2.2-1.5z',
    cursor: 'grab', heldCursor: 'grabbing',
    make(app: App) {
        const { viewport } = app;
        const overlay = new Springs(() => viewport.extent.size);
        const size = sizePanel('Patch', 'How much of the body the hand takes hold of', sizes);
        return {
            overlay, panel: size.element, resize: size.scale,
            press(_, hit, hold) {
                if (!hit) return null;
                const body = viewport.bodyView(hit.body)!.body;
                let target = hit.point;
                const radius = () => Math.max(size.share * body.size, 0.5 * body.spacing);
                const take = () => {
                    overlay.showPatch(hold, hit.point, radius());
                    app.send({ type: 'grab', hold, spot: hit.spot, target: target.toArray(), radius: radius() });
                };
                const letGo = () => {
                    overlay.hidePatch(hold);
                    viewport.draw();
                    app.send({ type: 'release', hold });
                };
                take();
                return {
                    move(to) {
                        target = viewport.picking.onScreenPlane(to.x, to.y, hit.point);
                        app.send({ type: 'drag', hold, target: target.toArray() });
                    },
                    resize(factor) {
                        size.scale(factor);
                        take();
                        viewport.draw();
                    },
                    end: letGo, cancel: letGo,
                };
            },
        };
    },
};
