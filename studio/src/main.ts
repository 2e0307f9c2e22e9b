// The page put together: the line to the engine, the picture, the panels around it, keys and drops.
import { App } from './app';
import type { Frame } from './connection/frames';
import { Socket } from './connection/socket';
import { fileSize, h, iconButton } from './dom';
import { saveBlob, saveUrl } from './exporting/download';
import { openFiles } from './exporting/upload';
import { makeVideo } from './exporting/video';
import { aboutPanel } from './panels/about_panel';
import { costPanel } from './panels/cost_panel';
import { Gallery } from './panels/gallery';
import { Help } from './panels/help';
import { colorBy, legend, showPanel, toggleCut } from './panels/show_panel';
import { stepBack, timeline, togglePlay } from './panels/timeline';
import { ProgressBar, toast, toastPlace } from './panels/toasts';
import { topbar } from './panels/topbar';
import { tunePanel } from './panels/tune_panel';
import type { ClientExport, ServerMessage } from './protocol/messages';
import { patched } from './scene_editing/patch';
import { Pointer, tools } from './viewport/tools';
import { Viewport } from './viewport/viewport';

const root = document.getElementById('app')!;
const query = new URLSearchParams(location.search);
const address = `ws://${location.host}/stream?token=${encodeURIComponent(query.get('token') ?? '')}`;
const socket = new Socket(address, { message: hear, frame: see, connected: setConnected });
const app = new App((message) => socket.send(message));

// ---- the page -------------------------------------------------------------------------------------------------------

const canvas = h('canvas', { tabindex: 0, 'aria-label': 'The bodies' });
const view = h('main.view', {}, canvas);
const side = h('aside.side', { 'aria-label': 'Settings' });
const away = h('div.away', { hidden: true, role: 'alert' }, h('b', {}, 'The engine is away.'), ' Trying to reach it again …');
const picked = h('div.picked', { hidden: true });
const lost = h('button.lost', { type: 'button', hidden: true, onclick: () => bringBack() }, 'Nothing is in view: bring the bodies back');
const frameButton = iconButton('frame', 'Bring the bodies into view', () => bringBack(), 'F');
frameButton.classList.add('frame-button');
const compared = h('div.compared', { hidden: true }, h('span', {}, 'Now'), h('span', {}, 'As it was'));
const gallery = new Gallery(app, (files) => void open(files));
const help = new Help(() => gallery.open());
let cancelled = false;
const progress = new ProgressBar(() => {
    cancelled = true;
    app.send({ type: 'cancel' });
});

const exportAs = (format: ClientExport['format']) => () => void app.send({ type: 'export', format });
const bar = topbar(app, root, {
    gallery: () => gallery.open(),
    help: () => help.toggle(),
    theme: () => setDark(!app.look.dark),
    panel: () => togglePanel(),
    compare: () => app.send({ type: 'compare', on: !app.status?.comparing }),
    save: () => save(),
    exports: [
        { name: 'Picture', about: 'PNG of what you see', act: () => void savePicture() },
        { name: 'Video', about: 'WebM of what was recorded, seen from here', act: () => void saveVideo() },
        { name: 'Animation', about: 'GLB, for Blender and the web', act: exportAs('glb') },
        { name: 'Point cache', about: 'PC2 with OBJ, exact vertices', act: exportAs('pc2') },
        { name: 'MDD cache', about: 'MDD with OBJ', act: exportAs('mdd') },
        { name: 'Recording', about: 'YWC, for `yawara render`', act: exportAs('ywc') },
        { name: 'Scene with its meshes', about: 'one .zip to share; drop it here to open it', act: exportAs('scene') },
        { name: 'Scene file', about: 'JSON only', act: exportAs('json') },
    ],
});
root.replaceChildren(bar, view, side, timeline(app), progress.element, toastPlace(), gallery.element, help.element);
view.append(frameButton, legend(app), picked, compared, lost, away, help.first);
app.viewport = new Viewport(canvas, query.get('quality'));
app.viewport.onAutoRange = () => app.emit('range');
side.append(aboutPanel(app), showPanel(app), tunePanel(app), costPanel(app));
const pointer = new Pointer(app);
app.on(['touched'], () => help.dismiss());
app.on(['stats', 'status', 'look'], () => { lost.hidden = !haveLeft(); });
app.on(['stats'], () => app.inspectAgain());

/** Nothing is in view; in the first seconds bodies may still be about to fall into it. */
function haveLeft(): boolean {
    return app.shownTime > 2 && app.viewport.showsNothing;
}

function bringBack(): void {
    app.viewport.frameBodies();
    lost.hidden = true;
}

/** Scenes of the gallery stay as they are, and dropped files have no place of their own: then a copy is handed out. */
function save(): void {
    if (app.document?.place) app.send({ type: 'save' });
    else app.send({ type: 'export', format: 'scene' });
}

function setDark(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    try { localStorage.setItem('yawara-theme', dark ? 'dark' : 'light'); } catch { /* private window */ }
    app.setLook({ dark });
}

function togglePanel(): void {
    root.classList.toggle('panel-hidden');
    try { localStorage.setItem('yawara-panel', root.classList.contains('panel-hidden') ? 'hidden' : 'shown'); } catch { /* private window */ }
}

let theme: string | null = null;
try {
    theme = localStorage.getItem('yawara-theme');
    const panel = localStorage.getItem('yawara-panel');
    if (panel === 'hidden' || (!panel && innerWidth <= 900)) root.classList.add('panel-hidden');
} catch { /* private window */ }
setDark(theme ? theme === 'dark' : app.look.dark);

// ---- what the engine says -------------------------------------------------------------------------------------------

function hear(message: ServerMessage): void {
    switch (message.type) {
        case 'welcome':
            app.welcome = message;
            if (message.lost)
                toast(`“${message.lost.title}” has ${message.lost.edits === 1 ? 'an edit' : `${message.lost.edits} edits`} from ${message.lost.when} that ${message.lost.edits === 1 ? 'was' : 'were'} not saved.`, 'warning',
                    [{ words: 'Restore', act: () => app.send({ type: 'restore', take: true }) }, { words: 'Discard', act: () => app.send({ type: 'restore', take: false }) }]);
            app.sendView();
            break;
        case 'document':
            if (app.document && app.document.name !== message.name) help.dismiss();
            app.document = message;
            break;
        case 'edited':
            if (!app.document || app.document.id !== message.document || app.document.revision !== message.base) {
                app.send({ type: 'resend' });
                return;
            }
            const { undo, redo, saved, title, place, warnings, revision } = message;
            app.document = { ...app.document, undo, redo, saved, title, place, warnings, revision, content: patched(app.document.content, message.changes) };
            app.emit('document');
            return;
        case 'scene': {
            app.viewport.setScene(message);
            if (message.run !== 0) break;
            const fresh = message.fresh && app.scene?.bodies.map((b) => b.id).join() !== message.bodies.map((b) => b.id).join();
            app.scene = message;
            clearPicked();
            if (fresh || !framed) {
                framed = false;
                app.select(message.bodies[0].id);
                const glossy = message.bodies.some((b) => b.gloss >= 0.5);
                const wireframe = message.bodies.some((b) => b.wireframe);
                app.setLook({ cut: null, show: { ...app.look.show, wireframe, stuff: glossy ? 'jelly' : 'plain' } });
                colorBy(app, message.show);
            }
            break;
        }
        case 'status':
            if (app.status?.comparing && !message.comparing) app.viewport.dropRun(1);
            if (app.viewport.comparing !== message.comparing) {
                app.viewport.comparing = message.comparing;
                compared.hidden = !message.comparing;
                app.viewport.frameScene();
            }
            app.status = message;
            break;
        case 'stats':
            app.stats = message;
            break;
        case 'answer':
            if (!message.answer) return;
            showPicked(message.answer);
            app.emit('picked');
            return;
        case 'build':
            progress.show(message.what, message.state === 'building' ? message.fraction : 1);
            return;
        case 'recent': case 'takes': case 'measures':
            return;
        case 'progress':
            progress.show(message.what, message.fraction);
            return;
        case 'note':
            toast(message.text, message.level);
            return;
        case 'error':
            toast(message.where ? `${message.where}: ${message.what}` : message.what, 'error');
            if (message.about === 'edit') {  // the control shows what counts again
                (document.activeElement as HTMLElement | null)?.blur();
                app.emit('document');
            }
            return;
        case 'exported':
            saveUrl(app.withToken(message.url), message.name);
            toast([`${message.name}, ${fileSize(message.bytes)}`, ...shortened(message.notes)].join('\n'));
            return;
        case 'picture':
            for (const scene of app.welcome?.gallery ?? []) if (scene.name === message.name) scene.picture = true;
            break;
    }
    app.emit(message.type);
}

/** A scene of many bodies has as many notes: the first ones, and the last, which is about all. */
function shortened(notes: string[]): string[] {
    return notes.length <= 5 ? notes : [...notes.slice(0, 3), `… and ${notes.length - 4} more like these`, notes[notes.length - 1]];
}

let framed = false;
let received = 0;
let shownFrame = -1;
const waiting: Array<{ frame: number; done: () => void }> = [];

function see(frame: Frame): void {
    if (frame.shapes) return app.viewport.setShapes(frame);
    app.viewport.setFrame(frame);
    ++received;
    shownFrame = frame.frame;
    app.shownTime = frame.time;
    if (!framed) {
        framed = true;
        app.viewport.frameScene();
        if (haveLeft()) app.viewport.frameBodies();  // before this page came
    }
    for (let k = waiting.length - 1; k >= 0; --k) if (waiting[k].frame === frame.frame) waiting.splice(k, 1)[0].done();
}

function setConnected(yes: boolean): void {
    app.connected = yes;
    away.hidden = yes;
    app.emit('connected');
}

function clearPicked(): void {
    app.picked = null;
    app.inspect(null);
    picked.hidden = true;
}

function showPicked(message: NonNullable<App['picked']>): void {
    const again = app.picked?.body === message.body && app.picked.particle === message.particle;
    app.picked = message;
    if (!again) app.sendView();
    app.viewport.bodyViews().forEach((view) => view.showRegion(view.body.id !== message.body ? [] : message.region.length ? message.region : [message.particle]));
    picked.hidden = false;
    picked.replaceChildren(
        h('header', {}, h('b', {}, `Particle ${message.particle}`), h('button', { type: 'button', 'aria-label': 'Close', onclick: () => { clearPicked(); app.viewport.bodyViews().forEach((b) => b.showRegion([])); app.sendView(); app.viewport.draw(); } }, '×')),
        h('p', {}, [app.viewport.bodyView(message.body)?.body.name, message.region.length && `${message.region.length} in its region`, message.held && 'held'].filter(Boolean).join('; ')),
        h('dl', {}, ...message.values.map((v) => h('div', {}, h('dt', {}, v.label), h('dd', {}, Number(v.value.toPrecision(4)).toString())))));
}

// ---- files ----------------------------------------------------------------------------------------------------------

async function open(files: Iterable<File>): Promise<void> {
    try {
        await openFiles(app, files, (what, fraction) => progress.show(what, fraction));
    } catch (error) {
        toast((error as Error).message, 'error');
    }
}

let depth = 0;
addEventListener('dragenter', (event) => {
    event.preventDefault();
    if (++depth === 1) root.classList.add('dropping');
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('dragleave', () => {
    if (--depth <= 0) root.classList.remove('dropping');
});
addEventListener('drop', (event) => {
    event.preventDefault();
    depth = 0;
    root.classList.remove('dropping');
    if (event.dataTransfer?.files.length) void open(event.dataTransfer.files);
});

async function savePicture(): Promise<void> {
    saveBlob(await app.viewport.picture(), `${app.document?.name ?? 'yawara'}.png`);
}

async function saveVideo(): Promise<void> {
    const shown = app.status?.frame ?? 0;
    cancelled = false;
    app.send({ type: 'play', playing: false });
    const endFilm = app.viewport.beginFilm();
    try {
        const blob = await makeVideo(app, {
            show: (frame) => new Promise((done, fail) => {
                if (frame === shownFrame) return done();
                waiting.push({ frame, done });
                app.send({ type: 'seek', frame });
                setTimeout(() => fail(new Error('a frame did not arrive')), 15000);
            }),
            progress: (fraction) => {
                progress.show('filming', fraction);
                return !cancelled;
            },
        });
        saveBlob(blob, `${app.document?.name ?? 'yawara'}.webm`);
    } catch (error) {
        toast((error as Error).message, 'error');
    }
    endFilm();
    waiting.length = 0;
    progress.show('filming', 1);
    app.send({ type: 'seek', frame: shown });
}

// ---- keys -----------------------------------------------------------------------------------------------------------

function nextColor(): void {
    const names = ['', ...app.quantities().map((q) => q.name)];
    colorBy(app, names[(names.indexOf(app.look.color) + 1) % names.length]);
}

const keys: Record<string, () => void> = {
    ' ': () => togglePlay(app),
    '.': () => app.send({ type: 'step', frames: 1 }),
    ',': () => stepBack(app),
    r: () => app.send({ type: 'reset' }),
    x: () => toggleCut(app),
    c: nextColor,
    w: () => app.setLook({ show: { ...app.look.show, wireframe: !app.look.show.wireframe } }),
    v: () => app.setLook({ show: { ...app.look.show, particles: !app.look.show.particles } }),
    f: () => bringBack(),
    h: () => app.viewport.frameScene(),
    m: () => app.send({ type: 'compare', on: !app.status?.comparing }),
    n: () => gallery.open(),
    l: () => setDark(!app.look.dark),
    '?': () => help.toggle(),
    '[': () => pointer.resizeBall(0.8),
    ']': () => pointer.resizeBall(1.25),
    ...Object.fromEntries(tools.map((t) => [t.key.toLowerCase(), () => app.setTool(t.tool)])),
};

addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    const typing = target instanceof HTMLInputElement && ['number', 'search'].includes(target.type) || target instanceof HTMLSelectElement;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
        const act = key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : key === 'y' ? 'redo' : key === 's' ? 'save' : null;
        if (!act || (typing && act !== 'save')) return;
        event.preventDefault();
        if (act === 'save') save();
        else app.send({ type: act });
        return;
    }
    if (typing || event.altKey || (document.querySelector('dialog[open]') && key !== '?')) return;
    if (key === ' ' && target instanceof HTMLButtonElement) target.blur();
    const act = keys[key];
    if (!act) return;
    event.preventDefault();
    act();
});

let drawnBefore = 0;
setInterval(() => {
    app.drawnPerSecond = app.viewport.drawnFrames - drawnBefore;
    drawnBefore = app.viewport.drawnFrames;
}, 1000);

socket.open();
void fetch('/scene.schema.json').then((answer) => answer.json()).then((schema) => {
    app.schema = schema;
    app.emit('document');
});

// For tests and the curious: what the page knows.
Object.assign(window, { studio: { app, frames: () => received, shownFrame: () => shownFrame, socket } });
