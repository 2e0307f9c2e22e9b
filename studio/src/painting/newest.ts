// Something that is asked again whenever it changed, one question at a time: what changes meanwhile is asked once, after it.

export class Newest {
    private pending = false;
    private stale = false;

    constructor(private readonly ask: () => Promise<void>) {}

    again(): void {
        this.stale = true;
        if (!this.pending) void this.next();
    }

    private async next(): Promise<void> {
        this.pending = true;
        while (this.stale) {
            this.stale = false;
            await this.ask();
        }
        this.pending = false;
    }
}
