// Files dropped on the page go to the engine one by one, with a bar; then it opens what they are, or adds them.
import type { AddedAs, App } from '../app';
import { valueAt } from '../scene_editing/commands';
import { type JsonObject, isObject } from '../scene_editing/schema';

type Tell = (what: string, fraction: number) => void;

/** One file; resolves to the number of the upload it is in. */
function post(app: App, file: File, to: string, progress: (fraction: number) => void): Promise<string> {
    return new Promise((done, fail) => {
        const request = new XMLHttpRequest();
        request.open('POST', app.withToken(`/upload?name=${encodeURIComponent(file.name)}${to ? `&to=${to}` : ''}`));
        request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
        request.onerror = () => fail(new Error('The engine is not responding.'));
        request.onload = () => {
            let answer: { upload?: string; error?: string } = {};
            try { answer = JSON.parse(request.responseText); } catch { /* a plain refusal */ }
            if (request.status === 200 && answer.upload) done(answer.upload);
            else fail(new Error(answer.error ?? request.responseText ?? `The engine refused ${file.name} (${request.status}).`));
        };
        request.send(file);
    });
}

/** All of them into one upload; resolves to its number. */
async function postAll(app: App, files: File[], progress: Tell): Promise<string> {
    let to = '';
    try {
        for (const file of files) to = await post(app, file, to, (fraction) => progress(`sending ${file.name}`, Math.min(0.99, fraction)));
    } finally {
        progress('sending', 1);
    }
    return to;
}

function checkSizes(app: App, files: File[]): void {
    const largest = app.welcome?.largest_upload ?? Infinity;
    for (const file of files) if (file.size > largest) throw new Error(`${file.name} is larger than ${Math.round(largest / 2 ** 20)} MB.`);
}

/** Scenes, alone or packed, are documents of their own; everything else can become a body of the open one. */
export function canBeAdded(files: File[]): boolean {
    return files.every(({ name }) => !/\.(json|zip)$/i.test(name));
}

/** Files of shapes over time. */
export const motionEndings = ['.ywc', '.pc2', '.mdd'];
export function isMotion(files: File[]): boolean {
    return files.length === 1 && motionEndings.some((ending) => files[0].name.toLowerCase().endsWith(ending));
}

/** Finds muscles of the selected body from a motion. */
export async function fitFile(app: App, file: File, progress: Tell): Promise<void> {
    checkSizes(app, [file]);
    if (!app.document || !app.selected) throw new Error(`${file.name} is a motion: choose a body with muscles that should move like that.`);
    const { id } = app.document, body = app.selected;
    app.fit({ document: id, body, upload: await postAll(app, [file], progress) });
}

export async function openFiles(app: App, files: File[], progress: Tell): Promise<void> {
    checkSizes(app, files);
    await app.open(async () => ({ from: 'upload', name: await postAll(app, files, progress) }));
}

export async function addFiles(app: App, files: File[], progress: Tell, as: AddedAs = 'body'): Promise<void> {
    checkSizes(app, files);
    const { id } = app.document!, into = as === 'part' ? modelOf(app) : undefined;  // another one may be open when they have arrived
    app.add(id, await postAll(app, files, progress), as, into);
}

/** The selected body, if parts can be put into it; undefined: they become a body. */
function modelOf(app: App): string | undefined {
    const body = app.document && valueAt(app.document.content as unknown as JsonObject, ['bodies', `@${app.selected.split('/')[0]}`, 'solid', 'volume']);
    return isObject(body) ? app.selected : undefined;
}
