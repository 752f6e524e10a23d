/** The steps of an undo: what puts each object of a run back, planned before the first is sent. */

import { type Fields, isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { isNumeric } from '../../catalogue/params.js'
import type { Context } from '../../engine/command/context.js'
import type { Plan } from '../../engine/command/types.js'
import type { Attributes, Header } from '../../engine/journal/lines.js'
import type { RunHistory } from '../../engine/journal/reader.js'
import { readUndo, type UndoableItem } from '../../engine/journal/work.js'
import {
  buildInverseValues,
  compareInnerFirst,
  findIdentity,
  type Inverse,
  parseTreePlace,
} from '../../engine/journaling/inverse.js'
import { recoverFrom, usage } from '../../errors.js'
import { lookUp } from '../usernames.js'

// What of a journal's record undo goes by: the attributes that the run changed, of the objects that it names.

/** Returns the attributes that a run changed: those that it sent, and those that its endpoint sets or empties by itself. */
const getChangedAttributes = ({ input }: Pick<Header, 'input'>, endpoint: Endpoint) => {
  const { empties = [], leaves = {}, path } = endpoint
  const names = [...Object.keys(input), ...empties, ...Object.keys(leaves)]
  return new Set(names.filter((name) => !Object.hasOwn(path, name)))
}

const pickAttributes = (attributes: Attributes, names: ReadonlySet<string>): Attributes =>
  attributes === null
    ? null
    : Object.fromEntries(Object.entries(attributes).filter(([name]) => names.has(name)))

/** Returns an object with the attributes of these names alone, and the names of the others. */
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

/** Returns the fields of a record that say which object it is. */
const getIdentities = (known: Fields, kind: string | undefined): readonly unknown[] =>
  [...(getKindByName(kind)?.names ?? []), 'id']
    .map((name) => known[name])
    .filter((value) => value !== undefined && value !== null)

/**
 * Checks that the record of an object is that object's own: an undo must reach the object that was named.
 * @throws Failure `usage` where the record is another object's
 */
const checkSameObject = (
  { object, before, after }: UndoableItem,
  { args: [name = ''] = [], params, path }: Endpoint,
): void => {
  const param = path[name] ?? params[name]
  // Nobody named what the run made.
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

/** One object to restore, and the plan that restores it. */
export interface UndoStep {
  readonly plan: Plan
  readonly was: UndoableItem
}

type Note = (text: string) => void

/** The number of objects that are named because they cannot be restored; the others are counted. */
const mostNamed = 20

/** The objects of a run that cannot be brought back. */
class LostObjects {
  readonly #first: string[] = []
  #count = 0
  #why = ''
  /** True if any other object can be restored. */
  known = false

  readonly add = (object: string, why: string): void => {
    this.#count += 1
    this.#why ||= why
    if (this.#first.length < mostNamed) this.#first.push(`${object}: cannot be undone: ${why}`)
  }

  /** @throws Failure `usage` where nothing can be brought back */
  tell({ header }: RunHistory, note: Note): void {
    if (this.#count === 0) return
    if (!this.known) {
      const { id, command, began } = header
      const run = began === null ? command : `${command}, started at ${began}`
      throw usage(`the run ${id} (${run}) cannot be undone: ${this.#why}`)
    }
    const more = this.#count - this.#first.length
    for (const text of this.#first) note(text)
    if (more > 0) note(`${more} more cannot be undone`)
  }
}

/** Reads what the run changed of each object, with the endpoint that puts the object back; the names of the rest are noted. */
async function* readChanges(
  past: RunHistory,
  { original, presence, endpointFor }: Inverse,
  note: Note,
): AsyncGenerator<{ readonly found: UndoableItem; readonly endpoint: Endpoint }> {
  const names = getChangedAttributes(past.header, original)
  const [others, masked] = [new Set<string>(), new Set<string>()]
  const lost = new LostObjects()
  for await (const known of readUndo(past, lost.add)) {
    if (presence) checkSameObject(known, original)
    const own = presence ? { was: known, others: [] } : limitAttributes(known, names)
    const { after, before } = own.was
    const isRestored = presence || after === null || Object.keys(before ?? { id: 0 }).length > 0
    const endpoint = isRestored ? endpointFor(own.was) : undefined
    if (isRestored && endpoint === undefined) {
      lost.add(known.object, 'no command restores the previous state')
      continue
    }
    lost.known = true
    for (const name of own.others) others.add(name)
    for (const name of known.masked) masked.add(name)
    if (endpoint !== undefined) yield { found: own.was, endpoint }
  }
  lost.tell(past, note)
  if (others.size > 0) note(`skipped, because the run did not change them: ${[...others].join()}`)
  if (masked.size > 0)
    note(`skipped, because the journal has no previous values: ${[...masked].join()}`)
}

/** Returns the parent of an object that was done in a tree, as a plan names it. */
const getUndoParent = ({ parent }: UndoableItem): Pick<Plan, 'parent'> =>
  parent === undefined || parseTreePlace(parent) === undefined
    ? {}
    : { parent: { column: 'of', name: parent } }

/** Returns the kind of the objects of a run, by the endpoint that names one. */
const getObjectKind = ({ endpoints, original }: Inverse): string | undefined => {
  const naming = [original, endpoints[original.inverse ?? '']]
  return naming
    .flatMap((one) => {
      const [name = ''] = one?.args ?? []
      return (one?.path[name] ?? one?.params[name])?.completes ?? []
    })
    .at(0)
}

/** Returns an object with its name, also where the line did not name it because the run made it. */
const withName = (was: UndoableItem, kind: string | undefined): UndoableItem => {
  const identity = was.object === '' ? findIdentity(was.before ?? was.after, kind) : undefined
  return identity === undefined ? was : { ...was, object: String(identity) }
}

/** Plans the steps that put each object of a run back, in the order of its journal. */
async function* planSteps(
  past: RunHistory,
  inverse: Inverse,
  note: Note,
): AsyncGenerator<UndoStep> {
  const kind = getObjectKind(inverse)
  for await (const { found, endpoint } of readChanges(past, inverse, note)) {
    const was = withName(found, kind)
    const values = buildInverseValues(endpoint, was, past.header, inverse.repeats)
    const parent = getUndoParent(was)
    yield { was, plan: { key: '', endpoint, values, label: was.object, kind, ...parent } }
  }
}

/** Returns an object that a step made once more, with the identity of its record: its ID is another one. */
export const withNewName = (
  { was }: UndoStep,
  inverse: Inverse,
  record: unknown,
): { readonly was: UndoableItem; readonly identity: Fields } => {
  const kind = getObjectKind(inverse)
  if (!isObject(record)) return { was, identity: {} }
  const names = ['id', ...(getKindByName(kind)?.names ?? [])]
  const identity = Object.fromEntries(
    names.flatMap((name) => {
      const value = record[name]
      return value === undefined || typeof value === 'object' ? [] : [[name, value] as const]
    }),
  )
  const wasId = String(was.before?.id ?? '') === was.object
  return {
    was: wasId && identity.id !== undefined ? { ...was, object: String(identity.id) } : was,
    identity,
  }
}

/** True if a plan names a user where only an ID is accepted. */
const hasUsername = ({ endpoint, values }: Plan): boolean => {
  const [name = ''] = endpoint.args ?? []
  const param = endpoint.path[name]
  const isUser = isNumeric(param) && param?.completes === 'user'
  return isUser && typeof values[name] === 'string'
}

/** Replaces names by IDs for users whom the run was given by name; a user who is no longer a member stays as named. */
const withIds = async (
  context: Context,
  steps: readonly UndoStep[],
): Promise<readonly UndoStep[]> => {
  const found = new Map<UndoStep, UndoStep>()
  const named = steps.filter(({ plan }) => hasUsername(plan))
  if (named.length === 0) return steps
  await context.instance.each(named, async (step) => {
    const { plan } = step
    const [name = ''] = plan.endpoint.args ?? []
    const user = String(plan.values[name]).replace(/^@/, '')
    const id = await lookUp(context, plan, 'direct', user).catch(recoverFrom)
    if (typeof id !== 'string' || !/^\d+$/.test(id)) return
    found.set(step, { ...step, plan: { ...plan, values: { ...plan.values, [name]: Number(id) } } })
  })
  return steps.map((step) => found.get(step) ?? step)
}

/** The steps of an undo, however many: read from the journal each time that they are gone through. */
export interface Steps {
  readonly count: number
  /** The first ten. */
  readonly first: readonly UndoStep[]
  readonly each: () => AsyncIterable<UndoStep>
  /** All of them, where they are few, wait for each other, or name users that have to be looked up. */
  readonly held?: readonly UndoStep[]
}

/**
 * Plans the steps of an undo. All of the journal is read once before anything is done.
 * @param note receives what is not restored
 * @throws Failure `usage` where nothing can be, or where the journal was edited
 */
export const readSteps = async (
  context: Context,
  past: RunHistory,
  inverse: Inverse,
  note: Note,
): Promise<Steps> => {
  const first: UndoStep[] = []
  let [count, together] = [0, false]
  for await (const step of planSteps(past, inverse, note)) {
    count += 1
    together ||= parseTreePlace(step.was.parent) !== undefined || hasUsername(step.plan)
    if (first.length < maxFirst) first.push(step)
  }
  const each = () => planSteps(past, inverse, () => {})
  if (count > maxFirst && !together) return { count, first, each }
  const all: UndoStep[] = []
  for await (const step of each()) all.push(step)
  all.sort((a, b) => compareInnerFirst(a.was, b.was))
  const held = await withIds(context, all)
  return { count, first: held.slice(0, maxFirst), each: () => streamSteps(held), held }
}

/** The number of first steps that are kept. */
const maxFirst = 10

async function* streamSteps(steps: readonly UndoStep[]): AsyncGenerator<UndoStep> {
  yield* steps
}
