// The page put together: bars, picture, panels and what lies over them; theme and width as a person set them.
import { JointMarks } from '../overlays/joint_marks';
import type { AddedAs, App } from '../app';
import { h } from '../dom';
import { exportItems } from '../exporting/export_items';
import { FilmDialog } from '../exporting/film_dialog';
import { addFiles, canBeAdded, fitFile, isMotion, openFiles } from '../exporting/upload';
import { listenToKeys } from '../keys';
import { colorByNext } from '../state/color_by';
import { followKeyed } from '../state/keyed';
import { Toolbox } from '../toolbox/toolbox';
import { Viewport } from '../viewport/viewport';
import { aboutPanel } from './about_panel';
import { AddDialog } from './add_dialog';
import { costPanel } from './cost_panel';
import { acceptDrops } from './drops';
import { Gallery } from './gallery';
import { Help } from './help';
import { keyTrack } from './key_track';
import { letterKeysSwitch } from './letter_keys';
import { measuresPanel } from './measures_panel';
import { rail } from './rail';
import { recentSection } from './recent';
import { SceneActions, listenToClipboard } from './scene_actions';
import { showPanel } from './show_panel';
import { templatesSection } from './templates';
import { stepBack, stepOn, timeline, togglePlay } from './timeline';
import { ProgressBar, toast, toastPlace } from './toasts';
import { tracks } from './tracks';
import { tooltips } from './tooltips';
import { topbar } from './topbar';
import { tunePanel } from './tune_panel';
import { UnsavedDialog, saveDocument } from './unsaved_dialog';
import { viewPanel } from './view_panel';

const narrow = 900;  // pixels: the panel would cover the picture

/** Builds the page into `root`. `quality` of the picture, if it is fixed. */
export function layOut(app: App, root: HTMLElement, quality: string | null): Toolbox {
    const view = viewPanel(app);
    root.replaceChildren(view.element);  // the picture takes its size from the page
    app.viewport = new Viewport(view.canvas, quality, () => app.emit('range', undefined), app.ask);
    const toolbox = new Toolbox(app);

    const progress = new ProgressBar(app);
    const adding = new AddDialog(app);
    const take = async (given: Iterable<File>, shift = false, as: AddedAs = 'body') => {
        const files = [...given];
        try {
            if (app.get('desk') === 'poses' && app.selected && canBeAdded(files)) return await addFiles(app, files, progress.show, 'pose');
            if (isMotion(files)) return await fitFile(app, files[0], progress.show);
            // At the Shape desk what is dropped is a part of the model.
            if (as === 'body' && app.document && app.get('desk') === 'shape' && canBeAdded(files)) as = 'part';
            const choice = !app.document || !canBeAdded(files) ? 'open' : shift || app.isEmpty || as === 'part' ? 'add' : await adding.ask(files);
            if (choice === 'add') await addFiles(app, files, progress.show, as);
            else if (as !== 'body') toast('A scene cannot become an obstacle: choose a closed surface.', 'warning');
            else if (choice === 'open') await openFiles(app, files, progress.show);
        } catch (error) {
            toast((error as Error).message, 'error');
        }
    };
    const newScene = () => app.open({ from: 'new', name: '' });
    const gallery = new Gallery(app, (files) => void take(files), newScene);
    gallery.element.querySelector('header')!.after(recentSection(app, () => gallery.close()), templatesSection(app, () => gallery.close()));
    const help = new Help(() => gallery.open());
    help.element.append(letterKeysSwitch(app));
    app.on('touched', () => help.dismiss());
    const film = new FilmDialog(app, progress);
    const unsaved = new UnsavedDialog(app);
    const save = () => saveDocument(app);

    const toggleTheme = () => app.setSettings({ theme: app.look.dark ? 'light' : 'dark' });
    const togglePanel = () => app.setSettings({ panel: root.classList.contains('panel-hidden') ? 'shown' : 'hidden' });
    const bar = topbar(app, toolbox, { gallery: () => gallery.open(), newScene: () => void newScene(), help: () => help.toggle(), theme: toggleTheme, panel: togglePanel, save, exports: exportItems(app, () => film.open()) });
    const side = h('aside.side', { 'aria-label': 'Settings' }, aboutPanel(app), showPanel(app, toolbox), measuresPanel(app), tunePanel(app), costPanel(app));
    root.prepend(bar);
    followKeyed(app);
    app.viewport.host(new JointMarks(app));
    const actions = new SceneActions(app);
    listenToClipboard(app, actions);
    let becomes: AddedAs = 'body';
    const chooseFiles = (as: AddedAs) => {
        becomes = as;
        files.click();
    };
    const files = h('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true' });
    app.on('welcome', (welcome) => { files.accept = welcome?.upload_endings.join(',') ?? ''; });
    files.addEventListener('change', () => {
        if (files.files?.length) void take(files.files, true, becomes);
        files.value = '';
    });
    view.element.before(rail(app, { toolbox, actions, openFiles: chooseFiles }));
    const overTime = tracks(app);
    root.append(files, side, h('div.over-time', {}, overTime.element, keyTrack(app)), timeline(app, overTime.button), progress.element, toastPlace(), gallery.element, help.element, film.element, unsaved.element, adding.element, tooltips(root));
    view.start(toolbox.panel, () => gallery.open());
    view.element.append(help.first);
    help.reserveRoom(view.element);
    acceptDrops(root, (files, shift) => void take(files, shift));

    const setShow = (key: 'wireframe' | 'particles') => app.setLook({ show: { ...app.look.show, [key]: !app.look.show[key] } });
    listenToKeys(app, toolbox, { s: save, d: () => actions.duplicate('copy'), D: () => actions.duplicate('instance') }, {
        ' ': () => togglePlay(app), '.': () => stepOn(app), ',': () => stepBack(app), r: () => app.send({ type: 'reset' }), k: () => app.send({ type: 'continue' }),
        c: () => colorByNext(app), w: () => setShow('wireframe'), v: () => setShow('particles'),
        f: () => app.viewport.frameBodies(), h: () => app.viewport.frameScene(), m: () => app.compare(!app.status?.comparing),
        Delete: () => actions.remove(), Backspace: () => actions.remove(), End: () => app.emit('dropDown', undefined), a: () => app.emit('addMenu', undefined),
        1: () => app.emit('gizmoMode', 'translate'), 2: () => app.emit('gizmoMode', 'rotate'), 3: () => app.emit('gizmoMode', 'scale'),
        n: () => gallery.open(), 'Shift n': () => void newScene(), l: toggleTheme, '?': () => help.toggle(),
    });
    // The mouse needs no focus on a button: keys go on to mean the picture.
    for (const part of [bar, root.querySelector<HTMLElement>('.timeline')!])
        part.addEventListener('click', (event) => { if (event.detail > 0 && (event.target as Element).closest('button:not([aria-haspopup])') && !document.querySelector('dialog[open], .takes:not([hidden])')) view.canvas.focus({ preventScroll: true }); });

    // Whoever uses the mouse sees where it is: the focus on the picture is drawn for keys alone.
    for (const [event, hand] of [['keydown', 'keys'], ['pointerdown', 'pointer']] as const) addEventListener(event, () => { root.dataset.hand = hand; }, { capture: true });

    const applySettings = () => {
        const { theme, panel } = app.get('settings');
        const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        document.documentElement.dataset.theme = dark ? 'dark' : 'light';
        root.classList.toggle('panel-hidden', panel ? panel === 'hidden' : innerWidth <= narrow);
        if (dark !== app.look.dark || !app.scene) app.setLook({ dark });
    };
    app.on('settings', applySettings);
    applySettings();
    return toolbox;
}
