// Plays a GLB in three.js and compares what it shows with the recorded positions.
//     node three_play.mjs FOLDER BODY=ERROR ...
// FOLDER holds the same clip as clip.glb and npy/BODY.surface.npy; ERROR is the largest distance allowed. Frame 0 must be exact.
import fs from 'node:fs';

const modules = new URL('../../studio/node_modules/three/', import.meta.url);
globalThis.self = globalThis;  // where the loader looks for the browser
const THREE = await import(new URL('build/three.module.js', modules));
const { GLTFLoader } = await import(new URL('examples/jsm/loaders/GLTFLoader.js', modules));
const { MeshoptDecoder } = await import(new URL('examples/jsm/libs/meshopt_decoder.module.js', modules));

function loadNpy(path) {
    const bytes = fs.readFileSync(path);
    const header = bytes.readUInt16LE(8);
    const shape = bytes.subarray(10, 10 + header).toString().match(/\(([^)]*)\)/)[1].split(',').map(Number);
    return { frames: shape[0], vertices: shape[1], numbers: new Float32Array(bytes.buffer.slice(bytes.byteOffset + 10 + header)) };
}

const [folder, ...bodies] = process.argv.slice(2);
const bytes = fs.readFileSync(`${folder}/clip.glb`);
const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
const mixer = new THREE.AnimationMixer(gltf.scene);
const action = mixer.clipAction(gltf.animations[0]);
action.setLoop(THREE.LoopOnce);
action.clampWhenFinished = true;
action.play();
const { times } = gltf.animations[0].tracks[0];

let good = true;
for (const body of bodies) {
    const [name, allowed] = body.split('=');
    const recorded = loadNpy(`${folder}/npy/${name}.surface.npy`);
    const mesh = gltf.scene.getObjectByName(name);
    const place = new THREE.Vector3();
    let worst = 0, first = 0, far = 0;
    for (let frame = 0; frame < recorded.frames; ++frame) {
        action.reset();
        mixer.setTime(times[frame]);
        gltf.scene.updateMatrixWorld(true);
        for (let v = 0; v < recorded.vertices; ++v) {
            mesh.getVertexPosition(v, place).applyMatrix4(mesh.matrixWorld);
            const at = 3 * (frame * recorded.vertices + v);
            const [x, y, z] = recorded.numbers.subarray(at, at + 3);
            const error = Math.hypot(place.x - x, place.y - y, place.z - z);
            worst = Math.max(worst, error);
            if (frame === 0) first = Math.max(first, error);
            far = Math.max(far, Math.abs(x), Math.abs(y), Math.abs(z));
        }
    }
    const rounding = 1e-6 * far;
    console.log(`${name}: worst error ${worst}, allowed ${allowed}; frame 0 ${first}, rounding ${rounding}`);
    good &&= recorded.frames === times.length && worst <= 1.01 * Number(allowed) + rounding && first <= rounding;
}
process.exit(good ? 0 : 1);
