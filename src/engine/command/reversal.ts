/** Why a write cannot be undone: said where it is previewed, and where it is confirmed. */
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { formatOf } from '../../catalogue/params.js'
import type { CommandFacts, Plan } from './description.js'
import type { Globals } from './globals.js'

const unknownEffect = 'svcctl does not know the effect of the request'

type ReversalFlags = Pick<Globals, 'journal' | 'undoRecord'>

/** Whether all that a change sets is secret: no journal has what was there before. */
const setsSecretsOnly = ({ endpoint, values, extra, files }: Plan): boolean => {
  const names = Object.keys({ ...values, ...extra, ...files }).filter(
    (name) => !Object.hasOwn(endpoint.path, name),
  )
  const isSecret = (name: string): boolean => {
    const param = endpoint.params[name]
    return param !== undefined && (param.secret === true || formatOf(param) === 'pem')
  }
  return endpoint.changes === true && names.length > 0 && names.every(isSecret)
}

/** Whether a write is taken back by what its answer says, and not by what was there before. */
const isCreation = ({ route, args, path, inverse }: Endpoint): boolean =>
  route.startsWith('POST ') && inverse !== undefined && path[args?.[0] ?? ''] === undefined

/** Why nothing takes back what a plan does; undefined where `journal undo` does. */
export const describeIrreversible = (
  command: CommandFacts,
  globals: ReversalFlags,
  plan: Plan,
): string | undefined => {
  const { endpoint, values } = plan
  const isTrial = endpoint.rehearses === true && values.dry_run === true
  if (command.area === 'journal' || !writes(endpoint) || isTrial) return undefined
  if (command.open === true) return unknownEffect
  if (endpoint.irreversible !== undefined) return endpoint.irreversible
  if (globals.journal === 'none') return 'with --journal none, the run is not recorded'
  if (setsSecretsOnly(plan)) return 'secrets are not recorded'
  if (globals.undoRecord || isCreation(endpoint)) return undefined
  return 'with --no-undo-record, the previous values are not recorded'
}

/** Why nothing takes back whatever a command writes; undefined where some of it can be undone. */
export const getCommonIrreversible = ({ endpoints, open }: CommandFacts): string | undefined => {
  if (open === true) return unknownEffect
  const writing = Object.values(endpoints).filter(writes)
  return writing.every((e) => e.irreversible !== undefined) ? writing[0]?.irreversible : undefined
}

/** A question with what cannot be undone of it. */
export const withReversal = (what: string, why: string | undefined): string =>
  why === undefined ? what : `${what} This cannot be undone: ${why}.`
