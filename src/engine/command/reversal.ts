/** Describes what a write destroys and why it cannot be undone, for previews and confirmations. */

import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { getParamFormat } from '../../catalogue/params.js'
import type { CommandFacts, Plan } from './description.js'
import type { Globals } from './globals.js'

const unknownEffect = 'svcctl does not know the effect of the request'

type ReversalFlags = Pick<Globals, 'journal' | 'undoRecord'>

/** True if a change sets only secrets: a journal has no previous values of these. */
const hasOnlySecrets = ({ endpoint, values, extra, files }: Plan): boolean => {
  const names = Object.keys({ ...values, ...extra, ...files }).filter(
    (name) => !Object.hasOwn(endpoint.path, name),
  )
  const isSecret = (name: string): boolean => {
    const param = endpoint.params[name]
    return param !== undefined && (param.secret === true || getParamFormat(param) === 'pem')
  }
  return endpoint.changes === true && names.length > 0 && names.every(isSecret)
}

/** True if a write creates an object: undoing it needs only the answer, no previous values. */
export const isCreation = ({ route, args, path, inverse }: Endpoint): boolean =>
  route.startsWith('POST ') && inverse !== undefined && path[args?.[0] ?? ''] === undefined

/** Explains why a plan cannot be undone; undefined if `journal undo` can undo it. */
export const describeIrreversible = (
  command: CommandFacts,
  globals: ReversalFlags,
  plan: Plan,
): string | undefined => {
  const { endpoint, values } = plan
  const isTrial = endpoint.ownDryRun === true && values.dry_run === true
  if (command.area === 'journal' || !writes(endpoint) || isTrial) return undefined
  if (command.open === true) return unknownEffect
  if (endpoint.irreversible !== undefined) return endpoint.irreversible
  if (globals.journal === 'none') return 'with --journal none, the run is not recorded'
  if (hasOnlySecrets(plan)) return 'secrets are not recorded'
  if (globals.undoRecord || isCreation(endpoint)) return undefined
  return 'with --no-undo-record, the previous values are not recorded'
}

/** Explains why nothing that a command writes can be undone; undefined if some of it can be. */
export const getCommonIrreversible = ({ endpoints, open }: CommandFacts): string | undefined => {
  if (open === true) return unknownEffect
  const writing = Object.values(endpoints).filter(writes)
  return writing.every((e) => e.irreversible !== undefined) ? writing[0]?.irreversible : undefined
}

/** Adds to a question the reason why its action cannot be undone. */
export const withReversal = (what: string, why: string | undefined): string =>
  why === undefined ? what : `${what} This cannot be undone: ${why}.`

// The losses that a person confirms.

/** The lines that a confirmation shows. A function is called only if a person is asked. */
export type Details = readonly string[] | (() => Promise<readonly string[]>)

/** Returns the lines of a confirmation; calls the function that creates them. */
export const resolveDetails = async (details: Details): Promise<readonly string[]> =>
  typeof details === 'function' ? details() : details

/** The lines that describe a loss to the person who confirms it. */
type LossLines = string | readonly string[]

/** The data that is lost when a plan is carried out. */
export interface Loss {
  /** The loss in a sentence; by default what the endpoint destroys. */
  readonly what?: string
  /** The affected objects; by default the objects of the plans, by name. */
  readonly details?: Details
  /** Returns the lines that describe the loss of one plan. They replace the name of its object. */
  readonly describePlan?: (plan: Plan) => LossLines | Promise<LossLines>
  /** The verb before each line in the notes for a line without a terminal, such as `removes`. */
  readonly noteVerb?: string
}

/** Returns the loss as far as it is known now. */
export const resolveLoss = (options: {
  readonly loses?: Loss | (() => Loss | undefined) | undefined
}): Loss | undefined => (typeof options.loses === 'function' ? options.loses() : options.loses)
