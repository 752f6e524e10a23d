/** A command over the several parents that its line names. */
import { writes } from '../../../catalogue/endpoint.js'
import { defaultLimit } from '../../../client/defaults.js'
import { hasForm, lists, named } from '../../../commands/derive/index.js'
import type { Globals } from '../../../commands/globals.js'
import type { Command, Given } from '../../../commands/types.js'
import { usage } from '../../../errors.js'
import { givenFor, isFound, type Parents, type Slot } from '../../plan/parents.js'
import { referenceOf } from '../../plan/references.js'
import type { Running } from '../context.js'
import { Printed } from '../instance/unsent.js'
import { isRehearsal } from '../rehearsal.js'
import type { Selection } from '../where/selecting.js'
import { type Over, overParents } from './over.js'
import { slotsOf } from './slots.js'

interface Asked extends Pick<Over, 'command' | 'given' | 'action' | 'signal'> {
  readonly running: Over['running'] & Pick<Running, 'gate'>
  readonly parents: Parents
  /** Those that came with their objects. */
  readonly slots?: readonly Slot[]
  /** Those that are in the part that the run is about. */
  readonly narrow?: (slots: readonly Slot[]) => readonly Slot[]
  readonly globals: Globals
  /** `--select`: which objects, in each. */
  readonly selection?: Selection
}

const writesAny = ({ endpoints }: Command): boolean => Object.values(endpoints).some(writes)

/** An object that says itself where it belongs has no place in each of several. */
const checkObjects = ({ args: [argument] }: Command, { args }: Given): void => {
  for (const text of argument?.variadic === true ? args : args.slice(0, 1)) {
    const own =
      /^https?:/i.test(text) ||
      referenceOf(text, argument?.parameter ?? '', () => '').project !== undefined
    if (own && argument?.param?.type === 'integer')
      throw usage(
        `${text} brings its project along, and several are given`,
        'Give the number alone, or leave the projects out.',
      )
  }
}

/** How many records, where nobody says it of them all: as of one list. */
const mostOf = ({ limit, perPage }: Pick<Globals, 'limit' | 'perPage'>): number => {
  if (limit !== undefined) return limit === 'all' ? Number.POSITIVE_INFINITY : limit
  return perPage === undefined ? defaultLimit : Number.POSITIVE_INFINITY
}

/** `--curl`: what would be sent of each. */
const unsent = async ({ running, given, action }: Asked, slots: readonly Slot[]): Promise<void> => {
  let printed: Printed | undefined
  for (const slot of slots)
    try {
      await action(running.services, givenFor(given, slot))
    } catch (error) {
      if (!(error instanceof Printed)) throw error
      printed = error
    }
  if (printed !== undefined) throw printed
}

/** What nobody named is confirmed, unless each command asks by itself what is lost. */
const confirmAll = async ({ command, running }: Asked, slots: readonly Slot[]): Promise<void> => {
  if (Object.values(command.endpoints).some((e) => e.destructive !== undefined)) return
  await running.services.person.confirm(
    `${named(command)}, in each of them: ${slots.length}.`,
    slots.map(({ parent, value }) => `${parent.column === 'of' ? parent.name : value}`),
  )
}

/** The parents of a line, asked for where a list has to name them. */
const slotsFor = async ({ globals, running, parents, slots, command }: Asked) => {
  if (globals.curl && isFound(parents))
    throw usage(
      '--curl needs a list of projects first, and nothing is sent',
      'Name them: --project takes several, also from - (standard input).',
    )
  const writing = writesAny(command) && !globals.curl
  const { naming } = command
  const narrowed = {
    alone: globals.recursive === false,
    archived: globals.withArchived,
    ...(naming === undefined ? {} : { naming }),
  }
  return slots ?? slotsOf(running.services, parents, writing, narrowed)
}

/** `--select`: what is done then is done to the objects of each. */
const runSelected = async (
  asked: Asked,
  selection: Selection,
  slots: readonly Slot[],
): Promise<void> => {
  const { command, running, given, action, signal } = asked
  const { doTogether, selectedIn } = await import('./selecting.js')
  const { services } = running
  const choosing = { selection, services, given, signal, gate: await running.gate() }
  const chosen = await selectedIn(choosing, slots)
  if (chosen.length === 0) return
  if (!hasForm(command, 'project') && !hasForm(command, 'group'))
    return doTogether(choosing, chosen, action)
  await over({ ...asked, given: selection.verbed(given) }, chosen)
}

const over = async (asked: Asked, slots: readonly Slot[]): Promise<void> => {
  const { command, globals, running } = asked
  return overParents({
    ...asked,
    slots,
    most: lists(command) ? mostOf(globals) : Number.POSITIVE_INFINITY,
    gate: await running.gate(),
  })
}

/** Runs a command for each parent; `services` sees one at a time. */
export const runOverParents = async (asked: Asked): Promise<void> => {
  const { command, parents, given, globals, selection } = asked
  checkObjects(command, given)
  const all = await slotsFor(asked)
  const slots = asked.narrow?.(all) ?? all
  if (slots.length === 0)
    return asked.running.services.person.note('none of them is in this part: nothing to do')
  if (selection !== undefined) return runSelected(asked, selection, slots)
  if (globals.curl) return unsent(asked, slots)
  if (writesAny(command) && isFound(parents) && !isRehearsal(asked)) await confirmAll(asked, slots)
  await over(asked, slots)
}
