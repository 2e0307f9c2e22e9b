// The binary messages, read as the engine writes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { What, floats, integers, readFrame, readPositions, signedBytes } from '../../src/connection/frames';

interface Part { what: number; run?: number; body?: number; count: number; bytes: ArrayBuffer }

function frame(parts: Part[], header = 0x31465759): ArrayBuffer {
    const padded = (n: number) => Math.ceil(n / 4) * 4;
    const out = new ArrayBuffer(32 + parts.reduce((sum, p) => sum + 16 + padded(p.bytes.byteLength), 0));
    const view = new DataView(out);
    view.setUint32(0, header, true);
    view.setUint32(4, 7, true);
    view.setFloat64(8, 1.5, true);
    view.setUint32(16, 90, true);
    view.setUint32(24, parts.length, true);
    let at = 32;
    for (const p of parts) {
        view.setUint16(at, p.what, true);
        view.setUint8(at + 2, p.run ?? 0);
        view.setUint32(at + 4, p.body ?? 0, true);
        view.setUint32(at + 8, p.count, true);
        view.setUint32(at + 12, p.bytes.byteLength, true);
        new Uint8Array(out).set(new Uint8Array(p.bytes), at + 16);
        at += 16 + padded(p.bytes.byteLength);
    }
    return out;
}

test('a frame gives back its clock and its sections', () => {
    const read = readFrame(frame([
        { what: What.positions, body: 3, count: 2, bytes: new Float32Array([1, 2, 3, 4, 5, 6]).buffer },
        { what: What.normals, run: 1, count: 1, bytes: new Int8Array([127, 0, -127, 0]).buffer },
        { what: What.triangles, count: 1, bytes: new Uint32Array([0, 1, 70000]).buffer },
    ]));
    assert.equal(read.sequence, 7);
    assert.equal(read.time, 1.5);
    assert.equal(read.frame, 90);
    assert.equal(read.shapes, false);
    assert.deepEqual([...floats(read.sections[0])], [1, 2, 3, 4, 5, 6]);
    assert.equal(read.sections[0].body, 3);
    assert.equal(read.sections[1].run, 1);
    assert.deepEqual([...signedBytes(read.sections[1])], [127, 0, -127, 0]);
    assert.deepEqual([...integers(read.sections[2])], [0, 1, 70000]);
});

test('packed positions come back in their box', () => {
    const bytes = new ArrayBuffer(24 + 16);
    new Float32Array(bytes, 0, 6).set([-1, 0, 10, 2, 4, 1]);
    new Uint16Array(bytes, 24).set([0, 65535, 32768, 0, 65535, 0, 65535, 0]);
    const [section] = readFrame(frame([{ what: What.smallPositions, count: 2, bytes }])).sections;
    const got = [...readPositions(section)].map((x) => Math.round(x * 1000) / 1000);
    assert.deepEqual(got, [-1, 4, 10.5, 1, 0, 11]);
});

test('a frame that is cut short or something else is refused', () => {
    const good = frame([{ what: 1, count: 1, bytes: new Float32Array(3).buffer }]);
    assert.throws(() => readFrame(good.slice(0, good.byteLength - 4)), /early/);
    assert.throws(() => readFrame(good.slice(0, 40)), /early/);
    assert.throws(() => readFrame(frame([], 1)), /not a frame/);
    assert.throws(() => readFrame(new ArrayBuffer(3)), /not a frame/);
});
