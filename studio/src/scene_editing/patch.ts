// JSON patches as the engine makes them (RFC 6902: add, replace, remove), applied to the page's copy of the document.
import type { Change } from '../protocol/messages';

/** The content after the changes; parts that they do not touch are shared with the content before. */
export function patched(content: unknown, changes: readonly Change[]): unknown {
    return changes.reduce((now, { op, path, value }) => changed(now, path.split('/').slice(1).map(unescaped), op, value), content);
}

function changed(part: unknown, path: string[], op: Change['op'], value: unknown): unknown {
    if (path.length === 0) return value;
    const [key, ...rest] = path;
    if (Array.isArray(part)) {
        const list: unknown[] = [...part], at = key === '-' ? list.length : Number(key);
        if (rest.length) list[at] = changed(list[at], rest, op, value);
        else list.splice(at, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
        return list;
    }
    const copy = { ...(part as Record<string, unknown>) };
    if (rest.length) copy[key] = changed(copy[key], rest, op, value);
    else if (op === 'remove') delete copy[key];
    else copy[key] = value;
    return copy;
}

function unescaped(part: string): string {
    return part.replace(/~1/g, '/').replace(/~0/g, '~');
}
