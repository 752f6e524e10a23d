/** What the objects of an answer are called, for formats that show nothing else. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type Kind, kindNamed, kinds } from '../../catalogue/kinds.js'
import { usage } from '../../errors.js'
import type { Format } from '../../output/types.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'

/** What an endpoint's answer is of: what it lists, what it takes, else what its area is about. */
const kindOf = (endpoint: Endpoint | undefined, area: string): Kind | undefined => {
  const taken = endpoint?.path[endpoint.args?.at(-1) ?? '']?.completes
  const own = kindNamed(endpoint?.lists) ?? kindNamed(taken)
  return own ?? Object.values<Kind>(kinds).find(({ areas }) => areas[0] === area)
}

/**
 * The fields by which the verbs of an area know a record, the best first: where several projects may be
 * meant, references in full.
 * @param below the records come with what they belong to
 */
export const namesFor = (
  endpoint: Endpoint | undefined,
  area: string,
  below: boolean,
): readonly string[] | undefined => {
  const kind = kindOf(endpoint, area)
  if (kind?.mark === undefined) return kind?.names
  const alone = !below && endpoint?.path.id?.type === 'project'
  return alone ? ['iid', ...kind.names] : kind.names
}

/**
 * Refuses what a format that shows one thing cannot show, before anything is sent.
 * @throws Failure `usage`
 */
export const checkShown = (
  { name, shows }: Format,
  { area, words, endpoints }: Command,
  { fields }: Globals,
): void => {
  if (shows === 'field' && fields?.length !== 1)
    throw usage(`-o ${name} shows one field: name it with --fields`)
  if (shows !== 'names') return
  const all = Object.values(endpoints)
  if (all.some((endpoint) => namesFor(endpoint, area, false) !== undefined)) return
  throw usage(
    `-o ${name} shows objects that verbs take, and ${`svcctl ${area} ${words}`.trim()} has none`,
  )
}
