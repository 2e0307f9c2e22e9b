// Files dropped on the page go to the engine one by one, with a bar; then it opens what they are.
import type { App } from '../app';

/** One file; resolves to the number of the upload it is in. */
function post(app: App, file: File, to: string, progress: (fraction: number) => void): Promise<string> {
    return new Promise((done, fail) => {
        const request = new XMLHttpRequest();
        request.open('POST', app.withToken(`/upload?name=${encodeURIComponent(file.name)}${to ? `&to=${to}` : ''}`));
        request.upload.onprogress = (event) => progress(event.lengthComputable ? event.loaded / event.total : 0);
        request.onerror = () => fail(new Error('The engine does not answer.'));
        request.onload = () => {
            let answer: { upload?: string; error?: string } = {};
            try { answer = JSON.parse(request.responseText); } catch { /* a plain refusal */ }
            if (request.status === 200 && answer.upload) done(answer.upload);
            else fail(new Error(answer.error ?? request.responseText ?? `The engine refused ${file.name} (${request.status}).`));
        };
        request.send(file);
    });
}

export async function openFiles(app: App, files: Iterable<File>, progress: (what: string, fraction: number) => void): Promise<void> {
    const list = [...files], largest = app.welcome?.largest_upload ?? Infinity;
    for (const file of list) if (file.size > largest) throw new Error(`${file.name} is larger than ${Math.round(largest / 2 ** 20)} MB.`);
    await app.open(async () => {
        let to = '';
        try {
            for (const file of list) to = await post(app, file, to, (fraction) => progress(`sending ${file.name}`, Math.min(0.99, fraction)));
        } finally {
            progress('sending', 1);
        }
        return { from: 'upload', name: to };
    });
}
