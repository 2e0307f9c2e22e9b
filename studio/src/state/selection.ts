// What is selected, by identity: it stays selected wherever it stands in the document.

export interface Selection {
    /** Of the document: id or name of a body. */
    body: string;
    /** Of a copy of that body; null: the body is no copy. */
    instance: string | null;
    /** A particle of it; null: all of it. */
    part: { particle: number } | null;
    /** A person chose it: it is outlined. What is selected when a scene opens is not. */
    byHand: boolean;
}

/** As messages name it: "BODY" or "BODY/COPY". */
export function identityOfSelection({ body, instance }: Pick<Selection, 'body' | 'instance'>): string {
    return instance === null ? body : `${body}/${instance}`;
}

export function selectionOf(identity: string, byHand = true): Selection {
    const [body, instance] = identity.split('/');
    return { body, instance: instance ?? null, part: null, byHand };
}
