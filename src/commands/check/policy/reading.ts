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
import { Mistakes, type Written } from '../../../desired/files/written.js'
import type { Origin } from '../../../desired/state.js'
import { Failure } from '../../../errors.js'
import { type Policy, type PolicyRule, policySchema, type Schema } from './schema.js'

/** What a value says by its schema; maps say where they stand as well. */
const readValue = (written: Written, name: string, schema: Schema, mistakes: Mistakes): unknown => {
  if (schema.properties !== undefined) return readMap(written, name, schema, mistakes)
  if (schema.items !== undefined) {
    const { items } = schema
    if (written.is !== 'list') return mistakes.mistyped(written, `${name} must be a list`)
    return written.items.flatMap(
      (one) => readValue(one, items.title ?? name, items, mistakes) ?? [],
    )
  }
  const value = written.is === 'scalar' ? written.value : undefined
  if (schema.const !== undefined)
    return value === schema.const
      ? value
      : mistakes.add(written.origin, `${name} must be ${schema.const}, ${schema.description}`)
  if (typeof value !== 'string' || value.trim() === '')
    return mistakes.mistyped(written, `${name} must be text`)
  const { origin } = written
  if (schema.enum?.includes(value) === false) {
    const hint = `Use one of ${schema.enum.join(', ')}.`
    return void mistakes.unknown({ key: value, origin }, schema.enum, hint)
  }
  if (schema.format === 'date' && !isDay(value))
    return mistakes.add(origin, `${name} must be a day such as 2027-01-31, not "${value}"`)
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value))
    return mistakes.add(origin, `"${value}" is not a valid ${name}`, `Use ${schema.description}.`)
  if (schema.format === 'command-line') return mistakes.tried(origin, () => splitCommand(value))
  return value
}

const readMap = (written: Written, name: string, schema: Schema, mistakes: Mistakes): unknown => {
  if (written.is !== 'map') return mistakes.mistyped(written, `${name} must be a map`)
  const { properties = {}, required = [], oneOf } = schema
  const { entries, origin } = written
  const has = (key: string): boolean => entries.some((entry) => entry.key === key)
  for (const key of required) if (!has(key)) mistakes.add(origin, `${key} is missing`)
  const either = oneOf?.flatMap((one) => one.required)
  if (either !== undefined && either.filter(has).length !== 1)
    mistakes.add(origin, `${name} has either ${either.join(' or ')}`)
  const defaults = Object.entries(properties).flatMap(([key, { default: value }]) =>
    value === undefined ? [] : [[key, value] as const],
  )
  const values = entries.map((entry) => {
    const inner = Object.hasOwn(properties, entry.key) ? properties[entry.key] : undefined
    if (inner === undefined) return void mistakes.unknown(entry, Object.keys(properties))
    return [entry.key, readValue(entry.value, entry.key, inner, mistakes)] as const
  })
  return {
    ...Object.fromEntries([...defaults, ...values.filter((one) => one !== undefined)]),
    origin,
  }
}

/** What a file says; a part that is a mistake is absent. */
const takeFile = async (
  { path, bytes }: ReadText,
  mistakes: Mistakes,
): Promise<readonly Partial<Policy>[]> => {
  const file = shownPath(path)
  if (!isUtf8(bytes)) mistakes.add({ file, line: 1, column: 1 }, 'the file is not UTF-8 text')
  const documents = await parsedDocuments(Buffer.from(bytes).toString(), file, mistakes)
  return documents.map(
    (one) => (readValue(one, 'a policy', policySchema, mistakes) as Partial<Policy>) ?? {},
  )
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
      for (const { rules: own = [], include = [] } of await takeFile(read, mistakes)) {
        rules.push(...own)
        for (const path of include)
          further.push(...(await filesAt([join(dirname(read.path), path)], options)))
      }
    }
    due = further
  }
  mistakes.refuse()
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
