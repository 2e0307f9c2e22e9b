// The picture and what lies over it: framing, legend, the tool's panel, names of compared runs, the way back to lost bodies.
import type { App } from '../app';
import { h, icon, iconButton } from '../dom';
import { Form } from '../scene_editing/form';
import type { JsonObject } from '../scene_editing/schema';
import { comparedNames } from '../state/takes';
import { belongsTo, obstacleNumber, sensorsOf } from '../state/things';
import { connectionBanner } from './connection_banner';
import { legend } from './show_panel';

export interface ViewPanel {
    element: HTMLElement;
    canvas: HTMLCanvasElement;
    /** Once the picture is there. */
    start(toolPanel: HTMLElement, templates: () => void): void;
}

const timeToFall = 2;  // s: in the first seconds bodies may still be about to fall into the picture

/** Nothing is in view. */
export function haveLeft(app: App): boolean {
    return app.shownTime > timeToFall && app.viewport.showsNothing;
}

function addBody(app: App): void {
    app.edits.once((content) => new Form(app.schema as ConstructorParameters<typeof Form>[0], content as unknown as JsonObject).bodies().add!.to());
}

export function viewPanel(app: App): ViewPanel {
    const canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-label': 'The scene. Arrow keys orbit the view; Enter grabs the selected body, arrow keys then move it, Enter lets go.' });
    const element = h('main.view', {}, canvas);
    const start = (toolPanel: HTMLElement, templates: () => void) => {
        const halves = [h('span'), h('span')], compared = h('div.compared', { hidden: true }, ...halves);
        const bringBack = () => {
            app.viewport.frameBodies();
            lost.hidden = true;
        };
        const lost = h('button.lost', { type: 'button', hidden: true, onclick: bringBack }, 'The bodies are out of view. Show them');
        const frame = iconButton('frame', 'Zoom to the bodies', bringBack, 'F');
        frame.classList.add('frame-button');
        const tellOfLost = () => { lost.hidden = !haveLeft(app); };
        app.on(['stats', 'status', 'look'], tellOfLost);
        app.viewport.view.controls.addEventListener('change', tellOfLost);  // time may stand still while one looks around
        app.on(['status', 'takes'], () => {
            compared.hidden = !app.status?.comparing;
            comparedNames(app.get('takes'), app.status?.beside).forEach((name, half) => { halves[half].textContent = name; });
        });
        app.on(['hidden', 'scene', 'modelled'], () => {
            const hidden = [...app.get('hidden')], content = app.document?.content as unknown as JsonObject;
            app.viewport.hide((id) => id === app.get('modelled') || hidden.some((key) => belongsTo(id, key)));
            app.viewport.stage.hideObstacles((number) => hidden.some((key) => obstacleNumber(content, key) === number));
        });
        app.on(['stats', 'scene', 'document'], () => {
            const sensors = sensorsOf(app.document?.content as unknown as JsonObject ?? {}, app.stats?.sensed ?? []);
            app.viewport.stage.showSensors(new Map([...sensors].map(([number, inside]) => [number, inside.length ? 'touched' : 'empty'])));
        });
        app.on(['chosen', 'scene', 'look', 'tool'], () => {
            const bodies = app.scene?.bodies ?? [], several = bodies.length > 1;
            const inHand = ['move', 'hold'].includes(app.get('tool'));
            app.viewport.highlight(several || inHand ? bodies.map(({ id }) => id).filter((id) => app.isChosen(id)) : []);
        });
        const empty = h('div.empty-scene', { hidden: true },
            h('p', {}, h('b', {}, 'An empty floor.'), ' Drop a mesh here, or begin with a plain body.'),
            h('button.primary', { type: 'button', onclick: () => addBody(app) }, icon('plus'), 'Add a body'), h('button', { type: 'button', onclick: templates }, 'Templates'));
        app.on(['document', 'scene'], () => { empty.hidden = !app.isEmpty || app.scene?.bodies.length !== 0; });
        element.append(frame, toolPanel, empty, legend(app), compared, lost, connectionBanner(app));
    };
    return { element, canvas, start };
}
