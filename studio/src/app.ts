// What the parts of the page share: the state of the session as the engine tells it, and ways to ask for changes.
import type { AnswerPick, ClientMessage, Quantity, ServerDocument, ServerScene, ServerStats, ServerStatus, ServerWelcome, Spot } from './protocol/messages';
import type { Look, Viewport } from './viewport/viewport';
import type { Tool } from './viewport/tools';

export type Event = 'welcome' | 'document' | 'scene' | 'status' | 'stats' | 'look' | 'tool' | 'picked' | 'connected' | 'range' | 'picture' | 'selection' | 'touched';

/** What meets the document is addressed when it is sent. */
export type Unaddressed<M> = M extends { document: string } ? Omit<M, 'document' | 'revision' | 'edit'> : M;
const revised = ['edit', 'undo', 'redo', 'save', 'pin', 'unpin'], unrevised = ['compare', 'export'];

export class App {
    welcome: ServerWelcome | null = null;
    document: ServerDocument | null = null;
    scene: ServerScene | null = null;
    status: ServerStatus | null = null;
    stats: ServerStats | null = null;
    picked: AnswerPick | null = null;
    schema: any = null;
    connected = false;
    /** Identity of a body; empty: none yet. */
    selected = '';
    drawnPerSecond = 0;
    /** s, of the simulation: of the frame that is shown. */
    shownTime = 0;
    tool: Tool = 'grab';
    look: Look = {
        show: { surface: 'solid', wireframe: false, particles: false, stuff: 'plain' }, color: '', map: 'viridis', range: null,
        dark: matchMedia('(prefers-color-scheme: dark)').matches, cut: null,
    };
    viewport!: Viewport;
    readonly token = new URLSearchParams(location.search).get('token') ?? '';

    private readonly listeners = new Map<Event, Array<() => void>>();

    constructor(private readonly post: (message: ClientMessage) => boolean) {}

    send(message: Unaddressed<ClientMessage>): boolean {
        const { id: document, revision } = this.document ?? { id: '', revision: 0 };
        if (message.type === 'edit') return this.post({ ...message, document, revision, edit: 0 } as ClientMessage);
        if (revised.includes(message.type)) return this.post({ ...message, document, revision } as ClientMessage);
        if (unrevised.includes(message.type)) return this.post({ ...message, document } as ClientMessage);
        return this.post(message as ClientMessage);
    }

    on(events: Event[], listener: () => void): void {
        for (const event of events) this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
    }

    emit(event: Event): void {
        for (const listener of this.listeners.get(event) ?? []) listener();
    }

    /** Changes how things are shown; the engine is told what it has to send for that. */
    setLook(change: Partial<Look>): void {
        this.look = { ...this.look, ...change };
        this.viewport.applyLook(this.look);
        this.sendView();
        this.emit('look');
    }

    sendView(): void {
        const { show, color } = this.look;
        const solid = show.wireframe || show.particles || this.picked !== null;
        this.send({ type: 'view', solid, color, cut: this.viewport.cutForEngine() });
    }

    /** What is inspected stays so: while time passes its numbers are asked for again. */
    private inspected: Spot | null = null;

    inspect(spot: Spot | null): void {
        this.inspected = spot;
        if (spot) this.pick(spot);
    }

    inspectAgain(): void {
        if (this.inspected && this.picked && this.status?.playing) this.pick(this.inspected);
    }

    private pick(spot: Spot): void {
        this.send({ type: 'ask', id: 1, about: 'pick', slot: 'pick', query: { spot } });
    }

    setTool(tool: Tool): void {
        this.tool = tool;
        this.emit('tool');
    }

    select(body: string): void {
        this.selected = body;
        this.emit('selection');
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
