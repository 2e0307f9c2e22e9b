// What the engine says goes into the store, and what a person has to know of it onto the screen.
import type { App } from '../app';
import { fileSize } from '../dom';
import { saveUrl } from '../exporting/download';
import { toast } from '../panels/toasts';
import type { ServerError, ServerMessage, ServerScene, ServerStatus, ServerWelcome } from '../protocol/messages';
import { editedDocument, openedDocument } from '../state/document';
import { colorBy } from '../state/color_by';

export function hear(app: App, message: ServerMessage): void {
    switch (message.type) {
        case 'welcome': return welcome(app, message);
        case 'document': {
            const document = openedDocument(message), another = document.id !== app.document?.id;
            app.set('document', document);
            app.edits.heardDocument(document.id);
            if (another) app.emit('opened', document);
            return;
        }
        case 'edited': {
            const document = editedDocument(app.document, message);
            if (document) app.set('document', document);
            else app.send({ type: 'resend' });
            app.edits.heardEdited(message, document !== null);
            return;
        }
        case 'scene': return scene(app, message);
        case 'status': return status(app, message);
        case 'stats': return app.set('stats', message);
        case 'takes': return app.set('takes', message.takes);
        case 'recent': return app.set('recent', message.documents);
        case 'build': return app.set('build', message);
        case 'measures': return app.emit('measures', message);
        case 'answer': return app.requests.heard(message);
        case 'progress': return app.set('progress', message);
        case 'note': return toast(message.text, message.level);
        case 'error': return refused(app, message);
        case 'exported':
            saveUrl(app.withToken(message.url), message.name);
            toast([`${message.name}, ${fileSize(message.bytes)}`, ...shortened(message.notes)].join('\n'));
            return app.emit('exported', message.name);
        case 'fitted': return app.emit('fitted', message);
        case 'picture':
            for (const shown of app.welcome?.gallery ?? []) if (shown.name === message.name) shown.picture = true;
            return app.emit('picture', message.name);
    }
}

function welcome(app: App, message: ServerWelcome): void {
    app.set('welcome', message);
    app.sendView();
    const { lost } = message;
    if (!lost) return;
    const words = lost.edits === 1 ? `an edit from ${lost.when} that was not saved` : `${lost.edits} edits from ${lost.when} that were not saved`;
    toast(`“${lost.title}” has ${words}.`, 'warning',
        [{ words: 'Restore', act: () => app.send({ type: 'restore', take: true }) }, { words: 'Discard', act: () => app.send({ type: 'restore', take: false }) }]);
}

function scene(app: App, message: ServerScene): void {
    app.viewport.setScene(message);
    if (message.run !== 0) return;
    const fresh = message.fresh || !app.scene;
    const before = new Set(app.scene?.bodies.map((body) => body.id));
    const added = message.bodies.filter((body) => !before.has(body.id));
    app.set('scene', message);
    if (!fresh && added.some(({ id }) => app.isChosen(id))) app.choose(app.get('chosen'));
    else if (!fresh && added.length) app.select(added[0].id);  // what has just come is worked on next
    else if (!app.viewport.bodyView(app.selected)) app.select(message.bodies[0]?.id ?? '', false);
    if (!fresh) return;
    app.select(message.bodies[0]?.id ?? '', false);
    const wireframe = message.bodies.some((b) => b.wireframe);
    app.setLook({ cut: null, show: { ...app.look.show, wireframe, finish: 'own' } });
    colorBy(app, message.show);
    app.emit('fresh', message);
}

function status(app: App, message: ServerStatus): void {
    const { viewport } = app;
    if (app.status?.comparing && !message.comparing) viewport.dropRun(1);
    if (viewport.comparing !== message.comparing) {
        viewport.comparing = message.comparing;
        viewport.frameScene();
    }
    app.set('status', message);
}

function refused(app: App, message: ServerError): void {
    app.edits.heardError(message);
    app.emit('refused', message.about);
    if (message.about === 'edit' && app.document) {  // the control shows what counts again
        app.set('document', app.document);
        if (app.showMistake(message.where, message.what)) return;
    }
    toast(message.where ? `${message.where}: ${message.what}` : message.what, 'error');
}

/** A scene of many bodies has as many notes: the first ones, and the last, which is about all. */
function shortened(notes: string[]): string[] {
    return notes.length <= 5 ? notes : [...notes.slice(0, 3), `… and ${notes.length - 4} more like these`, notes[notes.length - 1]];
}
