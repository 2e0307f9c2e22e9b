// Asks what a film is to be: format, size and which part of the take; then makes it.
import type { App } from '../app';
import { h, iconButton } from '../dom';
import { segmented } from '../panels/segmented';
import { type ProgressBar, toast } from '../panels/toasts';
import { saveBlob } from './download';
import { type FilmFormat, lackOf } from './encoders';
import { type FilmOrder, makeFilm } from './film';

type Size = 'view' | '1920x1080' | '1280x720' | '1080x1080' | '640x360' | '480x270';

const gifRate = 20, videoRate = 30;  // pictures a second

export class FilmDialog {
    readonly element: HTMLDialogElement;
    private format: FilmFormat = 'mp4';
    private readonly formats = segmented<FilmFormat>('Format', [['mp4', 'MP4'], ['webm', 'WebM'], ['gif', 'GIF']], () => this.format, (format) => {
        this.format = format;
        this.size.value = format === 'gif' ? '480x270' : '1280x720';
        void this.update();
    });
    private readonly size = h('select', { 'aria-label': 'Size', onchange: () => void this.update() });
    private readonly from = h('input', { type: 'number', min: 0, step: 0.1, 'aria-label': 'From, seconds', onchange: () => void this.update() });
    private readonly to = h('input', { type: 'number', min: 0, step: 0.1, 'aria-label': 'To, seconds', onchange: () => void this.update() });
    private readonly note = h('p.about', { role: 'status' });
    private readonly make = h('button.primary', { type: 'button', onclick: () => void this.film() }, 'Make the video');

    constructor(private readonly app: App, private readonly progress: ProgressBar) {
        const names: Array<[Size, string]> = [['view', 'As shown here'], ['1920x1080', '1920 × 1080'], ['1280x720', '1280 × 720'], ['1080x1080', '1080 × 1080, square'], ['640x360', '640 × 360'], ['480x270', '480 × 270']];
        this.size.append(...names.map(([value, words]) => h('option', { value }, words)));
        this.size.value = '1280x720';
        this.element = h('dialog.film', { 'aria-labelledby': 'film-title' },
            h('header', {}, h('h1', { id: 'film-title' }, 'Video of this take'), iconButton('close', 'Close', () => this.element.close(), 'Esc')),
            this.formats.element, h('label.row', {}, h('span', {}, 'Size'), this.size),
            h('div.row', {}, h('span', {}, 'Seconds'), h('div.pair', {}, this.from, h('span', {}, 'to'), this.to)), this.note,
            h('div.buttons', {}, h('button', { type: 'button', onclick: () => this.element.close() }, 'Cancel'), this.make));
    }

    open(): void {
        const { status } = this.app;
        if (!status) return;
        this.app.send({ type: 'play', playing: false });
        this.from.value = (status.first * status.frame_time).toFixed(2);
        this.to.value = (status.last * status.frame_time).toFixed(2);
        this.formats.update();
        this.element.showModal();
        this.formats.element.querySelector<HTMLElement>('[aria-pressed=true], [aria-checked=true]')?.focus();
        void this.update();
    }

    private order(): FilmOrder {
        const status = this.app.status!, { canvas } = this.app.viewport;
        const [width, height] = this.size.value === 'view' ? [canvas.clientWidth, canvas.clientHeight] : this.size.value.split('x').map(Number);
        const frame = (field: HTMLInputElement, otherwise: number) => {
            const wanted = field.value === '' ? otherwise : Math.round(Number(field.value) / status.frame_time);
            return Math.min(status.last, Math.max(status.first, wanted));
        };
        const rate = this.format === 'gif' ? gifRate : videoRate;
        return { format: this.format, width: width & ~1, height: height & ~1, rate, first: frame(this.from, status.first), last: frame(this.to, status.last) };
    }

    private async update(): Promise<void> {
        this.formats.update();
        const order = this.order(), { frame_time } = this.app.status!;
        const lack = order.last < order.first ? 'The end has to be after the start.' : await lackOf(order.format, order);
        this.make.disabled = lack !== null;
        this.note.textContent = lack ?? `${((order.last - order.first) * frame_time).toFixed(1)} s, ${order.width} × ${order.height} pixels, ${order.rate} pictures a second.`;
    }

    private async film(): Promise<void> {
        const { app, progress } = this, order = this.order(), shown = app.status!.frame;
        this.element.close();
        try {
            const blob = await makeFilm(app, order, (frame) => app.frames.show(frame), (fraction) => {
                progress.show('making the film', fraction);
                return !progress.cancelled;
            });
            if (blob) saveBlob(blob, `${app.document?.name ?? 'yawara'}.${order.format}`);
        } catch (error) {
            toast((error as Error).message, 'error');
        }
        progress.show('making the film', 1);
        app.send({ type: 'seek', frame: shown });
    }
}
