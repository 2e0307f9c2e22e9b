// Muscles from a motion: charts, amplitude and phase that move the body as the take on the screen or a file does.
import type { App } from '../app';
import { h } from '../dom';
import { fitFile, motionEndings } from '../exporting/upload';
import type { ServerFitted } from '../protocol/messages';
import { muscleLayers } from '../scene_editing/charts';
import type { JsonObject } from '../scene_editing/schema';
import { toast } from './toasts';

const poor = 0.2;  // residual from which on the directions or the period are doubtful

/** What a person has to know of a fit. */
export function fittedWords({ residual }: Pick<ServerFitted, 'residual'>): string {
    const explained = `What was found explains ${Math.max(0, Math.floor(100 * (1 - residual)))} % of the motion`;
    return residual > poor ? `${explained}: the rest cannot come from one muscle layer along these fibres with this period.` : `${explained}.`;
}

export class FitPanel {
    readonly element: HTMLElement;
    private readonly hint = h('p.hint');
    private readonly result = h('p.fit-result', { hidden: true });
    private readonly file = h('input', { type: 'file', hidden: true, 'aria-hidden': 'true', accept: motionEndings.join(','), onchange: () => void this.fitChosen() });

    constructor(private readonly app: App) {
        this.element = h('section.fit-panel', {}, h('header.list-head', {}, h('h3', {}, 'Fit')), this.hint,
            h('div.row', {},
                h('button', { type: 'button', title: 'Find charts, amplitude and phase that move the body as it was recorded, along the fibres it has', onclick: () => this.fitTake(false) }, 'Fit the take'),
                h('button', { type: 'button', title: 'Find muscles that bring the body from rest to the shape it has now, and back, in every period', onclick: () => this.fitTake(true) }, 'Fit this pose'),
                h('button', { type: 'button', title: `From a recorded motion of this body: ${motionEndings.join(', ')}`, onclick: () => this.file.click() }, 'Fit a file …')),
            this.file, this.result);
        app.on('fitted', (message) => this.tell(message));
        app.on('opened', () => { this.result.hidden = true; });
    }

    update(body: JsonObject | null): void {
        const others = muscleLayers(body).length > 1 ? ' The first layer is found; others act as they are.' : '';
        this.hint.textContent = `Finds muscles from a motion of the period above.${others}`;
    }

    private fitTake(pose: boolean): void {
        const { app } = this;
        if (app.document) app.fit({ document: app.document.id, body: app.selected, ...(pose ? { pose } : {}) });
    }

    private async fitChosen(): Promise<void> {
        const [file] = this.file.files ?? [];
        this.file.value = '';
        if (!file) return;
        try {
            await fitFile(this.app, file, (what, fraction) => this.app.set('progress', { type: 'progress', what, fraction }));
        } catch (error) {
            toast((error as Error).message, 'error');
        }
    }

    private tell(message: ServerFitted): void {
        const words = fittedWords(message);
        toast(words, message.residual > poor ? 'warning' : 'info');
        this.result.textContent = words;
        this.result.hidden = false;
    }
}
