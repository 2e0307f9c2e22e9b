// Add: a panel of everything that can be put into the scene, at the middle of what is looked at.
import { Vector3 } from 'three';
import type { AddedAs, App } from '../app';
import type { SceneActions } from './scene_actions';
import { h, icon, pathIcon } from '../dom';
import { sinceStart } from '../painting/start_places';
import { type AddItem, type Adding, addItems } from '../scene_editing/add_items';
import type { JsonObject } from '../scene_editing/schema';
import { belongsTo } from '../state/things';
import { boxOf } from '../viewport/extent';
import { popup } from './popup';
import { toast } from './toasts';

export interface AddMenu {
    element: HTMLElement;
    open(): void;
}

/** What tools add: by pointing. */
export interface PointingItem {
    name: string;
    about: string;
    icon: string;
    act(): void;
}

const gap = 0.15;  // m between what is there and what comes

/** A free place on the ground, as near as can be to what is looked at. */
export function freePlace(app: App, size: number): Vector3 {
    const { viewport } = app, { target } = viewport.view.controls;
    const ground = viewport.stage.groundBelow(target.clone().setY(target.y + 1e3)) ?? 0;
    const middle = app.scene?.bodies.length ? target : new Vector3();
    const taken = [...viewport.bodyViews().map((view) => boxOf(view.positions)), ...viewport.stage.solidBoxes()];
    const free = (x: number, z: number) => taken.every(({ min, max }) => x + size / 2 + gap < min.x || x - size / 2 - gap > max.x || z + size / 2 + gap < min.z || z - size / 2 - gap > max.z);
    const round = (x: number) => Math.round(10 * x) / 10;
    for (let ring = 0; ring < 40; ++ring) {
        for (let k = 0; k < Math.max(1, 8 * ring); ++k) {
            const angle = (2 * Math.PI * k) / Math.max(1, 8 * ring), far = 0.5 * ring;
            const [x, z] = [round(middle.x + far * Math.cos(angle)), round(middle.z + far * Math.sin(angle))];
            if (free(x, z)) return new Vector3(x, ground, z);
        }
    }
    return new Vector3(round(viewport.extent.high.x + size), ground, 0);
}

export function addThing(app: App, actions: SceneActions, item: AddItem): void {
    const at = freePlace(app, item.size ?? 0), view = app.viewport.view.asCamera() as unknown as JsonObject;
    const chosen = app.get('chosen'), onto = chosen[chosen.length - 1] ?? (app.scene?.bodies.length === 1 ? `/bodies/@${app.selected.split('/')[0]}` : undefined);
    const adding = { at, view, onto, ...chosenBodies(app, onto === undefined ? chosen : [...new Set([...chosen, onto])]) };
    if (!item.make(app.document!.content as unknown as JsonObject, adding)) return toast(`${item.name} acts on a body: choose one first.`, 'warning');
    actions.make((content) => item.make(content, adding));
}

/** Bodies that are chosen, and the middle of what they share, or of the gap between them; of a single one, the middle of its top. */
function chosenBodies(app: App, keys: readonly string[]): Pick<Adding, 'bodies' | 'between'> {
    const views = app.viewport.bodyViews().filter(({ body }) => keys.some((key) => belongsTo(body.id, key))).slice(0, 2);
    if (!views.length) return { bodies: [], between: new Vector3() };
    const boxes = views.map((view) => boxOf(view.positions)), [{ min, max }] = boxes;
    const between = boxes.length > 1 ? max.clone().min(boxes[1].max).add(min.clone().max(boxes[1].min)).multiplyScalar(0.5) : new Vector3((min.x + max.x) / 2, max.y, (min.z + max.z) / 2);
    const motion = sinceStart(app, views[0].body.id);
    return { bodies: views.map(({ body }) => body.name), between: motion ? between.applyMatrix4(motion.invert()) : between };
}

export function addMenu(app: App, actions: SceneActions, openFiles: (as: AddedAs) => void, pointing: PointingItem[]): AddMenu {
    const button = h('button.icon-button.add-button', { type: 'button', title: 'Add (A)', 'aria-label': 'Add' }, icon('plus'));
    const close = () => { if (!content.hidden) button.click(); };
    const entry = ({ name, about, icon: path }: Omit<PointingItem, 'act'>, act: () => void, id = '') =>
        h('button.add-item', { type: 'button', title: about, 'data-add': id || name.toLowerCase(), onclick: () => { close(); act(); } }, pathIcon(path), h('span', {}, name));
    const section = (words: string, ...items: HTMLElement[]) => h('section', { 'aria-label': words }, h('h2', {}, words), h('div.add-items', {}, ...items));
    const of = (words: AddItem['section']) => addItems.filter((item) => item.section === words).map((item) => entry(item, () => addThing(app, actions, item), item.id));
    const file = entry({ name: 'File …', about: 'A surface or a tetrahedral mesh becomes a soft body', icon: 'M4.500 7.500v10.500h15V9.500h-8l-2-2.500h-5zM12 12v4M10 13.800l2-2 2 2' }, () => openFiles('body'), 'file');
    const mesh = entry({ name: 'Mesh …', about: 'A closed surface from a file, solid and still', icon: 'M12 4l7.500 5-3 9h-9l-3-9zM12 4l-4.500 14M12 4l4.500 14M4.500 9h15' }, () => openFiles('obstacle'), 'mesh');
    const bowl = entry({ name: 'Bowl …', about: 'A closed surface from a file that keeps bodies inside', icon: 'M4 9h16c0 6-3.500 9.500-8 9.500S4 15 4 9zM9 18.500h6' }, () => openFiles('container'), 'bowl');
    const content = h('div.add-menu', { role: 'dialog', 'aria-label': 'Add' },
        section('Bodies', ...of('Bodies'), file), section('Obstacles', ...of('Obstacles'), mesh, bowl), section('Forces and surroundings', ...pointing.map((item) => entry(item, item.act)), ...of('Forces and surroundings')));
    // Arrow keys go through the items as they lie.
    content.addEventListener('keydown', (event) => {
        const items = [...content.querySelectorAll<HTMLElement>('.add-item')], at = items.indexOf(document.activeElement as HTMLElement);
        const across = Math.max(1, items.filter((item) => item.offsetTop === items[0].offsetTop && item.parentElement === items[0].parentElement).length);
        const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key];
        if (by === undefined || at < 0) return;
        items[Math.min(items.length - 1, Math.max(0, at + by))].focus();
        event.preventDefault();
        event.stopPropagation();
    });
    const element = popup(button, content, () => requestAnimationFrame(() => content.querySelector<HTMLElement>('.add-item')?.focus()));
    return { element, open: () => { if (content.hidden) button.click(); } };
}
