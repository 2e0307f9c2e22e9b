// What a person set up once, kept by the browser.

export interface Settings {
    /** null: as the system has it. */
    theme: 'light' | 'dark' | null;
    /** null: as wide screens have it. */
    panel: 'shown' | 'hidden' | null;
    /** Of the desk at the left; null: as wide screens have it. */
    desk: 'shown' | 'hidden' | null;
    /** Shortcuts of a single character: in the way of those who speak to their machine. */
    letterKeys: boolean;
}

const key = 'yawara-settings';
const plain: Settings = { theme: null, panel: null, desk: null, letterKeys: true };

export function readSettings(): Settings {
    try {
        return { ...plain, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Settings>) };
    } catch {  // a private window, or something else under our name
        return plain;
    }
}

export function keepSettings(settings: Settings): void {
    try { localStorage.setItem(key, JSON.stringify(settings)); } catch { /* private window: plain again next time */ }
}
