/** The answer of a run: what a command prints, written in the format that was asked for. */
import { isObject } from '../base/objects.js'
import { escapeControlLines, escapeUnprintable, wrapHanging } from '../base/screen-text.js'
import type { HiddenFields } from '../base/secrets/mask-records.js'
import { maskPrivateKeys } from '../base/secrets/mask-text.js'
import { masked } from '../base/secrets/names.js'
import { formatCount } from '../base/text.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { getPlainFields, getSecretFields } from '../catalogue/fields.js'
import { listAreas } from '../catalogue/index.js'
import type { Inspection, People, Reader } from '../catalogue/views.js'
import type { RunClock } from '../engine/command/clock.js'
import type { Text } from '../engine/command/context.js'
import {
  getAnswerFields,
  getFirstSegment,
  isPreview,
  mayChangeInstance,
} from '../engine/command/derive.js'
import type { Raw } from '../engine/plan/line.js'
import { SingleBudget } from '../engine/records/budget.js'
import { getIdentityNames } from '../engine/records/object-rows.js'
import { stageRecords } from '../engine/records/stages.js'
import type { RecordView, Rows } from '../engine/rows.js'
import { usage } from '../errors.js'
import { markOwnColors } from '../output/escape.js'
import { createHeldRecords, openDocument, openWriter } from '../output/index.js'
import type { AnswerView, PageView, Writer } from '../output/types.js'
import { openStdout } from '../terminal/stdout.js'
import type { AnswerOptions, Streams } from './options.js'
import type { PageSource } from './page-view.js'
import type { PeopleRows, RunAnswer } from './run-answer.js'

// Views for people, in place of the records of an answer.

const isBelow = (value: unknown): value is { readonly record: unknown } =>
  value !== null && typeof value === 'object' && 'record' in value

/** Converts a view to one for records below their parents: it gets each record alone, and its rows stay below the parent of that record. */
const applyBelowParents = ({ page: _, rows, ...others }: People): People => {
  if (rows === undefined) return others
  return {
    ...others,
    rows: (records) =>
      records.flatMap((one) =>
        isBelow(one) ? rows([one.record]).map((record) => ({ ...one, record })) : [one],
      ),
  }
}

/**
 * Returns the view that people see.
 * @param sorts true if the line asks for another order than that of the rows
 */
const getPeopleView = (people: People, { within, parent }: RecordView, sorts: boolean): People => {
  const { rows: _, ...asSorted } = people
  const seen: People = sorts && people.reorders === true ? asSorted : people
  return parent === undefined && within === undefined ? seen : applyBelowParents(seen)
}

// Columns for the rows of an endpoint that is no list. They are those of a list of the same area; a list has its own (`#getColumns`).

/** Loads the endpoints of the area that has an endpoint. It is the command's own area, except for commands such as `journal undo`. */
const loadNeighbours = async (area: string, { route }: Endpoint): Promise<readonly Endpoint[]> => {
  const areas = listAreas().toSorted((a, b) => Number(b.name === area) - Number(a.name === area))
  for (const { load } of areas) {
    const endpoints = Object.values<Endpoint>(await load())
    if (endpoints.some((one) => one.route === route)) return endpoints
  }
  return []
}

/** Returns the words of an endpoint's command without its verb. */
const getGroup = ({ command }: Endpoint): string => command.split(' ').slice(0, -1).join(' ')

/**
 * Returns the columns of the first list of the area whose fields the endpoint has as well; if there is none, the endpoint's first fields. An
 * endpoint whose fields are not documented has those of its group's list.
 */
const findListColumns = async (area: string, endpoint: Endpoint): Promise<readonly string[]> => {
  if (endpoint.columns !== undefined) return endpoint.columns
  const fields = getAnswerFields([endpoint])
  for (const neighbour of await loadNeighbours(area, endpoint)) {
    const { columns = [], made = [] } = neighbour
    const own = columns.filter((name) => !made.some((one) => one === name))
    const isShared =
      fields.length === 0
        ? getGroup(neighbour) === getGroup(endpoint)
        : own.every((name) => fields.includes(getFirstSegment(name)))
    if (own.length > 0 && isShared) return own
  }
  return fields.slice(0, 8)
}

// Text that commands write themselves.

const maskKeys = (text: string): string => maskPrivateKeys(text, () => masked)

/** Creates the functions that write text for people on this output. */
const createAnswerText = ({ style, width }: Pick<Streams, 'style' | 'width'>): Text => ({
  accessible: style.accessible,
  safe: (text) => style.visible(maskKeys(text)),
  emphasize: (text) => markOwnColors(style.bold(style.visible(maskKeys(text)))),
  mark: (kind) => markOwnColors(style.mark(kind)),
  drawBar: (fraction, columns) => markOwnColors(style.bar(fraction, columns)),
  wrapHanging: (text, indent) =>
    wrapHanging(style.visible(maskKeys(text)), { width, indent }, style.wrap).join('\n'),
})

/** The options of the run that printing depends on. `raw` returns the line as it was typed, which a page shows. */
type Options = Pick<AnswerOptions, 'command' | 'format' | 'globals' | 'io' | 'isKept' | 'until'> & {
  readonly raw: () => Raw
}

/** The instance or snapshot that an answer comes from. */
interface AnswerOrigin {
  /** Returns the facts of the instance for a page; absent for several instances. */
  readonly getSource?: (() => Promise<PageSource>) | undefined
  readonly clock: Pick<RunClock, 'asOf' | 'now'>
}

type AnswerScreen = Pick<Streams, 'style' | 'width' | 'out' | 'plain' | 'page'>

/** Prints an answer on standard output. The writers of `output` mask and escape it. */
export class AnswerPrinter implements RunAnswer {
  readonly #asked: Options
  readonly #screen: AnswerScreen
  readonly #decoder = new TextDecoder()
  readonly text: Text
  readonly #later: (text: string) => void
  /** The columns that a note already called empty. */
  readonly #absent = new Set<string>()
  readonly #origin: AnswerOrigin
  /** Counts the records that lists read one by one. */
  readonly budget: SingleBudget
  #code = 0
  #toldHidden = false

  /** @param later adds a note below the output */
  constructor(
    asked: Options,
    screen: AnswerScreen,
    later: (text: string) => void,
    origin: AnswerOrigin,
  ) {
    this.#asked = asked
    this.#screen = screen
    this.#later = later
    this.#origin = origin
    this.budget = new SingleBudget(asked.globals.limit !== undefined)
    this.text = createAnswerText(screen)
  }

  get reader(): Reader {
    return this.#asked.format.reader
  }

  get splitsLists(): boolean {
    return this.#asked.format.lists !== true || this.#asked.globals.sort !== undefined
  }

  get terminal(): boolean {
    return this.#screen.style.terminal
  }

  get width(): number {
    return this.#screen.width
  }

  /** The exit code of a run that ends well. */
  get code(): number {
    return this.#code
  }

  setExitCode(code: number): void {
    this.#code = Math.max(this.#code, code)
  }

  /** Begins another round, and forgets the exit code and the counts of the rounds before it. */
  begin(): void {
    this.#code = 0
    this.budget.begin()
    this.#asked.until?.begin()
  }

  borrowColumns(endpoint: Endpoint): Promise<readonly string[]> {
    return findListColumns(this.#asked.command.area, endpoint)
  }

  flush(): Promise<void> {
    return this.#screen.plain.end()
  }

  /**
   * Writes text or bytes as they are, without a format.
   * @throws Failure `usage` for a text beside `--fields`
   */
  async write(given: string | Uint8Array): Promise<void> {
    const { out, page } = this.#screen
    const { curl, fields, jq, output, web } = this.#asked.globals
    if (jq !== undefined)
      throw usage(
        '--jq filters JSON, and this answer is a text or a file',
        'Omit --jq. Many commands print records with -o json.',
      )
    if (typeof given === 'string' && fields !== undefined && !curl && !web)
      throw usage(
        '--fields chooses columns of records, and this answer is a text',
        'Omit --fields. Many commands print records with -o csv or -o json.',
      )
    const isPlain = typeof given !== 'string' || this.#asked.globals.showSecrets
    const chunk = isPlain ? given : maskKeys(given)
    // A page contains such text unchanged. Without -o, a program gets the text and no page.
    if (page !== undefined && output !== undefined && typeof chunk === 'string')
      return this.#printText(chunk)
    if (typeof chunk === 'string')
      return out.write(this.terminal ? escapeControlLines(chunk) : escapeUnprintable(chunk))
    if (!this.terminal) return out.write(chunk)
    return out.write(escapeControlLines(this.#decoder.decode(chunk, { stream: true })))
  }

  applyStages(rows: Rows): Rows {
    const { command, globals, until } = this.#asked
    const getHidden = (view: RecordView): HiddenFields => this.#getHidden(view)
    const staged = stageRecords(rows, { command, globals, now: this.#origin.clock.now, getHidden })
    return until === undefined ? staged : until.observe(staged)
  }

  async openWriter(many: boolean, emit: RecordView): Promise<Writer> {
    const { format } = this.#asked
    const inspection = await this.#createInspection(emit)
    const rough =
      emit.approximate === undefined ? {} : await this.#markApproximate(emit.approximate)
    const page = await this.#page(emit)
    const view = { ...(await this.#view(many, emit)), ...rough, page, inspection }
    const { drawing } = emit
    if (page === undefined || drawing === undefined)
      return openWriter(format, this.#screen.out, view, this.#getHidden(emit))
    const { loadDrawing } = await import('./pages/index.js')
    const drawn = {
      ...format,
      load: () => loadDrawing(drawing, emit.trend !== undefined && emit.people === emit.trend),
    }
    const whole = { ...view, people: undefined, inspection: undefined }
    return openWriter(drawn, this.#screen.out, whole, this.#getHidden(emit))
  }

  async writeReport(text: string): Promise<void> {
    const out = this.#asked.isKept === true ? this.#screen.plain : openStdout(this.#asked.io)
    await out.write(text)
    await out.end()
  }

  addFooter(text: string): void {
    this.#later(text)
  }

  /** Marks numbers that are not exact with ≈, for people at a terminal. */
  async #markApproximate(columns: readonly string[]): Promise<{ readonly people?: People }> {
    const isDrawn = this.terminal || this.#screen.style.aligned
    if (columns.length === 0 || !isDrawn || this.reader !== 'people') return {}
    const { createCell } = await import('../output/cell.js')
    const view = await this.#view(true, { columns })
    const mark = (record: unknown): unknown => {
      if (!isObject(record) || record.approximate !== true) return record
      const texts = columns.map((name) => [name, `≈ ${createCell(name, record[name], view).text}`])
      return { ...record, ...Object.fromEntries(texts) }
    }
    return { people: { rows: (records) => records.map(mark) } }
  }

  holdPeopleRows({ people, ...emit }: RecordView): PeopleRows | undefined {
    const { command, format, globals } = this.#asked
    const seen = people && getPeopleView(people, emit, globals.sort !== undefined)
    const shown = { people: seen, naming: command.naming, fields: globals.fields }
    const held = createHeldRecords(format, shown, this.#getHidden(emit))
    return held && { ...held, columns: seen?.columns ?? emit.columns }
  }

  async #printText(text: string): Promise<void> {
    const open = await this.openWriter(false, {})
    await open.record(text)
    await open.close()
  }

  async printDocument(value: unknown): Promise<void> {
    const { format } = this.#asked
    const open = await openDocument(format, this.#screen.out, {
      ...(await this.#view(false, {})),
      page: await this.#page({}),
    })
    await open.record(value)
    await open.close()
  }

  /** Creates the check that the records have the fields of --fields, or the usual columns without the flag. */
  async #createInspection(emit: RecordView): Promise<Inspection | undefined> {
    const { command, format, globals } = this.#asked
    const { fields } = globals
    if (fields !== undefined) {
      const { createFieldInspection } = await import('../engine/records/known-fields.js')
      const wrote = mayChangeInstance(command, []) && !isPreview({ command, globals })
      const isLate = emit.changed === true || wrote
      const answering = { command, emit, single: emit.single }
      return createFieldInspection(answering, fields, isLate ? this.#later : undefined)
    }
    const own = emit.fields ?? emit.people?.columns
    if (own !== undefined || format.reader === 'programs' || format.shows !== undefined)
      return undefined
    const { createColumnInspection, createFirstRecordInspection } = await import(
      '../engine/records/known-fields.js'
    )
    if ((emit.columns ?? emit.endpoint?.columns) === undefined)
      return createFirstRecordInspection({ emit }, this.#later)
    return createColumnInspection({ command, emit }, (column, text) => {
      if (!this.#absent.has(column)) this.#later(text)
      this.#absent.add(column)
    })
  }

  /** Returns the fields that the line or the command chose. For people, rows begin with the leading column in any case. */
  #getFields(view: RecordView): readonly string[] | undefined {
    const { lead, groups, columns } = view
    const isValue = this.#asked.format.shows === 'fields'
    // A format without headings prints all columns of a group.
    const { fields = isValue && groups !== undefined ? columns : view.fields } = this.#asked.globals
    const isOwn = this.reader === 'programs' || isValue
    const leads = lead !== undefined && !isOwn
    return leads && fields?.includes(lead) === false ? [lead, ...fields] : fields
  }

  /** Returns the fields to mask. `--show-secrets` shows all of them, and some commands print a secret on purpose. */
  #getHidden({ endpoint, reveal, single, within }: RecordView): HiddenFields {
    const { command, globals, isKept } = this.#asked
    // Such a secret is for a person who copies it, not for a program that runs the line.
    const isWanted = reveal === true || endpoint?.reveals !== undefined
    if (globals.showSecrets || (isWanted && isKept !== true)) return 'nothing'
    const own = new Set([...getSecretFields(endpoint), ...getSecretFields(single)])
    if (within === undefined) return own
    // Each instance may have been read by another endpoint of the command.
    const all = Object.values(command.endpoints).map((one) => getSecretFields(one))
    return new Set([...own, ...all.flatMap((names) => [...names])])
  }

  /** Returns the head and the frame of the answer if it is a page. */
  async #page(emit: RecordView): Promise<PageView | undefined> {
    const { page } = this.#screen
    if (page === undefined) return undefined
    const { createPageView } = await import('./page-view.js')
    const { command, globals, raw } = this.#asked
    const line = { command, globals, raw: raw(), getSource: this.#origin.getSource }
    return createPageView(line, emit, page.begin)
  }

  /** Notes once for all tables that columns are hidden. */
  #tellHidden(count: number): void {
    if (this.#toldHidden) return
    this.#toldHidden = true
    this.#later(`${formatCount(count, 'column')} hidden; use --fields or a wider terminal`)
  }

  /** Returns the usual columns of an answer; for a wide table, also all fields with a single value. */
  #getColumns({ columns, endpoint }: RecordView): readonly string[] | undefined {
    const usual = columns ?? endpoint?.columns
    if (this.#asked.format.name !== 'wide' || usual === undefined || endpoint === undefined)
      return usual
    const known = new Set(usual.map(getFirstSegment))
    return [...usual, ...getPlainFields(endpoint).filter((name) => !known.has(name))]
  }

  async #view(many: boolean, emit: RecordView): Promise<AnswerView> {
    const { command, format, globals } = this.#asked
    const { style, width } = this.#screen
    const { aligned } = style
    const { endpoint, parent, people, within } = emit
    // The parents of each record, the outermost first.
    const parents = [within, parent].filter((name) => name !== undefined)
    return {
      many,
      columns: this.#getColumns(emit),
      fields: this.#getFields(emit),
      flat: globals.fields !== undefined,
      // The names of objects, for formats that print them alone.
      names:
        format.shows === 'names'
          ? (emit.names ?? getIdentityNames(endpoint, command.area, parent !== undefined))
          : undefined,
      object: emit.object,
      parents: parents.length === 0 ? undefined : parents,
      made: command.computedFields,
      naming: command.naming,
      terminal: style.terminal,
      aligned,
      width: aligned ? style.tableWidth : width,
      color: style.color,
      now: await this.#origin.clock.asOf(),
      printedAt: this.#origin.clock.now(),
      style,
      people: people && getPeopleView(people, emit, globals.sort !== undefined),
      stacks: emit.stacks ?? endpoint?.stacks,
      tellHidden: (count) => this.#tellHidden(count),
      csvRaw: globals.csvRaw,
      headless: globals.headers === false,
    }
  }
}
