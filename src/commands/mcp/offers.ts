/** Which commands agents may ask for, and as what: by what their endpoints and specials declare. */

import { type Endpoint, getMethod, writes } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { type Datum, getData } from '../../engine/command/data.js'
import { withoutSpecial } from '../../engine/command/derive/derived.js'
import { getCommandName } from '../../engine/command/derive/names.js'
import type { Described } from '../../engine/command/described.js'

/** A command as agents have it. */
export interface Offer {
  /** Its words: `runners list`. */
  readonly name: string
  readonly command: Described
  /** As its endpoints alone make it. */
  readonly plain: boolean
  readonly data: readonly Datum[]
  /** It only reads: so do all endpoints that it may reach, and so it says of itself. */
  readonly reads: boolean
  readonly destroys: boolean
  /** Asked twice it does what once would do. */
  readonly idempotent: boolean
  /** It lists records, page by page. */
  readonly lists: boolean
  /** Files that it reads: named by whoever started the server, never by an agent. */
  readonly files?: readonly string[]
}

/** What no data can ask for: bytes of a file, and what is allowed by a secret of its own. */
const isApart = ({ returns, credential }: Endpoint): boolean =>
  returns.kind === 'file' || credential === 'parameter'

/** Whether a special takes a parameter otherwise than its endpoints do: as the name of a file, or as lines. */
const readsFiles = ({ args, flags, endpoints }: Described): boolean =>
  args.some(({ file }) => file === true) ||
  flags.some(({ parameter, param }) => {
    if (parameter === undefined) return false
    const own = Object.values(endpoints).flatMap(
      (e) => e.params[parameter] ?? e.path[parameter] ?? [],
    )
    return own.length > 0 && own.every(({ type }) => type !== param.type)
  })

/** Commands of the tool itself that answer what an instance is like, and read no file of this machine. */
const answering = new Set([
  'overview',
  'access',
  'check instance',
  'check runners',
  'check geo',
  'check certificates',
])

/** Whether a command is of the API, not of the tool itself. */
const isOfApi = ({ area }: Described): boolean => areas.some(({ name }) => name === area)

/** A command as agents may have it; undefined where it is not for them. */
const offerOf = (found: Described): Offer | undefined => {
  const endpoints = Object.values(found.endpoints)
  const asks = endpoints.length > 0 || found.readOnly === true || found.writes === true
  if (!isOfApi(found) && !answering.has(getCommandName(found))) return undefined
  if (!asks || found.longRunning === true) return undefined
  if (endpoints.some(isApart)) return undefined
  const plain = readsFiles(found)
  const command = plain ? withoutSpecial(found) : found
  return {
    name: getCommandName(command),
    command,
    plain,
    data: getData(command),
    reads: !endpoints.some(writes) && command.waits !== true && command.writes !== true,
    // What one without endpoints of its own writes, nobody says.
    destroys: endpoints.some((e) => e.destructive !== undefined) || command.writes === true,
    idempotent: endpoints.every((e) => getMethod(e) !== 'POST' || e.safe === true),
    lists: endpoints.some(({ returns }) => returns.kind === 'many'),
  }
}

/** `drift`, about these files and no others. */
const driftOf = (command: Described, files: readonly string[]): Offer => ({
  name: 'drift',
  command,
  plain: false,
  data: [],
  reads: true,
  destroys: false,
  idempotent: true,
  lists: false,
  files,
})

/**
 * Those of all commands that agents may have: the tool's own are none of them.
 * @param declared files of the declared state, for `drift`
 */
export const getOffers = (
  commands: readonly Described[],
  declared: readonly string[] = [],
): readonly Offer[] =>
  commands.flatMap((command) => {
    const drifts = declared.length > 0 && getCommandName(command) === 'drift'
    return (drifts ? driftOf(command, declared) : offerOf(command)) ?? []
  })
