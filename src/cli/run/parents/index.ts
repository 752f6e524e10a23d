/** A command over the several parents that its line names. */
import { writes } from '../../../catalogue/endpoint.js'
import { defaultLimit } from '../../../client/defaults.js'
import { named } from '../../../commands/derive/index.js'
import type { Globals } from '../../../commands/globals.js'
import type { Services } from '../../../commands/services.js'
import type { Command, Given } from '../../../commands/types.js'
import { usage } from '../../../errors.js'
import { givenFor, isFound, type Parents, type Slot } from '../../plan/parents.js'
import { referenceOf } from '../../plan/references.js'
import { Printed } from '../instance/unsent.js'
import { isRehearsal } from '../rehearsal.js'
import { type Over, overParents } from './over.js'
import { slotsOf } from './slots.js'

interface Asked extends Pick<Over, 'command' | 'running' | 'given' | 'action' | 'signal'> {
  readonly parents: Parents
  /** Those that came with their objects. */
  readonly slots?: readonly Slot[]
  readonly globals: Globals
}

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

/** Parents worked on at once; what they ask passes the gate. */
const usualWidth = 4

/** What nobody named is confirmed, unless each command asks by itself what is lost. */
const confirmAll = async ({ command, running }: Asked, slots: readonly Slot[]): Promise<void> => {
  if (Object.values(command.endpoints).some((e) => e.destructive !== undefined)) return
  await running.services.person.confirm(
    `${named(command)}, in each of them: ${slots.length}.`,
    slots.map(({ parent, value }) => `${parent.column === 'of' ? parent.name : value}`),
  )
}

/** Runs a command for each parent; `services` sees one at a time. */
export const runOverParents = async (asked: Asked): Promise<void> => {
  const { command, running, parents, given, globals } = asked
  checkObjects(command, given)
  const writing = Object.values(command.endpoints).some(writes)
  const services: Services = running.services
  if (globals.curl && isFound(parents))
    throw usage(
      '--curl needs a list of projects first, and nothing is sent',
      'Name them: --project takes several, also from - (standard input).',
    )
  const slots =
    asked.slots ??
    (await slotsOf(services, parents, writing && !globals.curl, {
      alone: globals.recursive === false,
      archived: globals.withArchived,
    }))
  if (globals.curl) return unsent(asked, slots)
  if (writing && isFound(parents) && !isRehearsal(asked)) await confirmAll(asked, slots)
  await overParents({
    ...asked,
    slots,
    most: mostOf(globals),
    width: typeof globals.concurrency === 'number' ? globals.concurrency : usualWidth,
    tolerated: globals.tolerate ?? [],
  })
}
