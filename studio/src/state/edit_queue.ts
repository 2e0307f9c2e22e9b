// Edits on their way to the engine: one at a time, each for the document and the revision the page knows. Of a control that
// is moved faster than the engine answers only the newest value waits. What waits dies with its document.
import type { ClientMessage, ServerEdited, ServerError, Spot } from '../protocol/messages';
import type { Scene } from '../protocol/scene';
import { type Edit, type Path, pointer, resetCommand, setCommand } from '../scene_editing/commands';
import type { Json } from '../scene_editing/schema';
import type { OpenDocument } from './document';

/** Made when its turn comes, from what the document is then; null: nothing to do any more. */
export type MakeEdit = (content: Scene) => Edit | null;

type Command =
    | { type: 'edit'; make: MakeEdit; draft: Draft }
    | { type: 'undo' | 'redo' | 'save' }
    | { type: 'discard'; draft: Draft }
    | { type: 'pin' | 'unpin'; spot: Spot };

interface Flying {
    command: Command;
    /** null: not an edit with a number. */
    edit: number | null;
}

/** A gesture that changes the document while it lasts and is one step of undo when it ends. */
export class Draft {
    /** Edits of it that the engine took. */
    accepted = 0;

    constructor(private readonly queue: EditQueue, readonly merge: string) {}

    preview(make: MakeEdit): void {
        this.queue.push({ type: 'edit', make, draft: this });
    }

    /** As if it had not been. */
    discard(): void {
        this.queue.discard(this);
    }
}

export class EditQueue {
    private waiting: Command[] = [];
    private flying: Flying | null = null;
    private opened = '';
    private edits = 0;
    private drafts = 0;
    /** Of the control that is being moved. */
    private open: { control: string; draft: Draft } | null = null;

    constructor(private readonly send: (message: ClientMessage) => boolean, private readonly document: () => OpenDocument | null) {}

    /** Moves a control: until the gesture ends, all moves are one step of undo. */
    edit(control: string, make: MakeEdit): void {
        if (this.open?.control !== control) this.open = { control, draft: this.draft() };
        this.open.draft.preview(make);
    }

    /** One edit, one step of undo. */
    once(make: MakeEdit): void {
        this.draft().preview(make);
    }

    set(path: Path, value: Json, name: string): void {
        this.edit(pointer(path), (content) => setCommand(content, path, value, name));
    }

    /** Takes a value out, so that its default counts again. */
    reset(path: Path, name: string): void {
        this.once((content) => resetCommand(content, path, name));
    }

    /** A gesture of a tool. */
    draft(): Draft {
        return new Draft(this, `gesture ${++this.drafts}`);
    }

    /** The control was let go: what is set next is another step of undo. */
    endGesture(): void {
        this.open = null;
    }

    /** Escape: the control that is being moved goes back. False if none is. */
    discardGesture(): boolean {
        const { open } = this;
        this.open = null;
        open?.draft.discard();
        return open !== null;
    }

    undo(): void { this.push({ type: 'undo' }); }
    redo(): void { this.push({ type: 'redo' }); }
    save(): void { this.push({ type: 'save' }); }
    pin(spot: Spot): void { this.push({ type: 'pin', spot }); }
    unpin(spot: Spot): void { this.push({ type: 'unpin', spot }); }

    discard(draft: Draft): void {
        this.waiting = this.waiting.filter((command) => command.type !== 'edit' || command.draft !== draft);
        this.push({ type: 'discard', draft });
    }

    push(command: Command): void {
        const last = this.waiting[this.waiting.length - 1];
        if (command.type === 'edit' && last?.type === 'edit' && last.draft === command.draft) this.waiting.pop();
        this.waiting.push(command);
        this.next();
    }

    /** How many edits the engine has not taken yet. */
    get pending(): number {
        return this.waiting.length + (this.flying ? 1 : 0);
    }

    private next(): void {
        while (!this.flying && this.waiting.length) {
            const document = this.document();
            if (!document) return this.clear();
            const command = this.waiting.shift()!;
            const message = this.messageFor(command, document);
            if (message && this.send(message)) this.flying = { command, edit: message.type === 'edit' ? message.edit : null };
        }
    }

    /** null: by now there is nothing to do. */
    private messageFor(command: Command, { id: document, revision, undo, redo, content }: OpenDocument): ClientMessage | null {
        const to = { document, revision };
        switch (command.type) {
            case 'edit': {
                const edit = command.make(content);
                return edit?.changes.length ? { type: 'edit', ...to, edit: ++this.edits, label: edit.label, changes: edit.changes, merge: command.draft.merge } : null;
            }
            case 'discard': return command.draft.accepted ? { type: 'undo', ...to } : null;
            case 'undo': return undo ? { type: 'undo', ...to } : null;
            case 'redo': return redo ? { type: 'redo', ...to } : null;
            case 'save': return { type: 'save', ...to };
            default: return { type: command.type, ...to, spot: command.spot };
        }
    }

    // ---- what the engine answers; after the page's copy of the document has followed

    /** `followed`: the page's copy is up to date; else all of it is on its way, and edits wait for it. */
    heardEdited(message: ServerEdited, followed = true): void {
        if (!this.flying || message.edit !== this.flying.edit) return;
        if (this.flying.command.type === 'edit') ++this.flying.command.draft.accepted;
        this.flying = null;
        if (followed) this.next();
    }

    heardError(message: ServerError): void {
        if (!this.flying) return;
        const { command, edit } = this.flying;
        const about = command.type === 'discard' ? 'undo' : command.type;
        if (message.about !== about || (message.edit !== undefined && message.edit !== edit)) return;
        this.flying = null;
        // Made for another revision: the document follows, and what waits is made from it.
        if (message.where !== 'revision' && message.where !== 'document') this.next();
    }

    /** The document was sent as a whole: another one, or the same again. */
    heardDocument(id: string): void {
        if (this.opened !== id) this.clear();
        this.opened = id;
        this.next();
    }

    /** Nothing of what was meant for another document, or for an engine that is gone, is sent. */
    clear(): void {
        this.waiting = [];
        this.flying = null;
        this.open = null;
    }
}
