// JSON patches as the engine makes them (RFC 6902: add, replace, remove), applied to the page's copy of the document.
import type { Change } from '../protocol/messages';

/** The content after the changes; parts that they do not touch are shared with the content before. */
export function patched(content: unknown, changes: readonly Change[]): unknown {
    return changes.reduce((now, { op, path, value }) => changed(now, path.split('/').slice(1).map(unescaped), op, value), content);
}

function changed(part: any, path: string[], op: Change['op'], value: unknown): unknown {
    if (path.length === 0) return value;
    const [key, ...rest] = path;
    const copy = Array.isArray(part) ? [...part] : { ...part };
    if (rest.length) copy[key] = changed(copy[key], rest, op, value);
    else if (Array.isArray(copy) && op !== 'replace') copy.splice(key === '-' ? copy.length : Number(key), op === 'add' ? 0 : 1, ...(op === 'add' ? [value] : []));
    else if (op === 'remove') delete copy[key];
    else copy[key] = value;
    return copy;
}

function unescaped(part: string): string {
    return part.replace(/~1/g, '/').replace(/~0/g, '~');
}
