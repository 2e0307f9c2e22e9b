// Checks GLB files with the Khronos glTF validator: `npm ci` here once, then `node validate.js FILE.glb ...`.
// Ends with 1 if any file has an error or a warning.
const fs = require('fs');
const validator = require('gltf-validator');

async function check(path) {
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), { maxIssues: 20 });
    const { numErrors, numWarnings, numInfos, messages } = report.issues;
    console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos`);
    for (const { severity, code, message, pointer } of messages.filter((m) => m.severity < 2)) {
        console.log(`  ${severity === 0 ? 'error' : 'warning'} ${code} at ${pointer}: ${message}`);
    }
    return numErrors + numWarnings === 0;
}

(async () => {
    let good = true;
    for (const path of process.argv.slice(2)) good = (await check(path)) && good;
    process.exit(good ? 0 : 1);
})();
