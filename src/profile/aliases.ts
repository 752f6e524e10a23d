/** Names for lines that are typed often: kept in the file of the profiles, which nobody else may write. */
import path from 'node:path'
import { describeDistrust, distrust } from '../base/files/trust.js'
import { type Fields, isObject } from '../base/objects.js'
import { usage } from '../errors.js'
import { corrupt, readObject } from './files.js'
import { getPaths } from './paths.js'
import type { Environment } from './types.js'

/** Lines by name. */
export type Aliases = Readonly<Record<string, string>>

/** The aliases that a file holds. @throws Failure `usage` for what are none */
export const aliasesIn = (file: string, { aliases = {} }: Fields): Aliases => {
  if (!isObject(aliases)) throw corrupt(file, 'has "aliases" that are not an object')
  const found: Record<string, string> = {}
  for (const [name, line] of Object.entries(aliases)) {
    if (typeof line !== 'string') throw corrupt(file, `has an alias that is not a string`)
    found[name] = line
  }
  return found
}

/** The aliases of a configuration. @throws Failure `usage` where the file cannot be read */
export const readAliases = (env: Environment): Aliases => {
  const file = path.join(getPaths(env).config, 'config.json')
  return aliasesIn(file, readObject(file) ?? {})
}

/**
 * The line of an alias; undefined where there is none of that name.
 * @throws Failure `usage` where somebody else may have written it
 */
export const aliasNamed = (env: Environment, name: string): string | undefined => {
  const aliases = readAliases(env)
  if (!Object.hasOwn(aliases, name)) return undefined
  const found = distrust(path.join(getPaths(env).config, 'config.json'))
  if (found === undefined) return aliases[name]
  const { message, remedy } = describeDistrust(found)
  throw usage(`ignoring the alias ${name}: ${message}`, `Run: ${remedy}`)
}
