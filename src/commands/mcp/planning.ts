/** A change that an agent wants: tried without a write, and kept for a person to approve. */
import { wrapper } from '../../base/json/below.js'
import { insertFlags } from '../../base/shell-words.js'
import type { InnerRuns } from '../../engine/command/services.js'
import type { Given } from '../../engine/command/types.js'
import { type Failure, getReason, usage } from '../../errors.js'
import { namesIn, type ToolInput, textIn } from './input.js'
import { formatCommandLine, type ObjectChoice, type PlannedLine, toLine } from './line.js'
import type { Offer } from './offers.js'
import type { AgentDraft, AgentPlan } from './plans.js'

// What a line would change: read, never written.

interface Tried {
  /** What would become of each object: JSON texts, as the dry run prints them. */
  readonly changes: readonly string[]
  /** What the objects belong to, where there are several. */
  readonly parents: readonly string[]
  readonly notes: readonly string[]
  readonly failure?: Failure | undefined
}

/** More nobody reads before approving. */
const maxObjects = 1000

const tooMany = (): Failure =>
  usage(`a plan has at most ${maxObjects} objects`, 'Plan fewer at once.')

/**
 * Stops at the first object that a plan has no room for. It never rejects: what went wrong is the `failure`.
 * @param secrets the values of the variables that the line names, where they are not in the environment
 */
export const tryLine = async (
  { line }: Pick<InnerRuns, 'line'>,
  words: readonly string[],
  signal: AbortSignal,
  secrets: PlannedLine['secrets'] = {},
): Promise<Tried> => {
  const changes: string[] = []
  const parents = new Set<string>()
  const full = new AbortController()
  const { notes, failure } = await line({
    words,
    tries: true,
    signal: AbortSignal.any([signal, full.signal]),
    env: secrets,
    take: (record, parent) => {
      if (changes.length === maxObjects) return full.abort()
      if (parent !== undefined) parents.add(parent.name)
      const own = parent === undefined ? record : wrapper(parent.column, parent.name)(record)
      changes.push(Buffer.from(own).toString())
    },
  })
  const stopped = full.signal.aborted ? tooMany() : undefined
  return { changes, parents: [...parents], notes, failure: stopped ?? failure }
}

// Which objects a plan is about.

/** The arguments of the tool that name several. */
export const severalNames = ['ids', 'where', 'projects', 'group'] as const

/** @throws Failure `usage` for a command that takes one, and for arguments that exclude each other */
const severalIn = ({ name, command }: Offer, input: ToolInput): ObjectChoice => {
  const [ids, projects] = [namesIn(input, 'ids'), namesIn(input, 'projects')]
  const [where, group] = [textIn(input, 'where'), textIn(input, 'group')]
  if (ids !== undefined && where !== undefined)
    throw usage('objects are chosen by ID or by a condition, not by both')
  if (ids !== undefined && command.args[0]?.variadic !== true)
    throw usage(`${name} takes one object at a time`, 'Plan each by its own call.')
  return { ids, where, projects, group }
}

/** The line that does what was tried to these very objects, whatever the instance lists by then. */
const exactLine = (
  offer: Offer,
  given: Given,
  { ids, where, projects, group }: ObjectChoice,
  { changes, parents }: Tried,
): AgentDraft['exact'] => {
  const many = parents.length > 0
  if (where === undefined) {
    const { words } = toLine(
      offer,
      given,
      many ? { ids, projects: parents } : { ids, projects, group },
    )
    return { words }
  }
  // The changes name their own projects, as records do everywhere on standard input.
  const { words } = toLine(offer, given, many ? { ids: [] } : { ids: [], projects, group })
  return { words: insertFlags(words, ['-']), input: `${changes.join('\n')}\n` }
}

interface Planning {
  readonly runs: Pick<InnerRuns, 'line'>
  /** Flags that name the instance. */
  readonly where: readonly string[]
  readonly save: (draft: Omit<AgentDraft, 'by'>) => Promise<AgentPlan>
}

/** A longer reason nobody reads. */
const longestReason = 1000

/** A plan as an agent is told of it. */
interface Planned {
  /** So many objects would be changed. */
  readonly objects: number
  /** Its ID, and the line by which a person approves it; absent where there is nothing to change. */
  readonly plan?: string
  readonly approve?: string
  /** The line that does the same without it. */
  readonly command_line: string
}

/**
 * Plans a change.
 * @param given what was asked for, checked
 * @throws Failure what kept one of the objects from being tried: a plan is whole or none
 */
export const planChange = async (
  { runs, where, save }: Planning,
  offer: Offer,
  given: Given,
  input: ToolInput,
  signal: AbortSignal,
): Promise<{ readonly planned: Planned; readonly tried: Tried }> => {
  const several = severalIn(offer, input)
  const reason = textIn(input, 'reason')
  if (reason !== undefined && reason.length > longestReason)
    throw usage(`reason has at most ${longestReason} characters`)
  const line = toLine(offer, given, several)
  const commandLine = formatCommandLine(line.words, where)
  const tried = await tryLine(runs, line.words, signal, line.secrets)
  if (tried.failure !== undefined) throw tried.failure
  const { changes } = tried
  const planned = { objects: changes.length, command_line: commandLine }
  if (changes.length === 0) return { planned, tried }
  const exact = exactLine(offer, given, several, tried)
  const draft = { command: offer.name, words: line.words, exact, reason, changes }
  try {
    const { id } = await save(draft)
    const approve = formatCommandLine(['mcp', 'approve', id], where)
    return { planned: { ...planned, plan: id, approve }, tried }
  } catch (error) {
    // The preview is no less true for that, and the line does the same.
    const notes = [`not saved for approval: ${getReason(error)}`, ...tried.notes]
    return { planned, tried: { ...tried, notes } }
  }
}
