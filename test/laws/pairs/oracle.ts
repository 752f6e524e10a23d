/** Checks that hold for every line with two flags, or with a flag and a variable. */
import { parse as parseCsv } from 'csv-parse/sync'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../../../src/base/objects.js'
import { globalFlagRows } from '../../../src/engine/command/global-flags.js'
import type { Shape } from './shapes.js'
import type { FlagValue } from './values.js'
import type { Environment, LineResult } from './world.js'

/** A line under test, its parts, and a way to run it without one of them. */
export interface Trial {
  readonly shape: Shape
  readonly values: readonly FlagValue[]
  readonly env: Environment
  readonly ran: LineResult
  /** Runs the line without one of its values, or without its variables. */
  readonly without: (value: FlagValue | 'env') => Promise<LineResult>
}

const isUsageError = ({ code }: LineResult): boolean => code === 2

const hasFlag = (values: readonly FlagValue[], flag: FlagValue['flag']): boolean =>
  values.some((value) => value.flag === flag)

/** Empty paths, for values that need none. */
const noPlaces = { url: '', snapshot: '', out: '', journal: '' }

/** Returns the value that a line gives to a flag. */
const getText = ({ values }: Trial, flag: FlagValue['flag']): string | undefined =>
  values.find((value) => value.flag === flag)?.words(noPlaces)[1]

/** Returns the value of the flag `--output`. */
const getOutputFormat = (trial: Trial): string | undefined => getText(trial, 'output')

const listWrites = ({ requests }: LineResult): readonly string[] =>
  // A lint stores nothing.
  requests.filter((request) => !/^(?:GET|HEAD) |\/ci\/lint$/.test(request))

/**
 * Removes everything that differs between lines: times, ports, names of journals; the title of a page, its command line and its final
 * notes; the flag --insecure in the lines that an overview proposes.
 */
const normalizeText = (text: string): string =>
  text
    .replace(/^<title>.*<\/title>$/m, '')
    .replace(/<h1>.*?<\/h1>|<div class="cmd">.*?<\/div>|<footer>.*?<\/footer>/gs, '')
    .replaceAll(' --insecure', '')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?/g, 'TIME')
    .replace(/\d{8}T\d{6}(?:-\d+)?/g, 'STAMP')
    .replace(/\b\d+(?:\.\d+)? m?s\b/g, 'SPAN')
    .replace(/\b[0-9a-f]{8,40}\b/g, 'SHA')
    .replace(/svcctl-test-\w+(?:-\w{6})?/g, 'FOLDER')

/** Parses an output in its format. Throws if the output is invalid. */
const parseAs: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  ndjson: (text) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  yaml: (text) => parseYaml(text),
  csv: (text) => parseCsv(text, { columns: true }),
  html: (text) => {
    if (!/^<!doctype html>/i.test(text) || !text.includes('</html>'))
      throw new Error('no whole page')
    return undefined
  },
}

const listRecords = (data: unknown): readonly Record<string, unknown>[] =>
  [data].flat().filter((one): one is Record<string, unknown> => isObject(one))

/** Returns the answer of a line: the file of --to if there is one, but never a downloaded file. */
const getAnswer = ({ ran, shape }: Trial): string =>
  shape.answer === 'file' ? ran.stdout : (ran.file ?? ran.stdout)

type Check = (trial: Trial) => string | undefined | Promise<string | undefined>

const checkEnd: Check = ({ ran, values }) => {
  if (ran.endless && !hasFlag(values, 'watch')) return 'it does not end'
  if (ran.code === 9 || /has a defect/.test(ran.stderr))
    return `a defect: ${ran.stderr.slice(0, 200)}`
  if (/\n\s+at .*:\d+:\d+/.test(ran.stderr)) return 'a stack trace'
  return undefined
}

const checkOutput: Check = ({ ran, values }) => {
  const silent = ran.stdout === '' && ran.stderr === '' && ran.file === undefined
  return silent && ran.code === 0 && !hasFlag(values, 'quiet') ? 'exit 0 without a byte' : undefined
}

const checkRefusalOrder: Check = ({ ran }) =>
  isUsageError(ran) && listWrites(ran).length > 0 ? `exit 2 after ${listWrites(ran)[0]}` : undefined

/** A rejected flag must be one that was typed. A flag of the program must never be proposed as a parameter of the API. */
const checkRefusedFlag: Check = ({ ran, values }) => {
  const [, refused] = /unknown option '(-[^']*)'/.exec(ran.stderr) ?? []
  const typed = values.flatMap(({ words }) => words(noPlaces)[0] ?? [])
  if (refused !== undefined && !typed.includes(refused))
    return `refuses ${refused}, which is not typed`
  const advised = [...ran.stderr.matchAll(/--param '?([a-z_]+)=/g)].map(([, name = '']) => name)
  const own = advised.find((name) => Object.hasOwn(globalFlagRows, name.replaceAll('_', '-')))
  return own === undefined ? undefined : `advises the flag ${own} as a parameter`
}

/** If two flags are valid alone but not together, the error names both. */
const checkBothNamed: Check = async ({ ran, values, without, env }) => {
  if (!isUsageError(ran)) return undefined
  const [first, second] = values
  if (first === undefined) return undefined
  const alone = await without(second ?? 'env')
  const other = second && (await without(first))
  if (isUsageError(alone) || (other !== undefined && isUsageError(other))) return undefined
  if (second === undefined && isUsageError(await without(first))) return undefined
  // The name that confirms is compared with the current instance, which a variable can change.
  const isChosen = env.SVC_SANDBOX !== undefined || env.SVC_PROFILE !== undefined
  if (second === undefined && first.flag === 'confirm' && isChosen) return undefined
  if (second === undefined)
    return `the variable ${Object.keys(env).join()} makes a flag exit 2: ${ran.stderr.split('\n', 1)[0]}`
  const names = values.map(({ words }) => words(noPlaces)[0] ?? '')
  const missing = names.filter((name) => !ran.stderr.includes(name))
  return missing.length === 0
    ? undefined
    : `does not name ${missing.join(' and ')}: ${ran.stderr.split('\n', 1)[0]}`
}

const checkFormat: Check = (trial) => {
  const { ran, values, shape } = trial
  const format = getOutputFormat(trial)
  if (format === undefined || ran.code !== 0 || hasFlag(values, 'curl') || hasFlag(values, 'help'))
    return undefined
  const text = getAnswer(trial)
  const parse = parseAs[format]
  if (parse === undefined || (hasFlag(values, 'watch') && format !== 'ndjson')) return undefined
  if (shape.answer === 'file' && hasFlag(values, 'to')) return undefined
  if (text === '')
    return ['json', 'yaml', 'html'].includes(format) && !hasFlag(values, 'open')
      ? `-o ${format} prints nothing`
      : undefined
  try {
    parse(text)
    return undefined
  } catch (error) {
    return `-o ${format} does not parse: ${String(error).slice(0, 120)}`
  }
}

/** Returns the records of a line whose output is json or ndjson. */
const getJsonRecords = (trial: Trial): readonly Record<string, unknown>[] | undefined => {
  const format = getOutputFormat(trial)
  const { ran, values } = trial
  if (ran.code !== 0 || (format !== 'json' && format !== 'ndjson') || hasFlag(values, 'watch'))
    return undefined
  const text = getAnswer(trial)
  try {
    return text === '' ? [] : listRecords(parseAs[format]?.(text))
  } catch {
    return undefined
  }
}

const targetColumns: ReadonlySet<string> = new Set([
  'profile',
  'project',
  'group',
  'of',
  'snapshot',
])

const checkFields: Check = (trial) => {
  if (!hasFlag(trial.values, 'fields') || trial.shape.answer !== 'records') return undefined
  const strange = getJsonRecords(trial)?.find((record) =>
    Object.keys(record).some((key) => key !== 'id' && !targetColumns.has(key)),
  )
  return strange === undefined ? undefined : `--fields id gives ${Object.keys(strange).join()}`
}

const checkLimit: Check = (trial) => {
  if (getText(trial, 'limit') !== '3') return undefined
  const records = getJsonRecords(trial)
  return records !== undefined && records.length > 3
    ? `--limit 3 gives ${records.length}`
    : undefined
}

/** Returns the rows of a table in a pipe, without the line of headings. */
const listRows = (text: string): readonly string[] => text.split('\n').slice(1, -1)

/** Flags whose output is not a table of records. */
const otherAnswers: readonly FlagValue['flag'][] = [
  'curl',
  'help',
  'watch',
  'web',
  'output',
  'open',
]

/** Returns true if the output is a table of records. */
const isTable = ({ ran, values, shape, env }: Trial): boolean =>
  ran.code === 0 &&
  shape.answer === 'records' &&
  env.SVC_OUTPUT !== 'html' &&
  !otherAnswers.some((flag) => hasFlag(values, flag))

const checkRowLimit: Check = (trial) => {
  const isLimited = /^list|-by-select$/.test(trial.shape.name)
  if (getText(trial, 'limit') !== '3' || !isLimited || !isTable(trial)) return undefined
  const rows = listRows(getAnswer(trial)).length
  return rows > 3 ? `--limit 3 gives ${rows} rows` : undefined
}

/** A selected column has values: if all cells are empty, the flag was not understood. */
const checkColumns: Check = (trial) => {
  const rows = isTable(trial) ? listRows(getAnswer(trial)) : []
  return rows.length > 0 && rows.every((row) => row.trim() === '')
    ? 'all cells are empty'
    : undefined
}

/** A snapshot gives the same answer as the instance, in the same order. */
const checkSnapshot: Check = async (trial) => {
  const { ran, values, without, env } = trial
  const from = values.find(({ flag }) => flag === 'from')
  // The snapshot is one of the profiles' instance.
  if (from === undefined || env.SVC_SANDBOX === '1' || !isTable(trial)) return undefined
  const live = await without(from)
  return live.code === 0 && normalizeText(live.stdout) !== normalizeText(ran.stdout)
    ? '--from answers otherwise than the instance'
    : undefined
}

/** Two flags that work alone also work together, or are rejected: the pair does not fail later. */
const checkFailure: Check = async ({ ran, values, env, without }) => {
  const [first, second] = values
  if (ran.code !== 1 || first === undefined) return undefined
  // A wait takes its time on any instance.
  if (hasFlag(values, 'wait-timeout') && ran.stderr.includes(' after 1 s')) return undefined
  const parts = [await without(second ?? 'env'), second && (await without(first))]
  return parts.every((part) => part === undefined || part.code === 0)
    ? `exit 1 of what is fine alone${Object.keys(env).length > 0 ? ' and by a variable' : ''}: ${ran.stderr.split('\n', 1)[0]}`
    : undefined
}

const checkOrder: Check = (trial) => {
  if (!hasFlag(trial.values, 'sort')) return undefined
  const ids = getJsonRecords(trial)?.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) ?? []
  return ids.some((id, i) => i > 0 && id > (ids[i - 1] ?? 0)) ? '--sort -id is not kept' : undefined
}

const checkNothingSent: Check = ({ ran, values, shape }) => {
  if (hasFlag(values, 'dry-run') && shape.name !== 'ci-lint' && listWrites(ran).length > 0)
    return `--dry-run sent ${listWrites(ran)[0]}`
  if (hasFlag(values, 'curl') && listWrites(ran).length > 0)
    return `--curl sent ${listWrites(ran)[0]}`
  if (hasFlag(values, 'from') && ran.requests.length > 0) return `--from sent ${ran.requests[0]}`
  return undefined
}

/** With `--to`, the file has the bytes that standard output has without it. */
const checkFile: Check = async ({ ran, values, without, shape }) => {
  const to = values.find(({ flag }) => flag === 'to')
  if (to === undefined || shape.answer === 'file' || isUsageError(ran) || hasFlag(values, 'help'))
    return undefined
  const plain = await without(to)
  if (plain.code !== ran.code)
    return `--to makes exit ${plain.code} exit ${ran.code}: ${ran.stderr.slice(0, 120)}`
  if (ran.stdout !== '') return '--to leaves something on standard output'
  return normalizeText(ran.file ?? '') === normalizeText(plain.stdout)
    ? undefined
    : '--to writes other bytes'
}

/** A flag about how the work is done does not change the output. */
const checkSameAnswer: Check = async ({ ran, values, env, without }) => {
  // The clock of the embedded instance goes on.
  if (hasFlag(values, 'sandbox') || env.SVC_SANDBOX === '1') return undefined
  for (const value of values.filter((one) => one.neutral === true)) {
    if (
      hasFlag(values, 'curl') ||
      hasFlag(values, 'help') ||
      hasFlag(values, 'watch') ||
      isUsageError(ran)
    )
      continue
    const plain = await without(value)
    if (isUsageError(plain) || plain.code !== ran.code) continue
    // A page also has its title in the label of its table.
    if (value.flag === 'page-title' && plain.stdout.startsWith('<!doctype html>')) continue
    if (normalizeText(plain.stdout) !== normalizeText(ran.stdout))
      return `--${value.flag} changes standard output`
  }
  return undefined
}

/** An instance that a flag names wins over the one of a variable. */
const checkFlagWins: Check = ({ ran, values, env, shape }) => {
  const named = values.some(({ flag }) => ['profile', 'all-profiles', 'base-url'].includes(flag))
  if (env.SVC_SANDBOX !== '1' || !named || ran.code !== 0 || shape.name === 'ci-lint')
    return undefined
  return ran.requests.length === 0 ? 'SVC_SANDBOX=1 wins over the flag' : undefined
}

const checks: readonly Check[] = [
  checkEnd,
  checkRefusalOrder,
  checkRefusedFlag,
  checkBothNamed,
  checkOutput,
  checkNothingSent,
  checkFlagWins,
  checkFormat,
  checkFields,
  checkLimit,
  checkRowLimit,
  checkColumns,
  checkSnapshot,
  checkFailure,
  checkOrder,
  checkFile,
  checkSameAnswer,
]

/** Returns what is wrong with a line, or undefined. */
export const findBreach = async (trial: Trial): Promise<string | undefined> => {
  for (const check of checks) {
    const breach = await check(trial)
    if (breach !== undefined) return breach
  }
  return undefined
}
