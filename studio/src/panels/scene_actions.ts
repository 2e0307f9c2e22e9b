// What a person does with chosen things of the scene, from the tree, the menus and the keyboard alike: each one step of undo.
import { Vector3 } from 'three';
import type { App } from '../app';
import { toast } from './toasts';
import type { Edit } from '../scene_editing/commands';
import type { JsonObject } from '../scene_editing/schema';
import { type Made, allowedName, duplicateThings, orderThing, pasteThings, removeThings, renameThings, thingsAsText } from '../scene_editing/thing_commands';
import { kindOfKey, stillThere } from '../state/things';

export class SceneActions {
    /** What was copied last in this page, for buttons: the browser's own clipboard may not be read. */
    private copied = '';

    constructor(private readonly app: App) {
        app.on('document', (document) => {
            if (!document) return;
            const chosen = app.get('chosen'), left = stillThere(document.content as unknown as JsonObject, chosen);
            if (left.length !== chosen.length) app.choose(left);
        });
    }

    private get content(): JsonObject | null {
        return (this.app.document?.content ?? null) as unknown as JsonObject | null;
    }

    private once(make: (content: JsonObject) => Edit | null): void {
        this.app.edits.once((content) => make(content as unknown as JsonObject));
    }

    /** Makes something new and chooses it when the document has it. */
    make(make: (content: JsonObject) => Made | null): void {
        const { app } = this;
        let wanted: string[] = [];
        const stop = app.on('document', (document) => {
            if (!wanted.length || !document || stillThere(document.content as unknown as JsonObject, wanted).length !== wanted.length) return;
            stop();
            app.choose(wanted);
        });
        app.edits.once((content) => {
            const made = make(content as unknown as JsonObject);
            if (!made) stop();
            wanted = made?.keys ?? [];
            return made?.edit ?? null;
        });
    }

    private unlocked(): string[] {
        const chosen = this.app.get('chosen'), free = chosen.filter((key) => !this.app.get('locked').has(key));
        if (free.length < chosen.length) toast(free.length ? 'Locked things were left as they are.' : 'It is locked. The lock is in the tree.', 'warning');
        return free;
    }

    remove(): void {
        const keys = this.unlocked();
        if (keys.length) this.once((content) => removeThings(content, keys));
    }

    duplicate(as: 'copy' | 'instance'): void {
        const keys = this.app.get('chosen'), beside = new Vector3(this.spread(), 0, 0);
        if (keys.length) this.make((content) => duplicateThings(content, keys, as, beside));
    }

    /** m: how far apart a copy stands from its original. */
    private spread(): number {
        const sizes = (this.app.scene?.bodies ?? []).filter(({ id }) => this.app.isChosen(id)).map(({ size }) => size);
        return Math.round(110 * Math.max(...sizes, 0.01)) / 100 || 1;
    }

    /** False: that is no name. */
    rename(keys: readonly string[], wanted: string): boolean {
        if (!keys.some((key) => allowedName(wanted, kindOfKey(key)))) {
            toast('A name needs at least one letter or digit.', 'warning');
            return false;
        }
        this.once((content) => renameThings(content, keys, wanted));
        return true;
    }

    order(key: string, before: string | null): void {
        this.once((content) => orderThing(content, key, before));
    }

    /** null: nothing that can be copied is chosen. */
    copy(): string | null {
        const text = this.content && thingsAsText(this.content, this.app.get('chosen'));
        if (text) this.copied = text;
        return text;
    }

    /** False: the text is about something else. */
    paste(text = this.copied): boolean {
        const { content } = this, onto = this.app.get('chosen').find((key) => ['body', 'instance', 'pin', 'handle', 'force'].includes(kindOfKey(key)));
        if (!content || !pasteThings(content, text, onto)) return false;
        this.make((now) => pasteThings(now, text, onto));
        return true;
    }

    get canPaste(): boolean {
        return this.copied !== '';
    }

    // ---- of this page alone

    private toggle(slice: 'hidden' | 'locked', keys: readonly string[]): void {
        const next = new Set(this.app.get(slice)), on = keys.some((key) => !next.has(key));
        for (const key of keys) {
            if (on) next.add(key);
            else next.delete(key);
        }
        this.app.set(slice, next);
    }

    toggleHidden(keys: readonly string[]): void { this.toggle('hidden', keys); }
    toggleLocked(keys: readonly string[]): void { this.toggle('locked', keys); }
}

/** Ctrl C, X and V where no text is meant: things go through the clipboard as JSON, also to a scene in another tab. */
export function listenToClipboard(app: App, actions: SceneActions): void {
    const isText = (event: Event) => {
        const target = event.target as HTMLElement | null;
        return Boolean(target?.closest?.('input:not([type=range], [type=checkbox], [type=color]), textarea, dialog')) || !getSelection()?.isCollapsed;
    };
    for (const kind of ['copy', 'cut'] as const) {
        addEventListener(kind, (event) => {
            const text = isText(event) ? null : actions.copy();
            if (!text) return;
            event.clipboardData?.setData('text/plain', text);
            event.preventDefault();
            if (kind === 'cut') actions.remove();
            else toast(app.get('chosen').length === 1 ? 'Copied.' : `${app.get('chosen').length} things copied.`);
        });
    }
    addEventListener('paste', (event) => {
        if (isText(event)) return;
        const text = event.clipboardData?.getData('text/plain') ?? '';
        event.preventDefault();
        if (text && !actions.paste(text)) toast('The clipboard holds nothing that can be put into a scene.', 'warning');
    });
}
