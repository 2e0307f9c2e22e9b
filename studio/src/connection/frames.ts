// Reads the binary messages of the engine (src/stream/frame.h) as typed arrays, without copying.

export const enum What {
    positions = 1, smallPositions = 2, normals = 3, values = 4, particles = 5, particleValues = 6,
    sectionPoints = 7, sectionValues = 8, held = 9, springs = 10, placement = 11, obstacleShape = 12, sectionRests = 13,
    triangles = 20, edges = 21, obstacleVertices = 22, obstacleTriangles = 23, plane = 24, colors = 25, uvs = 26, texture = 27,
    answer = 40,
}

export interface Section {
    what: What;
    run: number;
    body: number;
    count: number;
    bytes: ArrayBuffer;
    offset: number;
    length: number;
}

export interface Frame {
    sequence: number;
    time: number;
    frame: number;
    shapes: boolean;
    sections: Section[];
}

const headerBytes = 32, sectionBytes = 16;

export function readFrame(bytes: ArrayBuffer): Frame {
    const view = new DataView(bytes);
    if (bytes.byteLength < headerBytes || view.getUint32(0, true) !== 0x31465759) throw new Error('not a frame');
    const count = view.getUint32(24, true);
    const sections: Section[] = [];
    let at = headerBytes;
    for (let k = 0; k < count; ++k) {
        if (at + sectionBytes > bytes.byteLength) throw new Error('a frame ends early');
        const section: Section = {
            what: view.getUint16(at, true), run: view.getUint8(at + 2), body: view.getUint32(at + 4, true),
            count: view.getUint32(at + 8, true), bytes, offset: at + sectionBytes, length: view.getUint32(at + 12, true),
        };
        at = section.offset + Math.ceil(section.length / 4) * 4;
        if (at > bytes.byteLength) throw new Error('a frame ends early');
        sections.push(section);
    }
    return {
        sequence: view.getUint32(4, true), time: view.getFloat64(8, true), frame: view.getUint32(16, true),
        shapes: view.getUint32(20, true) === 1, sections,
    };
}

export function floats(section: Section): Float32Array {
    return new Float32Array(section.bytes, section.offset, section.length / 4);
}

export function integers(section: Section): Uint32Array {
    return new Uint32Array(section.bytes, section.offset, section.length / 4);
}

export function signedBytes(section: Section): Int8Array {
    return new Int8Array(section.bytes, section.offset, section.length);
}

export function plainBytes(section: Section): Uint8Array<ArrayBuffer> {
    return new Uint8Array(section.bytes, section.offset, section.length);
}

/** Positions of drawn vertices, from either of their forms. */
export function readPositions(section: Section): Float32Array {
    if (section.what === What.positions) return floats(section);
    const box = new Float32Array(section.bytes, section.offset, 6);
    const packed = new Uint16Array(section.bytes, section.offset + 24, 4 * section.count);
    const out = new Float32Array(3 * section.count);
    const [x, y, z] = box;
    const sx = box[3] / 65535, sy = box[4] / 65535, sz = box[5] / 65535;
    for (let k = 0, i = 0, j = 0; k < section.count; ++k, i += 4, j += 3) {
        out[j] = x + packed[i] * sx;
        out[j + 1] = y + packed[i + 1] * sy;
        out[j + 2] = z + packed[i + 2] * sz;
    }
    return out;
}

/** What a question with a large answer gets. */
export interface BinaryAnswer {
    id: number;
    arrays: Array<Uint32Array | Float32Array>;
}

export function isAnswer(bytes: ArrayBuffer): boolean {
    return bytes.byteLength >= headerBytes && new DataView(bytes).getUint32(20, true) === 2;
}

/** A frame of its own kind: the id in place of the sequence; the arrays that the schema names, in its order. */
export function readAnswer(bytes: ArrayBuffer): BinaryAnswer {
    const { sequence, sections } = readFrame(bytes);
    return { id: sequence, arrays: sections.map((section) => (section.run === 1 ? integers(section) : floats(section))) };
}
