/**
 * `--select`: the objects of a verb are those of a list that match. The whole selection is made before
 * the first write, so that a write cannot change what is still to be read.
 */

import { addToGroup } from '../../base/group-by.js'
import { type Fields, isObject } from '../../base/objects.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { usage } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { AnswerService, UiService } from '../command/context.js'
import {
  canNarrowSelection,
  getCommandName,
  getScope,
  getSelectList,
  hasForm,
  isRehearsal,
} from '../command/derive.js'
import { getCommonIrreversible, withReversal } from '../command/reversal.js'
import { yieldNone } from '../command/running.js'
import type { Command, Given, NamedObject } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import { ListReader } from '../instance/listing.js'
import type { SingleReadOptions } from '../line-parts.js'
import type { RunOptions } from '../options.js'
import { type Objects, readObjects } from '../plan/objects.js'
import { getPipedObject } from '../plan/stdin/rows.js'
import { RecordFilter } from '../records/where.js'
import { createNoteRow, type Rows } from '../rows.js'
import { parseWhere } from '../where/index.js'
import { maxNamed } from '../work/report.js'
import type { Workspace } from '../workspace/workspace.js'
import { createIdConflict, findSelectionList } from './objects.js'

// The records of a selection as objects: how each is called, and what of it the run may change.

interface ChosenObject extends NamedObject {
  /** As people call it. */
  readonly called: string
}

const formatTitle = (record: unknown, title: string | undefined): string => {
  const fields: Fields = isObject(record) ? record : {}
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

/** Returns the fields under the names of the documents, whatever the instance calls them. */
const getKeptFields = (
  record: unknown,
  names: ReadonlySet<string>,
  naming: Command['naming'],
): Pick<NamedObject, 'before'> => {
  if (names.size === 0 || !isObject(record)) return {}
  const named = Object.entries(record).map(([name, value]) => {
    const neutral = names.has(name) ? name : (naming?.neutral(name) ?? name)
    return [neutral, value] as const
  })
  return { before: Object.fromEntries(named.filter(([name]) => names.has(name))) }
}

/**
 * Yields the objects of records. Of each record nothing is kept but what its object is called, and what is changed of
 * it.
 * @param project the project that numbers are of, where there is one
 */
async function* yieldChosenObjects(
  command: Command,
  records: AsyncIterable<unknown>,
  project: string | undefined,
): AsyncGenerator<ChosenObject> {
  const [argument] = command.args
  const objects = await readObjects(argument, command.naming)
  const title = getKindByName(argument?.param?.completes)?.title
  const names = getChangeableNames(command)
  for await (const record of records) {
    const text = getPipedObject(record, objects, project)
    yield {
      text,
      called: `${text}${formatTitle(record, title)}`,
      ...getKeptFields(record, names, command.naming),
    }
  }
}

// Objects of a list that knows no projects, in the projects that their records name.

const reference = /^(?<project>.+)[!#](?<id>\d+)$/

/** Groups the numbers of objects under the path of their project in small letters, and under its number. */
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

// What a list is asked besides what was said, so that none of its records is left out by itself.

/** Returns the values that ask for everything: a list of what is a person's own is no choice among all. */
const getEverythingValues = (
  { params }: Pick<Endpoint, 'params'>,
  texts: readonly string[],
): Readonly<Record<string, string>> => {
  const asked = parseWhere(texts).flatMap(({ conditions }) => conditions.map(({ field }) => field))
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, param]) => {
      const { everything, default: usual } = param
      const own = everything !== undefined && everything !== usual && !asked.includes(name)
      return own ? [[name, everything] as const] : []
    }),
  )
}

interface SelectionContext {
  readonly options: RunOptions
  readonly singles: SingleReadOptions
  readonly exchange: Pick<InstanceExchange, 'openInstance'>
  readonly ui: Pick<UiService, 'confirm' | 'note'>
  readonly answer: Pick<AnswerService, 'reader'>
  readonly place: Pick<Workspace, 'findScopeAmong'>
}

type Flags = Given['flags']

/** Objects that were chosen. */
export interface ChosenObjects {
  readonly args: readonly string[]
  /** The first of them, as people call them. */
  readonly names: readonly string[]
}

/** @throws Failure `usage` for what cannot stand beside it */
const listFor = async ({ command, globals, words }: RunOptions, given: Given): Promise<Command> => {
  const list = await findSelectionList(command, words)
  if (list === undefined)
    throw usage(
      `--select: ${getCommandName(command)} does not support selection`,
      'Pass the objects by ID.',
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

/** Finds the scope of both the list and the verb: numbers of one project mean nothing in another. */
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

/** The screen of a selection's lists: nothing is said of them. */
const unseen = { noteAtEnd: () => {} }

/** The objects that `--select` of a run chooses. */
export class Selection {
  readonly #options: RunOptions
  readonly #around: SelectionContext
  readonly #texts: readonly string[]
  #choice: RecordFilter | undefined
  /** The objects of a list that knows no projects, by the projects that its records name. */
  #owned: Promise<ReadonlyMap<string, readonly string[]>> | undefined

  constructor(around: SelectionContext, texts: readonly string[]) {
    this.#options = around.options
    this.#around = around
    this.#texts = texts
  }

  /** Returns what was asked, with the objects that match in the place of ids; undefined where none does. */
  async of(given: Given): Promise<Given | undefined> {
    const { command } = this.#options
    const list = await listFor(this.#options, given)
    const scope = await findScopeFlags(command, given, this.#around.place)
    const chosen = await this.#chosen(list, given, scope, this.most)
    if (chosen.args.length === 0) return undefined
    await this.confirm(chosen.names, chosen.args.length)
    return this.verbed({ ...given, args: chosen.args, flags: { ...given.flags, ...scope } })
  }

  /** Returns what was asked, with the objects handed over as they are found. They are confirmed when all are found. */
  async stream(given: Given): Promise<Given | undefined> {
    const { command } = this.#options
    const list = await listFor(this.#options, given)
    const scope = await findScopeFlags(command, given, this.#around.place)
    const found = this.#found(list, given, scope, this.most)
    const first = await found.next()
    if (first.done === true) return undefined
    const names: string[] = []
    const all = async function* (): AsyncGenerator<ChosenObject> {
      yield first.value
      yield* found
    }
    const objects = async function* (): AsyncGenerator<NamedObject> {
      for await (const { called, ...object } of all()) {
        if (names.length < maxNamed) names.push(called)
        yield object
      }
    }
    const confirm = (count: number): Promise<void> => this.confirm(names, count)
    const stream = { objects: objects(), ...(isRehearsal(this.#options) ? {} : { confirm }) }
    return this.verbed({ ...given, stream, flags: { ...given.flags, ...scope } })
  }

  /** The objects of one of several parents, which the flags name. */
  async in(given: Given, most: number): Promise<ChosenObjects> {
    const list = await listFor(this.#options, given)
    const flags = Object.entries(given.flags).filter(([name]) => isScopeFlag(name))
    return this.#chosen(list, given, Object.fromEntries(flags), most)
  }

  /** Returns the maximum number of objects. */
  get most(): number {
    const { limit = 'all' } = this.#options.globals
    return limit === 'all' ? Number.POSITIVE_INFINITY : limit
  }

  /** Returns what was asked, without the flags that only the list understands. */
  verbed(given: Given): Given {
    const { command } = this.#options
    const flags = Object.entries(given.flags).filter(([name]) => !canNarrowSelection(command, name))
    return { ...given, flags: Object.fromEntries(flags) }
  }

  /** Yields that nothing matches. */
  async *nothing(): Rows {
    const list = getSelectList(this.#options.command)?.list ?? ''
    yield createNoteRow(`no matches in ${list}: nothing to do`)
    yield* yieldNone(this.#around.answer)
  }

  /**
   * Confirms objects that the line did not name; what destroys is confirmed by itself.
   * @param where behind their number: `in 3 projects`
   * @throws Failure `usage` where it is not confirmed
   */
  async confirm(names: readonly string[], count: number, where = ''): Promise<void> {
    const { command } = this.#options
    const asks = Object.values(command.endpoints).some((e) => e.destructive !== undefined)
    if (asks || isRehearsal(this.#options)) return
    const those = count === 1 ? '1 matching object' : `${count} matching objects`
    const what = `${getCommandName(command)}: ${those}${where}.`
    const why = getCommonIrreversible(command)
    await this.#around.ui.confirm(withReversal(what, why), names, undefined, count)
  }

  async #chosen(list: Command, given: Given, scope: Flags, most: number): Promise<ChosenObjects> {
    const project = scope.project === undefined ? undefined : String(scope.project)
    return this.#named(this.#found(list, given, scope, most), project)
  }

  /** Yields the objects that match, as they are found. */
  async *#found(
    list: Command,
    given: Given,
    scope: Flags,
    most: number,
  ): AsyncGenerator<ChosenObject> {
    const project = scope.project === undefined ? undefined : String(scope.project)
    if (project !== undefined && !hasForm(list, 'project')) {
      this.#owned ??= this.#byProject(list, given)
      const own = (await this.#owned).get(project.toLowerCase()) ?? []
      for (const text of own.slice(0, most)) yield { text, called: text }
      return
    }
    const records = await this.#listed(list, given, scope, most)
    yield* yieldChosenObjects(this.#options.command, records, project)
  }

  /** The records that match. */
  async #listed(list: Command, given: Given, scope: Flags, most: number) {
    const { command } = this.#options
    const by: readonly string[] = getSelectList(command)?.by ?? []
    const picked = Object.fromEntries(by.map((name) => [name, given.flags[name]]))
    const asked = { args: [], flags: { ...scope, ...picked }, extra: {} }
    const [plan] = await this.#around.singles.planned(list, asked)
    if (plan === undefined || getMethod(plan.endpoint) !== 'GET') throw usage('no such list')
    const values = { ...getEverythingValues(plan.endpoint, this.#texts), ...plan.values }
    return this.#records(list, { ...plan, values }, most)
  }

  /** The numbers of everything that matches, read once, by project. */
  async #byProject(list: Command, given: Given): Promise<ReadonlyMap<string, readonly string[]>> {
    const records = await this.#listed(list, given, {}, Number.POSITIVE_INFINITY)
    return groupByProject(
      records,
      await readObjects(this.#options.command.args[0], this.#options.words),
    )
  }

  #records(list: Command, ask: Ask, most: number): AsyncIterable<unknown> {
    const { signal, words } = this.#options
    this.#choice ??= new RecordFilter(this.#texts, {
      ...this.#around.singles,
      command: list,
      paging: {},
      signal,
      words,
    })
    const choice = this.#choice
    return new ListReader(
      {},
      this.#around.exchange.openInstance,
      unseen,
      async () => choice,
    ).yieldFirst(ask, most)
  }

  /** Collects the objects that match. The fields that the run may change are kept for its journal. */
  async #named(
    found: AsyncIterable<ChosenObject>,
    project: string | undefined,
  ): Promise<ChosenObjects> {
    const { chosen } = this.#options
    const args: string[] = []
    const names: string[] = []
    for await (const { text, called, before } of found) {
      if (before !== undefined) chosen.add(before, text)
      if (before !== undefined && project !== undefined) chosen.add(before, text, project)
      if (args.push(text) <= maxNamed) names.push(called)
    }
    return { args, names }
  }
}
