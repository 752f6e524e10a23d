/** Provides `require` within the program, wherever its files come from. */
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

/** The text around a file that makes it a function. Compiled code fits one text only. */
export const [head, tail] = [
  '(function(exports,require,module,__filename,__dirname){',
  '\n})',
] as const

/** Returns the kind of a run: help, completion or an area. Each compiles other functions. */
export const getStartKind = (argv: readonly string[]): string => {
  if (argv.length === 0 || argv.includes('--help') || argv.includes('-h')) return 'help'
  return argv.find((word) => /^[a-z_][a-z-]*$/.test(word)) ?? 'run'
}

/** Help and completion start soonest without the functions that all the others have compiled. */
export const getCacheGroup = (kind: string): string =>
  kind === 'help' || kind === '__complete' ? kind : 'run'

/**
 * Loads files of the program, each run once; what is none of them is `builtin`'s.
 * @param place the folder that they believe to be in
 */
export const createLoader = (
  compiled: (name: string) => WrappedModule,
  place: string,
  builtin: RequireFunction,
): ((name: string) => Exports) => {
  const modules = new Map<string, { exports: Exports }>()
  const run = (name: string): Exports => {
    const earlier = modules.get(name)
    if (earlier !== undefined) return earlier.exports
    const program = compiled(name)
    const module = { exports: {} }
    modules.set(name, module)
    program.call(module.exports, module.exports, requireFrom, module, `${place}/${name}`, place)
    return module.exports
  }
  const requireFrom: RequireFunction = (id) =>
    id.startsWith('./') ? run(id.slice(2)) : builtin(id)
  return run
}

/** A script of the program, what its code is called, and how much of it there was. */
export interface LoadedScript {
  readonly script: Script
  readonly name: string
  readonly before: number
}
