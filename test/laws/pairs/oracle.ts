/** What must hold of a line with two flags, or with a flag and a variable, whatever they are. */
import { parse as parseCsv } from 'csv-parse/sync'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../../../src/base/objects.js'
import { globalFlagRows } from '../../../src/engine/command/global-flags.js'
import type { Shape } from './shapes.js'
import type { FlagValue } from './values.js'
import type { Environment, LineResult } from './world.js'

/** What is checked: a line, its parts, and what each of them alone came to. */
export interface Trial {
  readonly shape: Shape
  readonly values: readonly FlagValue[]
  readonly env: Environment
  readonly ran: LineResult
  /** The same line without one of its values, or without its variables. */
  readonly without: (value: FlagValue | 'env') => Promise<LineResult>
}

const isUsage = ({ code }: LineResult): boolean => code === 2

const has = (values: readonly FlagValue[], flag: FlagValue['flag']): boolean =>
  values.some((value) => value.flag === flag)

/** Places of no world, for values that name none. */
const nowhere = { url: '', snapshot: '', out: '', journal: '' }

/** The text that a line gives to a flag. */
const textOf = ({ values }: Trial, flag: FlagValue['flag']): string | undefined =>
  values.find((value) => value.flag === flag)?.words(nowhere)[1]

/** The format that a line asks for by a flag. */
const formatOf = (trial: Trial): string | undefined => textOf(trial, 'output')

const writesIn = ({ requests }: LineResult): readonly string[] =>
  // A lint stores nothing.
  requests.filter((request) => !/^(?:GET|HEAD) |\/ci\/lint$/.test(request))

/**
 * Takes away what differs from line to line: times, ports, names of journals; of a page its title, the line that it shows, and the notes of
 * standard error that stand at its end; of the lines that an overview proposes the flag by which they reach the same instance.
 */
const steady = (text: string): string =>
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

/** Parses what a format promises. @throws where it is not that */
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

const recordsIn = (data: unknown): readonly Record<string, unknown>[] =>
  [data].flat().filter((one): one is Record<string, unknown> => isObject(one))

/** The answer of a line: that in the file of --to, but not the file that it downloads. */
const printedBy = ({ ran, shape }: Trial): string =>
  shape.answer === 'file' ? ran.stdout : (ran.file ?? ran.stdout)

type Check = (trial: Trial) => string | undefined | Promise<string | undefined>

const endsWell: Check = ({ ran, values }) => {
  if (ran.endless && !has(values, 'watch')) return 'it does not end'
  if (ran.code === 9 || /has a defect/.test(ran.stderr))
    return `a defect: ${ran.stderr.slice(0, 200)}`
  if (/\n\s+at .*:\d+:\d+/.test(ran.stderr)) return 'a stack trace'
  return undefined
}

const saysSomething: Check = ({ ran, values }) => {
  const silent = ran.stdout === '' && ran.stderr === '' && ran.file === undefined
  return silent && ran.code === 0 && !has(values, 'quiet') ? 'exit 0 without a byte' : undefined
}

const refusesBeforeWrites: Check = ({ ran }) =>
  isUsage(ran) && writesIn(ran).length > 0 ? `exit 2 after ${writesIn(ran)[0]}` : undefined

/** A flag that is refused was typed, and one of the program's own is never advised as a parameter of the API. */
const refusesTyped: Check = ({ ran, values }) => {
  const [, refused] = /unknown option '(-[^']*)'/.exec(ran.stderr) ?? []
  const typed = values.flatMap(({ words }) => words(nowhere)[0] ?? [])
  if (refused !== undefined && !typed.includes(refused))
    return `refuses ${refused}, which is not typed`
  const advised = [...ran.stderr.matchAll(/--param '?([a-z_]+)=/g)].map(([, name = '']) => name)
  const own = advised.find((name) => Object.hasOwn(globalFlagRows, name.replaceAll('_', '-')))
  return own === undefined ? undefined : `advises the flag ${own} as a parameter`
}

/** Two flags that are fine alone and not together: the error names both. */
const namesBoth: Check = async ({ ran, values, without, env }) => {
  if (!isUsage(ran)) return undefined
  const [first, second] = values
  if (first === undefined) return undefined
  const alone = await without(second ?? 'env')
  const other = second && (await without(first))
  if (isUsage(alone) || (other !== undefined && isUsage(other))) return undefined
  if (second === undefined && isUsage(await without(first))) return undefined
  // The name that confirms is held against the instance in force, which a variable may choose.
  const isChosen = env.SVC_SANDBOX !== undefined || env.SVC_PROFILE !== undefined
  if (second === undefined && first.flag === 'confirm' && isChosen) return undefined
  if (second === undefined)
    return `the variable ${Object.keys(env).join()} makes a flag exit 2: ${ran.stderr.split('\n', 1)[0]}`
  const names = values.map(({ words }) => words(nowhere)[0] ?? '')
  const missing = names.filter((name) => !ran.stderr.includes(name))
  return missing.length === 0
    ? undefined
    : `does not name ${missing.join(' and ')}: ${ran.stderr.split('\n', 1)[0]}`
}

const keepsFormat: Check = (trial) => {
  const { ran, values, shape } = trial
  const format = formatOf(trial)
  if (format === undefined || ran.code !== 0 || has(values, 'curl') || has(values, 'help'))
    return undefined
  const text = printedBy(trial)
  const parse = parseAs[format]
  if (parse === undefined || (has(values, 'watch') && format !== 'ndjson')) return undefined
  if (shape.answer === 'file' && has(values, 'to')) return undefined
  if (text === '')
    return ['json', 'yaml', 'html'].includes(format) && !has(values, 'open')
      ? `-o ${format} prints nothing`
      : undefined
  try {
    parse(text)
    return undefined
  } catch (error) {
    return `-o ${format} does not parse: ${String(error).slice(0, 120)}`
  }
}

/** The records of a line whose answer is json or ndjson. */
const jsonRecords = (trial: Trial): readonly Record<string, unknown>[] | undefined => {
  const format = formatOf(trial)
  const { ran, values } = trial
  if (ran.code !== 0 || (format !== 'json' && format !== 'ndjson') || has(values, 'watch'))
    return undefined
  const text = printedBy(trial)
  try {
    return text === '' ? [] : recordsIn(parseAs[format]?.(text))
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

const keepsFields: Check = (trial) => {
  if (!has(trial.values, 'fields') || trial.shape.answer !== 'records') return undefined
  const strange = jsonRecords(trial)?.find((record) =>
    Object.keys(record).some((key) => key !== 'id' && !targetColumns.has(key)),
  )
  return strange === undefined ? undefined : `--fields id gives ${Object.keys(strange).join()}`
}

const keepsLimit: Check = (trial) => {
  if (textOf(trial, 'limit') !== '3') return undefined
  const records = jsonRecords(trial)
  return records !== undefined && records.length > 3
    ? `--limit 3 gives ${records.length}`
    : undefined
}

/** Returns the rows of an answer in a pipe: a line each, below that of the columns. */
const rowsIn = (text: string): readonly string[] => text.split('\n').slice(1, -1)

/** Flags that give an answer which is no table of records. */
const otherAnswers: readonly FlagValue['flag'][] = [
  'curl',
  'help',
  'watch',
  'web',
  'output',
  'open',
]

/** Returns true if the answer is a table of records. */
const isTable = ({ ran, values, shape, env }: Trial): boolean =>
  ran.code === 0 &&
  shape.answer === 'records' &&
  env.SVC_OUTPUT !== 'html' &&
  !otherAnswers.some((flag) => has(values, flag))

const keepsLimitInRows: Check = (trial) => {
  const isList = trial.shape.name.startsWith('list')
  if (textOf(trial, 'limit') !== '3' || !isList || !isTable(trial)) return undefined
  const rows = rowsIn(printedBy(trial)).length
  return rows > 3 ? `--limit 3 gives ${rows} rows` : undefined
}

/** A column that was chosen has values: empty cells alone mean that the flag was not understood. */
const fillsColumns: Check = (trial) => {
  const rows = isTable(trial) ? rowsIn(printedBy(trial)) : []
  return rows.length > 0 && rows.every((row) => row.trim() === '')
    ? 'all cells are empty'
    : undefined
}

/** A snapshot answers as the instance does, in its order. */
const readsSnapshot: Check = async (trial) => {
  const { ran, values, without, env } = trial
  const from = values.find(({ flag }) => flag === 'from')
  // The snapshot is of the instance of the profiles.
  if (from === undefined || env.SVC_SANDBOX === '1' || !isTable(trial)) return undefined
  const live = await without(from)
  return live.code === 0 && steady(live.stdout) !== steady(ran.stdout)
    ? '--from answers otherwise than the instance'
    : undefined
}

/** Two flags that are fine alone are fine together, or refused: the pair does not fail later. */
const failsAsItsParts: Check = async ({ ran, values, env, without }) => {
  const [first, second] = values
  if (ran.code !== 1 || first === undefined) return undefined
  // What is waited for takes its time on any instance.
  if (has(values, 'wait-timeout') && ran.stderr.includes(' after 1 s')) return undefined
  const parts = [await without(second ?? 'env'), second && (await without(first))]
  return parts.every((part) => part === undefined || part.code === 0)
    ? `exit 1 of what is fine alone${Object.keys(env).length > 0 ? ' and by a variable' : ''}: ${ran.stderr.split('\n', 1)[0]}`
    : undefined
}

const keepsOrder: Check = (trial) => {
  if (!has(trial.values, 'sort')) return undefined
  const ids = jsonRecords(trial)?.flatMap(({ id }) => (typeof id === 'number' ? [id] : [])) ?? []
  return ids.some((id, i) => i > 0 && id > (ids[i - 1] ?? 0)) ? '--sort -id is not kept' : undefined
}

const sendsNothing: Check = ({ ran, values, shape }) => {
  if (has(values, 'dry-run') && shape.name !== 'ci-lint' && writesIn(ran).length > 0)
    return `--dry-run sent ${writesIn(ran)[0]}`
  if (has(values, 'curl') && writesIn(ran).length > 0) return `--curl sent ${writesIn(ran)[0]}`
  if (has(values, 'from') && ran.requests.length > 0) return `--from sent ${ran.requests[0]}`
  return undefined
}

/** `--to` writes the bytes that standard output gets without it. */
const writesFile: Check = async ({ ran, values, without, shape }) => {
  const to = values.find(({ flag }) => flag === 'to')
  if (to === undefined || shape.answer === 'file' || isUsage(ran) || has(values, 'help'))
    return undefined
  const plain = await without(to)
  if (plain.code !== ran.code)
    return `--to makes exit ${plain.code} exit ${ran.code}: ${ran.stderr.slice(0, 120)}`
  if (ran.stdout !== '') return '--to leaves something on standard output'
  return steady(ran.file ?? '') === steady(plain.stdout) ? undefined : '--to writes other bytes'
}

/** A flag that is about how the work is done leaves what is printed. */
const leavesAnswer: Check = async ({ ran, values, env, without }) => {
  // The clock of the embedded instance goes on.
  if (has(values, 'sandbox') || env.SVC_SANDBOX === '1') return undefined
  for (const value of values.filter((one) => one.neutral === true)) {
    if (has(values, 'curl') || has(values, 'help') || has(values, 'watch') || isUsage(ran)) continue
    const plain = await without(value)
    if (isUsage(plain) || plain.code !== ran.code) continue
    // A page has its title in the label of its table as well.
    if (value.flag === 'page-title' && plain.stdout.startsWith('<!doctype html>')) continue
    if (steady(plain.stdout) !== steady(ran.stdout))
      return `--${value.flag} changes standard output`
  }
  return undefined
}

/** An instance that a flag names wins over one of a variable. */
const obeysFlag: Check = ({ ran, values, env, shape }) => {
  const named = values.some(({ flag }) => ['profile', 'all-profiles', 'base-url'].includes(flag))
  if (env.SVC_SANDBOX !== '1' || !named || ran.code !== 0 || shape.name === 'ci-lint')
    return undefined
  return ran.requests.length === 0 ? 'SVC_SANDBOX=1 wins over the flag' : undefined
}

const checks: readonly Check[] = [
  endsWell,
  refusesBeforeWrites,
  refusesTyped,
  namesBoth,
  saysSomething,
  sendsNothing,
  obeysFlag,
  keepsFormat,
  keepsFields,
  keepsLimit,
  keepsLimitInRows,
  fillsColumns,
  readsSnapshot,
  failsAsItsParts,
  keepsOrder,
  writesFile,
  leavesAnswer,
]

/** Returns what a line breaks; undefined where all holds. */
export const findBreach = async (trial: Trial): Promise<string | undefined> => {
  for (const check of checks) {
    const breach = await check(trial)
    if (breach !== undefined) return breach
  }
  return undefined
}
