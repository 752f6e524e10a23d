/**
 * Passes the rows of a command through the stages that its flags need: grouping, sorting, and fields of single records.
 */
import { getConcurrencyLimit, isAggregate } from '../command/globals.js'
import {
  createFooterRow,
  type OpenRow,
  type RecordsRow,
  type RecordView,
  type Row,
  type Rows,
} from '../rows.js'
import { mayAskSingles } from './budget.js'
import { encodeRecord, type ListStage, type StageOptions } from './list-stage.js'

/**
 * Returns the row that opens a list after a stage. The stage reads the records of the source, so no other reader may.
 */
const openStaged = (row: OpenRow, { view }: ListStage): Row => {
  row.source?.attachReader({})
  return { ...row, view, source: row.source && { ...row.source, attachReader: () => {} } }
}

/** Yields the rows into which a stage transforms a row of its list. */
async function* transformRow(stage: ListStage, row: Row): Rows {
  if (row.kind === 'records' || row.kind === 'value') {
    const came: RecordsRow =
      row.kind === 'records' ? row : { kind: 'records', batch: [encodeRecord(row.value)] }
    const passed = await stage.addRecords(came)
    if (passed !== undefined) yield passed
    return
  }
  // An interrupted list is not finished, because its first records are not the first of all.
  const isWhole = row.kind === 'end' && row.isCut !== true
  if (isWhole) yield* stage.finish()
  yield row
  if (isWhole) for (const text of stage.describe()) yield createFooterRow(text)
}

/** Passes the records of each list through a stage of its own. */
async function* stageLists(
  rows: Rows,
  openStage: (view: RecordView) => Promise<ListStage | undefined>,
): Rows {
  let stage: ListStage | undefined
  for await (const row of rows) {
    if (row.kind === 'open') {
      stage = row.many ? await openStage(row.view) : undefined
      yield stage === undefined ? row : openStaged(row, stage)
    } else if (stage === undefined) yield row
    else yield* transformRow(stage, row)
    if (row.kind === 'end') stage = undefined
  }
}

/** Replaces the records of each list by groups. */
const groupRecords = (rows: Rows, options: StageOptions): Rows =>
  stageLists(rows, async (view) => {
    const { createGroupStage } = await import('./aggregate.js')
    return createGroupStage(view, options)
  })

/** Sorts the records of each list, and adds fields that only single records have. */
const sortRecords = (rows: Rows, options: StageOptions): Rows => {
  const { command, globals, now } = options
  const width = getConcurrencyLimit(globals)
  const loadSingleStage = async (view: RecordView) => {
    if (!mayAskSingles(command, globals)) return undefined
    const { getSingleFields } = await import('./single.js')
    return getSingleFields({ command, emit: view }, globals)
  }
  const sorted =
    globals.sort === undefined
      ? rows
      : stageLists(rows, async (view) => {
          const { createSortStage } = await import('./sort.js')
          return createSortStage({
            command,
            globals,
            now,
            width,
            view,
            singles: await loadSingleStage(view),
          })
        })
  return stageLists(sorted, async (view) => {
    const singles = await loadSingleStage(view)
    if (singles === undefined) return undefined
    const { createSingleStage } = await import('./single-stage.js')
    return createSingleStage(view, singles, { width, command })
  })
}

/** Passes rows through the stages that the flags of a line need. */
export const stageRecords = (rows: Rows, options: StageOptions): Rows => {
  const { command, globals } = options
  if (isAggregate(globals)) return groupRecords(rows, options)
  if (globals.sort === undefined && !mayAskSingles(command, globals)) return rows
  return sortRecords(rows, options)
}
