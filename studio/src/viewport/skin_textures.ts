// The pictures on a body's surface, as its file gave them. Bodies of one shape share them.
import { ClampToEdgeWrapping, LinearMipmapLinearFilter, MirroredRepeatWrapping, NoColorSpace, RepeatWrapping, SRGBColorSpace, Texture, type Wrapping } from 'three';

const wrappings: Wrapping[] = [RepeatWrapping, MirroredRepeatWrapping, ClampToEdgeWrapping];  // by the numbers of the engine

export class SkinTextures {
    private readonly pictures = new Map<number, ImageBitmap>();
    private readonly textures = new Map<string, Texture>();
    private users = 1;
    private readonly listeners = new Set<() => void>();

    /** The bytes of a PNG or JPEG, which the engine could read. `changed` of everybody who listens is called when it is there. */
    async add(number: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
        // The rows of a texture begin at the bottom; a bitmap is turned when it is made, not when it is drawn.
        const picture = await createImageBitmap(new Blob([bytes]), { imageOrientation: 'flipY', premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
        if (this.users === 0) return picture.close();
        this.pictures.set(number, picture);
        for (const changed of this.listeners) changed();
    }

    listen(changed: () => void): void {
        this.listeners.add(changed);
    }

    /** Null: there is none, or it is still on its way. */
    texture(number: number, isColor: boolean, wraps: number[]): Texture | null {
        const picture = this.pictures.get(number), key = `${number} ${isColor}`;
        if (!picture) return null;
        const known = this.textures.get(key);
        if (known) return known;
        const texture = new Texture(picture);
        texture.flipY = false;
        texture.colorSpace = isColor ? SRGBColorSpace : NoColorSpace;
        [texture.wrapS, texture.wrapT] = [wrappings[wraps[2 * number]], wrappings[wraps[2 * number + 1]]];
        texture.minFilter = LinearMipmapLinearFilter;
        texture.anisotropy = 4;
        texture.needsUpdate = true;
        this.textures.set(key, texture);
        return texture;
    }

    /** Pictures that are there. */
    get count(): number {
        return this.pictures.size;
    }

    share(): this {
        ++this.users;
        return this;
    }

    /** The last one who lets go takes them away. */
    release(changed: () => void): void {
        this.listeners.delete(changed);
        if (--this.users > 0) return;
        for (const texture of this.textures.values()) texture.dispose();
        for (const picture of this.pictures.values()) picture.close();
    }
}
