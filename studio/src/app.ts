// What the parts of the page share: what the engine told, what this page shows, and ways to ask for changes.
import { Requests } from './connection/requests';
import type { AnswerPick, ClientAdd, ClientExport, ClientFit, ClientMessage, ClientOpen, Quantity, RecentDocument, ServerBuild, ServerFitted, ServerMeasures, ServerProgress, ServerScene, ServerStats, ServerStatus, ServerWelcome, Take } from './protocol/messages';
import { ShownFrames } from './exporting/shown_frames';
import type { GizmoMode } from './overlays/gizmo';
import type { OpenDocument } from './state/document';
import { EditQueue } from './state/edit_queue';
import type { Keyed } from './state/keyed';
import { type PaintSettings, plainPaint } from './painting/paint_settings';
import { type Look, plainLook } from './state/look';
import { type Selection, identityOfSelection, selectionOf } from './state/selection';
import { type Settings, keepSettings, readSettings } from './state/settings';
import { Store } from './state/store';
import { belongsTo, keyOfBody } from './state/things';
import type { Viewport } from './viewport/viewport';

/** trying: at first, or cut; refused: the token in the address does not count; full: no page more. */
export type Connection = 'trying' | 'connected' | 'cut' | 'refused' | 'full';

export interface State {
    // as the engine told
    connection: Connection;
    welcome: ServerWelcome | null;
    document: OpenDocument | null;
    scene: ServerScene | null;
    status: ServerStatus | null;
    stats: ServerStats | null;
    takes: Take[];
    recent: RecentDocument[];
    build: ServerBuild | null;
    progress: ServerProgress | null;
    picked: AnswerPick | null;
    /** The schema of scene files. */
    schema: unknown;
    // of this page
    selection: Selection | null;
    /** Things of the document that a person chose, the last one last: keys as in state/things.ts. */
    chosen: readonly string[];
    /** Keys of things that this page does not show, and of those that it does not let a hand choose or move. */
    hidden: ReadonlySet<string>;
    locked: ReadonlySet<string>;
    /** Identity of the body that is drawn as its volume model instead; null: none. */
    modelled: string | null;
    /** Id of a desk. */
    desk: string;
    /** s: where keys are set while the time of the playhead is not meant; null: it is. */
    keyTime: number | null;
    /** What is chosen is led by keys; null: it is not. */
    keyed: Keyed | null;
    /** Id of a tool. */
    tool: string;
    look: Look;
    /** How the next hand paints. */
    paint: PaintSettings;
    settings: Settings;
}

export interface Moments {
    /** Another document was opened. */
    opened: OpenDocument;
    /** Another scene is about to be shown. */
    fresh: ServerScene;
    measures: ServerMeasures;
    /** A file of the engine is ready and was handed out. */
    exported: string;
    /** Muscles were found from a motion. */
    fitted: ServerFitted;
    /** A message was refused: its type. */
    refused: string;
    /** A picture of the gallery is there: its scene. */
    picture: string;
    /** The shape of a body at rest came: what is under a pointer that rests can be told now. */
    restShape: undefined;
    /** A hand went down on a body. */
    touched: undefined;
    /** Colors that follow what occurs did so. */
    range: undefined;
    /** What is chosen is to lie on what is below. */
    dropDown: undefined;
    /** The menu of what can be added is to open. */
    addMenu: undefined;
    /** The gizmo is to do something else. */
    gizmoMode: GizmoMode;
}

/** What a file becomes. */
export type AddedAs = NonNullable<ClientAdd['as']>;
export type Opening = Pick<ClientOpen, 'from' | 'name'>;

export class App extends Store<State, Moments> {
    readonly edits: EditQueue;
    readonly requests: Requests;
    readonly ask: Requests['ask'];
    readonly frames = new ShownFrames(this);
    drawnPerSecond = 0;
    /** s, of the simulation: of the frame that is shown. */
    shownTime = 0;
    viewport!: Viewport;
    /** Asks what becomes of unsaved edits before another document is opened; null: it is not. */
    mayLeave: () => Promise<{ keep: boolean } | null> = async () => ({ keep: true });
    /** Shows a mistake at the control it is about; false: there is none. */
    showMistake: (place: string, what: string) => boolean = () => false;
    readonly token = new URLSearchParams(location.search).get('token') ?? '';

    constructor(readonly send: (message: ClientMessage) => boolean) {
        super({
            connection: 'trying', welcome: null, document: null, scene: null, status: null, stats: null, takes: [], recent: [], build: null, progress: null, picked: null, schema: null,
            selection: null, chosen: [], hidden: new Set(), locked: new Set(), modelled: null, desk: 'scene', keyTime: null, keyed: null, tool: 'grab', paint: plainPaint, look: plainLook(matchMedia('(prefers-color-scheme: dark)').matches), settings: readSettings(),
        });
        this.edits = new EditQueue(send, () => this.document);
        this.requests = new Requests(send);
        this.ask = this.requests.ask.bind(this.requests);
    }

    get welcome() { return this.state.welcome; }
    get document() { return this.state.document; }
    get scene() { return this.state.scene; }
    get status() { return this.state.status; }
    get stats() { return this.state.stats; }
    get schema() { return this.state.schema; }
    get look() { return this.state.look; }
    get recent() { return this.state.recent; }

    // ---- documents

    /** Opens another document, unless a person wants to stay with this one. `prepare` runs after that is known. */
    async open(prepare: Opening | (() => Promise<Opening>)): Promise<boolean> {
        const leave = this.document && !this.document.saved ? await this.mayLeave() : { keep: true };
        if (!leave) return false;
        const { from, name } = typeof prepare === 'function' ? await prepare() : prepare;
        return this.send({ type: 'open', from, name, keep: leave.keep });
    }

    /** Puts uploaded files into the open document; `into`: the body whose model gets them as parts, or whose poses they become. */
    add(document: string, upload: string, as: AddedAs = 'body', into = as === 'pose' ? this.selected : undefined): void {
        this.send({ type: 'add', document, upload, ...(as === 'body' ? {} : { as }), ...(into ? { into } : {}) });
    }

    /** Nothing is in the scene yet but what surrounds bodies. */
    get isEmpty(): boolean {
        return this.document !== null && this.document.content.bodies.length === 0;
    }

    export(format: ClientExport['format']): void {
        if (this.document) this.send({ type: 'export', document: this.document.id, format });
    }

    /** Finds muscles of a body from the take or from an upload. */
    fit(what: Omit<ClientFit, 'type'>): void {
        this.send({ type: 'fit', ...what });
    }

    /** The scene as it is now runs beside what is edited; or a take is shown beside the one on the timeline. */
    compare(on: boolean, take?: number): void {
        if (this.document) this.send({ type: 'compare', document: this.document.id, on, ...(take === undefined ? {} : { take }) });
    }

    // ---- the picture

    /** Changes how things are shown; the engine is told what it has to send for that. */
    setLook(change: Partial<Look>): void {
        const look = { ...this.look, ...change };
        this.viewport.applyLook(look);
        this.set('look', look);
        this.sendView();
    }

    sendView(): void {
        const { show, color } = this.look;
        const solid = (show.wireframe && !show.outerLines) || show.particles || this.state.picked !== null;
        this.send({ type: 'view', solid, color, cut: this.viewport.cutting.forEngine });
    }

    setSettings(change: Partial<Settings>): void {
        const settings = { ...this.state.settings, ...change };
        keepSettings(settings);
        this.set('settings', settings);
    }

    setPaint(change: Partial<PaintSettings>): void {
        this.set('paint', { ...this.state.paint, ...change });
    }

    /** Identity of the selected body as messages name it; empty: none yet. */
    get selected(): string {
        return this.state.selection ? identityOfSelection(this.state.selection) : '';
    }

    select(identity: string, byHand = true): void {
        this.set('selection', selectionOf(identity, byHand));
        this.set('chosen', byHand && identity ? [keyOfBody(identity)] : []);
    }

    /** Chooses things of the document; the last one is what the form shows, if it is a body or belongs to one. */
    choose(keys: readonly string[]): void {
        const last = keys[keys.length - 1];
        const body = last === undefined ? undefined : this.scene?.bodies.find(({ id }) => belongsTo(id, last));
        if (body && !belongsTo(this.selected, last)) this.set('selection', selectionOf(body.id));
        else if (this.state.selection) this.set('selection', { ...this.state.selection, byHand: body !== undefined });
        this.set('chosen', keys);
    }

    /** Does a body that runs belong to what a person chose? */
    isChosen(identity: string): boolean {
        return this.state.chosen.some((key) => belongsTo(identity, key));
    }

    /** Quantities that any body has, each once. */
    quantities(): Quantity[] {
        const all = new Map<string, Quantity>();
        for (const body of this.scene?.bodies ?? []) for (const q of body.quantities) if (!all.has(q.name)) all.set(q.name, q);
        return [...all.values()];
    }

    /** An address of this engine that needs the secret. */
    withToken(path: string): string {
        return `${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(this.token)}`;
    }
}
