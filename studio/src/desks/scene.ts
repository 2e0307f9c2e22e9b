// The Scene desk: what is in the scene, and everything that can be put there.
import { h, icon } from '../dom';
import { addMenu } from '../panels/add_menu';
import { Outliner } from '../panels/outliner';
import { menuButton } from '../panels/popup_menu';
import type { Desk } from '../toolbox/desk';
import { holdKind } from '../tools/hold';

export const desk: Desk = {
    id: 'scene', name: 'Scene', about: 'Bodies, obstacles, what holds them, camera', order: 1,
    icon: 'M4.500 6h6M4.500 12h6M4.500 18h6M14 4.500h5.500V10H14zM14 14h5.500v5.500H14z',
    make(app, { toolbox, actions, openFiles }) {
        const outliner = new Outliner(app, actions);
        const hold = (kind: 'pin' | 'handle') => () => {
            holdKind(app, kind);
            toolbox.choose('hold');
        };
        const add = addMenu(app, actions, openFiles, [
            { name: 'Pin', about: 'Draw around what should stay where it is', icon: 'M9 4.500h6l-.8 5 3 3.200H6.800l3-3.200zM12 12.700V20', act: hold('pin') },
            { name: 'Handle', about: 'Draw around what should follow a path', icon: 'M12 4v16M4 12h16M9 7l3-3 3 3M9 17l3 3 3-3', act: hold('handle') },
        ]);
        app.on('addMenu', () => add.open());
        const more = menuButton('icon-button', 'More for what is chosen', () => {
            const items = outliner.menu();
            return items.length ? items : [{ words: 'Choose all', act: () => app.choose((app.scene?.bodies ?? []).map(({ id }) => `/bodies/@${id.split('/')[0]}`).filter((key, k, all) => all.indexOf(key) === k)) }];
        }, icon('more'));
        return { rail: add.element, panel: h('section.desk-panel', { 'aria-label': 'Scene' }, h('header', {}, h('h2', {}, 'Scene'), more), outliner.element) };
    },
};
