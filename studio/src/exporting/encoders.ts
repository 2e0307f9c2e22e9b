// The kinds of film that a browser can make, each behind the same few calls.
import { GIFEncoder, applyPalette, quantize } from 'gifenc';
import { ArrayBufferTarget as Mp4Target, Muxer as Mp4Muxer } from 'mp4-muxer';
import { ArrayBufferTarget as WebmTarget, Muxer as WebmMuxer } from 'webm-muxer';
import { EngineFilm, type FilmPost } from './engine_film';

export type FilmFormat = 'mp4' | 'webm' | 'gif';

export interface FilmEncoder {
    /** The next picture: what is on the canvas now. */
    add(canvas: HTMLCanvasElement): Promise<void>;
    finish(): Promise<Blob>;
    /** What was begun elsewhere is not wanted any more. */
    cancel?(): void;
}

export interface FilmShape {
    width: number;
    height: number;
    /** Pictures a second. */
    rate: number;
}

const h264 = ['avc1.640034', 'avc1.640028', 'avc1.4d0028', 'avc1.42001f'];  // High to Baseline: the best that is there
const vp = ['vp09.00.41.08', 'vp8'];

/** Bits a second: a tenth of a bit for each pixel. */
function bitrate({ width, height, rate }: FilmShape): number {
    return Math.max(1_000_000, Math.round(0.15 * width * height * rate));
}

/** The first codec of a list that this browser encodes in this size; null: none. */
async function codecOf(list: string[], shape: FilmShape): Promise<VideoEncoderConfig | null> {
    if (!('VideoEncoder' in window)) return null;
    for (const codec of list) {
        const config: VideoEncoderConfig = { codec, width: shape.width, height: shape.height, bitrate: bitrate(shape), framerate: shape.rate };
        if (codec.startsWith('avc1')) config.avc = { format: 'avc' };
        if ((await VideoEncoder.isConfigSupported(config).catch(() => null))?.supported) return config;
    }
    return null;
}

/** Why a format cannot be had here; null: it can. What this browser cannot encode as MP4 the engine does. */
export async function lackOf(format: FilmFormat, shape: FilmShape): Promise<string | null> {
    if (format !== 'webm' || (await codecOf(vp, shape))) return null;
    return 'This browser has no encoder for VP8 or VP9; choose MP4 or GIF.';
}

/** `post`: asks the engine for something under /film. */
export async function filmEncoder(format: FilmFormat, shape: FilmShape, post: FilmPost): Promise<FilmEncoder> {
    if (format === 'gif') return new GifFilm(shape);
    const config = await codecOf(format === 'mp4' ? h264 : vp, shape);
    if (config) return new VideoFilm(format, shape, config);
    if (format === 'mp4') return EngineFilm.begin(shape, post);
    throw new Error((await lackOf(format, shape)) ?? 'This browser cannot encode video.');
}

/** MP4 with H.264 or WebM with VP9 or VP8, by WebCodecs. */
class VideoFilm implements FilmEncoder {
    private readonly encoder: VideoEncoder;
    private readonly muxer: { addVideoChunk(chunk: EncodedVideoChunk, meta?: EncodedVideoChunkMetadata): void; finalize(): void };
    private readonly target: { buffer: ArrayBuffer };
    private failure: Error | null = null;
    private count = 0;

    constructor(private readonly format: 'mp4' | 'webm', private readonly shape: FilmShape, config: VideoEncoderConfig) {
        const { width, height, rate } = shape;
        if (format === 'mp4') {
            const target = new Mp4Target();
            this.muxer = new Mp4Muxer({ target, video: { codec: 'avc', width, height, frameRate: rate }, fastStart: 'in-memory' });
            this.target = target;
        } else {
            const target = new WebmTarget();
            this.muxer = new WebmMuxer({ target, video: { codec: config.codec === 'vp8' ? 'V_VP8' : 'V_VP9', width, height, frameRate: rate } });
            this.target = target;
        }
        this.encoder = new VideoEncoder({ output: (chunk, meta) => this.muxer.addVideoChunk(chunk, meta), error: (error) => { this.failure = error; } });
        this.encoder.configure(config);
    }

    async add(canvas: HTMLCanvasElement): Promise<void> {
        if (this.failure) throw this.failure;
        const { width, height, rate } = this.shape;
        const picture = new VideoFrame(canvas, { timestamp: Math.round((this.count * 1e6) / rate), duration: Math.round(1e6 / rate), visibleRect: { x: 0, y: 0, width, height } });
        this.encoder.encode(picture, { keyFrame: this.count % (2 * rate) === 0 });
        picture.close();
        ++this.count;
        while (this.encoder.encodeQueueSize > 8 && !this.failure) await new Promise((done) => setTimeout(done, 5));
    }

    async finish(): Promise<Blob> {
        await this.encoder.flush();
        if (this.failure) throw this.failure;
        this.muxer.finalize();
        return new Blob([this.target.buffer], { type: `video/${this.format}` });
    }
}

/** GIF, with colors of its own for each picture. */
class GifFilm implements FilmEncoder {
    private readonly gif = GIFEncoder();
    private readonly small = document.createElement('canvas');

    constructor(private readonly shape: FilmShape) {
        this.small.width = shape.width;
        this.small.height = shape.height;
    }

    async add(canvas: HTMLCanvasElement): Promise<void> {
        const { width, height, rate } = this.shape;
        const context = this.small.getContext('2d', { willReadFrequently: true })!;
        context.drawImage(canvas, 0, 0, width, height);
        const { data } = context.getImageData(0, 0, width, height);
        const palette = quantize(data, 256);
        this.gif.writeFrame(applyPalette(data, palette), width, height, { palette, delay: 1000 / rate });
        await new Promise((done) => setTimeout(done));  // the page stays awake
    }

    async finish(): Promise<Blob> {
        this.gif.finish();
        return new Blob([this.gif.bytes() as BlobPart], { type: 'image/gif' });
    }
}
