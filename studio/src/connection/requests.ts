// Questions to the engine that change nothing: ask(...) is a promise of the answer.
import type { AnswerCapture, AnswerCouplings, AnswerGrips, AnswerLasso, AnswerModelFile, AnswerPick, AnswerRestPlace, ClientAsk, QueryBrush, QueryCapture, QueryCouplings, QueryField, QueryGrips, QueryInside, QueryLasso, QueryLayer, QueryModel, QueryModelCut, QueryModelFile, QueryModelLattice, QueryPick, QueryPlaces, QueryPose, QueryRestPlace, QueryRestShape, QueryStreamlines, ServerAnswer } from '../protocol/messages';
import type { BinaryAnswer } from './frames';

export interface Questions {
    pick: { query: QueryPick; answer: AnswerPick };
    rest_place: { query: QueryRestPlace; answer: AnswerRestPlace };
    brush: { query: QueryBrush; answer: { vertices: Uint32Array; weights: Float32Array } };
    rest_shape: { query: QueryRestShape; answer: { positions: Float32Array } };
    inside: { query: QueryInside; answer: { frame: Float32Array; nodes: Uint32Array; rgba: Uint32Array } };
    grips: { query: QueryGrips; answer: AnswerGrips };
    field: { query: QueryField; answer: { values: Float32Array; points: Float32Array; rests: Float32Array; point_values: Float32Array } };
    layer: { query: QueryLayer; answer: { positions: Float32Array; rests: Float32Array; triangles: Uint32Array; range: Float32Array } };
    streamlines: { query: QueryStreamlines; answer: { points: Float32Array; strengths: Float32Array; starts: Uint32Array } };
    places: { query: QueryPlaces; answer: { positions: Float32Array; depths: Float32Array } };
    lasso: { query: QueryLasso; answer: AnswerLasso };
    model: { query: QueryModel; answer: { positions: Float32Array; colors: Float32Array; stiffness: Float32Array; triangles: Uint32Array; numbers: Float32Array } };
    model_cut: { query: QueryModelCut; answer: { positions: Float32Array; colors: Float32Array; stiffness: Float32Array } };
    model_lattice: { query: QueryModelLattice; answer: { positions: Float32Array; stiffness: Float32Array; edges: Uint32Array; numbers: Float32Array } };
    model_file: { query: QueryModelFile; answer: AnswerModelFile };
    pose: { query: QueryPose; answer: { positions: Float32Array; facts: Float32Array } };
    capture: { query: QueryCapture; answer: AnswerCapture };
    couplings: { query: QueryCouplings; answer: AnswerCouplings };
}

/** Names of the arrays of answers that are binary. */
const arrayNames: Partial<Record<keyof Questions, string[]>> = {
    brush: ['vertices', 'weights'], rest_shape: ['positions'], inside: ['frame', 'nodes', 'rgba'], field: ['values', 'points', 'rests', 'point_values'],
    layer: ['positions', 'rests', 'triangles', 'range'], streamlines: ['points', 'strengths', 'starts'], places: ['positions', 'depths'], pose: ['positions', 'facts'],
    model: ['positions', 'colors', 'stiffness', 'triangles', 'numbers'], model_cut: ['positions', 'colors', 'stiffness'], model_lattice: ['positions', 'stiffness', 'edges', 'numbers'],
};

interface Waiting {
    about: keyof Questions;
    slot: string;
    done(answer: unknown): void;
    fail(error: Error): void;
}

export class Requests {
    private readonly waiting = new Map<number, Waiting>();
    private count = 0;

    constructor(private readonly send: (message: ClientAsk) => boolean) {}

    /** null: a newer question of the same slot took its place, or the engine is gone. */
    ask<A extends keyof Questions>(about: A, query: Questions[A]['query'], slot: string = about): Promise<Questions[A]['answer'] | null> {
        for (const [id, other] of this.waiting) if (other.slot === slot) this.settle(id, null);
        return new Promise((done, fail) => {
            const id = ++this.count;
            this.waiting.set(id, { about, slot, done: done as Waiting['done'], fail });
            if (!this.send({ type: 'ask', id, about, slot, query })) this.settle(id, null);
        });
    }

    heard({ id, answer, error, cancelled }: Pick<ServerAnswer, 'id' | 'answer' | 'error' | 'cancelled'>): void {
        if (error !== undefined) this.waiting.get(id)?.fail(new Error(error));
        this.settle(id, cancelled || error !== undefined ? null : answer);
    }

    heardArrays({ id, arrays }: BinaryAnswer): void {
        const names = arrayNames[this.waiting.get(id)?.about ?? 'pick'] ?? [];
        this.settle(id, Object.fromEntries(names.map((name, k) => [name, arrays[k]])));
    }

    /** The engine is gone: nobody will answer. */
    clear(): void {
        for (const id of [...this.waiting.keys()]) this.settle(id, null);
    }

    private settle(id: number, answer: unknown): void {
        this.waiting.get(id)?.done(answer);
        this.waiting.delete(id);
    }
}
