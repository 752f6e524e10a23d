/**
 * `overview`: reads all sections in parallel and prints them as one page. A section that cannot be read does not
 * end the others.
 */
import { stripVTControlCharacters } from 'node:util'
import { loadWidths, type Widths, wrapHanging } from '../base/screen-text.js'
import { projects } from '../catalogue/areas/projects.js'
import { list } from '../catalogue/params.js'
import type { AnswerService, Context } from '../engine/command/context.js'
import { createExitRow, type Rows, yieldRecord, yieldRecords } from '../engine/rows.js'
import { exitCodes, explainUnread, type Failure, isUnoffered, recoverFrom } from '../errors.js'
import { type Arguments, define } from './define.js'
import { findWork, type SourceFlags } from './findings.js'
import { parts } from './overview-parts.js'
import type { OverviewRecord } from './overview-record.js'
import type {
  OverviewPart,
  OverviewProject,
  OverviewSources,
  ReadPart,
  SectionWriter,
} from './overview-section.js'
import { createTrendView } from './overview-trend.js'

/** The parts that belong on the page but have no endpoint in the API. */
const unavailableParts = ['alerts', 'storage moves under way'] as const

// All parts of the overview are read in parallel. A part that cannot be read does not end the others.

/** The result of reading a part. */
interface PartAnswer {
  readonly part: OverviewPart
  readonly read?: ReadPart
  readonly failure?: Failure
  /** Why it is not there. */
  readonly why?: string
  /** False where the instance itself has no such thing. */
  readonly offered: boolean
}

interface Overview {
  readonly address: string
  readonly at: string
  readonly answers: readonly PartAnswer[]
}

const createSources = (context: Context): OverviewSources => {
  let all: Promise<readonly OverviewProject[]> | undefined
  return {
    ...context,
    readProjects: () => {
      all ??= context.instance.readRecords(projects.list, {})
      return all
    },
  }
}

const readPart = async (part: OverviewPart, sources: OverviewSources): Promise<PartAnswer> => {
  try {
    return { part, read: await part.read(sources), offered: true }
  } catch (error) {
    const failure = recoverFrom(error)
    if (failure.category === 'usage') throw failure
    return { part, failure, why: explainUnread(failure), offered: !isUnoffered(failure) }
  }
}

/**
 * Reads sections of the overview.
 * @throws Failure if the instance answered for none of them
 */
export const readOverview = async (
  context: Context,
  parts: readonly OverviewPart[],
): Promise<Overview> => {
  const { baseUrl } = await context.place.session()
  const sources = createSources(context)
  const answers = await Promise.all(parts.map((part) => readPart(part, sources)))
  const [failed] = answers.flatMap(({ failure }) => failure ?? [])
  // The facts from profiles do not replace an instance that does not answer.
  const answered = answers.some(({ part, read }) => part.own !== true && read !== undefined)
  if (failed !== undefined && !answered) throw failed
  return { address: baseUrl, at: (await context.place.clock.asOf()).toISOString(), answers }
}

/** True if everything was read that the instance has. */
const isComplete = ({ answers }: Overview): boolean =>
  answers.every(({ read, offered }) => !offered || (read !== undefined && read.incomplete !== true))

/** Returns the overview as one object. @param globals the flags by which further lines find the same instance */
export const toRecord = (overview: Overview, globals: SourceFlags = {}): OverviewRecord => {
  const record = toSections(overview)
  return { ...record, findings: findWork(record, globals) }
}

const toSections = ({ address, at, answers }: Overview): Omit<OverviewRecord, 'findings'> => ({
  address,
  at,
  ...Object.fromEntries(answers.map(({ part, read }) => [part.name, read?.value ?? null])),
  unread: answers.flatMap(({ part, failure, why, offered, read }): OverviewRecord['unread'] => {
    if (failure === undefined)
      return read?.missing === undefined ? [] : [{ part: part.name, why: read.missing, offered }]
    const { category, status } = failure
    return [{ part: part.name, why, offered, category, status }]
  }),
  not_in_the_api: unavailableParts,
})

/** Returns the overview as rows. */
const toRows = ({ answers }: Overview) =>
  answers.flatMap(({ part, read, why }) => {
    const missing = why ?? read?.missing
    return [
      ...(read?.rows ?? []).map(({ item, value, state = '' }) => ({
        part: part.name,
        item,
        value,
        state,
      })),
      ...(missing === undefined
        ? []
        : [{ part: part.name, item: '', value: missing, state: 'unread' }]),
    ]
  })

// The overview as people see it: a block a part, in two columns where there is room.

/** From this width on blocks stand beside each other. */
const minTwoColumns = 120
const columnGap = 4
const indent = '  '

const indentLines = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${indent}${line}`)

/** The styles of the lines. */
interface PageStyles {
  readonly text: AnswerService['text']
  readonly widths: Widths
}

const getWidth = (line: string, { measure }: Widths): number =>
  measure(stripVTControlCharacters(line))

const createPen = ({ text, widths }: PageStyles, width: number): SectionWriter => ({
  drawBar: text.drawBar,
  mark: text.mark,
  emphasize: text.emphasize,
  wrapAfter: (before, said) => {
    const place = { width, indent: getWidth(before, widths) }
    const [first = '', ...more] = wrapHanging(text.safe(said), place, widths.wrap)
    return [`${before}${first}`.trimEnd(), ...more]
  },
  fitText: (said, columns) => {
    const cut = widths.truncate(text.safe(said), columns)
    return `${cut}${' '.repeat(Math.max(0, columns - widths.measure(cut)))}`
  },
})

const renderPart = (
  { part, read, why = '', offered }: PartAnswer,
  sheet: PageStyles,
  width: number,
): readonly string[] => {
  const pen = createPen(sheet, width - indent.length)
  const { wrapAfter, emphasize, mark } = pen
  const title = emphasize(part.title)
  const absent = sheet.text.accessible ? 'not available:' : '–'
  if (read === undefined)
    return [title, ...indentLines(wrapAfter(`${offered ? mark('warn') : absent} `, why))]
  const { headline, missing } = read
  return [
    ...createPen(sheet, width).wrapAfter(`${title}  `, headline),
    ...indentLines(read.drawLines(pen)),
    ...(missing === undefined ? [] : indentLines(wrapAfter(`${mark('warn')} `, missing))),
  ]
}

/** Joins blocks below each other, a blank line between them. */
const joinBlocks = (blocks: readonly (readonly string[])[]): readonly string[] =>
  blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]))

const joinColumns = (
  left: readonly string[],
  right: readonly string[],
  width: number,
  widths: Widths,
): readonly string[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [first = '', second = ''] = [left[i], right[i]]
    const gap = ' '.repeat(Math.max(0, width - getWidth(first, widths)) + columnGap)
    return second === '' ? first : `${first}${gap}${second}`
  })

/** The number of findings that the page shows. */
const maxNext = 3

/** Renders the most urgent findings with the commands to run. */
const renderNext = (
  findings: OverviewRecord['findings'],
  sheet: PageStyles,
  width: number,
): readonly string[] => {
  if (findings.length === 0) return []
  const { wrapAfter, emphasize, mark } = createPen(sheet, width - indent.length)
  const lines = findings
    .slice(0, maxNext)
    .flatMap(({ level, message, command }) => [
      ...wrapAfter(`${mark(level === 'act now' ? 'bad' : 'warn')} `, message),
      ...wrapAfter('  ', command),
    ])
  const rest = findings.length - maxNext
  const more = rest > 0 ? [`and ${rest} more: -o json has all findings`] : []
  return ['', emphasize('Next'), ...indentLines([...lines, ...more])]
}

/** Renders the page, line by line. */
export async function* renderOverview(
  { address, answers }: Overview,
  { findings }: Pick<OverviewRecord, 'findings'>,
  answer: AnswerService,
): AsyncGenerator<string> {
  const { width, text } = answer
  const texts = answers.map(({ read, why = '' }) => JSON.stringify(read?.value ?? why))
  const widths = await loadWidths([address, ...texts])
  const columns = width >= minTwoColumns && !text.accessible ? 2 : 1
  const each = Math.floor((width - columnGap * (columns - 1)) / columns)
  const blocks = answers.map((one) => renderPart(one, { text, widths }, each))
  const half = Math.ceil(blocks.length / columns)
  const lines =
    columns === 1
      ? joinBlocks(blocks)
      : joinColumns(joinBlocks(blocks.slice(0, half)), joinBlocks(blocks.slice(half)), each, widths)
  yield `${text.emphasize(widths.truncate(text.safe(address), width))}\n\n`
  for (const line of lines) yield `${line.trimEnd()}\n`
  for (const line of renderNext(findings, { text, widths }, width)) yield `${line}\n`
  const beside = `Not shown, because the API does not provide it: ${unavailableParts.join(', ')}.`
  yield `\n${widths.wrap(beside, width).join('\n')}\n`
}

const flags = {
  parts: list('enum', 'sections to show', { values: parts.map(({ name }) => name) }),
} as const

const yieldOverview = ({ answer, place }: Context, overview: Overview): Rows => {
  const record = toRecord(overview, place.globals)
  if (answer.reader === 'programs') return yieldRecord(record)
  return yieldRecords([record], {
    drawing: 'overview',
    drawsInstances: true,
    title: `Overview of ${new URL(overview.address).host}`,
    people: {
      page: () => renderOverview(overview, record, answer),
      rows: () => toRows(overview),
      columns: ['part', 'item', 'value', 'state'],
      sheets: true,
    },
    columns: ['part', 'item', 'value', 'state'],
    ...createTrendView(answer),
  })
}

async function* showOverview(context: Context, given: Arguments<typeof flags>): Rows {
  const { place, ui } = context
  const { parts: wanted } = given.flags
  // A snapshot says nothing of what is this tool's own.
  const availableParts = parts.filter(({ own }) => own !== true || place.globals.from === undefined)
  const wantedParts = availableParts.filter(
    ({ name }) => wanted === undefined || wanted.includes(name),
  )
  const overview = await ui.showProgress('looking', () => readOverview(context, wantedParts))
  yield* yieldOverview(context, overview)
  if (!isComplete(overview)) yield createExitRow(exitCodes.partial)
}

export const overview = define({
  description: [
    'Shows runners by type and state, waiting jobs of all visible projects, and Pages certificates by remaining time. It also shows replication per site, projects by storage, and the tokens of the profiles.',
    'Sections that cannot be read are reported; exit code 8. Sections that the instance does not offer are named and do not count as failures. Alerts and running storage moves are not shown, because the API does not list them.',
  ],
  flags,
  readOnly: true,
  watches: true,
  snapshots: true,
  rows: showOverview,
})
