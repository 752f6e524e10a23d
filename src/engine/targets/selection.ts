/**
 * `--select`: chooses the objects of a verb from a list. All objects are chosen before the first write, because a write could
 * change the rest of the list.
 */

import { addToGroup } from '../../base/collections.js'
import { type Fields, getFields, isObject } from '../../base/objects.js'
import { formatCount } from '../../base/text.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { toMaxCount } from '../../client/paging.js'
import { usage } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { AnswerService, UiService } from '../command/context.js'
import {
  canNarrowSelection,
  getCommandName,
  getScope,
  getSelectList,
  hasScopeEndpoint,
  isPreview,
} from '../command/derive.js'
import { yieldNone } from '../command/outcomes.js'
import { getCommonIrreversible, withReversal } from '../command/reversal.js'
import type { Command, Given } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import { ListReader } from '../instance/listing.js'
import type { SingleReadOptions } from '../line-parts.js'
import type { RunOptions } from '../options.js'
import { type Objects, readObjects } from '../plan/objects.js'
import { getPipedObject } from '../plan/stdin/rows.js'
import { RecordFilter } from '../records/where.js'
import { createNoteRow, type Rows } from '../rows.js'
import { getConditionFields, parseWhere } from '../where/index.js'
import { type GivenObject, maxNamed } from '../work/report.js'
import type { Workspace } from '../workspace/workspace.js'
import { createIdConflict, findSelectionList } from './objects.js'

// Records as objects: the name of each, and the previous values that the run may change.

interface ChosenObject extends GivenObject {
  /** The name for people: the ID with the title. */
  readonly called: string
}

const formatTitle = (record: unknown, title: string | undefined): string => {
  const fields: Fields = getFields(record)
  const value = title === undefined ? undefined : fields[title]
  return typeof value === 'string' && value !== '' ? ` "${value}"` : ''
}

/** Returns the attributes that a command may change. */
const getChangeableNames = ({ endpoints }: Command): ReadonlySet<string> =>
  new Set(
    Object.values(endpoints).flatMap((e) => [
      ...Object.keys(e.leaves ?? {}),
      ...(e.changes === true ? Object.keys(e.params) : []),
    ]),
  )

/** Returns the values of these attributes in a record, under their documented names. */
const getKeptFields = (
  record: unknown,
  names: ReadonlySet<string>,
): Pick<GivenObject, 'before'> => {
  if (names.size === 0 || !isObject(record)) return {}
  // The documented names of fields that the instance calls otherwise are not enumerable.
  const kept = Object.getOwnPropertyNames(record).filter((name) => names.has(name))
  return { before: Object.fromEntries(kept.map((name) => [name, record[name]])) }
}

/**
 * Yields the objects of records. Only the name and the values that the run may change are kept of each record.
 * @param project the project to which the numbers belong, if there is one
 */
async function* yieldChosenObjects(
  command: Command,
  records: AsyncIterable<unknown>,
  project: string | undefined,
): AsyncGenerator<ChosenObject> {
  const [argument] = command.args
  const objects = await readObjects(argument)
  const title = getKindByName(argument?.param?.completes)?.title
  const names = getChangeableNames(command)
  for await (const record of records) {
    const object = getPipedObject(record, objects, project)
    yield {
      object,
      called: `${object}${formatTitle(record, title)}`,
      ...getKeptFields(record, names),
    }
  }
}

// Lists without a form for projects: their records name the project.

const reference = /^(?<project>.+)[!#](?<id>\d+)$/

/** Groups the numbers of objects by project, both by its path in lower case and by its ID. */
const groupByProject = async (
  records: AsyncIterable<unknown>,
  objects: Objects | undefined,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const owned = new Map<string, string[]>()
  for await (const record of records) {
    const { project = '', id = '' } = reference.exec(getPipedObject(record, objects))?.groups ?? {}
    const number = isObject(record) ? String(record.project_id) : project
    for (const key of new Set([project.toLowerCase(), number])) addToGroup(owned, key, id)
  }
  return owned
}

// Parameters that keep a list from leaving out records by default.

/** Returns the parameter values that ask for all records. Without them, some lists have only the user's own records. */
const getEverythingValues = (
  { params }: Pick<Endpoint, 'params'>,
  texts: readonly string[],
): Readonly<Record<string, string>> => {
  const fields = getConditionFields(parseWhere(texts))
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      const { everything, default: usual } = param
      const own = everything !== undefined && everything !== usual && !fields.includes(name)
      return own ? [[name, everything] as const] : []
    }),
  )
}

interface SelectionContext {
  readonly options: RunOptions
  readonly singleReads: SingleReadOptions
  readonly exchange: Pick<InstanceExchange, 'openInstance'>
  readonly ui: Pick<UiService, 'confirm' | 'note'>
  readonly answer: Pick<AnswerService, 'reader'>
  readonly place: Pick<Workspace, 'clock' | 'findScopeAmong'>
}

type Flags = Given['flags']

/** The objects that `--select` chose. */
export interface ChosenObjects {
  readonly args: readonly string[]
  /** The names of the first objects, for people. */
  readonly names: readonly string[]
}

/** Finds the list of a selection. @throws Failure `usage` if the verb has none, or for IDs or `--curl` in addition */
const findList = async ({ command, globals }: RunOptions, given: Given): Promise<Command> => {
  const list = await findSelectionList(command)
  if (list === undefined)
    throw usage(
      `--select: ${getCommandName(command)} does not support selection`,
      command.args.length === 0 ? undefined : 'Pass the objects by ID.',
    )
  if (given.args.length > 0) throw createIdConflict()
  if (globals.curl)
    throw usage('--curl sends nothing, but --select needs a list first', 'Pass IDs with --curl.')
  return list
}

const isScopeFlag = (name: string): name is 'project' | 'group' =>
  name === 'project' || name === 'group'

/** Returns the scopes that a verb's own endpoints have. */
const getScopes = (command: Command): readonly ('project' | 'group')[] =>
  Object.values(command.endpoints).flatMap((endpoint) => {
    const kind = getScope(endpoint)?.kind
    return kind !== undefined && isScopeFlag(kind) ? [kind] : []
  })

/** Finds the project or group of both the list and the verb, because a number names another object in another project. */
const findScopeFlags = async (
  command: Command,
  { flags }: Given,
  place: SelectionContext['place'],
): Promise<Flags> => {
  const given = Object.fromEntries(Object.entries(flags).filter(([name]) => isScopeFlag(name)))
  const carried = getKindByName(command.args[0]?.param?.completes)?.mark !== undefined
  const needed = getScopes(command)
  if (Object.keys(given).length > 0 || carried || needed.length === 0) return given
  const atHand = await place.findScopeAmong(needed)
  if (atHand !== undefined) return { [atHand.kind]: atHand.value }
  throw usage(`${getCommandName(command)} requires --${[...new Set(needed)].join(' or --')}`)
}

/** Drops the notes of the lists. */
const silent = { noteAtEnd: () => {} }

/** Chooses the objects of a run with `--select`. */
export class Selection {
  readonly #options: RunOptions
  readonly #context: SelectionContext
  readonly #texts: readonly string[]
  #choice: RecordFilter | undefined
  /** The numbers of objects by project, for a list without a form for projects. */
  #owned: Promise<ReadonlyMap<string, readonly string[]>> | undefined

  constructor(around: SelectionContext, texts: readonly string[]) {
    this.#options = around.options
    this.#context = around
    this.#texts = texts
  }

  /** Returns the arguments with the matching objects, after they are confirmed. Returns undefined if none matches. */
  async select(given: Given): Promise<Given | undefined> {
    const { command } = this.#options
    const list = await findList(this.#options, given)
    const scope = await findScopeFlags(command, given, this.#context.place)
    const chosen = await this.#collectChosen(list, given, scope, this.maxObjects)
    if (chosen.args.length === 0) return undefined
    this.spend(chosen.args.length)
    await this.confirm(chosen.names, chosen.args.length)
    return this.removeListFlags({
      ...given,
      args: chosen.args,
      flags: { ...given.flags, ...scope },
    })
  }

  /** Returns the arguments with a stream of the matching objects. They are confirmed once all are found. */
  async streamObjects(given: Given): Promise<Given | undefined> {
    const { command } = this.#options
    const list = await findList(this.#options, given)
    const scope = await findScopeFlags(command, given, this.#context.place)
    const found = this.#yieldMatches(list, given, scope, this.maxObjects)
    const first = await found.next()
    if (first.done === true) return undefined
    const names: string[] = []
    const yieldAll = async function* (): AsyncGenerator<ChosenObject> {
      yield first.value
      yield* found
    }
    const spend = () => this.spend(1)
    const yieldObjects = async function* (): AsyncGenerator<GivenObject> {
      for await (const { called, ...object } of yieldAll()) {
        spend()
        if (names.length < maxNamed) names.push(called)
        yield object
      }
    }
    const confirm = (count: number): Promise<void> => this.confirm(names, count)
    const stream = { objects: yieldObjects(), ...(isPreview(this.#options) ? {} : { confirm }) }
    return this.removeListFlags({ ...given, stream, flags: { ...given.flags, ...scope } })
  }

  /** Returns the matching objects of one parent, which the flags name. */
  async selectInParent(given: Given, most: number): Promise<ChosenObjects> {
    const list = await findList(this.#options, given)
    const flags = Object.entries(given.flags).filter(([name]) => isScopeFlag(name))
    return this.#collectChosen(list, given, Object.fromEntries(flags), most)
  }

  /** Returns the maximum number of objects. Several instances share it. */
  get maxObjects(): number {
    const { part, globals } = this.#options
    return part?.budget?.left ?? toMaxCount(globals.limit ?? 'all')
  }

  /** Leaves fewer objects to the instances that come after this one. */
  spend(count: number): void {
    const budget = this.#options.part?.budget
    if (budget !== undefined) budget.left -= count
  }

  /** Returns the arguments without the flags that only the list takes. */
  removeListFlags(given: Given): Given {
    const { command } = this.#options
    const flags = Object.entries(given.flags).filter(([name]) => !canNarrowSelection(command, name))
    return { ...given, flags: Object.fromEntries(flags) }
  }

  /** Yields the note that nothing matches, and an empty answer. */
  async *yieldNoMatch(): Rows {
    const list = getSelectList(this.#options.command)?.list ?? ''
    yield createNoteRow(`no matches in ${list}: nothing to do`)
    yield* yieldNone(this.#context.answer)
  }

  /**
   * Confirms objects that the line did not name. A command that deletes asks by itself.
   * @param where text that follows the number of objects, such as ` in 3 projects`
   * @throws Failure `usage` if the objects are not confirmed
   */
  async confirm(names: readonly string[], count: number, where = ''): Promise<void> {
    const { command } = this.#options
    const asks = Object.values(command.endpoints).some((e) => e.destructive !== undefined)
    if (asks || isPreview(this.#options)) return
    const what = `${getCommandName(command)}: ${formatCount(count, 'matching object')}${where}.`
    const why = getCommonIrreversible(command)
    await this.#context.ui.confirm(withReversal(what, why), names, undefined, count)
  }

  /** Collects the matching objects, and keeps their previous values for the journal. */
  async #collectChosen(
    list: Command,
    given: Given,
    scope: Flags,
    most: number,
  ): Promise<ChosenObjects> {
    const { chosen } = this.#options
    const args: string[] = []
    const names: string[] = []
    for await (const found of this.#yieldMatches(list, given, scope, most)) {
      const { object, called, before } = found
      if (before !== undefined) chosen.add(before, object)
      if (before !== undefined && scope.project !== undefined)
        chosen.add(before, object, String(scope.project))
      if (args.push(object) <= maxNamed) names.push(called)
    }
    return { args, names }
  }

  /** Yields the matching objects as they are found. */
  async *#yieldMatches(
    list: Command,
    given: Given,
    scope: Flags,
    most: number,
  ): AsyncGenerator<ChosenObject> {
    const project = scope.project === undefined ? undefined : String(scope.project)
    if (project !== undefined && !hasScopeEndpoint(list, 'project')) {
      this.#owned ??= this.#groupAllByProject(list, given)
      const own = (await this.#owned).get(project.toLowerCase()) ?? []
      for (const object of own.slice(0, most)) yield { object, called: object }
      return
    }
    const records = await this.#readRecords(list, given, scope, most)
    yield* yieldChosenObjects(this.#options.command, records, project)
  }

  /** Reads the matching records. */
  async #readRecords(list: Command, given: Given, scope: Flags, most: number) {
    const { command } = this.#options
    const by: readonly string[] = getSelectList(command)?.by ?? []
    const picked = Object.fromEntries(by.map((name) => [name, given.flags[name]]))
    const listGiven = { args: [], flags: { ...scope, ...picked }, extra: {} }
    const [plan] = await this.#context.singleReads.planCommand(list, listGiven)
    if (plan === undefined || getMethod(plan.endpoint) !== 'GET') throw usage('no such list')
    const values = { ...getEverythingValues(plan.endpoint, this.#texts), ...plan.values }
    const asOf = await this.#context.place.clock.asOf()
    return this.#openRecords(list, { ...plan, values }, most, asOf)
  }

  /** Reads all matching records, and groups their numbers by project. */
  async #groupAllByProject(
    list: Command,
    given: Given,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const records = await this.#readRecords(list, given, {}, Number.POSITIVE_INFINITY)
    return groupByProject(records, await readObjects(this.#options.command.args[0]))
  }

  #openRecords(list: Command, ask: Ask, most: number, asOf: Date): AsyncIterable<unknown> {
    const { signal } = this.#options
    this.#choice ??= new RecordFilter(this.#texts, {
      ...this.#context.singleReads,
      command: list,
      paging: {},
      signal,
      now: this.#context.place.clock.now(),
      asOf,
    })
    const choice = this.#choice
    return new ListReader(
      {},
      this.#context.exchange.openInstance,
      silent,
      async () => choice,
    ).yieldFirst(ask, most)
  }
}
