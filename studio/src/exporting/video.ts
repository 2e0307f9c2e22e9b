// A film of what was recorded: every frame is asked for, drawn and encoded, so that none is lost however slow that is.
import { ArrayBufferTarget, Muxer } from 'webm-muxer';
import type { App } from '../app';

export interface Filming {
    /** Resolves when this frame of the record is drawn. */
    show(frame: number): Promise<void>;
    progress(fraction: number): boolean;
}

const filmRate = 30;

export async function makeVideo(app: App, filming: Filming): Promise<Blob> {
    if (!('VideoEncoder' in window)) throw new Error('this browser cannot encode video; export a GLB and render it with `yawara render`');
    const status = app.status!;
    const { canvas } = app.viewport;
    const width = canvas.width & ~1, height = canvas.height & ~1;
    const stride = Math.max(1, Math.round(1 / filmRate / status.frame_time));
    const target = new ArrayBufferTarget();
    const muxer = new Muxer({ target, video: { codec: 'V_VP8', width, height, frameRate: filmRate } });
    let failure: Error | null = null;
    const encoder = new VideoEncoder({ output: (chunk, meta) => muxer.addVideoChunk(chunk, meta), error: (e) => { failure = e; } });
    encoder.configure({ codec: 'vp8', width, height, bitrate: 8_000_000, framerate: filmRate });
    let count = 0;
    for (let frame = status.first; frame <= status.last; frame += stride) {
        await filming.show(frame);
        if (failure) throw failure;
        app.viewport.drawNow();
        const picture = new VideoFrame(canvas, { timestamp: Math.round((count * 1e6) / filmRate), visibleRect: { x: 0, y: 0, width, height } });
        encoder.encode(picture, { keyFrame: count % 60 === 0 });
        picture.close();
        ++count;
        if (encoder.encodeQueueSize > 8) await new Promise((done) => setTimeout(done, 10));
        if (!filming.progress((frame - status.first) / (status.last - status.first + 1))) break;
    }
    await encoder.flush();
    muxer.finalize();
    return new Blob([target.buffer], { type: 'video/webm' });
}
