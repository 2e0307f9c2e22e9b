// Pin: a click holds a point where it is, another frees it. Both are edits of the document.
import { Pins } from '../overlays/pins';
import type { Tool } from '../toolbox/tool';

const mostDrift = 6;  // pixels between press and release of a click

export const tool: Tool = {
    id: 'pin', name: 'Pin', key: 'P', about: 'Click to hold a point where it is; click a held point to free it', order: 4,
    icon: 'M9 4.5h6l-.8 5 3 3.2H6.8l3-3.2zM12 12.7V20',
    cursor: 'crosshair',
    make(app) {
        const { viewport } = app;
        const overlay = new Pins(viewport.cutting.clipping, () => viewport.bodyViews()[0]?.body.spacing ?? 0.1);
        return {
            overlay,
            press(at, hit) {
                if (!hit) return null;
                return {
                    end(to) {
                        if (Math.hypot(to.x - at.x, to.y - at.y) > mostDrift) return;
                        if (overlay.isNear(hit.point)) app.edits.unpin(hit.spot);
                        else app.edits.pin(hit.spot);
                    },
                    cancel() {},
                };
            },
        };
    },
};
