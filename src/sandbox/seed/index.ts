/**
 * The sample data of a fresh instance, always the same: a fixture a table, in the JSON files beside this one. `each` says
 * what a row has that leaves it out; `commit:<key>` stands for a commit of the row's project (`repositories.json`).
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

/** A record as JSON has it: enumerations are any text, and fields that `each` has may be missing. */
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

/** Completes a row with the defaults that it leaves out, and with the commits that it names. */
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

/** Made once: a table freezes what its records hold, so that instances share it. */
let records: ReadonlyMap<keyof TableRecords, readonly object[]> | undefined
const getRecords = () =>
  new Map(
    tableNames.map((name) => {
      const { each = {}, rows = [] } = fixtures[name] ?? {}
      return [name, rows.map((row) => toRecord(row, each))]
    }),
  )

/** Loads the state of a fresh instance. */
export const loadSampleState = (): State => {
  records ??= getRecords()
  const state = restore({ config, settings })
  for (const [name, rows] of records) for (const row of rows) getTable(state, name).add(row)
  // Sample data are no changes.
  takeChanges(state)
  return state
}
