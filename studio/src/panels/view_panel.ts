// The picture and what lies over it: framing, legend, the tool's panel, names of compared runs, the way back to lost bodies.
import type { App } from '../app';
import { h, iconButton } from '../dom';
import { connectionBanner } from './connection_banner';
import { legend } from './show_panel';

export interface ViewPanel {
    element: HTMLElement;
    canvas: HTMLCanvasElement;
    /** Once the picture is there. */
    start(toolPanel: HTMLElement): void;
}

const timeToFall = 2;  // s: in the first seconds bodies may still be about to fall into the picture

/** Nothing is in view. */
export function haveLeft(app: App): boolean {
    return app.shownTime > timeToFall && app.viewport.showsNothing;
}

export function viewPanel(app: App): ViewPanel {
    const canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-label': 'The bodies. Arrow keys turn the view; Enter takes hold of the selected body, arrow keys move the hand, Enter lets go.' });
    const element = h('main.view', {}, canvas);
    const start = (toolPanel: HTMLElement) => {
        const compared = h('div.compared', { hidden: true }, h('span', {}, 'Now'), h('span', {}, 'As it was'));
        const bringBack = () => {
            app.viewport.frameBodies();
            lost.hidden = true;
        };
        const lost = h('button.lost', { type: 'button', hidden: true, onclick: bringBack }, 'Nothing is in view: bring the bodies back');
        const frame = iconButton('frame', 'Bring the bodies into view', bringBack, 'F');
        frame.classList.add('frame-button');
        app.on(['stats', 'status', 'look'], () => { lost.hidden = !haveLeft(app); });
        app.on('status', (status) => { compared.hidden = !status?.comparing; });
        app.on(['selection', 'scene', 'look'], () => {
            const several = (app.scene?.bodies.length ?? 0) > 1;
            app.viewport.highlight(several && app.get('selection')?.byHand ? app.selected : '');
        });
        element.append(frame, toolPanel, legend(app), compared, lost, connectionBanner(app));
    };
    return { element, canvas, start };
}
