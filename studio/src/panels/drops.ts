// Files dropped anywhere on the page.

export function acceptDrops(root: HTMLElement, take: (files: FileList, shift: boolean) => void): void {
    let depth = 0;
    addEventListener('dragenter', (event) => {
        event.preventDefault();
        if (++depth === 1 && event.dataTransfer?.types.includes('Files')) root.classList.add('dropping');
    });
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('dragleave', () => {
        if (--depth <= 0) root.classList.remove('dropping');
    });
    addEventListener('drop', (event) => {
        event.preventDefault();
        depth = 0;
        root.classList.remove('dropping');
        if (event.dataTransfer?.files.length) take(event.dataTransfer.files, event.shiftKey);
    });
}
