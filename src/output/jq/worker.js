/**
 * Runs in the worker of `--jq`, after the text of jq-wasm, whose exports it uses. It loads jq once. Each message is one call. The answer
 * has the output of jq, or the reason why jq gave up, which happens for want of memory.
 */
const { parentPort, workerData } = require('node:worker_threads')
const { brotliDecompressSync } = require('node:zlib')

// Text that the worker writes and nobody reads would keep the process alive. Emscripten writes when it gives up.
for (const method of ['debug', 'error', 'info', 'log', 'warn']) console[method] = () => {}

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
