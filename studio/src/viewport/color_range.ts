// The numbers between which the colours of a quantity run: given, or following what occurs.
import { type Frame, What, floats } from '../connection/frames';
import type { Look } from '../state/look';
import { colorTexture, roundUp } from './color_maps';
import type { ColorUniforms } from './materials';

const leastRange = 1e-3;  // below is the noise of numbers at rest

export class ColorRange {
    readonly uniforms: ColorUniforms = { table: { value: colorTexture('viridis') }, low: { value: 0 }, high: { value: 1 }, shown: { value: 0 } };
    seen: [number, number] = [0, 1];

    apply(look: Look): void {
        this.uniforms.shown.value = look.color ? 1 : 0;
        this.uniforms.table.value = colorTexture(look.map);
        if (look.range) this.set(look.range);
    }

    private set(range: [number, number]): void {
        this.seen = range;
        [this.uniforms.low.value, this.uniforms.high.value] = range;
    }

    /** Follows what occurs, in round numbers, without flicker. True if it changed. */
    follow(frame: Frame, signed: boolean): boolean {
        const sample: number[] = [];
        for (const section of frame.sections) {
            if (section.what !== What.values) continue;
            const values = floats(section);
            const stride = Math.max(1, Math.floor(values.length / 500));
            for (let k = 0; k < values.length; k += stride) sample.push(values[k]);
        }
        if (!sample.length) return false;
        // Single sparks do not dim the whole: one in a hundred may lie beyond either end.
        sample.sort((a, b) => a - b);
        const beyond = Math.floor(sample.length / 100), low = sample[beyond], high = sample[sample.length - 1 - beyond];
        const most = roundUp(Math.max(Math.abs(low), Math.abs(high), leastRange));
        const wanted: [number, number] = signed ? [-most, most] : [low < -leastRange ? -roundUp(-low) : 0, roundUp(Math.max(high, leastRange))];
        const [bottom, top] = this.seen;
        if (wanted[1] <= top && wanted[1] >= 0.3 * top && wanted[0] === bottom) return false;
        this.set(wanted);
        return true;
    }
}
