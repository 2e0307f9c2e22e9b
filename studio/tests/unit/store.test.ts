// The store, the page's copy of the document, and the edits on their way to the engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Requests } from '../../src/connection/requests';
import type { ClientAsk, ClientEdit, ClientMessage, ServerDocument, ServerEdited } from '../../src/protocol/messages';
import { patched } from '../../src/scene_editing/patch';
import { type OpenDocument, editedDocument, openedDocument } from '../../src/state/document';
import { EditQueue } from '../../src/state/edit_queue';
import { identityOfSelection, selectionOf } from '../../src/state/selection';
import { Store } from '../../src/state/store';

test('a listener hears its slices with their values, and no more once it stopped', () => {
    const store = new Store<{ a: number; b: string }, { moment: boolean }>({ a: 1, b: '' });
    const heard: unknown[] = [];
    const stop = store.on(['a', 'moment'], (value) => heard.push(value));
    store.set('a', 2);
    store.set('b', 'unheard');
    store.emit('moment', true);
    stop();
    store.set('a', 3);
    assert.deepEqual(heard, [2, true]);
    assert.equal(store.get('a'), 3);
});

test('a selection names its body as messages do, copies included', () => {
    for (const identity of ['bell', 'bell/7']) assert.equal(identityOfSelection(selectionOf(identity)), identity);
    assert.deepEqual(selectionOf('bell/7'), { body: 'bell', instance: '7', part: null, byHand: true });
});

/** An engine that keeps one document and answers when it is told to. */
class Engine {
    document: OpenDocument;
    readonly heard: ClientMessage[] = [];
    readonly queue: EditQueue;

    constructor(id = '1') {
        this.document = Engine.opened(id);
        this.queue = new EditQueue((message) => { this.heard.push(message); return true; }, () => this.document);
        this.queue.heardDocument(id);
    }

    static opened(id: string): OpenDocument {
        const message: ServerDocument = { type: 'document', id, revision: 5, content: { yawara: 1, bodies: [{ name: 'a', solid: {}, matching: { alpha: 1 } }] }, name: 'x', title: 'X', place: '', undo: '', redo: '', saved: true, warnings: [] };
        return openedDocument(message);
    }

    open(id: string): void {
        this.document = Engine.opened(id);
        this.queue.heardDocument(id);
    }

    /** Takes the newest message, as the engine does. */
    answer(): void {
        const message = this.heard[this.heard.length - 1];
        const { id, revision, undo } = this.document;
        const isEdit = message.type === 'edit';
        const edited: ServerEdited = {
            type: 'edited', document: id, base: revision, revision: revision + 1, changes: isEdit ? message.changes.map((c) => ({ ...c, path: c.path.replace('@a', '0') })) : [], edit: isEdit ? message.edit : null,
            title: 'X', place: '', undo: isEdit ? message.label : message.type === 'undo' ? '' : undo, redo: '', saved: false, warnings: [],
        };
        this.document = editedDocument(this.document, edited)!;
        this.queue.heardEdited(edited);
    }

    get edits(): ClientEdit[] {
        return this.heard.filter((m): m is ClientEdit => m.type === 'edit');
    }
}

const alpha = ['bodies', '@a', 'matching', 'alpha'];
const values = (engine: Engine) => engine.edits.map((e) => e.changes[0].value);

test('one edit is on its way at a time, and of those that wait the newest of a control wins', () => {
    const engine = new Engine();
    for (const value of [0.9, 0.8, 0.7, 0.6]) engine.queue.set(alpha, value, 'alpha');
    assert.deepEqual(values(engine), [0.9]);
    engine.answer();
    assert.deepEqual(values(engine), [0.9, 0.6]);
    engine.answer();
    assert.equal(engine.queue.pending, 0);
});

test('every edit carries its document and the revision that the page knows', () => {
    const engine = new Engine('7');
    engine.queue.set(alpha, 0.5, 'alpha');
    engine.answer();
    engine.queue.set(alpha, 0.4, 'alpha');
    assert.deepEqual(engine.edits.map((e) => [e.document, e.revision]), [['7', 5], ['7', 6]]);
});

test('what waits for a document dies with it, even if the answer to the last edit comes later', () => {
    const engine = new Engine();
    engine.queue.set(alpha, 0.5, 'alpha');
    engine.queue.set(['step', 'dt'], 0.01, 'dt');
    engine.open('2');
    assert.equal(engine.queue.pending, 0);
    engine.queue.heardEdited({ type: 'edited', document: '1', base: 5, revision: 6, changes: [], edit: 1, title: '', place: '', undo: '', redo: '', saved: false, warnings: [] });
    assert.equal(engine.edits.length, 1, 'nothing was sent to the other document');
    engine.queue.set(alpha, 0.3, 'alpha');
    assert.equal(engine.edits[1].document, '2');
});

test('undo pressed while an edit is on its way undoes that edit, and waits for it', () => {
    const engine = new Engine();
    engine.queue.set(alpha, 0.5, 'alpha');
    engine.queue.endGesture();
    engine.queue.undo();
    assert.equal(engine.heard.length, 1);
    engine.answer();
    assert.deepEqual(engine.heard[1], { type: 'undo', document: '1', revision: 6 });
});

test('moves of one gesture are undone together, those of the next are not', () => {
    const engine = new Engine();
    const merges: unknown[] = [];
    for (const gesture of [1, 1, 2]) {
        if (gesture === 2) engine.queue.endGesture();
        engine.queue.set(alpha, 0.5 + 0.1 * merges.length, 'alpha');
        merges.push(engine.edits[engine.edits.length - 1].merge);
        engine.answer();
    }
    assert.equal(merges[0], merges[1]);
    assert.notEqual(merges[1], merges[2]);
});

test('a gesture that is thrown away is undone if the engine took any of it, and never sent if not', () => {
    const engine = new Engine();
    engine.queue.set(alpha, 0.5, 'alpha');
    engine.queue.set(alpha, 0.4, 'alpha');
    assert.ok(engine.queue.discardGesture());
    engine.answer();
    assert.deepEqual(engine.heard.map((m) => m.type), ['edit', 'undo']);
    engine.answer();

    // One that the engine refused leaves nothing to undo: the edit before it stays.
    engine.queue.once(() => ({ label: 'before', changes: [{ op: 'add', path: '/frames', value: 3 }] }));
    engine.answer();
    engine.queue.set(alpha, 7, 'alpha');
    engine.queue.discardGesture();
    engine.queue.heardError({ type: 'error', about: 'edit', where: '', what: 'no', edit: engine.edits[engine.edits.length - 1].edit });
    assert.equal(engine.heard.filter((m) => m.type === 'undo').length, 1);
    assert.ok(!engine.queue.discardGesture());
});

test('an edit that is refused makes way for the next, and the error of an older one does not', () => {
    const engine = new Engine();
    engine.queue.set(alpha, 7, 'alpha');
    engine.queue.set(['step', 'dt'], 0.01, 'dt');
    engine.queue.heardError({ type: 'error', about: 'edit', where: '', what: 'an older one', edit: 0 });
    assert.equal(engine.edits.length, 1);
    engine.queue.heardError({ type: 'error', about: 'edit', where: '', what: 'no', edit: engine.edits[0].edit });
    assert.equal(engine.edits.length, 2);
});

test('what waits behind an edit for an old revision waits for the document, and is made from it', () => {
    const engine = new Engine();
    engine.queue.set(alpha, 0.5, 'alpha');
    engine.queue.set(['frames'], 10, 'frames');
    engine.queue.heardError({ type: 'error', about: 'edit', where: 'revision', what: 'the scene was changed elsewhere meanwhile', edit: engine.edits[0].edit });
    assert.equal(engine.edits.length, 1);
    engine.document = { ...engine.document, revision: 9 };
    engine.queue.heardDocument('1');
    assert.deepEqual(engine.edits.map((e) => e.revision), [5, 9]);
});

test('the copy follows patches, and knows when it lost track', () => {
    const before = Engine.opened('1');
    const edited: ServerEdited = { type: 'edited', document: '1', base: 5, revision: 6, changes: [{ op: 'replace', path: '/bodies/0/matching/alpha', value: 0.5 }], edit: null, title: 'Y', place: '', undo: 'u', redo: '', saved: false, warnings: [] };
    const after = editedDocument(before, edited)!;
    assert.equal(after.content.bodies[0].matching?.alpha, 0.5);
    assert.equal(before.content.bodies[0].matching?.alpha, 1, 'the copy before is not changed');
    assert.deepEqual([after.revision, after.title, after.undo, after.saved], [6, 'Y', 'u', false]);
    assert.equal(editedDocument(before, { ...edited, base: 6 }), null);
    assert.equal(editedDocument(before, { ...edited, document: '2' }), null);
    assert.equal(editedDocument(null, edited), null);
});

test('patches do what RFC 6902 says, in lists and objects, and leave the rest shared', () => {
    const before = { list: [1, 2, 3], 'a/b': { keep: {} } };
    const after = patched(before, [
        { op: 'add', path: '/list/1', value: 9 }, { op: 'replace', path: '/list/0', value: 0 }, { op: 'remove', path: '/list/3' },
        { op: 'add', path: '/list/-', value: 7 }, { op: 'add', path: '/a~1b/new', value: true },
    ]) as typeof before;
    assert.deepEqual(after, { list: [0, 9, 2, 7], 'a/b': { keep: {}, new: true } });
    assert.deepEqual(before, { list: [1, 2, 3], 'a/b': { keep: {} } });
    assert.equal(after['a/b'].keep, before['a/b'].keep);
});

test('a question gets its answer; of one slot only the newest, the others get nothing', async () => {
    const asked: ClientAsk[] = [];
    const requests = new Requests((message) => asked.push(message) > 0);
    const spot = { body: 'a', triangle: 0, weights: [1, 0, 0] as [number, number, number] };
    const older = requests.ask('pick', { spot }), newer = requests.ask('pick', { spot }), other = requests.ask('rest_place', { spot });
    assert.equal(await older, null);
    requests.heard({ id: asked[0].id, answer: 'late' });
    requests.heard({ id: asked[2].id, answer: { place: [1, 2, 3] } });
    requests.heard({ id: asked[1].id, answer: { particle: 4 } });
    assert.deepEqual(await newer, { particle: 4 });
    assert.deepEqual(await other, { place: [1, 2, 3] });
    const refused = requests.ask('pick', { spot });
    requests.heard({ id: asked[3].id, error: 'no such body' });
    await assert.rejects(refused, /no such body/);
    const cut = requests.ask('pick', { spot });
    requests.clear();
    assert.equal(await cut, null);
});
