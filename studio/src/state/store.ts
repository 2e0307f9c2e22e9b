// What the page knows, slice by slice, and who hears when a slice changes or something happens. Knows nothing of the page.

export type Stop = () => void;

export class Store<State extends object, Moments extends object> {
    private readonly listeners = new Map<PropertyKey, Set<(value: never) => void>>();

    constructor(protected readonly state: State) {}

    get<K extends keyof State>(slice: K): State[K] {
        return this.state[slice];
    }

    /** Takes over a value and tells those who listen to its slice. */
    set<K extends keyof State>(slice: K, value: State[K]): void {
        this.state[slice] = value;
        this.tell(slice, value);
    }

    /** Something happened that leaves no state behind. */
    emit<M extends keyof Moments>(moment: M, value: Moments[M]): void {
        this.tell(moment, value);
    }

    /** Hears slices and moments; what is given back ends that. */
    on<E extends keyof State | keyof Moments>(events: E | readonly E[], listener: (value: (State & Moments)[E]) => void): Stop {
        const list = Array.isArray(events) ? (events as readonly E[]) : [events as E];
        for (const event of list) this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
        return () => { for (const event of list) this.listeners.get(event)?.delete(listener); };
    }

    private tell(event: PropertyKey, value: unknown): void {
        for (const listener of [...(this.listeners.get(event) ?? [])]) (listener as (value: unknown) => void)(value);
    }
}
