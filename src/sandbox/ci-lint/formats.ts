/** Provides the formats of `keywords.json`: predicates for values that JSON Schema alone cannot describe. */
import { secondsPerDay } from '../../base/dates.js'
import { parseWordDuration } from '../../base/durations.js'
import { compileRegex, isDressed, isExpression, isWithoutPart } from './expression.js'
import { findPresetProblem } from './input-values.js'
import { isHash, KeywordReference } from './types.js'

/** True if a value has the format; or a list of what is wrong, which is empty if nothing is. Messages quote it as `{found}`. */
type Format = (value: unknown, path: string) => boolean | readonly unknown[]

/** True for a reference that was not expanded, since its file was not fetched. It may stand for any value. */
export const isKeywordReference = (value: unknown): boolean => value instanceof KeywordReference

const has = (value: unknown, key: string): boolean => isHash(value) && (value[key] ?? null) !== null

/** Creates a format of texts. A text with a variable is accepted, since its value is only known when a pipeline is created. */
const toOpen =
  (holds: (text: string) => boolean): Format =>
  (value) =>
    typeof value === 'string' && (value.includes('$') || holds(value))

const isNested = (value: unknown, levels: number): boolean =>
  typeof value === 'string' ||
  isKeywordReference(value) ||
  (Array.isArray(value) && levels > 0 && value.every((item) => isNested(item, levels - 1)))

/** Creates the format of one condition, or of a list of conditions. */
const toConditions =
  (holds: (text: string) => boolean): Format =>
  (value) =>
    [value]
      .flat()
      .every((one) => isKeywordReference(one) || (typeof one === 'string' && holds(one)))

/** Counts the jobs that a matrix generates: one for each combination of the values in its lists. */
const countMatrixJobs = (matrix: unknown): number =>
  [matrix].flat(10).reduce<number>((sum, one) => {
    const lists = isHash(one) ? Object.values(one).filter((v) => Array.isArray(v)) : []
    return sum + lists.reduce((product, list) => product * list.length, 1)
  }, 0)

/** Returns the kind of a need, as messages name it. */
const getNeedKind = (need: unknown): string => {
  if (!isHash(need) || !('project' in need || 'pipeline' in need)) return 'job'
  return 'project' in need || 'job' in need ? 'cross_dependency' : 'bridge'
}

/** Creates the format of needs of these kinds. */
const toNeeds =
  (...kinds: readonly string[]): Format =>
  (value) =>
    [...new Set([value].flat(10).map(getNeedKind))].filter((kind) => !kinds.includes(kind))

/** True if at most this number of items, at any depth, are hashes with all of these keys. */
const hasAtMost = (count: number, value: unknown, ...keys: readonly string[]): boolean =>
  [value].flat(10).filter((one) => isHash(one) && keys.every((key) => key in one)).length <= count

/** An ISO 8601 date. Rarer forms of dates are accepted without further checks. */
const isoDate = /^\d{4}-?(?:(\d\d)-?(\d\d)|W\d\d-?\d|\d{3})(?:[T ]\d\d[\d:.,]*(?:Z|[+-][\d:]+)?)?$/i
const isDate = (given: string): boolean => {
  const [found, month, day] = isoDate.exec(given) ?? []
  if (found === undefined || month === undefined) return found !== undefined
  const date = new Date(Date.UTC(Number(given.slice(0, 4)), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

/** True for the name of a branch or tag, or the ID of a commit. */
const isRefName = (name: string): boolean =>
  name !== '' &&
  name !== 'HEAD' &&
  !/^(?:-|refs\/(?:heads|remotes)\/)|[/.]$|\.\.|\/\/|@\{|[\s\p{Cc}~^:?*[\\]/u.test(name) &&
  !name.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))

const sources = [
  'vault',
  'azure_key_vault',
  'gcp_secret_manager',
  'aws_secrets_manager',
  'akeyless',
]
/** Lists the possible sources of a secret, unless it has exactly one. An instance's own secrets manager ends in `_secrets_manager`. */
const listSources: Format = (value) => {
  const own = Object.keys(isHash(value) ? value : {}).filter((key) => /_secrets_manager$/.test(key))
  const all = [...new Set([...own, ...sources])]
  return all.filter((key) => has(value, key)).length === 1 ? [] : all
}

// Durations.

/** The longest timeout of a job that instances accept, in seconds. */
const month = 30.436875 * secondsPerDay

/** True for a duration. Instances read no time at all (`0 days`) as none. */
const isDuration = (text: string): boolean => (parseWordDuration(text) ?? 0) > 0
const isNever = (text: string): boolean => /^never$/i.test(text)
/** Creates the format of durations of at most this number of seconds. */
const isWithin =
  (most: number): Format =>
  (value) =>
    (parseWordDuration(String(value)) ?? 0) <= most

/** The formats, by their names in `keywords.json`. */
export const formats: Readonly<Record<string, Format>> = {
  script: (value) => isNested(value, 10),
  'nested-texts': (value) => isNested(value, 10),
  duration: (value) => isDuration(String(value)),
  'duration-or-never': (value) => isNever(String(value)) || isDuration(String(value)),
  'open-duration': toOpen((text) => isNever(text) || isDuration(text)),
  'within-a-week': isWithin(7 * secondsPerDay),
  'within-a-month': isWithin(month),
  'caching-time': (value) => typeof value !== 'string' || value === '' || isDuration(value),
  'at-least-a-minute': (value) =>
    typeof value !== 'string' || value === '' || (parseWordDuration(value) ?? 0) >= 60,
  'iso-date': (value) => isDate(String(value)),
  'ref-name': (value) => isRefName(String(value)),
  address: toOpen((text) => URL.canParse(text)),
  re2: (value) => compileRegex(String(value)) !== undefined,
  ref: (value) => !isDressed(String(value)) || compileRegex(String(value)) !== undefined,
  conditions: toConditions(isExpression),
  'conditions-without-negation': toConditions((text) => isWithoutPart('negation', text)),
  'conditions-without-literals': toConditions((text) => isWithoutPart('literals', text)),
  'matrix-50': (value) => countMatrixJobs(value) <= 50,
  'matrix-200': (value) => countMatrixJobs(value) <= 200,
  'needs-of-job': toNeeds('job', 'cross_dependency'),
  'needs-of-bridge': toNeeds('job', 'bridge'),
  'needs-of-rule': toNeeds('job'),
  'few-pipelines': (value) => hasAtMost(5, value, 'job', 'pipeline'),
  'single-bridge': (value) => hasAtMost(1, isHash(value) ? value.needs : [], 'pipeline'),
  'beside-rules': (value) =>
    has(value, 'rules') ? ['only', 'except', 'start_in'].filter((key) => has(value, key)) : [],
  /** True unless a job publishes files that are no pages: it has the keyword `pages`, or the name `pages` and does not deny it. */
  'published-pages': (value, path) => {
    const { pages = null } = isHash(value) ? value : {}
    return !has(value, 'publish') || (pages === null ? path === 'jobs:pages' : pages !== false)
  },
  'preset-option': (value) =>
    !isHash(value) ||
    !Array.isArray(value.options) ||
    value.options.length === 0 ||
    value.options.map(String).includes(String(value.value)),
  'preset-inputs': (value) => {
    const inputs = isHash(value) && isHash(value.inputs) ? Object.entries(value.inputs) : []
    return inputs.flatMap(([name, spec]) => {
      const problem = isHash(spec) ? findPresetProblem(spec) : undefined
      return problem === undefined ? [] : [`\`${name}\`: ${problem}`]
    })
  },
  'default-option': (value) =>
    !isHash(value) ||
    !('default' in value) ||
    !Array.isArray(value.options) ||
    value.options.length === 0 ||
    value.options.includes(value.default)
      ? []
      : [value.default ?? ''],
  'exposed-paths': (value) =>
    !isHash(value) ||
    typeof value.expose_as !== 'string' ||
    ![value.paths].flat().some((path) => String(path).includes('*')),
  'one-secret-source': listSources,
}
