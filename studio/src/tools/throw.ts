// Throw: the drag is the speed.
import { Arrow } from '../overlays/arrow';
import type { Tool } from '../toolbox/tool';

const speedPerMetre = 8;  // m/s for a metre of drag
const leastDrag = 0.01;   // of the size of the bodies: less is a click

export const tool: Tool = {
    id: 'throw', name: 'Throw', key: 'T', about: 'Drag a body and let go: it flies', order: 2,
    icon: 'M5 17.5c3-7 7-10 13-10.5M13.5 3.8 18.3 7l-3.4 4.6M5.5 20.5h.01M9 19.5h.01',
    cursor: 'grab', heldCursor: 'grabbing',
    make(app) {
        const { viewport } = app;
        const overlay = new Arrow();
        return {
            overlay,
            press(_, hit) {
                if (!hit) return null;
                const hide = () => {
                    overlay.hide();
                    viewport.draw();
                };
                return {
                    move(to) {
                        overlay.show(hit.point, viewport.picking.onScreenPlane(to.x, to.y, hit.point), viewport.extent.size);
                        viewport.draw();
                    },
                    end(to) {
                        hide();
                        const drag = viewport.picking.onScreenPlane(to.x, to.y, hit.point).sub(hit.point);
                        if (drag.length() > leastDrag * viewport.extent.size) app.send({ type: 'throw', body: hit.body, velocity: drag.multiplyScalar(speedPerMetre).toArray() });
                    },
                    cancel: hide,
                };
            },
        };
    },
};
