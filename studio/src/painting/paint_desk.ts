// What is painted on the selected body now, shown on it: the field of the document, or the draft of a hand.
import type { App } from '../app';
import { toast } from '../panels/toasts';
import { type Json, type JsonObject, isObject } from '../scene_editing/schema';
import { type Coat, type Operation, isPainting, painted, unpainted } from './coat';
import { FieldColors } from './field_colors';
import { type PaintTarget, type TargetField, bodyEntry, coatChanges, fieldChanges } from './target';
import { valueAtShare } from './value_scale';

export class PaintDesk {
    /** Why what the hand draws cannot be painted; null: it can. */
    refusal: string | null = null;
    readonly colors: FieldColors;
    private draft: Coat | null = null;

    /** `isShown`: the body shows what is painted, or, for another tool, the target with the id that `backdrop` gives. `changed`: something of this is to be drawn anew. */
    constructor(readonly app: App, readonly targets: readonly PaintTarget[], private readonly shows: { isShown(): boolean; backdrop(): string | null }, private readonly changed: () => void) {
        this.colors = new FieldColors(app, (why) => {
            this.refusal = why;
            changed();
        });
        app.on(['document', 'selection', 'tool', 'desk', 'paint', 'scene'], () => this.update());
    }

    private get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    /** The one that is chosen, or its twin if the body has that one. */
    get target(): PaintTarget {
        const body = this.body, chosen = this.targets.find(({ id }) => id === this.app.get('paint').target) ?? this.targets[0];
        const twin = this.targets.find(({ id }) => id === chosen.twin);
        return body && twin && typeof chosen.of(body) === 'string' && typeof twin.of(body) !== 'string' ? twin : chosen;
    }

    get body(): JsonObject | null {
        return this.content && bodyEntry(this.content, this.app.selected);
    }

    fieldOf(identity: string): TargetField | string {
        const body = this.content && bodyEntry(this.content, identity);
        return body ? this.target.of(body) : 'Choose a body.';
    }

    /** The stored values that a hand paints with. */
    values(field: TargetField): { value: number; to: number } {
        return this.app.get('paint').values[this.target.id] ?? { value: field.first, to: field.last ?? valueAtShare(field.scale, 0.9) };
    }

    setValue(field: TargetField, part: Partial<{ value: number; to: number }>): void {
        const { values } = this.app.get('paint');
        this.app.setPaint({ values: { ...values, [this.target.id]: { ...this.values(field), ...part } } });
    }

    /** What every coat has of the settings, whatever its brush. `held`: operation that keys ask for. */
    coat(field: TargetField, held: Operation | null = null): Coat {
        const paint = this.app.get('paint'), { log } = field.scale, { value } = this.values(field);
        const operation = held ?? paint.operation, by = paint.step;
        const part: Coat = operation === 'smooth' || operation === 'erase' ? { op: operation }
            : operation === 'set' ? { value }
            : log ? { op: 'multiply', value: tidy((field.scale.high / field.scale.low) ** (operation === 'add' ? by : -by)) }
            : { op: operation, value: tidy(this.target.labels ? 1 : by * (field.scale.high - field.scale.low)) };
        return {
            ...part, ...(paint.strength < 1 ? { strength: paint.strength } : {}), ...(paint.mirror ? { mirror: paint.mirror } : {}), ...(paint.within ? { within: paint.within } : {}),
        };
    }

    /** What lies between coats is filled from them. */
    isFilled(field: TargetField): boolean {
        return isPainting(field.field) ? field.field.filling === 'harmonic' : this.target.fills === true && this.app.get('paint').filled;
    }

    /** For this body, and for what is painted for the first time from now on. */
    setFilled(filled: boolean): void {
        this.app.setPaint({ filled });
        this.change('Fill between the coats', (field) => (isPainting(field) ? (({ filling: _, ...rest }) => ({ ...rest, ...(filled ? { filling: 'harmonic' } : {}) }))(field) : null));
    }

    /** Begins with another field; coats stay over it. */
    begin(name: string, start: Json): void {
        this.change(`${this.target.name} ${name.toLowerCase()}`, (field) => (isPainting(field) ? { ...field, base: start } : start));
    }

    /** One step of undo. null: nothing changes. */
    private change(label: string, how: (field: Json) => Json | null): void {
        const { app, target } = this, identity = app.selected;
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, body = bodyEntry(content, identity), field = body && target.of(body), next = field && typeof field !== 'string' ? how(field.field) : null;
            return next === null || !field || typeof field === 'string' ? null : { label, changes: fieldChanges(content, identity, field, next) };
        });
    }

    // ---- drafts

    preview(identity: string, coat: Coat): void {
        this.draft = coat;
        this.showField(identity);
    }

    /** As if the hand had not been there. */
    drop(): void {
        this.draft = null;
        this.refusal = null;
        this.update();
    }

    /** One step of undo, one line of the journal. */
    commit(identity: string, coat: Coat): void {
        this.draft = null;
        const { app, target } = this, name = app.viewport.bodyView(identity)?.body.name ?? identity;
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, body = bodyEntry(content, identity), field = body && target.of(body);
            if (!field || typeof field === 'string') {
                toast(field || 'The body is gone.', 'warning');
                return null;
            }
            return { label: `Paint ${target.name.toLowerCase()} on ${name}`, changes: coatChanges(content, identity, field, coat, this.isFilled(field)) };
        });
    }

    /** Takes all coats away, or only the last. */
    clear(identity: string, all: boolean): void {
        const { app, target } = this, name = app.viewport.bodyView(identity)?.body.name ?? identity;
        app.edits.once((now) => {
            const content = now as unknown as JsonObject, body = bodyEntry(content, identity), field = body && target.of(body);
            if (!field || typeof field === 'string' || !isPainting(field.field)) return null;
            const { coats } = field.field, rest: Json = all || coats.length === 1 ? unpainted(field.field) : { ...field.field, coats: coats.slice(0, -1) };
            return { label: `Clear ${target.name.toLowerCase()} of ${name}`, changes: fieldChanges(content, identity, field, rest) };
        });
    }

    countOf(field: TargetField | string): number {
        return typeof field !== 'string' && isObject(field.field) && Array.isArray(field.field.coats) ? field.field.coats.length : 0;
    }

    // ---- the picture

    update(): void {
        if (this.shows.isShown()) this.showField(this.app.selected);
        else this.colors.hide();
        this.changed();
    }

    private showField(identity: string): void {
        const behind = this.targets.find(({ id }) => id === this.shows.backdrop()), { draft } = this, target = behind ?? this.target, body = this.content && bodyEntry(this.content, identity);
        const field = body ? target.of(body) : '';
        if (typeof field === 'string') return this.colors.hide();
        if (behind) {  // what is the same everywhere would only hide what is drawn over it
            this.colors.show({ body: identity, field: field.field, labels: false, scale: field.scale, map: typeof field.field === 'number' ? 'backdrop' : `${target.map}_pale` });
            return;
        }
        this.colors.show({ body: identity, field: draft ? painted(field.field, draft, field.range, this.isFilled(field)) : field.field, labels: target.labels === true, scale: field.scale, map: target.map });
    }
}

function tidy(x: number): number {
    return Number(x.toPrecision(4));
}
