/**
 * Loads the sample data of a new instance from the JSON files in this folder. In them, `each` has the defaults of the rows, and
 * `commit:<key>` refers to a commit in the repository of the row's project (`repositories.json`).
 */
import {
  getTable,
  restore,
  type State,
  type TableRecords,
  tableNames,
  takeChanges,
} from '../state/state.js'
import events from './events.json' with { type: 'json' }
import { getCommitCard } from './histories.js'
import instance from './instance.json' with { type: 'json' }
import people from './people.json' with { type: 'json' }
import pipelines from './pipelines.json' with { type: 'json' }
import planning from './planning.json' with { type: 'json' }
import projects from './projects.json' with { type: 'json' }
import runners from './runners.json' with { type: 'json' }
import security from './security.json' with { type: 'json' }
import settings from './settings.json' with { type: 'json' }

/** A record in JSON: enumerations are plain texts, and fields with a default in `each` may be absent. */
type FixtureValue<T> = T extends string
  ? string
  : T extends readonly (infer U)[]
    ? readonly FixtureValue<U>[]
    : T extends object
      ? { readonly [K in keyof T]?: FixtureValue<T[K]> }
      : T

interface Fixture<T> {
  readonly each?: FixtureValue<T>
  readonly rows: readonly FixtureValue<T>[]
}

const { config, geoNodes } = instance

const fixtures: { readonly [K in keyof TableRecords]?: Fixture<Omit<TableRecords[K], 'commit'>> } =
  {
    ...people,
    ...projects,
    ...runners,
    ...pipelines,
    ...planning,
    ...security,
    ...events,
    geoNodes,
  }

/** Adds the defaults to a row, and replaces `commit:<key>` by commits. */
const toRecord = (row: object, each: object): object => {
  const whole = { ...row, ...each, ...row }
  const text = JSON.stringify(whole)
  if (!text.includes('"commit:')) return JSON.parse(text)
  const project = 'project_id' in whole ? Number(whole.project_id) : 0
  return JSON.parse(text, (key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('commit:')) return value
    const card = getCommitCard(project, value.slice('commit:'.length))
    return key === 'commit' ? card : card.id
  })
}

/** The sample records. They are created once: tables freeze the values in their records, so that several instances can share them. */
let records: ReadonlyMap<keyof TableRecords, readonly object[]> | undefined
const getRecords = () =>
  new Map(
    tableNames.map((name) => {
      const { each = {}, rows = [] } = fixtures[name] ?? {}
      return [name, rows.map((row) => toRecord(row, each))]
    }),
  )

/** Creates the state of a new instance. */
export const loadSampleState = (): State => {
  records ??= getRecords()
  const state = restore({ config, settings })
  for (const [name, rows] of records) for (const row of rows) getTable(state, name).add(row)
  // The sample data do not count as changes.
  takeChanges(state)
  return state
}
