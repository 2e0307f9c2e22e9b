// When the picture is drawn and how well: only when something changed, and so well that motion stays smooth.
import { NeutralToneMapping, VSMShadowMap, WebGLRenderer } from 'three';

export type Quality = 'high' | 'plain' | 'low';

const slowFrame = 45;      // ms between two pictures of a motion: above this, sharpness and then shadows are given up
const mostSlowTime = 1000; // ms of such pictures in a row; a single long one, as when a scene opens, counts as 250
const stillTime = 400;     // ms without a change: then it is drawn once more, as well as it can be

export interface Painting {
    /** Before a picture may be drawn, up to 60 times a second. */
    advance(): void;
    paint(): void;
    setQuality(quality: Quality): void;
}

export class Painter {
    readonly renderer: WebGLRenderer;
    drawnFrames = 0;
    private needsDraw = true;
    private quality: Quality = 'high';
    private fixedQuality = false;
    private slowTime = 0;
    private lastTick = 0;
    private lastDrawn = 0;
    private drewLast = false;
    private sharp = false;
    /** Pixels of the picture, whatever the size of the page. */
    private filmSize: [number, number] | null = null;

    constructor(readonly canvas: HTMLCanvasElement, quality: string | null) {
        this.renderer = new WebGLRenderer({ canvas, antialias: quality !== 'low', stencil: true, powerPreference: 'high-performance' });
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.toneMappingExposure = 1.05;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = VSMShadowMap;
        this.renderer.localClippingEnabled = true;
        this.fixedQuality = quality === 'low' || quality === 'plain' || quality === 'high';
        if (this.fixedQuality) this.quality = quality as Quality;
    }

    start(painting: Painting): void {
        this.painting = painting;
        this.setQuality(this.quality);
        this.renderer.setAnimationLoop((now) => this.tick(now));
        new ResizeObserver(() => this.resize()).observe(this.canvas.parentElement!);
    }

    private painting: Painting = { advance() {}, paint() {}, setQuality() {} };

    draw(): void {
        this.needsDraw = true;
    }

    drawNow(): void {
        this.needsDraw = false;
        this.painting.paint();
        ++this.drawnFrames;
    }

    private setQuality(quality: Quality): void {
        this.quality = quality;
        this.renderer.setPixelRatio(quality === 'low' ? 0.6 : quality === 'plain' ? Math.min(1, devicePixelRatio) : Math.min(2, devicePixelRatio));
        this.painting.setQuality(quality);
        this.resize();
    }

    /** How long pictures take is seen by when the next one can begin: the drawing itself goes on behind our back. */
    private tick(now: number): void {
        this.painting.advance();
        const took = now - this.lastTick;
        this.lastTick = now;
        const moving = this.needsDraw;
        if (!this.fixedQuality && this.drewLast && moving) {
            this.slowTime = took > slowFrame ? this.slowTime + Math.min(took, 250) : Math.max(0, this.slowTime - slowFrame);
            if (this.slowTime > mostSlowTime && this.quality !== 'low') {
                this.slowTime = 0;
                this.setQuality(this.quality === 'high' ? 'plain' : 'low');
            }
        }
        this.drewLast = moving;
        if (moving) {
            if (this.sharp) this.setSharp(false);
            this.lastDrawn = now;
            this.drawNow();
        } else if (!this.fixedQuality && !this.sharp && this.quality !== 'high' && now - this.lastDrawn > stillTime) {
            this.setSharp(true);
            this.drawNow();
        }
    }

    /** A picture at rest has time to be a good one, whatever was given up for the motion. */
    private setSharp(sharp: boolean): void {
        const { quality } = this;
        this.sharp = sharp;
        this.setQuality(sharp ? 'high' : quality);
        this.quality = quality;
    }

    private resize(): void {
        const { clientWidth, clientHeight } = this.canvas.parentElement!;
        const [width, height] = this.filmSize ?? [clientWidth, clientHeight];
        if (!width || !height) return;
        this.renderer.setSize(width, height, false);
        this.draw();
    }

    /** From now on every picture is a good one of this size, however long it takes; what is given back ends that. */
    beginFilm(size: [number, number]): () => void {
        const { quality, fixedQuality } = this;
        this.fixedQuality = true;
        this.filmSize = size;
        this.setQuality('high');
        this.renderer.setPixelRatio(1);
        this.resize();
        return () => {
            this.fixedQuality = fixedQuality;
            this.filmSize = null;
            this.setQuality(quality);
        };
    }

    /** A PNG of the picture, at twice the sharpness of a plain screen. */
    async picture(): Promise<Blob> {
        const { quality } = this;
        this.painting.setQuality('high');
        this.renderer.setPixelRatio(Math.max(2, devicePixelRatio));
        this.resize();
        this.drawNow();
        const blob = await new Promise<Blob | null>((done) => this.canvas.toBlob(done, 'image/png'));
        this.setQuality(quality);
        if (!blob) throw new Error('The browser gave no picture.');
        return blob;
    }
}
