// Formulas of x, y and z as the engine has them (src/field/formula.cpp): to tell a mistake while it is typed, and to draw
// waves.

type Evaluate = (variables: readonly number[]) => number;

function smoothMin(a: number, b: number, k: number): number {
    const h = Math.max(k - Math.abs(a - b), 0) / k;
    return Math.min(a, b) - (h * h * h * k) / 6;
}

function smoothStep(low: number, high: number, v: number): number {
    const t = Math.min(Math.max((v - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

const clamped = (v: number) => Math.min(Math.max(v, -1), 1);

const functions: Record<string, [number, (...values: number[]) => number]> = {
    abs: [1, Math.abs], acos: [1, (a) => Math.acos(clamped(a))], asin: [1, (a) => Math.asin(clamped(a))], atan: [1, Math.atan], atan2: [2, Math.atan2],
    ceil: [1, Math.ceil], clamp: [3, (a, low, high) => Math.max(low, Math.min(a, high))], cos: [1, Math.cos], exp: [1, Math.exp], floor: [1, Math.floor],
    hypot: [2, Math.hypot], length: [3, Math.hypot], log: [1, Math.log], max: [2, Math.max], min: [2, Math.min], mix: [3, (a, b, t) => a + (b - a) * t],
    mod: [2, (a, b) => a - b * Math.floor(a / b)], pow: [2, Math.pow], sign: [1, Math.sign], sin: [1, Math.sin],
    smoothmax: [3, (a, b, k) => -smoothMin(-a, -b, k)], smoothmin: [3, smoothMin], smoothstep: [3, smoothStep], sqrt: [1, (a) => Math.sqrt(Math.max(a, 0))],
    step: [2, (edge, a) => (a >= edge ? 1 : 0)], tan: [1, Math.tan], tanh: [1, Math.tanh],
};

class Mistake extends Error {}

/** sum := product (+|- product)*; product := signed (*|/ signed)*; signed := -signed | power; power := atom (^ signed)? */
class Parser {
    private at = 0;

    constructor(private readonly text: string, private readonly variables: readonly string[]) {}

    run(): Evaluate {
        const all = this.sum();
        if (this.next() !== '') this.fail(`unexpected “${this.next()}”`);
        return all;
    }

    private next(): string {
        while (this.text[this.at] === ' ') ++this.at;
        return this.text[this.at] ?? '';
    }

    private accept(character: string): boolean {
        if (this.next() !== character) return false;
        ++this.at;
        return true;
    }

    private fail(what: string): never {
        throw new Mistake(`${what} at character ${this.at + 1}`);
    }

    private sum(): Evaluate {
        let left = this.product();
        for (;;) {
            const a = left;
            if (this.accept('+')) { const b = this.product(); left = (v) => a(v) + b(v); }
            else if (this.accept('-')) { const b = this.product(); left = (v) => a(v) - b(v); }
            else return left;
        }
    }

    private product(): Evaluate {
        let left = this.signed();
        for (;;) {
            const a = left;
            if (this.accept('*')) { const b = this.signed(); left = (v) => a(v) * b(v); }
            else if (this.accept('/')) { const b = this.signed(); left = (v) => a(v) / b(v); }
            else return left;
        }
    }

    private signed(): Evaluate {
        if (this.accept('-')) {
            const a = this.signed();
            return (v) => -a(v);
        }
        const base = this.atom();
        if (!this.accept('^')) return base;
        const exponent = this.signed();
        return (v) => Math.pow(base(v), exponent(v));
    }

    private atom(): Evaluate {
        const c = this.next();
        if (c === '') this.fail('a value is missing');
        if (this.accept('(')) {
            const inner = this.sum();
            if (!this.accept(')')) this.fail('a “)” is missing');
            return inner;
        }
        const rest = this.text.slice(this.at);
        const number = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(rest);
        if (number) {
            this.at += number[0].length;
            const value = Number(number[0]);
            return () => value;
        }
        const word = /^[A-Za-z_][A-Za-z_0-9]*/.exec(rest);
        if (!word) this.fail(`unexpected “${c}”`);
        return this.name(word[0]);
    }

    private name(word: string): Evaluate {
        const variable = this.variables.indexOf(word), called = Object.hasOwn(functions, word) ? functions[word] : undefined;
        if (variable < 0 && word !== 'pi' && !called) this.fail(`“${word}” is not known; there are ${this.variables.join(', ')}, pi and ${Object.keys(functions).join(' ')}`);
        this.at += word.length;
        if (variable >= 0) return (v) => v[variable];
        if (!called) return () => Math.PI;
        const [wanted, call] = called, values: Evaluate[] = [];
        if (!this.accept('(')) this.fail(`a “(” is missing after ${word}`);
        for (let k = 0; k < wanted; ++k) {
            if (k > 0 && !this.accept(',')) this.fail(`${word} takes ${wanted} values`);
            values.push(this.sum());
        }
        if (!this.accept(')')) this.fail(`${word} takes ${wanted} value${wanted > 1 ? 's' : ''}, then “)”`);
        return (v) => call(...values.map((value) => value(v)));
    }
}

/** What is wrong with a formula; null: nothing. */
export function formulaProblem(text: string, variables: readonly string[] = ['x', 'y', 'z']): string | null {
    try {
        new Parser(text, variables).run();
        return null;
    } catch (mistake) {
        if (!(mistake instanceof Mistake)) throw mistake;
        return mistake.message;
    }
}

const wavesVariables = ['x', 'z', 't'];

/** The height of waves at x, z and a time; null: the formula has a mistake. */
export function readWaves(text: string): ((x: number, z: number, time: number) => number) | null {
    if (formulaProblem(text, wavesVariables) !== null) return null;
    const evaluate = new Parser(text, wavesVariables).run();
    return (x, z, time) => {
        const height = evaluate([x, z, time]);
        return Number.isFinite(height) ? height : 0;
    };
}
