// Look: turns the view, whatever is under the pointer.
import type { Tool } from '../toolbox/tool';

export const tool: Tool = {
    id: 'look', name: 'Look', key: 'O', about: 'Turn the view, whatever is under the pointer', order: 7,
    icon: 'M12 4v16M4 12h16M12 4l-2 2.3M12 4l2 2.3M12 20l-2-2.3M12 20l2-2.3M4 12l2.3-2M4 12l2.3 2M20 12l-2.3-2M20 12l-2.3 2',
    cursor: 'move', anywhere: true,
    make: () => ({}),
};
