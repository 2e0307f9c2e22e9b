// Paint of muscles: amplitude, phase and depth of bodies.
import { muscleTargets } from '../painting/muscle_targets';
import { PaintHand } from '../painting/paint_hand';
import { WavePreview } from '../painting/wave_preview';
import type { Tool } from '../toolbox/tool';

export const tool: Tool = {
    id: 'muscle-paint', name: 'Paint muscles', key: '', about: 'Paint how strongly and how late muscles act, and their depth', order: 22, desk: 'muscles',
    icon: 'M4.500 19.500c2.500 0 4.500-1 4.500-3.500l-1.500-1.500c-2.500 0-2 3-3 5zM9.500 13.500 18 4.500l1.500 1.500-9 8.500M8.500 14l2 2',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make(app) {
        const { parts } = new PaintHand(app, muscleTargets, 'muscle-paint', 'muscles', { 'muscle-strokes': 'depth' });
        parts.panel!.append(new WavePreview(app, 'muscle-paint').element);
        return parts;
    },
};
