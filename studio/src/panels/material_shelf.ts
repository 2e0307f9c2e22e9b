// The shelf of materials: choose one, and what is chosen in the scene is made of it; above it the method of the body.
import type { App } from '../app';
import { h } from '../dom';
import type { PaintSpots } from '../painting/spots';
import { withUnit } from '../painting/value_scale';
import { bodyEntry } from '../painting/target';
import { type Inside, type Material, type Method, bodyChanges, dampingOf, lackOf, materialChanges, materials, methodOf, switched, viscosityOf } from '../scene_editing/materials';
import type { JsonObject } from '../scene_editing/schema';
import { kindOfKey } from '../state/things';
import { segmented } from './segmented';
import { swatch } from './swatches';
import { toast } from './toasts';

/** Identities of the bodies that are chosen, copies as their bodies; without: the one that is selected. */
export function chosenBodies(app: App): string[] {
    const keys = app.get('chosen').filter((key) => ['body', 'instance'].includes(kindOfKey(key))).map((key) => key.split('/')[2].slice(1));
    const bodies = [...new Set(keys)];
    return bodies.length ? bodies : app.selected ? [app.selected.split('/')[0]] : [];
}

function rangeWords([value, low, high]: readonly number[], unit: string): string {
    return `${withUnit(value, unit)} (${withUnit(low, unit)} to ${withUnit(high, unit)})`;
}

export class MaterialShelf {
    readonly element: HTMLElement;
    private readonly who = h('b.who');
    private readonly method: ReturnType<typeof segmented<Method>>;
    private readonly cards = new Map<string, HTMLButtonElement>();
    private readonly about = h('div.material-about', { hidden: true });
    private looked: Material | null = null;

    constructor(private readonly app: App, private readonly spots: PaintSpots) {
        this.method = segmented<Method>('By', [['matching', 'Matching'], ['fem', 'Elements']], () => this.methodNow() ?? 'matching', (method) => this.change(method));
        const list = h('div.shelf', { role: 'group', 'aria-label': 'Materials' }, ...materials.map((material) => {
            const card = h('button.material', { type: 'button', 'data-material': material.id, title: material.about, onclick: () => this.take(material) }, swatch(material), h('span', {}, material.name));
            for (const event of ['pointerenter', 'focus']) card.addEventListener(event, () => this.look(material));
            this.cards.set(material.id, card);
            return card;
        }));
        this.element = h('div.material-shelf', {}, h('div.row.who-row', {}, this.who), this.method.element, list, this.about);
        app.on(['selection', 'chosen', 'document', 'scene'], () => this.update());
        this.update();
    }

    private get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    /** Of all that is chosen; null: they differ, or nothing is. */
    private methodNow(): Method | null {
        const { content } = this, found = content ? chosenBodies(this.app).map((id) => bodyEntry(content, id)).filter((body) => body !== null) : [];
        const methods = new Set(found.map((body) => methodOf(body)));
        return methods.size === 1 ? [...methods][0] : null;
    }

    private insideOf(body: string, material: Material): Inside | null {
        const middle = this.spots.middleOf(this.identityOf(body));
        if (!middle || !material.core) return null;
        const size = Math.max(Math.min(...middle.size.toArray()), 1e-9), digits = Math.max(0, 4 - Math.floor(Math.log10(size)));
        return { center: middle.center.toArray().map((x) => Number(x.toFixed(Math.min(12, digits))) || 0), radius: Number((material.core.share * size).toPrecision(4)) };
    }

    /** m; 0: it is not built yet. */
    private sizeOf(body: string): number {
        return this.app.viewport.bodyView(this.identityOf(body))?.body.size ?? 0;
    }

    /** A body that runs: copies of one share its make. */
    private identityOf(body: string): string {
        return this.app.scene?.bodies.find(({ id }) => id.split('/')[0] === body)?.id ?? body;
    }

    private take(material: Material): void {
        const { app } = this, bodies = chosenBodies(app);
        if (!bodies.length) return toast('Choose a body first, or add one.', 'warning');
        const names = bodies.length === 1 ? app.viewport.bodyView(this.identityOf(bodies[0]))?.body.name ?? bodies[0] : `${bodies.length} bodies`;
        app.edits.once((now) => ({ label: `Make ${names} of ${material.name.toLowerCase()}`, changes: materialChanges(now as unknown as JsonObject, bodies, material, (body) => this.insideOf(body, material), (body) => this.sizeOf(body)) }));
        const lack = [...new Set(bodies.flatMap((body) => {
            const entry = this.content && bodyEntry(this.content, body);
            return entry ? lackOf(material, methodOf(entry), this.insideOf(body, material)) : [];
        }))];
        toast([`${names}: ${material.name.toLowerCase()}.`, ...lack].join('\n'));
        this.look(material);
    }

    private change(method: Method): void {
        const { app } = this, bodies = chosenBodies(app), { content } = this;
        if (!content || !bodies.length) return toast('Choose a body first.', 'warning');
        const dropped = [...new Set(bodies.flatMap((body) => { const entry = bodyEntry(content, body); return entry ? switched(entry, method).dropped : []; }))];
        const words = method === 'fem' ? 'finite elements' : 'shape matching';
        app.edits.once((now) => ({ label: `Simulate by ${words}`, changes: bodies.flatMap((body) => bodyChanges(now as unknown as JsonObject, body, (entry) => switched(entry, method).body)) }));
        toast(`Simulated by ${words} now. ${dropped.length ? `Dropped: ${dropped.join('; ')}. Undo brings it back.` : 'Nothing was lost.'}`, dropped.length ? 'warning' : 'info');
    }

    private look(material: Material): void {
        this.looked = material;
        this.update();
    }

    private update(): void {
        const { app } = this, bodies = chosenBodies(app);
        this.who.textContent = bodies.length > 1 ? `${bodies.length} bodies` : bodies.length ? app.viewport?.bodyView(this.identityOf(bodies[0]))?.body.name ?? bodies[0] : 'No body';
        for (const body of bodies) this.spots.prepare(this.identityOf(body));
        this.method.update();
        const method = this.methodNow();
        if (method === null) for (const button of this.method.element.querySelectorAll('button')) button.setAttribute('aria-pressed', 'false');
        const material = this.looked;
        this.about.hidden = !material;
        if (!material) return;
        const lack = lackOf(material, method ?? 'matching', material.core && bodies[0] ? this.insideOf(bodies[0], material) : null);
        const anisotropy = material.fibres ? `${withUnit(material.fibres.young_along[0], 'Pa')} along its fibres` : material.orthotropic ? `${withUnit((material.orthotropic.young as number[])[0], 'Pa')} along the grain` : 'alike in all directions';
        const facts: Array<[string, string]> = [
            ['Density', rangeWords(material.density, 'kg/m³')], [material.fibres || material.orthotropic ? 'Modulus across' : 'Modulus', rangeWords(material.young, 'Pa')],
            ['Poisson’s ratio', `${material.poisson[0]} (${material.poisson[1]} to ${material.poisson[2]})`], ['Direction', anisotropy],
            ['Damping', `loss ${material.loss[0]} (${method === 'fem' ? `${viscosityOf(material.loss[0])} s` : dampingOf(material.loss[0])})`],
        ];
        this.about.replaceChildren(h('b', {}, material.name), h('p', {}, material.about), h('dl', {}, ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
            ...lack.map((words) => h('p.lack', {}, words)), h('p.source', {}, material.source));
    }
}
