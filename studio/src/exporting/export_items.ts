// What can be taken out of the studio.
import type { App } from '../app';
import type { MenuItem } from '../panels/menu';
import { saveBlob } from './download';

export function exportItems(app: App, film: () => void): MenuItem[] {
    const picture = async () => saveBlob(await app.viewport.painter.picture(), `${app.document?.name ?? 'yawara'}.png`);
    return [
        { name: 'Picture', about: 'PNG of what you see', act: () => void picture() },
        { name: 'Video', about: 'MP4, WebM or GIF of the take, seen from here', act: film },
        { name: 'Animation', about: 'GLB, for Blender and the web', act: () => app.export('glb') },
        { name: 'Point cache', about: 'PC2 with OBJ, exact vertices', act: () => app.export('pc2') },
        { name: 'MDD cache', about: 'MDD with OBJ', act: () => app.export('mdd') },
        { name: 'Recording', about: 'YWC, for `yawara render`', act: () => app.export('ywc') },
        { name: 'Scene with its meshes', about: 'one .zip to share; drop it here to open it', act: () => app.export('scene') },
        { name: 'Scene file', about: 'JSON only', act: () => app.export('json') },
    ];
}
