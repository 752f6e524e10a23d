/** What the filters that the catalogue declares leave in of the records that the instance remembers, for the lists of all areas. */
import { createFilter, type FieldReader, type RecordTest } from '../catalogue/filters.js'
import { type Params, paramsIn } from '../catalogue/params.js'
import { type Records, type State, tableOf } from './state/state.js'

/** What an answer shows of another record: the attribute with its ID or IDs, and its table. */
const relations: Readonly<Record<string, readonly [attribute: string, table: keyof Records]>> = {
  approved_by: ['approved_by_ids', 'users'],
  assignees: ['assignee_ids', 'users'],
  author: ['author_id', 'users'],
  iteration: ['iteration_id', 'iterations'],
  milestone: ['milestone_id', 'milestones'],
  reviewers: ['reviewer_ids', 'users'],
}

const readerOf =
  (state: State): FieldReader<object> =>
  (field) => {
    const [name = '', inner] = field.split('.')
    const relation = relations[name]
    if (inner === undefined || relation === undefined)
      return (record): unknown => Reflect.get(record, name)
    const [attribute, table] = relation
    const shown = (id: unknown): unknown =>
      id === null || inner === 'id' ? id : tableOf(state, table).get(Number(id))?.[inner]
    return (record) => {
      const found: unknown = Reflect.get(record, attribute)
      return Array.isArray(found) ? found.map(shown) : shown(found)
    }
  }

const textsOf = (value: unknown): readonly string[] => [value].flat().map(String)

/** A test for each filter that was given and whose declaration says it all; of `not` one for each value. */
export const declaredTests = (
  state: State,
  params: Params,
  given: object,
): readonly RecordTest<object>[] => {
  const reader = readerOf(state)
  return Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const param = params[name]
    if (param === undefined || value === undefined) return []
    if (name !== 'not') return createFilter(name, param, textsOf(value), reader) ?? []
    return Object.entries(value ?? {}).flatMap(([key, values]: [string, unknown]) =>
      textsOf(values).flatMap((text) => {
        const inner = paramsIn(param)?.[key]
        const test = inner && createFilter(key, inner, [text], reader)
        return test === undefined ? [] : (record: object) => !test(record)
      }),
    )
  })
}
