/** Answers about several objects: each says which object it is about, as that was given. */

import { parseBytes } from '../../base/json/records.js'
import { isObject, type JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getKindByName, type Kind, listKinds } from '../../catalogue/kinds.js'
import { getScopeType, isScope } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import type { AnswerService } from '../command/context.js'
import { getFlagName, objectColumn } from '../command/derive.js'
import type { Plan } from '../command/types.js'
import type { PlanAnswer } from '../rows.js'

// What the objects of an answer are called, for formats that show nothing else.

/** Returns the kind of the objects in an endpoint's answer: what it lists, what it takes, else what its area is about. */
const getAnswerKind = (endpoint: Endpoint | undefined, area: string): Kind | undefined => {
  const taken = endpoint?.path[endpoint.args?.at(-1) ?? '']?.completes
  const own = getKindByName(endpoint?.lists) ?? getKindByName(taken)
  return own ?? listKinds().find(({ areas }) => areas[0] === area)
}

/**
 * Returns the fields by which the verbs of an area know a record, the best first: where several projects may be meant,
 * references in full.
 * @param below the records come with what they belong to
 */
export const getIdentityNames = (
  endpoint: Endpoint | undefined,
  area: string,
  below: boolean,
): readonly string[] | undefined => {
  const kind = getAnswerKind(endpoint, area)
  if (kind?.mark === undefined) return kind?.names
  const alone = !below && getScopeType(endpoint?.path.id) === 'project'
  return alone ? ['iid', ...kind.names] : kind.names
}

// What the outcome of a call shows.

export const hasNothingToShow = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined && value === undefined

/** Returns the value as it is printed: with its numbers as they came. */
export const getPrintedValue = ({ bytes, value }: PlanAnswer): unknown =>
  bytes === undefined ? value : parseBytes(bytes)

const bracket = 0x5b

export const isList = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined ? Array.isArray(value) : bytes.find((byte) => byte > 0x20) === bracket

const getObjectArgument = ({ args, path, params }: Endpoint) => {
  const name = args?.[0] ?? 'object'
  const param = path[name] ?? params[name]
  const key = param === undefined ? name : getFlagName(name, param).replaceAll('-', '_')
  return { name, param, key }
}

/** Returns the key and the value that name a plan's object in JSON. */
const getIdentity = ({ endpoint, values, label }: Plan): JsonValues => {
  const { name, key } = getObjectArgument(endpoint)
  const id = values[name] ?? label
  if (id === undefined) return {}
  return label === undefined || String(id) === label
    ? { [key]: id }
    : { [objectColumn]: label, [key]: id }
}

/** Returns the placeholder of a path that names the project or group of an object, with its kind. */
export const getHolder = ({
  path,
}: Pick<Endpoint, 'path'>): { readonly name: string; readonly type: string } | undefined => {
  const [name, param] = Object.entries(path).find(([, one]) => isScope(one)) ?? []
  const type = getScopeType(param)
  return name === undefined || type === undefined ? undefined : { name, type }
}

/** Returns the object of a plan without its words: the object's own id, and the project or group that it is in. */
export const getParentFields = ({
  endpoint,
  values,
  label = '',
  object: named,
}: Plan): { readonly object: string; readonly parent?: string } => {
  const holder = getHolder(endpoint)
  const { name } = getObjectArgument(endpoint)
  // A reference brings its project along; any other text stands for itself.
  const object = named ?? (/[!#/]\d+$/.test(label) ? String(values[name] ?? label) : label)
  const parent = holder === undefined || holder.name === name ? undefined : values[holder.name]
  return { object, parent: parent === undefined ? undefined : String(parent) }
}

/** True if the value of a column is the very text that each object was given by. */
const isGivenText = (column: string, plans: readonly Plan[]): boolean =>
  plans.every(({ endpoint, label = '' }) => {
    const { name, param, key } = getObjectArgument(endpoint)
    const kind = getKindByName(param?.completes)
    const named = column === key || column === name || kind?.names.includes(column) === true
    if (!named || param === undefined) return false
    if (kind?.mark !== undefined)
      return column === 'reference' && /^(?!\d+[!#]|[a-z]+:).+[!#]\d+$/i.test(label)
    return column === 'id' ? /^\d+$/.test(label) : column === name
  })

/** Returns the column that has to come before these, if they do not begin with the object as given. */
export const getLeadColumn = (
  columns: readonly string[],
  plans: readonly Plan[],
): { lead?: typeof objectColumn } => {
  const given = plans.filter(({ label }) => label !== undefined)
  return given.length === 0 || isGivenText(columns[0] ?? '', given) ? {} : { lead: objectColumn }
}

/** Puts the object that a record is about before everything else. */
const putObjectFirst = ({ label }: Plan, value: unknown): unknown => {
  if (label === undefined) return value
  return isObject(value) ? { [objectColumn]: label, ...value } : { [objectColumn]: label, value }
}

/** Returns the cell that names the parent of a plan's object, if there are several parents. */
const getParentCell = ({ parent }: Plan): Readonly<Record<string, string>> =>
  parent === undefined ? {} : { [parent.column]: parent.name }

/** Puts a row below its parent, as `RecordView.parent` has it. */
const putBelowParent = (plan: Plan, value: unknown): unknown =>
  plan.parent === undefined ? value : { ...getParentCell(plan), record: value }

/** Puts the object before its record, unless the record itself says which object it is. */
const putObjectIfUnnamed = (plan: Plan, value: unknown): unknown => {
  const { name, param, key } = getObjectArgument(plan.endpoint)
  const texts = [plan.label, String(plan.values[name] ?? plan.label)]
  const names = [name, key, ...(getKindByName(param?.completes)?.names ?? [])]
  const says = isObject(value) && names.some((field) => texts.includes(String(value[field])))
  return says ? value : putObjectFirst(plan, value)
}

/** Returns the fields that name a plan's object in a record of its own, with its parent where there are several. */
export const nameObject = (plan: Plan): Readonly<Record<string, unknown>> => ({
  ...getParentCell(plan),
  ...getIdentity(plan),
})

/**
 * Creates the row of a plan's record, below its parent where there are several.
 * @param lead when the object stands before everything else: where the record does not say itself which it is, or always
 */
export const createObjectRow = (
  plan: Plan,
  record: unknown,
  lead: 'unsaid' | 'always' | undefined,
): unknown => {
  if (lead === undefined) return putBelowParent(plan, record)
  return putBelowParent(
    plan,
    lead === 'unsaid' ? putObjectIfUnnamed(plan, record) : putObjectFirst(plan, record),
  )
}

// What a command for one of several parents or instances sees of the answer.

/** Creates the failure for a result that is no record, and so has no place among records. */
export const refusePart = (what: string) =>
  usage(`this result belongs to a single ${what}`, 'Run the command once for each.')

/** Returns what a command sees of the answer that its records are a part of: those of all parts are one list. */
export const toPartOfAnswer = (whole: AnswerService): AnswerService => ({
  reader: whole.reader === 'pages' ? 'sheets' : whole.reader,
  terminal: whole.terminal,
  width: whole.width,
  text: whole.text,
  getColumnsFor: (endpoint) => whole.getColumnsFor(endpoint),
  setExitCode: (code) => whole.setExitCode(code),
})
