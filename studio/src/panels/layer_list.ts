// The layers of muscles of a body: which one is edited, whether each acts, how strongly, and in which order.
import type { App } from '../app';
import { brief, h, iconButton, isTyped } from '../dom';
import { bodyPath } from '../painting/target';
import { muscleLayers } from '../scene_editing/charts';
import { type Path, moveCommand, setChanges, valueAt } from '../scene_editing/commands';
import type { Json, JsonObject } from '../scene_editing/schema';
import { chooseLayer, layerOf } from '../state/muscle_layer';

const mostStrength = 2;

interface Row {
    element: HTMLElement;
    choose: HTMLInputElement;
    name: HTMLInputElement;
    on: HTMLInputElement;
    strength: HTMLInputElement;
    number: HTMLElement;
}

export class LayerList {
    readonly element: HTMLElement;
    private readonly list = h('ul.muscle-layers', { 'aria-label': 'Layers of muscles' });
    private rows: Row[] = [];
    private body: JsonObject | null = null;

    constructor(private readonly app: App, private readonly add: () => void, private readonly changed: () => void) {
        this.element = h('section.layer-list', {}, h('header.list-head', {}, h('h3', {}, 'Layers'), iconButton('plus', 'Add a muscle layer', () => this.add())), this.list);
    }

    update(body: JsonObject | null): void {
        this.body = body;
        const layers = muscleLayers(body), edited = layerOf(body);
        if (this.rows.length !== layers.length) {
            this.rows = layers.map((_, k) => this.makeRow(k));
            this.list.replaceChildren(...this.rows.map(({ element }) => element));
        }
        this.rows.forEach((row, k) => {
            const entry = this.entry(layers[k]), strength = typeof entry.strength === 'number' ? entry.strength : 1;
            row.element.classList.toggle('edited', layers[k] === edited);
            row.choose.checked = layers[k] === edited;
            row.name.placeholder = `Muscles ${k + 1}`;
            if (!isTyped(row.name)) row.name.value = typeof entry.name === 'string' ? entry.name : '';
            row.on.checked = entry.on !== false;
            if (!isTyped(row.strength)) row.strength.value = String(strength);
            row.number.textContent = `× ${brief(strength)}`;
        });
    }

    private entry(layer: number): JsonObject {
        return ((this.body!.matching as JsonObject).stretch as JsonObject[])[layer];
    }

    private path(row: number, ...rest: Path): Path {
        return [...bodyPath(this.app.selected), 'matching', 'stretch', muscleLayers(this.body)[row], ...rest];
    }

    private makeRow(k: number): Row {
        const words = `layer ${k + 1}`;
        const choose = h('input', { type: 'radio', name: 'muscle-layer', 'aria-label': `Edit ${words}`, title: 'Edit this layer', onchange: () => this.choose(k) });
        const name = h('input', { type: 'text', maxlength: 64, 'aria-label': `Name of ${words}`, onfocus: () => this.choose(k), onchange: () => this.set(k, 'name', name.value.trim(), 'Name a muscle layer') });
        const on = h('input', { type: 'checkbox', 'aria-label': `${words} acts`, title: 'Whether it acts', onchange: () => this.set(k, 'on', on.checked, on.checked ? 'Switch muscles on' : 'Switch muscles off') });
        const strength = h('input', {
            type: 'range', min: 0, max: mostStrength, step: 0.05, 'aria-label': `Strength of ${words}`, title: 'How strongly it acts',
            oninput: () => this.app.edits.set(this.path(k, 'strength'), Number(strength.value), 'Strength of muscles'), onchange: () => this.app.edits.endGesture(),
        });
        const number = h('span.unit');
        const element = h('li', {}, h('div.layer-row', {}, choose, name, on,
            iconButton('down', `Move ${words} down`, () => this.move(k, 1)), iconButton('bin', `Remove ${words}`, () => this.remove(k))),
        h('div.layer-row', {}, strength, number));
        return { element, choose, name, on, strength, number };
    }

    private choose(k: number): void {
        const layer = muscleLayers(this.body)[k];
        if (!this.body || layer === undefined || layer === layerOf(this.body)) return;
        chooseLayer(this.body, layer);
        this.changed();
    }

    private set(k: number, key: string, value: Json, label: string): void {
        const path = this.path(k, key);
        this.app.edits.once((now) => ({ label, changes: setChanges(now as unknown as JsonObject, path, value) }));
    }

    private move(k: number, by: 1): void {
        const path = this.path(k), layers = muscleLayers(this.body);
        if (k + by >= layers.length || !this.body) return;
        const edited = layerOf(this.body);
        this.app.edits.once((now) => moveCommand(now as unknown as JsonObject, path, by, 'a layer of muscles'));
        if (edited === layers[k]) chooseLayer(this.body, layers[k + by]);
        else if (edited === layers[k + by]) chooseLayer(this.body, layers[k]);
    }

    private remove(k: number): void {
        const list: Path = [...bodyPath(this.app.selected), 'matching', 'stretch'], layer = muscleLayers(this.body)[k];
        this.app.edits.once((now) => {
            const layers = valueAt(now as unknown as JsonObject, list);
            if (!Array.isArray(layers)) return null;
            return { label: 'Remove a muscle layer', changes: setChanges(now as unknown as JsonObject, list, layers.filter((_, n) => n !== layer)) };
        });
    }
}
