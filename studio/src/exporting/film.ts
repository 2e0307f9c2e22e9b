// A film of a take: every frame is asked for, drawn and encoded, so that none is lost however slow that is.
import type { App } from '../app';
import { type FilmFormat, filmEncoder } from './encoders';
import { filmPost } from './engine_film';

export interface FilmOrder {
    format: FilmFormat;
    /** Pixels; even numbers. */
    width: number;
    height: number;
    /** Pictures a second. */
    rate: number;
    /** Of the take. */
    first: number;
    last: number;
}

/** Frames of the simulation that a film shows: as many a second as it has pictures, in real time. */
export function filmedFrames({ first, last, rate }: Pick<FilmOrder, 'first' | 'last' | 'rate'>, frameTime: number): number[] {
    const frames: number[] = [];
    for (let k = 0; ; ++k) {
        const frame = first + Math.round(k / rate / frameTime);
        if (frame > last) return frames;
        if (frame !== frames[frames.length - 1]) frames.push(frame);
    }
}

/** `show` resolves when a frame of the take is drawn; `progress` says whether to go on. null: it was cancelled. */
export async function makeFilm(app: App, order: FilmOrder, show: (frame: number) => Promise<void>, progress: (fraction: number) => boolean): Promise<Blob | null> {
    const { painter } = app.viewport;
    const encoder = await filmEncoder(order.format, order, filmPost((path) => app.withToken(path)));
    let whole = false;
    const frames = filmedFrames(order, app.status!.frame_time);
    const endFilm = painter.beginFilm([order.width, order.height]);
    try {
        for (const [k, frame] of frames.entries()) {
            await show(frame);
            painter.drawNow();
            await encoder.add(painter.canvas);
            if (!progress((k + 0.5) / frames.length)) return null;
        }
        const film = await encoder.finish();
        whole = true;
        return film;
    } finally {
        if (!whole) encoder.cancel?.();
        endFilm();
    }
}
