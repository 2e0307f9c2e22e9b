// What can be taken out of the studio.
import type { App } from '../app';
import type { MenuItem } from '../panels/popup_menu';
import { saveBlob } from './download';

export function exportItems(app: App, film: () => void): MenuItem[] {
    const picture = async () => saveBlob(await app.viewport.painter.picture(), `${app.document?.name ?? 'yawara'}.png`);
    return [
        { words: 'Picture', note: 'PNG of what you see', act: () => void picture() },
        { words: 'Video', note: 'MP4, WebM or GIF of the take, seen from here', act: film },
        { words: 'Animation', note: 'GLB, for Blender and the web', act: () => app.export('glb') },
        { words: 'Point cache', note: 'PC2 with OBJ, exact vertices', act: () => app.export('pc2') },
        { words: 'MDD cache', note: 'MDD with OBJ', act: () => app.export('mdd') },
        { words: 'Recording', note: 'YWC, for `yawara render`', act: () => app.export('ywc') },
        { words: 'Scene with its meshes', note: 'One .zip to share; drop it here to open it', act: () => app.export('scene') },
        { words: 'Scene file', note: 'JSON only', act: () => app.export('json') },
    ];
}
