/** Plans the steps of an undo from a journal: one request for each object that is restored. */

import { type Fields, toJsonFields } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { isNumeric } from '../../catalogue/params.js'
import type { Context } from '../../engine/command/context.js'
import type { Plan, PlanSource } from '../../engine/command/types.js'
import type { Attributes, Header } from '../../engine/journal/lines.js'
import { readUndoable } from '../../engine/journal/objects.js'
import type { RunHistory } from '../../engine/journal/reader.js'
import { buildInverseValues, findIdentity, type Inverse } from '../../engine/journaling/inverse.js'
import type { GivenObject, UndoableItem } from '../../engine/work/report.js'
import { SeenObjects } from '../../engine/work/seen-objects.js'
import { compareInnerFirst, parseTreePlace } from '../../engine/work/turns.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { lookUp } from '../usernames.js'

// The recorded values that undo may restore: those of attributes that the run changed.

/** Returns the attributes that a run changed: those that it sent, and those that its endpoint changes without being asked. */
const getChangedAttributes = ({ input }: Pick<Header, 'input'>, endpoint: Endpoint) => {
  const { empties = [], leaves = {}, path } = endpoint
  const names = [...Object.keys(input), ...empties, ...Object.keys(leaves)]
  return new Set(names.filter((name) => !Object.hasOwn(path, name)))
}

const pickAttributes = (attributes: Attributes, names: ReadonlySet<string>): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([name]) => names.has(name)))

/** Limits the recorded values of an object to these attributes. `others` has the names of the rest. */
const limitAttributes = (
  was: UndoableItem,
  names: ReadonlySet<string>,
): { readonly was: UndoableItem; readonly others: readonly string[] } => ({
  was: {
    ...was,
    before: pickAttributes(was.before, names),
    after: pickAttributes(was.after, names),
  },
  others: Object.keys(was.before ?? {}).filter((name) => !names.has(name)),
})

const normalizeName = (name: unknown): string => String(name).replace(/^@/, '').toLowerCase()

/** Returns the values of a record that identify its object. */
const getIdentities = (known: Fields, kind: string | undefined): readonly unknown[] =>
  [...(getKindByName(kind)?.names ?? []), 'id']
    .map((name) => known[name])
    .filter((value) => value !== undefined && value !== null)

/**
 * Checks that the recorded values belong to the recorded object, since an edited journal could lead an undo to another object.
 * @throws Failure `usage` if they belong to another object
 */
const checkSameObject = (
  { object, before, after }: UndoableItem,
  { args: [name = ''] = [], params, path }: Endpoint,
): void => {
  const param = path[name] ?? params[name]
  // Objects that the run created have no name in the journal.
  if (param === undefined || object === '') return
  const identities = getIdentities(before ?? after ?? {}, param.completes)
  if (
    identities.length === 0 ||
    identities.some((one) => normalizeName(one) === normalizeName(object))
  )
    return
  throw usage(
    `the journal was edited: it records ${String(identities[0])} for ${object}`,
    'Nothing was sent. Revert the changes by hand.',
  )
}

/** The plan that restores one object. */
export interface UndoStep extends Plan {
  readonly reverts: UndoableItem
}

type Note = (text: string) => void

/** The maximum number of objects that cannot be restored and are named. Further ones are counted. */
const mostNamed = 20

/** Collects the objects of a run that cannot be restored. */
class LostObjects {
  readonly #first: string[] = []
  #count = 0
  #why = ''
  /** True if any other object can be restored. */
  hasOthers = false

  readonly add = (
    { object, parent }: Pick<GivenObject, 'object' | 'parent'>,
    why: string,
  ): void => {
    this.#count += 1
    this.#why ||= why
    const name = object === '' ? parent : object
    if (this.#first.length < mostNamed) this.#first.push(`${name}: cannot be undone: ${why}`)
  }

  /** Notes the objects that cannot be restored. @throws Failure `usage` if that is all of them */
  report({ header }: RunHistory, note: Note): void {
    if (this.#count === 0) return
    if (!this.hasOthers) {
      const { id, command, began } = header
      const run = began === null ? command : `${command}, started at ${began}`
      throw usage(`the run ${id} (${run}) cannot be undone: ${this.#why}`)
    }
    const more = this.#count - this.#first.length
    for (const text of this.#first) note(text)
    if (more > 0) note(`${more} more cannot be undone`)
  }
}

/** Yields the objects of a run with the values that undo restores, and with the endpoint for it. Attributes that it skips are noted. */
async function* readChanges(
  past: RunHistory,
  { original, isPresence: presence, findEndpoint }: Inverse,
  note: Note,
): AsyncGenerator<{ readonly found: UndoableItem; readonly endpoint: Endpoint }> {
  const names = getChangedAttributes(past.header, original)
  const [others, masked] = [new Set<string>(), new Set<string>()]
  const lost = new LostObjects()
  for await (const known of readUndoable(past, lost.add)) {
    if (presence) checkSameObject(known, original)
    const own = presence ? { was: known, others: [] } : limitAttributes(known, names)
    const { after, before } = own.was
    const isRestored = presence || after === null || Object.keys(before ?? { id: 0 }).length > 0
    const endpoint = isRestored ? findEndpoint(own.was) : undefined
    if (isRestored && endpoint === undefined) {
      lost.add(known, 'no command restores the previous state')
      continue
    }
    lost.hasOthers = true
    for (const name of own.others) others.add(name)
    for (const name of known.masked) masked.add(name)
    if (endpoint !== undefined) yield { found: own.was, endpoint }
  }
  lost.report(past, note)
  if (others.size > 0) note(`skipped, because the run did not change them: ${[...others].join()}`)
  if (masked.size > 0)
    note(`skipped, because the journal has no previous values: ${[...masked].join()}`)
}

/** Returns the name of an object for its plan, with its parent if the run had several. The only object of its parent has no name. */
const nameStep = (
  { object, parent }: UndoableItem,
  { parents }: Header,
): Pick<Plan, 'parent' | 'label'> => {
  if (parent === undefined) return { label: object }
  const column = parseTreePlace(parent) === undefined ? parents : 'of'
  if (column === undefined) return { label: object }
  return { label: object === '' ? undefined : object, parent: { column, name: parent } }
}

/** Returns the kind of a run's objects, from an endpoint that has it. */
const getObjectKind = ({ endpoints, original }: Inverse): string | undefined => {
  const naming = [original, endpoints[original.inverse ?? '']]
  return naming
    .flatMap((one) => {
      const [name = ''] = one?.args ?? []
      return (one?.path[name] ?? one?.params[name])?.completes ?? []
    })
    .at(0)
}

/** Adds the name to an object that the run created, from its recorded values. */
const addName = (was: UndoableItem, kind: string | undefined): UndoableItem => {
  const identity = was.object === '' ? findIdentity(was.before ?? was.after, kind) : undefined
  return identity === undefined ? was : { ...was, object: String(identity) }
}

/** Plans the steps of an undo in the order of the journal. */
async function* planRunSteps(
  past: RunHistory,
  inverse: Inverse,
  note: Note,
): AsyncGenerator<UndoStep> {
  const kind = getObjectKind(inverse)
  for await (const { found, endpoint } of readChanges(past, inverse, note)) {
    const was = addName(found, kind)
    const values = buildInverseValues(endpoint, was, past.header, inverse.repeats)
    const { object, row } = was
    const named = { object, kind, ...nameStep(was, past.header) }
    yield { endpoint, values, ...named, row: row && toJsonFields(row), reverts: was }
  }
}

/** Plans the steps for the journals of one or more runs. Each object is restored once. */
async function* planSteps(
  [first, ...earlier]: readonly RunHistory[],
  inverse: Inverse,
  note: Note,
): AsyncGenerator<UndoStep> {
  if (first === undefined) return
  if (earlier.length === 0) return yield* planRunSteps(first, inverse, note)
  const seen = new SeenObjects()
  for (const past of [first, ...earlier])
    for await (const step of planRunSteps(past, inverse, note))
      if (seen.add(step.reverts)) yield step
}

/** True if a plan names a user where only an ID is accepted. */
const hasUsername = ({ endpoint, values }: Plan): boolean => {
  const [name = ''] = endpoint.args ?? []
  const param = endpoint.path[name]
  const isUser = isNumeric(param) && param.completes === 'user'
  return isUser && typeof values[name] === 'string'
}

/** Replaces usernames by IDs. A step whose user is no longer a member is refused, since the API does not accept the name. */
const replaceUsernames = async (
  context: Context,
  steps: readonly UndoStep[],
): Promise<readonly UndoStep[]> => {
  const found = new Map<UndoStep, UndoStep>()
  const named = steps.filter(hasUsername)
  if (named.length === 0) return steps
  await context.instance.each(named, async (step) => {
    const { endpoint, values } = step
    const [name = ''] = endpoint.args ?? []
    const user = String(values[name]).replace(/^@/, '')
    const id = await lookUp(context, step, 'direct', user).catch(recoverFrom)
    found.set(
      step,
      id instanceof Failure
        ? { ...step, refused: id }
        : { ...step, values: { ...values, [name]: Number(id) } },
    )
  })
  return steps.map((step) => found.get(step) ?? step)
}

/** A step as an object of a run. */
class StepObject implements GivenObject {
  readonly object: string
  readonly parent: string | undefined
  readonly row: Fields | undefined
  readonly step: UndoStep

  constructor(step: UndoStep) {
    const { object, parent, row } = step.reverts
    this.object = object
    this.parent = parent
    this.row = row
    this.step = step
  }
}

/**
 * Plans the steps of an undo, and reads all journals once. Many steps that do not depend on each other are read from the journals each
 * time, so that any number of them fits in memory.
 * @param note receives notes about objects and attributes that are not restored
 * @throws Failure `usage` if nothing can be restored, or if the journal was edited
 */
export const readSteps = async (
  context: Context,
  runs: readonly RunHistory[],
  inverse: Inverse,
  note: Note,
): Promise<readonly UndoStep[] | PlanSource> => {
  const first: UndoStep[] = []
  let [count, together] = [0, false]
  for await (const step of planSteps(runs, inverse, note)) {
    count += 1
    together ||= parseTreePlace(step.reverts.parent) !== undefined || hasUsername(step)
    if (first.length < maxFirst) first.push(step)
  }
  const readAll = () => planSteps(runs, inverse, () => {})
  if (count > maxFirst && !together) return createStepSource(readAll, count, first)
  const all: UndoStep[] = []
  for await (const step of readAll()) all.push(step)
  all.sort((a, b) => compareInnerFirst(a.reverts, b.reverts))
  return replaceUsernames(context, all)
}

/** The number of first steps that are kept. */
const maxFirst = 10

const createStepSource = (
  readAll: () => AsyncIterable<UndoStep>,
  count: number,
  first: readonly UndoStep[],
): PlanSource => {
  const readObjects = async function* (): AsyncGenerator<StepObject> {
    for await (const step of readAll()) yield new StepObject(step)
  }
  return {
    objects: readObjects(),
    known: { count, first: first.map((step) => new StepObject(step)), readAgain: readObjects },
    planOf: async (object) => {
      if (object instanceof StepObject) return object.step
      throw new Failure('internal', 'an object of another run')
    },
  }
}
