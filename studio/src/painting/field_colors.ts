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
        if (this.app.look.cut) this.again();
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
                app.viewport.bodyView(body)?.paint(wanted.map, shares(answer.values), { points: answer.points.slice(), rests: answer.rests.slice(), values: shares(answer.point_values) });
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
