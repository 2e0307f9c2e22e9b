// The page's copy of the open document: opened as a whole, then kept up to date by the engine's patches.
import type { ServerDocument, ServerEdited } from '../protocol/messages';
import type { Scene } from '../protocol/scene';
import { patched } from '../scene_editing/patch';

export type OpenDocument = Omit<ServerDocument, 'type' | 'content'> & { content: Scene };

export function openedDocument(message: ServerDocument): OpenDocument {
    const { type: _, content, ...rest } = message;
    return { ...rest, content: content as Scene };  // the engine opens nothing that its schema does not allow
}

/** The copy after an edit; null if the copy is not what the edit was made for: then all of it has to be sent again. */
export function editedDocument(document: OpenDocument | null, message: ServerEdited): OpenDocument | null {
    if (!document || document.id !== message.document || document.revision !== message.base) return null;
    const { revision, title, place, undo, redo, saved, warnings, changes } = message;
    return { ...document, revision, title, place, undo, redo, saved, warnings, content: patched(document.content, changes) as Scene };
}
