/**
 * What runs in the worker of `--jq`, behind the text of jq-wasm, whose exports it finds: jq, loaded once. Each message is one call;
 * the answer says what jq wrote, or why it gave up, which it does for want of memory.
 */
const { parentPort, workerData } = require('node:worker_threads')
const { brotliDecompressSync } = require('node:zlib')

const loading = module.exports.loadJq({
  wasmBinary: brotliDecompressSync(Buffer.from(workerData, 'base64')),
})
parentPort.on('message', async ({ input, program }) => {
  try {
    // Behind "--" a program may begin with a minus sign.
    parentPort.postMessage((await loading).raw(input, program, ['-c', '--']))
  } catch (error) {
    parentPort.postMessage({ stdout: '', stderr: '', exitCode: 5, gaveUp: String(error) })
  }
})
