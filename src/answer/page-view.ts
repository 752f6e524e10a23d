/** What stands around an answer that is a page: its title in words, whose it is, and the line that makes it. */

import { isObject, toText } from '../base/objects.js'
import { quoteWord } from '../base/shell-words.js'
import type { Words } from '../catalogue/words.js'
import { getCommandName, isAskable } from '../engine/command/derive.js'
import type { Globals } from '../engine/command/globals.js'
import type { Command } from '../engine/command/types.js'
import { hasSecrets } from '../engine/journaling/asked-line.js'
import type { Raw } from '../engine/plan/line.js'
import { getShapes } from '../engine/records/known-fields.js'
import type { RecordView } from '../engine/rows.js'
import { findFieldKind, findFieldWords } from '../engine/where/shape.js'
import { isExpiry } from '../output/cell.js'
import { createTitle, getNouns } from '../output/html/titles.js'
import type { PageFact, PageView } from '../output/types.js'

/** Who asks which instance, as far as a page says it. */
export interface PageSource {
  readonly address: string
  readonly profile?: string | undefined
  readonly user?: string | undefined
  /** The snapshots that answer, in words. */
  readonly snapshot?: readonly PageFact[] | undefined
  /** The record of the user who asks; undefined where nobody says. */
  readonly account: () => Promise<unknown>
}

/** The line that a page comes from. */
export interface PageLine {
  readonly command: Command
  readonly globals: Globals
  readonly raw: Raw
  readonly words: Words | undefined
  readonly source: (() => Promise<PageSource>) | undefined
}

/** Whose objects are listed, in words. */
const describeScope = ({ raw, command }: PageLine): string => {
  const last = (name: string): string | undefined => raw.flags.get(name)?.at(-1)
  if (last('all-projects') === 'true') return 'of all projects'
  if (last('all-groups') === 'true') return 'of all groups'
  if (last('instance') === 'true') return 'of the instance'
  const [project, group] = [last('project'), last('group')]
  if (project !== undefined) return `of ${project.replaceAll(',', ', ')}`
  if (group !== undefined) return `of group ${group.replaceAll(',', ', ')}`
  const isWhole = Object.values(command.endpoints).every(
    ({ route }) => !/\/(?:projects|groups)\/:/.test(route),
  )
  return isWhole && command.args.length === 0 ? 'of the instance' : ''
}

/** Returns the words of a line without where its page goes: a page is the same in a file and in a pipe. */
const withoutPlace = (words: readonly string[]): readonly string[] =>
  words.filter(
    (word, i) => !/^--(?:to(?:=|$)|open$)/.test(word) && (i === 0 || words[i - 1] !== '--to'),
  )

/** The line as it can be typed again; without its arguments, where one may hold a secret. */
const describeLine = ({ command, raw }: PageLine): string | undefined => {
  const { words } = raw
  if (words === undefined) return undefined
  if (hasSecrets(command, raw))
    return `svcctl ${getCommandName(command)} (arguments left out: they contain a secret)`
  return ['svcctl', ...withoutPlace(words).map(quoteWord)].join(' ')
}

/** As whom the instance was asked: one request where the session does not know it. */
const describeUser = async ({ user, account }: PageSource): Promise<readonly PageFact[]> => {
  const record = user === undefined ? await account().catch(() => undefined) : undefined
  const name = user ?? (isObject(record) ? toText(record.username) : undefined)
  if (name === undefined) return []
  const role = isObject(record) && record.is_admin === true ? ' (administrator)' : ''
  return [{ name: 'as', text: `${name}${role}` }]
}

const createFacts = async (
  { raw }: PageLine,
  source: PageSource | undefined,
): Promise<readonly PageFact[]> => {
  const { profile, address, snapshot } = source ?? {}
  const filters = raw.flags.get('where') ?? []
  return [
    ...(address === undefined ? [] : [{ text: address, href: address }]),
    ...(profile === undefined ? [] : [{ name: 'profile', text: profile }]),
    ...(source === undefined || snapshot !== undefined ? [] : await describeUser(source)),
    ...(filters.length === 0 ? [] : [{ name: 'filter', text: filters.join(' or ') }]),
    ...(snapshot ?? []),
  ]
}

/** Severities are documented from the least on; people read the worst first. */
const orderWords = (field: string, words: readonly string[]): readonly string[] =>
  field.endsWith('severity') ? words.toReversed() : words

/** What the documents say of the fields of an answer. */
const createMeaning = ({ command, words }: PageLine, emit: RecordView): PageView['meaning'] => {
  const shapes = getShapes({ command, emit, words, single: emit.single })
  return (field) => {
    const some = shapes.map((shape) => findFieldWords(shape, field)).find((one) => one.length > 0)
    return {
      isTime:
        shapes.some((shape) => findFieldKind(shape, field) === 'time') ||
        (isExpiry(field) && command.computedFields?.[field] !== undefined),
      words: orderWords(field, some ?? []),
    }
  }
}

/** Creates what stands around an answer. @param begin tells whether the answer begins the page */
export const createPageView = async (
  line: PageLine,
  view: RecordView,
  begin: () => boolean,
): Promise<PageView> => {
  const { command, globals, raw } = line
  const source = isAskable(command) ? await line.source?.().catch(() => undefined) : undefined
  const { area, words, summary } = command
  const parts = {
    area,
    words,
    summary,
    args: raw.args,
    of: describeScope(line),
    groups: view.groups,
  }
  const facts = createFacts(line, source)
  return {
    title: globals.pageTitle ?? view.title ?? createTitle(parts),
    facts: () => facts,
    line: describeLine(line),
    nouns: getNouns(command),
    address: source?.address,
    origin: source === undefined ? undefined : new URL(source.address).origin,
    section: view.section,
    said: view.said,
    groups: view.groups,
    context: view.context,
    meaning: createMeaning(line, view),
    begin,
  }
}
