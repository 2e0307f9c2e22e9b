// Recordings: what the timeline says about them and what can be done at the frame that is shown.
import type { ServerStatus, Take } from '../protocol/messages';

/** s that a take lasts. */
export function secondsOf(take: Take, frameTime: number): number {
    return (take.last - take.first) * frameTime;
}

/** "3.4 s, kept". */
export function aboutTake(take: Take, frameTime: number): string {
    return `${secondsOf(take, frameTime).toFixed(1)} s${take.kept ? ', kept' : ''}`;
}

/** A frame before the end is shown: playing replays, and going on from here starts a new take. */
export function canGoOn(status: ServerStatus | null): boolean {
    return status !== null && !status.playing && status.frame < status.last;
}

/** What the button for playing does now. */
export function playWords(status: ServerStatus | null): string {
    if (status?.playing) return 'Pause';
    return canGoOn(status) ? 'Replay to the end, then go on' : 'Play';
}

/** What the two halves of the picture show while something is compared. */
export function comparedNames(takes: readonly Take[], beside: number | undefined): [string, string] {
    const other = takes.find((take) => take.id === beside);
    return other ? [shownTake(takes)?.name ?? 'Now', other.name] : ['Now', 'Before'];
}

/** The take on the timeline. */
export function shownTake(takes: readonly Take[]): Take | undefined {
    return takes.find((take) => take.shown);
}
