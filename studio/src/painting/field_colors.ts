// Shows a field on a body: asks the engine for its values on the surface and on the cut, again whenever something of that
// changes. Of what is asked while an answer is on its way only the newest counts.
import type { App } from '../app';
import type { Json } from '../scene_editing/schema';
import { type ValueScale, shareOf } from './value_scale';

export interface ShownField {
    body: string;
    field: Json;
    labels: boolean;
    scale: ValueScale;
    map: string;
}

export class FieldColors {
    private wanted: ShownField | null = null;
    private pending = false;
    private stale = false;
    /** An answer came before the first frame of the body that it is about: it could not be shown. */
    private missed = false;
    /** ms that the last answer took. */
    lastAnswer = 0;

    /** `refused`: the engine cannot make the field, and why; null: it can. */
    constructor(private readonly app: App, private readonly refused: (why: string | null) => void) {
        app.on(['scene', 'look'], () => this.again());
    }

    show(wanted: ShownField): void {
        if (this.wanted && this.wanted.body !== wanted.body) this.app.viewport.bodyView(this.wanted.body)?.unpaint();
        this.wanted = wanted;
        this.again();
    }

    hide(): void {
        if (!this.wanted) return;
        for (const view of this.app.viewport.bodyViews()) view.unpaint();
        this.wanted = null;
        this.app.sendView();  // a picture with the colours of before
        this.app.viewport.draw();
    }

    /** The bodies moved: the cut goes through other places. */
    moved(): void {
        if (this.app.look.cut || this.missed) this.again();
    }

    /** What is shown is the field that was last asked for. */
    get isCurrent(): boolean {
        return this.wanted !== null && !this.pending && !this.stale && !this.missed;
    }

    private again(): void {
        this.stale = true;
        void this.next();
    }

    private async next(): Promise<void> {
        const { wanted, app } = this;
        if (!wanted || this.pending || !app.viewport.bodyView(wanted.body)) return;
        this.pending = true;
        this.stale = false;
        const asked = performance.now();
        try {
            const { body, field, labels } = wanted;
            const answer = await app.ask('field', { body, field, labels, cut: app.viewport.cutting.forEngine }, 'field');
            this.lastAnswer = performance.now() - asked;
            if (answer && this.wanted?.body === body) {
                const shares = (values: Float32Array) => values.map((value) => shareOf(wanted.scale, value));
                const cut = { points: answer.points.slice(), rests: answer.rests.slice(), values: shares(answer.point_values) };
                this.missed = app.viewport.bodyView(body)?.paint(wanted.map, shares(answer.values), cut) === false;
                app.viewport.draw();
                this.refused(null);
            }
        } catch (error) {
            this.refused((error as Error).message);
        }
        this.pending = false;
        if (this.stale) void this.next();
    }
}
