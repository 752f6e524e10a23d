/** What the instance of a line was seen to have beyond the documents: read only where a line has a name that they do not have. */
import { areas } from '../../catalogue/index.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getPaths } from '../../profile/paths.js'
import type { Command } from '../command/types.js'
import { getShapeFields, kindIn } from '../where/shape.js'
import { flagsOn } from './found.js'

/** Whether texts name fields that no answer of the area has: of each part between commas the first name. */
export const hasUnknownField = async (
  { area, computedFields = {}, shows = [] }: Command,
  texts: readonly string[],
): Promise<boolean> => {
  const endpoints = Object.values((await areas.find(({ name }) => name === area)?.load()) ?? {})
  const beside = new Set([
    ...endpoints.flatMap(({ columns = [], made = [] }) => [...columns, ...made]),
    ...[shownFields, computedFields].flatMap((fields) => Object.keys(fields)),
    ...shows,
    'object',
    'profile',
    'project',
    'group',
  ])
  const shapes = endpoints.map(({ returns }) => returns.shape)
  const isDocumented = (name: string): boolean =>
    beside.has(name) ||
    shapes.some((shape) => getShapeFields(shape, 0).length > 0 && kindIn(shape, name) !== undefined)
  return texts
    .flatMap((text) => text.split(','))
    .some((part) => {
      const [, name] = /^[\s!(-]*([a-z_][\w.]*)/i.exec(part) ?? []
      return name !== undefined && !isDocumented(name)
    })
}

/** The command as the instance of a line has it; unchanged where nothing is known of that, or the line is about several. */
export const withKnown = async (
  command: Command,
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Command> => {
  const { hasKnown, readKnown } = await import('../../profile/known.js')
  const paths = getPaths(env)
  const flags = flagsOn(tokens, env)
  const several = /[,*?@]/.test(flags.profile ?? '') || tokens.includes('--all-profiles')
  if (several || !hasKnown(paths)) return command
  const { openStore, profileInForce } = await import('../../profile/index.js')
  const profile = profileInForce(flags, env, () => openStore(paths))
  const known = profile === undefined ? undefined : readKnown(paths, profile)
  if (known === undefined) return command
  return (await import('../command/known.js')).commandWith(command, known)
}
