/** Policy files, read with their positions, all mistakes told at once. */
import { isUtf8 } from 'node:buffer'
import { dirname, join } from 'node:path'
import { isDay } from '../../../base/dates.js'
import { splitCommand } from '../../../base/shell-words.js'
import {
  filesAt,
  type PathOptions,
  parsedDocuments,
  type ReadText,
  shownPath,
} from '../../../desired/files/parse.js'
import { Mistakes, type Written, type WrittenMap } from '../../../desired/files/written.js'
import type { Origin } from '../../../desired/state.js'
import { Failure } from '../../../errors.js'
import {
  type PolicyRule,
  type PolicySeverity,
  policySchema,
  policySeverities,
  ruleSchema,
  waiverSchema,
} from './schema.js'

type Known = Readonly<Record<string, Written>>

/** The entries of a map by key; keys that are not allowed are mistakes. */
const entriesOf = (
  written: Written,
  { properties, required }: { readonly properties: object; readonly required: readonly string[] },
  mistakes: Mistakes,
): Known | undefined => {
  if (written.is !== 'map') return mistakes.mistyped(written, 'this must be a map')
  const known = Object.keys(properties)
  for (const entry of written.entries)
    if (!known.includes(entry.key)) mistakes.unknown(entry, known)
  const entries = Object.fromEntries(written.entries.map(({ key, value }) => [key, value]))
  for (const name of required)
    if (entries[name] === undefined) mistakes.add(written.origin, `${name} is missing`)
  return entries
}

const textOf = (
  written: Written | undefined,
  name: string,
  mistakes: Mistakes,
): string | undefined => {
  if (written === undefined) return undefined
  const value = written.is === 'scalar' ? written.value : undefined
  if (typeof value === 'string' && value.trim() !== '') return value
  return mistakes.mistyped(written, `${name} must be text`)
}

const itemsOf = (
  written: Written | undefined,
  name: string,
  mistakes: Mistakes,
): readonly Written[] => {
  if (written === undefined) return []
  if (written.is === 'list') return written.items
  mistakes.mistyped(written, `${name} must be a list`)
  return []
}

const waiverOf = (written: Written, mistakes: Mistakes): PolicyRule['waive'] => {
  const entries = entriesOf(written, waiverSchema, mistakes)
  const [address, until, reason] = ['address', 'until', 'reason'].map((name) =>
    textOf(entries?.[name], name, mistakes),
  )
  if (address === undefined || until === undefined || reason === undefined) return []
  if (!isDay(until))
    mistakes.add(written.origin, `until must be a day such as 2027-01-31, not "${until}"`)
  return [{ address, until, reason, origin: written.origin }]
}

const severityOf = (written: Written | undefined, mistakes: Mistakes): PolicySeverity => {
  const said = textOf(written, 'severity', mistakes)
  const found = policySeverities.find((one) => one === said)
  if (written !== undefined && said !== undefined && found === undefined)
    mistakes.unknown(
      { key: said, origin: written.origin },
      policySeverities,
      `Use one of ${policySeverities.join(', ')}.`,
    )
  return found ?? 'error'
}

const ruleOf = (written: Written, mistakes: Mistakes): readonly PolicyRule[] => {
  const entries = entriesOf(written, ruleSchema, mistakes)
  if (entries === undefined) return []
  const { origin } = written
  const [name, list, where, each, message] = ['name', 'list', 'where', 'each', 'message'].map(
    (key) => textOf(entries[key], key, mistakes),
  )
  if ((entries.where === undefined) === (entries.each === undefined))
    mistakes.add(origin, 'a rule has either where or each')
  if (name !== undefined && !/^[a-z][a-z0-9-]*$/.test(name))
    mistakes.add(
      origin,
      `"${name}" is not a valid name`,
      'Use lowercase letters, digits and dashes, and begin with a letter.',
    )
  const severity = severityOf(entries.severity, mistakes)
  const waive = itemsOf(entries.waive, 'waive', mistakes).flatMap((one) => waiverOf(one, mistakes))
  const words = list === undefined ? [] : (mistakes.tried(origin, () => splitCommand(list)) ?? [])
  if (name === undefined || words.length === 0) return []
  return [
    {
      name,
      list: words,
      severity,
      waive,
      origin,
      ...(where !== undefined && { where }),
      ...(each !== undefined && { each }),
      ...(message !== undefined && { message }),
    },
  ]
}

/** What a file holds: its rules, and which others it includes. */
const takeFile = async (
  { path, bytes }: ReadText,
  mistakes: Mistakes,
): Promise<{ readonly rules: readonly PolicyRule[]; readonly include: readonly string[] }> => {
  const file = shownPath(path)
  const first = { file, line: 1, column: 1 }
  if (!isUtf8(bytes)) mistakes.add(first, 'the file is not UTF-8 text')
  const documents = await parsedDocuments(Buffer.from(bytes).toString(), file, mistakes)
  const maps = documents.filter((one): one is WrittenMap => {
    if (one.is !== 'map') mistakes.mistyped(one, 'a policy must be a map')
    return one.is === 'map'
  })
  const all = maps.map((map) => {
    const entries: Known = entriesOf(map, policySchema, mistakes) ?? {}
    const { policy, rules, include } = entries
    if (policy !== undefined && (policy.is !== 'scalar' || policy.value !== 1))
      mistakes.add(policy.origin, 'policy must be 1, the version of the format')
    return {
      rules: itemsOf(rules, 'rules', mistakes).flatMap((one) => ruleOf(one, mistakes)),
      include: itemsOf(include, 'include', mistakes).flatMap(
        (one) => textOf(one, 'a file', mistakes) ?? [],
      ),
    }
  })
  return {
    rules: all.flatMap(({ rules }) => rules),
    include: all.flatMap(({ include }) => include),
  }
}

/**
 * The rules of policy files, and of those that they include, each file once.
 * @throws Failure `usage` with every mistake, each with its place
 */
export const readPolicy = async (
  paths: readonly string[],
  options: PathOptions,
): Promise<readonly PolicyRule[]> => {
  const mistakes = new Mistakes()
  const known = new Set<string>()
  const rules: PolicyRule[] = []
  let due = await filesAt(paths, options)
  while (due.length > 0) {
    const further: ReadText[] = []
    for (const read of due) {
      if (known.has(read.path)) continue
      known.add(read.path)
      const { rules: own, include } = await takeFile(read, mistakes)
      rules.push(...own)
      for (const path of include)
        further.push(...(await filesAt([join(dirname(read.path), path)], options)))
    }
    due = further
  }
  const named = new Map<string, Origin>()
  for (const { name, origin } of rules) {
    const before = named.get(name)
    if (before !== undefined) mistakes.twice(origin, `the name ${name} is used twice`, before)
    named.set(name, origin)
  }
  mistakes.refuse()
  if (rules.length === 0)
    throw new Failure('usage', 'the policy has no rules', {
      hint: 'svcctl help snapshots shows an example.',
    })
  return rules
}
