// A film whose pictures the engine encodes, for browsers without an encoder: MP4.
import type { FilmEncoder, FilmShape } from './encoders';

/** What the engine tells of a film. */
interface Told {
    film?: string;
    /** Pictures that are not encoded yet. */
    waiting?: number;
    /** Of the file, once it is whole. */
    url?: string;
}

/** POSTs to /film?QUERY and reads the answer; a refusal is thrown as an error. `fetchFile`: the bytes at an address. */
export interface FilmPost {
    (query: string, body?: BodyInit): Promise<Told>;
    fetchFile(url: string): Promise<Blob>;
}

const mostWaiting = 4, pause = 20;  // pictures; ms

export class EngineFilm implements FilmEncoder {
    private readonly small = document.createElement('canvas');

    static async begin(shape: FilmShape, post: FilmPost): Promise<EngineFilm> {
        const { film } = await post(`width=${shape.width}&height=${shape.height}&rate=${shape.rate}`);
        return new EngineFilm(shape, post, film!);
    }

    private constructor(private readonly shape: FilmShape, private readonly post: FilmPost, private readonly film: string) {
        this.small.width = shape.width;
        this.small.height = shape.height;
    }

    async add(canvas: HTMLCanvasElement): Promise<void> {
        const { width, height } = this.shape;
        const context = this.small.getContext('2d', { willReadFrequently: true })!;
        context.drawImage(canvas, 0, 0, width, height);
        let { waiting } = await this.post(`to=${this.film}`, context.getImageData(0, 0, width, height).data as BufferSource as BodyInit);
        while (waiting! > mostWaiting) ({ waiting } = await this.ask());
    }

    async finish(): Promise<Blob> {
        let { url } = await this.post(`to=${this.film}&end=1`);
        while (!url) ({ url } = await this.ask());
        return this.post.fetchFile(url);
    }

    cancel(): void {
        void this.post(`to=${this.film}&end=0`).catch(() => {});
    }

    private async ask(): Promise<Told> {
        await new Promise((done) => setTimeout(done, pause));
        return this.post(`to=${this.film}`);
    }
}

/** `address`: of this engine, with its secret. */
export function filmPost(address: (path: string) => string): FilmPost {
    const post = async (query: string, body?: BodyInit): Promise<Told> => {
        const response = await fetch(address(`/film?${query}`), { method: 'POST', body });
        const told = (await response.json().catch(() => ({}))) as Told & { error?: string };
        if (!response.ok) throw new Error(told.error ?? `The engine refused the film (${response.status}).`);
        return told;
    };
    const fetchFile = async (url: string) => (await fetch(address(url))).blob();
    return Object.assign(post, { fetchFile });
}
