/**
 * `--select`: the objects of a verb are those of a list that match. The whole selection is made before
 * the first write, so that a write cannot change what is still to be read.
 */
import { methodOf } from '../../../catalogue/endpoint.js'
import { kindNamed } from '../../../catalogue/kinds.js'
import { commandNamed, named, scopeOf, selectsOf } from '../../../commands/derive/index.js'
import type { PersonService } from '../../../commands/services.js'
import type { Command, Given } from '../../../commands/types.js'
import { usage } from '../../../errors.js'
import { parseWhere } from '../../../fleet/where/index.js'
import { objectsOf } from '../../plan/objects.js'
import { objectOf } from '../../plan/piped.js'
import type { ExchangeServices } from '../instance/exchange.js'
import { Lists } from '../instance/listing.js'
import type { RunOptions } from '../options.js'
import type { Standing } from '../place/standing.js'
import { isRehearsal } from '../rehearsal.js'
import { RecordChoice, type RecordChoiceOptions } from './index.js'

export interface Selecting
  extends Pick<RecordChoiceOptions, 'planned' | 'data' | 'failed' | 'width'> {
  readonly exchange: Pick<ExchangeServices, 'instance'>
  readonly person: Pick<PersonService, 'confirm' | 'note'>
  readonly place: Pick<Standing, 'scopeAmong'>
}

type Flags = Given['flags']

/** @throws Failure `usage` for what cannot stand beside it */
const listFor = async ({ command, globals }: RunOptions, given: Given): Promise<Command> => {
  const fact = selectsOf(command)
  if (fact === undefined)
    throw usage(`--select: ${named(command)} takes no objects from a list`, 'Name what is meant.')
  if (given.args.length > 0)
    throw usage('--select stands in place of ids', 'Leave the ids or --select out.')
  if (globals.curl)
    throw usage('--select needs a list first, and --curl sends nothing', 'Give ids with --curl.')
  const [area = '', ...words] = fact.list.split(' ')
  const list = await commandNamed(area, words.join(' '))
  if (list === undefined) throw usage(`there is no ${fact.list}`)
  return list
}

const isScopeFlag = (name: string): name is 'project' | 'group' =>
  name === 'project' || name === 'group'

/** The scopes that a verb's own endpoints have. */
const scopesOf = (command: Command): readonly ('project' | 'group')[] =>
  Object.values(command.endpoints).flatMap((endpoint) => {
    const kind = scopeOf(endpoint)?.kind
    return kind !== undefined && isScopeFlag(kind) ? [kind] : []
  })

/** What both the list and the verb belong to: numbers of one project mean nothing in another. */
const scopeFlags = async (
  command: Command,
  { flags }: Given,
  place: Selecting['place'],
): Promise<Flags> => {
  const given = Object.fromEntries(Object.entries(flags).filter(([name]) => isScopeFlag(name)))
  const carried = kindNamed(command.args[0]?.param?.completes)?.mark !== undefined
  const needed = scopesOf(command)
  if (Object.keys(given).length > 0 || carried || needed.length === 0) return given
  const atHand = await place.scopeAmong(needed)
  if (atHand !== undefined) return { [atHand.kind]: atHand.value }
  throw usage(`${named(command)} needs --${[...new Set(needed)].join(' or --')}`)
}

/** A list of what is somebody's own is no choice among all. */
const override = (list: Command, texts: readonly string[]): Readonly<Record<string, string>> => {
  const asked = parseWhere(texts).some(({ conditions }) =>
    conditions.some(({ field }) => field === 'scope'),
  )
  return list.area === 'issues' && !asked ? { scope: 'all' } : {}
}

const titleOf = (record: unknown, title: string | undefined): string => {
  const fields: Readonly<Record<string, unknown>> = { ...(record as object) }
  const value = title === undefined ? undefined : fields[title]
  return typeof value === 'string' && value !== '' ? ` "${value}"` : ''
}

/**
 * What was asked, with the objects that match in the place of ids; undefined where none does.
 * @throws Failure `usage` where there is nothing to select from, or it is not confirmed
 */
export const selected = async (
  options: RunOptions,
  around: Selecting,
  texts: readonly string[],
  given: Given,
): Promise<Given | undefined> => {
  const { command, signal } = options
  const list = await listFor(options, given)
  const scope = await scopeFlags(command, given, around.place)
  const by = selectsOf(command)?.by ?? []
  const picked = Object.fromEntries(by.map((name) => [name, given.flags[name]]))
  const [plan] = await around.planned(list, { args: [], flags: { ...scope, ...picked }, extra: {} })
  if (plan === undefined || methodOf(plan.endpoint) !== 'GET') throw usage('there is no such list')
  const choice = new RecordChoice(texts, { ...around, command: list, paging: {}, signal })
  const screen = {
    writer: (): never => {
      throw new Error('a selection is not printed')
    },
    later: () => {},
  }
  const lists = new Lists({}, around.exchange.instance, screen, async () => choice)
  const values = { ...override(list, texts), ...plan.values }
  const records = await lists.gather({ ...plan, values })
  if (records.length === 0) {
    around.person.note(`nothing matches in ${named(list)}: nothing to do`)
    return undefined
  }
  const objects = await objectsOf(command.args[0])
  const project = scope.project === undefined ? undefined : String(scope.project)
  const args = records.map((record) => objectOf(record, objects, project))
  await confirm(options, around.person, records, args)
  const own = new Set<string>(scopesOf(command))
  const others = Object.entries({ ...given.flags, ...scope }).filter(
    ([name]) => (!isScopeFlag(name) || own.has(name)) && !by.includes(name),
  )
  return { ...given, args, flags: Object.fromEntries(others) }
}

/** Nobody named these objects; what destroys is confirmed by itself. */
const confirm = async (
  options: RunOptions,
  person: Selecting['person'],
  records: readonly unknown[],
  args: readonly string[],
): Promise<void> => {
  const { command } = options
  const asks = Object.values(command.endpoints).some((e) => e.destructive !== undefined)
  if (asks || isRehearsal(options)) return
  const title = kindNamed(command.args[0]?.param?.completes)?.title
  const count = args.length === 1 ? '1 object that matches' : `${args.length} objects that match`
  await person.confirm(
    `${named(command)} works on ${count}.`,
    args.map((text, i) => `${text}${titleOf(records[i], title)}`),
  )
}
