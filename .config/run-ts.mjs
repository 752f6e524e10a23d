/** Runs a TypeScript file of this repository: node .config/run-ts.mjs <file> [argument …] */
import { resolve } from 'node:path'
import { runnerImport } from 'vite'

const [file = '', ...args] = process.argv.slice(2)
process.argv.splice(1, process.argv.length, resolve(file), ...args)
await runnerImport(resolve(file), { configFile: false, logLevel: 'error' })
