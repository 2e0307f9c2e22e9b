// Gaits of a layer of muscles: sets of charts with names, and the slider that goes from one to another, by hand or by keys.
import type { App } from '../app';
import { brief, h, iconButton, isTyped } from '../dom';
import { type Path, setChanges } from '../scene_editing/commands';
import { type GaitKey, gaitNames, gaitPath, keyJson, mainGait, readKeys, renamedGait, weightsAt, withGaitKey, withoutGait } from '../scene_editing/gaits';
import type { Json, JsonObject } from '../scene_editing/schema';
import { activeOf, chooseGait, gaitOf } from '../state/muscle_layer';
import { toast } from './toasts';

const snap = 0.03;  // of the slider's way: so near to an end it is there

export class GaitPanel {
    readonly element: HTMLElement;
    private readonly list = h('div.gaits', { role: 'radiogroup', 'aria-label': 'Gait whose charts are shown' });
    private readonly name = h('input', { type: 'text', maxlength: 64, 'aria-label': 'Name of the gait', onchange: () => this.rename() });
    private readonly nameRow = h('div.row', {}, h('span', {}, 'Name'), this.name, iconButton('bin', 'Remove this gait', () => this.remove()));
    private readonly from = h('select', { 'aria-label': 'Blend from', onchange: () => this.chooseEnds() });
    private readonly to = h('select', { 'aria-label': 'Blend to', onchange: () => this.chooseEnds() });
    private readonly share = h('input', { type: 'range', min: 0, max: 1, step: 0.01, 'aria-label': 'Blend of the two gaits', oninput: () => this.blend(), onchange: () => this.endBlend() });
    private readonly keys = h('ul.gait-keys', { 'aria-label': 'Keys of the gait' });
    private readonly blendPart = h('div.gait-blend', {}, h('div.gait-ends', {}, this.from, this.share, this.to),
        h('div.row', {}, h('button', { type: 'button', title: 'Keep this blend at the present time: between keys it changes evenly', onclick: () => this.setKey() }, 'Set a key now'), this.keys));
    private body: JsonObject | null = null;
    /** When the slider was taken; null: it is not in hand. */
    private takenAt: number | null = null;

    /** `path`: of the layer that is edited, or something in it. */
    constructor(private readonly app: App, private readonly path: (...rest: Path) => Path | null, private readonly changed: () => void) {
        this.element = h('section.gait-panel', {}, h('header.list-head', {}, h('h3', {}, 'Gaits'), iconButton('plus', 'Add a gait: a copy of these charts', () => this.add())),
            this.list, this.nameRow, this.blendPart);
    }

    update(body: JsonObject | null): void {
        this.body = body;
        const active = activeOf(body);
        if (!active) return;
        const names = gaitNames(active), chosen = gaitOf(body), several = names.length > 1;
        this.list.hidden = this.blendPart.hidden = !several;
        this.nameRow.hidden = chosen === mainGait;
        this.list.replaceChildren(...names.map((name) => h('button', { type: 'button', role: 'radio', 'aria-checked': String(name === chosen), 'data-gait': name, onclick: () => this.choose(name) }, name)));
        if (!isTyped(this.name)) this.name.value = chosen;
        for (const [select, other] of [[this.from, names[0]], [this.to, names[1] ?? names[0]]] as const) {
            const kept = names.includes(select.value) ? select.value : other;
            select.replaceChildren(...names.map((name) => h('option', { value: name }, name)));
            select.value = kept;
        }
        this.showBlend(active);
        this.keys.replaceChildren(...(readKeys(active).length > 1 ? readKeys(active) : []).map((key, k) => this.keyItem(key, k)));
    }

    /** The slider follows the keys while time runs. */
    play(): void {
        const active = activeOf(this.body);
        if (active && readKeys(active).length > 1) this.showBlend(active);
    }

    private showBlend(active: JsonObject): void {
        if (isTyped(this.share) || isTyped(this.from) || isTyped(this.to)) return;
        const names = gaitNames(active), weights = weightsAt(active, this.app.shownTime);
        const order = names.map((name, k) => ({ name, k, weight: weights[k] })).filter(({ weight }) => weight > 1e-6);
        const shown = [this.from.value, this.to.value];
        if (!order.every(({ name }) => shown.includes(name))) {
            this.from.value = order[0].name;
            this.to.value = order[1]?.name ?? names.find((name) => name !== order[0].name)!;
        }
        const at = names.indexOf(this.to.value);
        this.share.value = String(at < 0 ? 0 : weights[at]);
    }

    private keyItem(key: GaitKey, k: number): HTMLElement {
        const words = key.to && key.share ? `${key.name} → ${key.to} ${Math.round(100 * key.share)} %` : key.name;
        return h('li', {}, `${brief(key.time)} s ${words}`, iconButton('close', `Remove the key at ${brief(key.time)} s`, () => this.edit('Remove a key of the gait', (active) => ({ ...active, gait: readKeys(active).filter((_, n) => n !== k).map(keyJson) }))));
    }

    private edit(label: string, make: (active: JsonObject) => JsonObject, control?: string): void {
        const path = this.path(), active = activeOf(this.body);
        if (!path || !active) return;
        const made = make(active), keys = ['gaits', 'gait'].filter((key) => made[key] !== undefined);
        const edit = (now: unknown) => ({ label, changes: keys.flatMap((key) => setChanges(now as Json, [...path, key], made[key] as Json)) });
        if (control) this.app.edits.edit(control, edit);
        else this.app.edits.once(edit);
    }

    private add(): void {
        const active = activeOf(this.body), body = this.body;
        if (!active || !body) return;
        const names = gaitNames(active), of = gaitPath(active, gaitOf(body));
        const from = (of.length ? (active.gaits as JsonObject[])[Number(of[1])] : active) as JsonObject;
        const name = ['walk', 'rest', 'flee'].find((word) => !names.includes(word)) ?? `gait ${names.length}`;
        const gait: JsonObject = { name, charts: structuredClone(from.charts), ...(from.speed === undefined ? {} : { speed: from.speed }) };
        this.edit(`Add the gait ${name}`, (now) => ({ ...now, gaits: [...(Array.isArray(now.gaits) ? now.gaits : []), gait] }));
        chooseGait(body, name);
    }

    private choose(name: string): void {
        if (this.body) chooseGait(this.body, name);
        this.changed();
    }

    private rename(): void {
        const active = activeOf(this.body), to = this.name.value.trim(), from = gaitOf(this.body);
        if (!active || !this.body || !to || to === from) return this.update(this.body);
        if (gaitNames(active).includes(to)) {
            toast(`There is a gait “${to}” already.`, 'warning');
            return this.update(this.body);
        }
        this.edit(`Name a gait ${to}`, (now) => renamedGait(now, from, to));
        chooseGait(this.body, to);
    }

    private remove(): void {
        const name = gaitOf(this.body);
        if (name !== mainGait) this.edit(`Remove the gait ${name}`, (active) => withoutGait(active, name));
    }

    /** What the slider says now. */
    private key(time: number): GaitKey {
        const share = Number(this.share.value);
        return { time, name: this.from.value, to: this.to.value, share: share < snap ? 0 : share > 1 - snap ? 1 : share };
    }

    /** One key holds at all times; among several the one of the present time is set. */
    private blend(): void {
        this.takenAt ??= this.app.shownTime;
        const time = this.takenAt;
        this.edit('Blend gaits', (active) => {
            const keys = readKeys(active), made = keys.length > 1 ? withGaitKey(keys, this.key(time)) : [this.key(keys[0]?.time ?? 0)];
            return { ...active, gait: made.map(keyJson) };
        }, 'blend of gaits');
    }

    private chooseEnds(): void {
        this.blend();
        this.endBlend();
    }

    private endBlend(): void {
        this.takenAt = null;
        this.app.edits.endGesture();
    }

    private setKey(): void {
        const time = this.app.shownTime;
        this.edit('Set a key of the gait', (active) => {
            const keys = readKeys(active), first: GaitKey[] = keys.length ? keys : [{ time: 0, name: mainGait }];
            return { ...active, gait: withGaitKey(first, this.key(time)).map(keyJson) };
        });
    }
}
