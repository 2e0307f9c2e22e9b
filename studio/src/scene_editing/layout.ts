// The order of the form: what everybody tunes first, under plain names; then what the thing is; the solver's numbers last.
import type { Path } from './commands';
import { pointer } from './commands';
import { type Field, heading } from './form';

/** Of a body: shown before everything else, in this order. Keys below the body. */
const firstOfBody: Path[] = [
    ['matching', 'young'], ['matching', 'alpha'], ['fem', 'materials', 0, 'young'], ['density'], ['contact', 'restitution'], ['contact', 'friction'], ['matching', 'damping'], ['look', 'color'],
];
const firstOfScene: Path[] = [['step', 'gravity']];
const atStart = ['velocity', 'spin'];
/** The rest, as far as the order of the schema is not the best one. */
const orderOfBody = ['name', 'solid', 'matching', 'fem', 'rigid', 'place', '#Motion at the start', 'contact', 'pins', 'handles', 'forces', 'instances', 'look'];
const orderOfScene = ['obstacles', 'joints', 'medium', 'measures', 'camera', 'step', 'look', '#Title'];

function keyOf(field: Field): string {
    return String(field.path[field.path.length - 1]);
}

/** The fields at some paths, wherever they stand; those that have no value of their own yet are left in their groups. */
function find(fields: Field[], paths: string[]): Field[] {
    const found = new Map<string, Field>();
    const look = (some: Field[]) => {
        for (const field of some) {
            const at = pointer(field.path);
            if (paths.includes(at) && !['absent', 'group', 'list', 'constant'].includes(field.control)) found.set(at, field);
            else if (paths.some((path) => path.startsWith(`${at}/`))) look(field.children());
        }
    };
    look(fields);
    return paths.flatMap((path) => found.get(path) ?? []);
}

/** The same without some fields, groups that are left empty included. */
function without(fields: Field[], taken: Set<string>): Field[] {
    return fields.filter((field) => !taken.has(pointer(field.path))).map((field) => {
        const at = pointer(field.path);
        return [...taken].some((path) => path.startsWith(`${at}/`)) ? { ...field, children: () => without(field.children(), taken) } : field;
    }).filter((field) => field.control !== 'group' || field.kinds.length > 0 || field.entry !== null || field.children().length > 0);
}

function sorted(fields: Field[], order: string[]): Field[] {
    const rank = (field: Field) => (order.indexOf(keyOf(field)) + order.length + 1) % (order.length + 1);
    return [...fields].sort((a, b) => rank(a) - rank(b));
}

/** The fields of a body as a person reads them; of a copy, its own come first. */
export function arrangedBody(fields: Field[], path: Path): Field[] {
    const own = fields.filter((field) => field.path.includes('instances') && keyOf(field) !== 'instances');
    const rest = fields.filter((field) => !own.includes(field));
    const modulus = find(rest, [pointer([...path, 'matching', 'young'])]).length > 0;
    const wanted = firstOfBody.filter((keys) => !(modulus && keys[1] === 'alpha')).map((keys) => pointer([...path, ...keys]));
    const first = find(rest, wanted);
    const motion = rest.filter((field) => atStart.includes(keyOf(field)));
    const left = without(rest, new Set([...first, ...motion].map((field) => pointer(field.path))));
    const [name, ...others] = sorted([...left, heading('Motion at the start', 'How the body moves at the start.', path, motion)], orderOfBody);
    return [name, ...own, ...first, ...others];
}

/** The fields of what is around the bodies, as a person reads them. */
export function arrangedScene(fields: Field[]): Field[] {
    const first = find(fields, firstOfScene.map(pointer));
    const words = fields.filter((field) => ['title', 'description', 'made'].includes(keyOf(field)));
    const left = without(fields, new Set([...first, ...words].map((field) => pointer(field.path))));
    return [...first, ...sorted([...left, heading('Title', 'What the scene is called and what people should know about it.', [], words)], orderOfScene)];
}

/** What a group shows at once, what is behind *Advanced*, and what can be added to it. */
export function partsOf(fields: Field[]): { plain: Field[]; advanced: Field[]; addable: Field[] } {
    const addable = (field: Field) => field.add !== null && (field.control === 'absent' || (field.control === 'list' && field.count === 0 && field.kinds.length === 0));
    const present = fields.filter((field) => !addable(field));
    const plain = present.filter((field) => !field.expert), advanced = present.filter((field) => field.expert);
    // Nothing is gained by hiding all there is.
    return plain.length ? { plain, advanced, addable: fields.filter(addable) } : { plain: advanced, advanced: [], addable: fields.filter(addable) };
}
