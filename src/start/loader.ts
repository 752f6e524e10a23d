/** Provides `require` within the program, for files from any source. */
import type { Script } from 'node:vm'

export type Exports = Readonly<Record<string, unknown>>
export type RequireFunction = (id: string) => unknown

/** A file of the program as a function. */
export type WrappedModule = (
  this: Exports,
  exports: Exports,
  require: RequireFunction,
  module: { exports: Exports },
  filename: string,
  dirname: string,
) => void

/** The text around a file that makes it a function. Compiled code is valid only for exactly the same text. */
export const [head, tail] = [
  '(function(exports,require,module,__filename,__dirname){',
  '\n})',
] as const

/** Returns the kind of a run: help, completion or an area. Each kind calls different functions. */
export const getStartKind = (argv: readonly string[]): string => {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help'
  return argv.find((word) => /^[a-z_][a-z_-]*$/.test(word)) ?? 'run'
}

/** Returns the cache group of a kind. Help and completion start fastest without the functions that other commands have compiled. */
export const getCacheGroup = (kind: string): string =>
  kind === 'help' || kind === '__complete' ? kind : 'run'

/**
 * Creates a loader of the program's files, each of which runs once. Other modules come from `builtin`.
 * @param place the folder in which the files appear to be
 */
export const createLoader = (
  compileFile: (name: string) => WrappedModule,
  place: string,
  builtin: RequireFunction,
): ((name: string) => Exports) => {
  const modules = new Map<string, { exports: Exports }>()
  const runFile = (name: string): Exports => {
    const loaded = modules.get(name)
    if (loaded !== undefined) return loaded.exports
    const program = compileFile(name)
    const module = { exports: {} }
    modules.set(name, module)
    program.call(module.exports, module.exports, requireFrom, module, `${place}/${name}`, place)
    return module.exports
  }
  const requireFrom: RequireFunction = (id) =>
    id.startsWith('./') ? runFile(id.slice(2)) : builtin(id)
  return runFile
}

/** A script of the program, the name of its code, and the size of its code when it was loaded. */
export interface LoadedScript {
  readonly script: Script
  readonly name: string
  readonly before: number
}
