/**
 * What `../../bin/svcctl.js` is to the npm package, in an executable: the program's files are assets of it, with the code that V8
 * compiled of them where it was built. `require` knows Node's own modules alone there.
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
const shelf = getCacheGroup(getStartKind(argv))

/** An asset's bytes as they stand in the file, not copied. */
const bytesOf = (name: string): Buffer => Buffer.from(getRawAsset(name) as ArrayBuffer)

/** None was made where the file was built on another platform, nor for what runs seldom. */
const codeFor = (name: string): { cachedData?: Buffer } => {
  try {
    return { cachedData: bytesOf(`${shelf}.${name}`) }
  } catch {
    return {}
  }
}

/** The text of a file, which is compressed where it runs seldom (`assets.ts`). */
const textOf = (name: string): string => {
  try {
    return bytesOf(name).toString('latin1')
  } catch {
    const { brotliDecompressSync } = require('node:zlib') as typeof import('node:zlib')
    return brotliDecompressSync(bytesOf(`${name}.br`)).toString('latin1')
  }
}

/** Code that this machine's V8 does not take is only slower to do without. */
const compiled = (name: string): WrappedModule => {
  const filename = `${process.execPath}/${name}`
  return new Script(textOf(name), { filename, ...codeFor(name) }).runInThisContext()
}

/** Answers `--version` without the program. @returns false where it was not asked, or cannot be said so simply */
const answered = (): boolean => {
  if (argv.length !== 1 || (argv[0] !== '--version' && argv[0] !== '-V')) return false
  try {
    return writeSync(1, `${version}\n`) > version.length
  } catch {
    return false
  }
}

if (!answered()) {
  const load = createLoader(compiled, process.execPath, require)
  const { main } = load('main.cjs') as { readonly main: () => Promise<void> }
  void main()
}
