/** Creates the texts of a page around its answers: the title, the facts of the head, and the command line. */

import { isObject, toText } from '../base/objects.js'
import { quoteWord } from '../base/shell-words.js'
import { canReachSeveralInstances, getCommandName } from '../engine/command/derive.js'
import type { Globals } from '../engine/command/globals.js'
import type { Command } from '../engine/command/types.js'
import { hasSecrets } from '../engine/journaling/recorded-line.js'
import type { Raw } from '../engine/plan/line.js'
import { getShapes } from '../engine/records/known-fields.js'
import type { RecordView } from '../engine/rows.js'
import { getConditionFields, parseWhere } from '../engine/where/index.js'
import { findDocumentedValues, findFieldKind } from '../engine/where/shape.js'
import { isExpiry } from '../output/cell.js'
import { createTitle, getNouns } from '../output/html/titles.js'
import type { PageFact, PageView } from '../output/types.js'

/** The instances, profile and user that a page names. */
export interface PageSource {
  /** The addresses, each with the name of its profile if there are several. */
  readonly instances: readonly { readonly name?: string; readonly address: string }[]
  readonly profile?: string | undefined
  readonly user?: string | undefined
  /** The facts of the snapshots that the answer comes from. */
  readonly snapshot?: readonly PageFact[] | undefined
  /** Returns the snapshots whose lists were read to their end, once all are there. */
  readonly listComplete?: () => readonly string[]
  /** Requests the record of the current user; undefined if no request may be sent. */
  readonly readAccount: () => Promise<unknown>
}

/** The line that creates a page. */
export interface PageLine {
  readonly command: Command
  readonly globals: Globals
  readonly raw: Raw
  readonly getSource: (() => Promise<PageSource>) | undefined
}

/** Describes the owner of the listed objects: `of all projects`, `of the instance`. */
const describeScope = ({ raw, command }: PageLine, instances: number): string => {
  const whole = instances > 1 ? `of ${instances} instances` : 'of the instance'
  const getLastText = (name: string): string | undefined => raw.flags.get(name)?.at(-1)
  if (getLastText('all-projects') === 'true') return 'of all projects'
  if (getLastText('all-groups') === 'true') return 'of all groups'
  if (getLastText('instance') === 'true') return whole
  const [project, group] = [getLastText('project'), getLastText('group')]
  if (project !== undefined) return `of ${project.replaceAll(',', ', ')}`
  if (group !== undefined) return `of group ${group.replaceAll(',', ', ')}`
  const isWhole = Object.values(command.endpoints).every(
    ({ route }) => !/\/(?:projects|groups)\/:/.test(route),
  )
  return isWhole && command.args.length === 0 ? whole : ''
}

/** Removes `--to` and `--open` from the words of a line, so that a page is the same in a file and in a pipe. */
const removeDestination = (words: readonly string[]): readonly string[] =>
  words.filter(
    (word, i) => !/^--(?:to(?:=|$)|open$)/.test(word) && (i === 0 || words[i - 1] !== '--to'),
  )

/** Returns the line as it can be typed again. The arguments are left out if one may be a secret. */
const describeLine = ({ command, raw }: PageLine): string | undefined => {
  const { words } = raw
  if (words === undefined) return undefined
  if (hasSecrets(command, raw))
    return `svcctl ${getCommandName(command)} (arguments left out: they contain a secret)`
  return ['svcctl', ...removeDestination(words).map(quoteWord)].join(' ')
}

/** Describes the current user. Sends one request if the session does not know the user. */
const describeUser = async ({ user, readAccount }: PageSource): Promise<readonly PageFact[]> => {
  const record = user === undefined ? await readAccount().catch(() => undefined) : undefined
  const name = user ?? (isObject(record) ? toText(record.username) : undefined)
  if (name === undefined) return []
  const role = isObject(record) && record.is_admin === true ? ' (administrator)' : ''
  return [{ name: 'as', text: `${name}${role}` }]
}

const describeSource = async (source: PageSource | undefined): Promise<readonly PageFact[]> => {
  const { profile, instances = [], snapshot } = source ?? {}
  return [
    ...instances.map(({ name, address }) => ({ name, text: address, href: address })),
    ...(profile === undefined ? [] : [{ name: 'profile', text: profile }]),
    ...(source === undefined || snapshot !== undefined ? [] : await describeUser(source)),
    ...(snapshot ?? []),
  ]
}

const describeFilter = ({ command, raw }: PageLine): readonly PageFact[] => {
  const filters = raw.flags.get('where') ?? []
  if (filters.length === 0) return []
  const text = hasSecrets(command, raw)
    ? '(left out: it may contain a secret)'
    : filters.join(' or ')
  return [{ name: 'filter', text }]
}

/** Returns the title of a page. Texts of the line are left out if one may be a secret. */
const describePage = (line: PageLine, view: RecordView, instances: number): string => {
  const { command, globals, raw } = line
  const { area, words, summary } = command
  const parts = {
    area,
    words,
    summary: globals.dryRun ? `${summary} (dry run)` : summary,
    args: raw.args,
    of: describeScope(line, instances),
    groups: view.groups,
  }
  return hasSecrets(command, raw)
    ? (view.title ?? createTitle({ ...parts, args: [], of: '' }))
    : (globals.pageTitle ?? view.title ?? createTitle(parts))
}

/** Reverses the words of a severity: the documents have the least first, people read the worst first. */
const orderWords = (field: string, words: readonly string[]): readonly string[] =>
  field.endsWith('severity') ? words.toReversed() : words

/** Creates the look-up of documented field meanings for an answer. */
const createMeaning = ({ command }: PageLine, emit: RecordView): PageView['meaning'] => {
  const shapes = getShapes({ command, emit, single: emit.single })
  return (field) => {
    const some = shapes
      .map((shape) => findDocumentedValues(shape, field))
      .find((one) => one.length > 0)
    return {
      isTime:
        shapes.some((shape) => findFieldKind(shape, field) === 'time') ||
        (isExpiry(field) && command.computedFields?.[field] !== undefined),
      words: orderWords(field, some ?? []),
    }
  }
}

/**
 * Creates the texts around an answer. Those that quote the line are created when the page begins: the session's own token is known as a
 * secret once it was sent.
 * @param begin returns true if the answer begins the page
 */
export const createPageView = async (
  line: PageLine,
  view: RecordView,
  begin: () => boolean,
): Promise<PageView> => {
  const { command } = line
  const isRemote = canReachSeveralInstances(command) || command.ownJournal === true
  const source = isRemote ? await line.getSource?.().catch(() => undefined) : undefined
  const addresses = source?.instances.map(({ address }) => address) ?? []
  const facts = describeSource(source)
  // A condition on the snapshots themselves leaves some out.
  const isChosen = getConditionFields(parseWhere(line.globals.where ?? [])).includes('snapshot')
  return {
    get title() {
      return describePage(line, view, addresses.length)
    },
    facts: async () => [...(await facts), ...describeFilter(line)],
    get line() {
      return describeLine(line)
    },
    snapshots: () => (isChosen ? [] : (source?.listComplete?.() ?? [])),
    from: line.raw.flags.get('from')?.at(-1),
    nouns: getNouns(command),
    address: addresses.length === 1 ? addresses[0] : undefined,
    origins: addresses.map((address) => new URL(address).origin),
    groups: view.groups,
    context: view.context,
    meaning: createMeaning(line, view),
    begin,
  }
}
