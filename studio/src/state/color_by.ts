// Shows a quantity with the colors that fit it.
import type { App } from '../app';

export function colorBy(app: App, name: string): void {
    const quantity = app.quantities().find((q) => q.name === name);
    const own = app.scene?.show === name;
    app.viewport.colors.seen = [0, 0];
    app.setLook({
        color: name, map: own && app.scene?.map ? app.scene.map : quantity?.signed ? 'coolwarm' : 'viridis',
        range: own && app.scene?.range ? (app.scene.range as [number, number]) : null,
    });
}

/** The next quantity, and after the last own colors. */
export function colorByNext(app: App): void {
    const names = ['', ...app.quantities().map((q) => q.name)];
    colorBy(app, names[(names.indexOf(app.look.color) + 1) % names.length]);
}
