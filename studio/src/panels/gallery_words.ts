// Finds scenes of the gallery by what they say, by what they are made of and by the figures of the papers that they show.
import { figures } from './figures';

/** What people call what a key of the scene format stands for. */
const meanings: Record<string, string> = {
    fem: 'fem finite elements', matching: 'shape matching', stretch: 'muscle muscles active procdef', fields: 'muscle fibres fibers', charts: 'muscle curve rhythm', examples: 'pose poses example examples shape',
    cvg: 'volume constructive geometry', volume: 'volume cvg constructive geometry', prim: 'volume cvg primitive', lattice: 'lattice voxels cells', regions: 'stiffness uneven region lsm', instances: 'copies crowd many', medium: 'water air swim swimming drag',
    fibres: 'fibres fibers wood', orthotropic: 'wood orthotropic', plasticity: 'plastic clay yield', viscosity: 'viscous', levels: 'adaptive levels refinement', self: 'self contact folds', pins: 'pin pinned held',
    handles: 'handle moved path', forces: 'force push', from: 'mesh surface file', formula: 'formula', strokes: 'strokes drawn', paint: 'paint painted', measures: 'plot plots measure graph', obstacles: 'obstacle floor', cavity: 'hollow',
    cues: 'listen touch hit speed', controls: 'slider control expression', border: 'soft border', groups: 'groups parts', sleep: 'sleep rest', young: 'modulus young', capsule: 'rod', container: 'bowl container', changes: 'changing stiffness', cut: 'cut inside section', rigid: 'rigid hard', joints: 'joint weld hinge ball rope', belt: 'conveyor moving', path: 'moving path', sensor: 'zone', finish: 'look translucent',
};

/** Methods in the order of the gallery; a scene belongs to the first whose test is true of the keys that it uses. */
const methods: [name: string, test: (has: (...keys: string[]) => boolean) => boolean][] = [
    ['Muscles', (has) => has('active')],
    ['Example poses', (has) => has('examples')],
    ['Finite elements', (has) => has('fem')],
    ['Rigid bodies, joints, water, moving obstacles', (has) => has('joints', 'medium', 'belt') || (has('path') && has('container'))],
    ['Volumes with stiffness inside', (has) => has('volume', 'stiffness')],
    ['Rigid bodies, joints, water, moving obstacles', (has) => has('rigid')],
    ['Shape matching and contact', () => true],
];
export const methodNames = ['Muscles', 'Example poses', 'Volumes with stiffness inside', 'Finite elements', 'Rigid bodies, joints, water, moving obstacles', 'Shape matching and contact'];

export function methodOf(uses: string[]): string {
    return methods.find(([, test]) => test((...keys) => keys.some((key) => uses.includes(key))))![0];
}

/** Every word begins a word of the scene's texts, of its file's name, of what it uses, or of its figures. */
export function found(words: string[], text: string, name: string, uses: string[]): boolean {
    const all = ` ${text} ${(figures[name] ?? []).join(' ')} ${[...name.split('_'), ...uses].map((key) => `${key.replace(/_/g, ' ')} ${meanings[key] ?? ''}`).join(' ')}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
    return words.every((word) => all.includes(` ${word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()}`));
}
