// Checks a formula of x, y and z as the engine does (src/field/formula.cpp), to tell a mistake while it is typed.

const argumentsOf: Record<string, number> = {
    abs: 1, acos: 1, asin: 1, atan: 1, atan2: 2, ceil: 1, clamp: 3, cos: 1, exp: 1, floor: 1, hypot: 2, length: 3, log: 1, max: 2, min: 2, mix: 3, mod: 2,
    pow: 2, sign: 1, sin: 1, smoothmax: 3, smoothmin: 3, smoothstep: 3, sqrt: 1, step: 2, tan: 1, tanh: 1,
};

class Mistake extends Error {}

/** sum := product (+|- product)*; product := signed (*|/ signed)*; signed := -signed | power; power := atom (^ signed)? */
class Parser {
    private at = 0;

    constructor(private readonly text: string) {}

    run(): void {
        this.sum();
        if (this.next() !== '') this.fail(`unexpected “${this.next()}”`);
    }

    private next(): string {
        while (this.text[this.at] === ' ') ++this.at;
        return this.text[this.at] ?? '';
    }

    private accept(characters: string): boolean {
        const c = this.next();
        if (c === '' || !characters.includes(c)) return false;
        ++this.at;
        return true;
    }

    private fail(what: string): never {
        throw new Mistake(`${what} at character ${this.at + 1}`);
    }

    private sum(): void {
        do this.product(); while (this.accept('+-'));
    }

    private product(): void {
        do this.signed(); while (this.accept('*/'));
    }

    private signed(): void {
        if (this.accept('-')) return this.signed();
        this.atom();
        if (this.accept('^')) this.signed();
    }

    private atom(): void {
        const c = this.next();
        if (c === '') this.fail('a value is missing');
        if (this.accept('(')) {
            this.sum();
            if (!this.accept(')')) this.fail('a “)” is missing');
            return;
        }
        const rest = this.text.slice(this.at);
        const number = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(rest);
        if (number) {
            this.at += number[0].length;
            return;
        }
        const word = /^[A-Za-z_][A-Za-z_0-9]*/.exec(rest);
        if (!word) this.fail(`unexpected “${c}”`);
        this.name(word[0]);
    }

    private name(word: string): void {
        if (!['x', 'y', 'z', 'pi'].includes(word) && !(word in argumentsOf)) this.fail(`“${word}” is not known; there are x, y, z, pi and ${Object.keys(argumentsOf).join(' ')}`);
        this.at += word.length;
        const wanted = argumentsOf[word];
        if (wanted === undefined) return;
        if (!this.accept('(')) this.fail(`a “(” is missing after ${word}`);
        for (let k = 0; k < wanted; ++k) {
            if (k > 0 && !this.accept(',')) this.fail(`${word} takes ${wanted} values`);
            this.sum();
        }
        if (!this.accept(')')) this.fail(`${word} takes ${wanted} value${wanted > 1 ? 's' : ''}, then “)”`);
    }
}

/** What is wrong with a formula; null: nothing. */
export function formulaProblem(text: string): string | null {
    try {
        new Parser(text).run();
        return null;
    } catch (mistake) {
        if (!(mistake instanceof Mistake)) throw mistake;
        return mistake.message;
    }
}
