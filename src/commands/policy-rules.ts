/** Checks one policy rule: reads its list, and returns the records that break the rule. */

import { groupBy } from '../base/collections.js'
import { toDay } from '../base/dates.js'
import { serializeExact } from '../base/json/json.js'
import { parseBytes } from '../base/json/records.js'
import { isObject } from '../base/objects.js'
import { createPicker } from '../catalogue/pick.js'
import { getIdentity } from '../client/snapshot-manifest.js'
import { formatOrigin } from '../desired/state.js'
import type { Context, LineAnswer, LineParent, ReadingLine } from '../engine/command/context.js'
import { flagSets } from '../engine/command/global-flags.js'
import { lineFlags } from '../engine/command/globals.js'
import { createKnown } from '../engine/command/record-facts.js'
import { bindWhere, negateExpression, parseWhere } from '../engine/where/index.js'
import { explainUnread, Failure, usage } from '../errors.js'
import type { PolicyRule, PolicySeverity } from './policy.js'

/** A record that breaks a rule, or a list that could not be read. */
export interface PolicyFinding {
  readonly rule: string
  readonly severity: PolicySeverity | 'unread'
  /** The address of the object; null for a list that could not be read. */
  readonly address: string | null
  readonly message: string
  /** The last day and the reason of the waiver; null without one. */
  readonly waived: string | null
}

/** The findings of a rule. */
export interface RuleResult {
  readonly rule: PolicyRule
  readonly findings: readonly PolicyFinding[]
}

// The records of a list that break a rule.

interface Row {
  /** The project or group of the record. */
  readonly parent?: LineParent | undefined
  readonly record: unknown
}

/** Splits a list line into its conditions and its other words. */
const splitConditions = (
  words: readonly string[],
): { readonly own: readonly string[]; readonly rest: readonly string[] } => {
  const own: string[] = []
  const rest: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--where') own.push(words[++i] ?? '')
    else if (word.startsWith('--where=')) own.push(word.slice('--where='.length))
    else rest.push(word)
  }
  return { own, rest }
}

/** Returns the conditions that break a rule, as alternatives of `--where`. */
const getBreakingConditions = ({ where, each }: PolicyRule): readonly string[] =>
  where === undefined ? parseWhere([each ?? '']).flatMap(negateExpression) : [where]

/** Creates the request for the records that break a rule. The conditions of the rule are added to those of its list. */
const createAsk = (rule: PolicyRule): Pick<ReadingLine, 'composed' | 'where' | 'words'> => {
  if (isTestedLocally(rule)) return { words: rule.list }
  const { own, rest } = splitConditions(rule.list)
  const wanted = getBreakingConditions(rule)
  const both = own.flatMap((one) => wanted.map((other) => `${one},${other}`))
  return own.length === 0
    ? { words: rest, where: wanted }
    : { words: rest, where: both, composed: true }
}

const groupFlags = new Set(flagSets.group.map(({ name }) => `--${name}`))

/** Returns a key that is equal for rules that read the same list, regardless of conditions and groups. */
const getListKey = ({ list }: PolicyRule): string => {
  const { rest } = splitConditions(list)
  const isValue = (i: number): boolean =>
    groupFlags.has(rest[i - 1] ?? '') && rest[i - 1] !== '--count'
  const own = rest.filter((word, i) => !isValue(i) && !groupFlags.has(word.split('=', 1)[0] ?? ''))
  return own.join(' ')
}

/** Finds the rules whose list another rule reads, too. */
export const findShared = (rules: readonly PolicyRule[]): ReadonlySet<PolicyRule> => {
  const lists = groupBy(rules, getListKey)
  return new Set([...lists.values()].filter((some) => some.length > 1).flat())
}

/** True if the conditions are tested here, because the list cannot test them: for groups, and for `settings get`. */
const isTestedLocally = ({ list: words }: PolicyRule): boolean =>
  words[1] === 'get' || words.some((word) => groupFlags.has(word.split('=', 1)[0] ?? ''))

/** Returns the columns by which a list is grouped. */
const getGroupKeys = ({ columns = [] }: LineAnswer): readonly string[] =>
  columns.filter((name) => !/^(?:count|(?:sum|avg|min|max|p95)_.*)$/.test(name))

/** Returns the groups of a list. A requested project or group without records is an empty group. */
const withEmptyGroups = (
  rows: readonly Row[],
  answer: LineAnswer,
  { asked, unread }: ParentLog,
): readonly unknown[] => {
  const records = rows.map(({ record }) => record)
  const { columns = [] } = answer
  const [column = '', second] = getGroupKeys(answer)
  if (second !== undefined || !/^(?:project|group)$/.test(column)) return records
  const known = new Set(records.map((one) => (isObject(one) ? one[column] : undefined)))
  const empty = Object.fromEntries(columns.map((name) => [name, name === 'count' ? 0 : null]))
  const absent = asked.filter((name) => !known.has(name) && !unread.has(name))
  return [...records, ...absent.map((name) => ({ ...empty, [column]: name }))]
}

/** Finds the records that break a rule among all records of its list. */
const findBroken = (
  rule: PolicyRule,
  rows: readonly Row[],
  { answer, asOf }: { readonly answer: LineAnswer; readonly asOf: Date },
  parents: ParentLog,
): readonly Row[] => {
  const { columns, command } = answer
  // Nothing was read.
  if (command === undefined) return []
  const all = withEmptyGroups(rows, answer, parents)
  const [endpoint] = Object.values(command.endpoints)
  const shape = endpoint?.returns.shape
  const known = {
    ...createKnown(command, asOf),
    // Groups have the fields of their columns only.
    ...(columns === undefined
      ? { list: shape }
      : { ungrouped: shape, computed: {}, undocumented: [] }),
    // Without any group, the columns show which fields a group has.
    samples:
      all.length > 0 ? all : [Object.fromEntries((columns ?? []).map((name) => [name, null]))],
  }
  const { matches } = bindWhere(parseWhere([rule.where ?? rule.each ?? '']), known)
  return all
    .filter((one) => matches(one) === (rule.where !== undefined))
    .map((record) => ({ record }))
}

// The address and message of a finding.

const idFields = ['path_with_namespace', 'username'] as const

/** Formats an address: `runners/7`, `platform/app/members/ana`. For a group, it is the values by which records are grouped. */
const formatAddress = ({ parent, record }: Row, answer: LineAnswer): string => {
  const area = answer.command?.area ?? ''
  if (!isObject(record)) return area
  const keys = getGroupKeys(answer)
  if (keys.length > 0) return keys.map((name) => formatValue(record[name])).join('/')
  if (answer.plan === undefined || answer.columns !== undefined) return area
  const named = idFields.map((name) => record[name]).find((one) => typeof one === 'string')
  const id = typeof named === 'string' ? named : getIdentity(record)
  return [...(parent === undefined ? [] : [parent.name]), area, id].join('/')
}

const formatValue = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  const isNested = isObject(value) || (Array.isArray(value) && value.some(isObject))
  return isNested ? (serializeExact(value) ?? '-') : String(value)
}

const formatMessage = (
  { message, where, each }: PolicyRule,
  { parent, record }: Row,
  { command }: LineAnswer,
): string => {
  if (message === undefined)
    return where === undefined ? `does not fulfil ${each}` : `matches ${where}`
  const pickField = command && createPicker(command.computedFields, command.naming)
  return message.replace(/\{([\w.-]+)\}/g, (whole, field: string) => {
    if (field === parent?.column) return parent.name
    const value = pickField?.(record, field)
    return value === undefined && !isObject(record) ? whole : formatValue(value)
  })
}

/** Applies the waivers of a rule. An expired waiver is a finding, and one that matches no finding is noted. */
const applyWaivers = (
  rule: PolicyRule,
  findings: readonly PolicyFinding[],
  today: string,
  note: ((text: string) => void) | undefined,
): readonly PolicyFinding[] => {
  const ended: PolicyFinding[] = []
  for (const { address, until, origin } of rule.waive) {
    if (!findings.some((one) => one.address === address))
      note?.(`${formatOrigin(origin)}: the waiver of ${address} matches no finding`)
    else if (until < today)
      ended.push({
        rule: rule.name,
        severity: rule.severity,
        address,
        message: `the waiver ended on ${until}`,
        waived: null,
      })
  }
  const all = findings.map((one) => {
    const by = rule.waive.find(({ address, until }) => address === one.address && until >= today)
    return by === undefined ? one : { ...one, waived: `until ${by.until}: ${by.reason}` }
  })
  return [...all, ...ended]
}

const allowedFlags = [...lineFlags, ...flagSets.group.map(({ name }) => name)]

/** Records the parents of a list while it is read. */
class ParentLog implements NonNullable<ReadingLine['parents']> {
  asked: readonly string[] = []
  readonly unread = new Map<string, string>()

  readonly choose = (names: readonly string[]): readonly string[] => {
    this.asked = names
    return names
  }

  readonly finishParent: NonNullable<ReadingLine['parents']>['finishParent'] = (name, failure) => {
    if (failure !== undefined) this.unread.set(name, explainUnread(failure))
  }
}

/**
 * Adds the position of a rule to a usage error.
 * @throws the error
 */
const throwWithOrigin = ({ origin }: PolicyRule, error: unknown): never => {
  throw error instanceof Failure && error.category === 'usage'
    ? usage(`${formatOrigin(origin)}: ${error.message}`, error.details.hint)
    : error
}

/** Adds the position of a rule to the usage errors of work on it. */
const withOrigin = <T>(rule: PolicyRule, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    return throwWithOrigin(rule, error)
  }
}

/** Reads the rows of a rule's list: only those that break the rule if the list can test that, otherwise all. */
const readRows = async (
  { place }: Context,
  rule: PolicyRule,
  parents: ParentLog,
  sharing: SharedReading,
) => {
  const rows: Row[] = []
  const answer = await place.runs.readLine({
    ...withOrigin(rule, () => createAsk(rule)),
    allowed: allowedFlags,
    takeRecord: (bytes, parent) => rows.push({ parent, record: parseBytes(bytes) }),
    parents,
    ...sharing,
  })
  for (const { record } of rows) answer.command?.naming.makeLegible(record)
  const { failure } = answer
  if (failure?.category === 'usage') throwWithOrigin(rule, failure)
  if (place.clock.signal.aborted && failure !== undefined) throw failure
  if (failure !== undefined && parents.unread.size === 0)
    parents.unread.set('', explainUnread(failure))
  return { answer, rows }
}

/**
 * Checks the line of a rule before any rule is read.
 * @throws Failure `usage` for an invalid line, with its position in the file
 */
export const checkRule = async ({ place }: Context, rule: PolicyRule): Promise<void> => {
  const ask = withOrigin(rule, () => createAsk(rule))
  await place.runs
    .checkLine({ ...ask, allowed: allowedFlags })
    .catch((failure: unknown) => throwWithOrigin(rule, failure))
}

/** The cache of lists that rules share, and whether another rule reads this list, too. */
type SharedReading = Pick<ReadingLine, 'reads' | 'whole'>

const createFinding = (
  { name }: PolicyRule,
  severity: PolicyFinding['severity'],
  address: PolicyFinding['address'],
  message: string,
): PolicyFinding => ({ rule: name, severity, address, message, waived: null })

/**
 * Checks one rule.
 * @throws Failure `usage` for an invalid rule, with its position in the file
 */
export const judgeRule = async (
  context: Context,
  rule: PolicyRule,
  sharing: SharedReading,
): Promise<RuleResult> => {
  const { place, ui } = context
  const asOf = await place.clock.asOf()
  const parents = new ParentLog()
  const { answer, rows } = await readRows(context, rule, parents, sharing)
  const broken = isTestedLocally(rule)
    ? withOrigin(rule, () => findBroken(rule, rows, { answer, asOf }, parents))
    : rows
  const findings = broken.map((row) =>
    createFinding(
      rule,
      rule.severity,
      formatAddress(row, answer),
      formatMessage(rule, row, answer),
    ),
  )
  const gaps = [...parents.unread].map(([parent, message]) =>
    createFinding(rule, 'unread', parent || null, message),
  )
  const today = toDay(asOf)
  return {
    rule,
    findings: [
      ...applyWaivers(
        rule,
        findings,
        today,
        parents.unread.size === 0 ? (text) => ui.note(text) : undefined,
      ),
      ...gaps,
    ],
  }
}

/** Returns the findings that are not waived. */
export const getOpenFindings = ({ findings }: RuleResult): readonly PolicyFinding[] =>
  findings.filter((one) => one.waived === null && one.severity !== 'unread')
