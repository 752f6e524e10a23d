/** What the instance of a line was seen to have beyond the documents: read only where a line has a name that they do not have. */
import { areas } from '../../catalogue/index.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getPaths } from '../../profile/paths.js'
import type { InstanceFlags, Profile } from '../../profile/types.js'
import type { Command } from '../command/types.js'
import { getShapeFields, kindIn } from '../where/shape.js'
import { namesSeveral } from './found.js'

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

/** The profiles whose instances are asked. */
const profilesMeant = async (
  flags: InstanceFlags,
  env: NodeJS.ProcessEnv,
): Promise<readonly Profile[]> => {
  if (namesSeveral(flags)) return (await import('./several.js')).profilesOf(flags.profile, env)
  const { openStore, getActiveProfile } = await import('../../profile/index.js')
  const profile = getActiveProfile(flags, env, () => openStore(getPaths(env)))
  return profile === undefined ? [] : [profile]
}

/** The command as the instances that are asked have it, what one of them has being as good as what all have; unchanged where nothing is known of any. */
export const withKnown = async (
  command: Command,
  flags: InstanceFlags,
  env: NodeJS.ProcessEnv,
): Promise<Command> => {
  const { hasKnown, readKnown } = await import('../../profile/known.js')
  const paths = getPaths(env)
  if (!hasKnown(paths)) return command
  const profiles = await profilesMeant(flags, env)
  const known = profiles.flatMap((profile) => readKnown(paths, profile) ?? [])
  if (known.length === 0) return command
  const { commandWith, knownTogether } = await import('../command/known.js')
  return commandWith(command, knownTogether(known))
}
