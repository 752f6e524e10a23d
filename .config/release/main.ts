/**
 * Starts the program in an executable, as `../../bin/svcctl.js` does in the npm package. The program's files are assets of the
 * executable, with the code that V8 compiled from them at build time. In an executable, `require` loads only Node's own modules.
 */
import { writeSync } from 'node:fs'
import { getRawAsset } from 'node:sea'
import { Script } from 'node:vm'
import { version } from '../../src/base/version.js'
import {
  createLoader,
  getCacheGroup,
  getStartKind,
  type RequireFunction,
  type WrappedModule,
} from '../../src/start/loader.js'

declare const require: RequireFunction

const argv = process.argv.slice(2)
const cacheGroup = getCacheGroup(getStartKind(argv))

/** Returns the bytes of an asset in the file, without a copy. */
const getBytes = (name: string): Buffer => Buffer.from(getRawAsset(name) as ArrayBuffer)

/** Returns the compiled code of a file. There is none if the executable was built on another platform, nor for rarely used files. */
const getCompiledCode = (name: string): { cachedData?: Buffer } => {
  try {
    return { cachedData: getBytes(`${cacheGroup}.${name}`) }
  } catch {
    return {}
  }
}

/** Reads the text of a file, which is compressed if it is rarely used (`assets.ts`). */
const readText = (name: string): string => {
  try {
    return getBytes(name).toString('latin1')
  } catch {
    const { brotliDecompressSync } = require('node:zlib') as typeof import('node:zlib')
    return brotliDecompressSync(getBytes(`${name}.br`)).toString('latin1')
  }
}

/** Compiles a file. If this machine's V8 rejects the compiled code, the file is only slower to load. */
const compileFile = (name: string): WrappedModule => {
  const filename = `${process.execPath}/${name}`
  return new Script(readText(name), { filename, ...getCompiledCode(name) }).runInThisContext()
}

/** Answers `--version` without the program. @returns false for any other line, or if the write is incomplete */
const answerVersion = (): boolean => {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== '-V')) return false
  try {
    return writeSync(1, `${version}\n`) > version.length
  } catch {
    return false
  }
}

if (!answerVersion()) {
  const load = createLoader(compileFile, process.execPath, require)
  const { main } = load('main.cjs') as { readonly main: () => Promise<void> }
  void main()
}
