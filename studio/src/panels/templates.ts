// Templates: scenes of the gallery that are good to begin with, under the words that people look for.
import type { App } from '../app';
import { h } from '../dom';

/** By the name of the scene that each of them opens, as a copy. */
const templates: Array<[string, string, string]> = [
    ['rabbit', 'Soft toy', 'A surface that became soft'], ['jelly_cube', 'Jelly', 'It wobbles on the floor'], ['caterpillar', 'Crawler', 'Muscles that walk'],
    ['jellyfish', 'Swimmer', 'A bell that beats in water'], ['heart', 'Beating organ', 'A wall of fibres that twists'], ['cvg_peach', 'Fruit with a stone', 'Hard inside soft'],
    ['fem_adaptive', 'Adaptive beam', 'Finite elements, fine where they have to be'], ['cvg_spine', 'Cut me', 'Stiff inside: open it with X'],
];

/** `opened`: one of them was chosen. */
export function templatesSection(app: App, opened: () => void): HTMLElement {
    const cards = h('div.cards.recent-cards');
    const section = h('section.recent.templates', { hidden: true, 'aria-label': 'Templates' }, h('h2', {}, 'Templates'), cards);
    const open = async (name: string) => { if (await app.open({ from: 'gallery', name })) opened(); };
    const update = () => {
        const scenes = app.welcome?.gallery ?? [];
        const found = templates.flatMap(([name, title, about]) => { const scene = scenes.find((one) => one.name === name); return scene ? [{ name, title, about, picture: scene.picture }] : []; });
        section.hidden = found.length === 0;
        cards.replaceChildren(...found.map(({ name, title, about, picture }) => h('button.card', { type: 'button', 'data-template': name, onclick: () => void open(name) },
            h('div.picture', {}, picture ? h('img', { src: `/gallery/${name}.png`, alt: '', loading: 'lazy' }) : null), h('strong', {}, title), h('span', {}, about))));
    };
    app.on(['welcome', 'picture'], update);
    return section;
}
