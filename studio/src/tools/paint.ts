// Paint: stiffness, modulus, density and groups of bodies.
import { materialTargets } from '../painting/material_targets';
import { PaintHand } from '../painting/paint_hand';
import type { Tool } from '../toolbox/tool';

export const tool: Tool = {
    id: 'paint', name: 'Paint', key: 'J', about: 'Paint stiffness, modulus, density or groups onto a body and into it', order: 20, desk: 'material',
    icon: 'M4.500 19.500c2.500 0 4.500-1 4.500-3.500l-1.500-1.500c-2.500 0-2 3-3 5zM9.500 13.500 18 4.500l1.500 1.500-9 8.500M8.500 14l2 2',
    cursor: 'crosshair', anywhere: true, chooses: true,
    make: (app) => new PaintHand(app, materialTargets, 'paint', 'material', { fibres: 'modulus' }).parts,
};
