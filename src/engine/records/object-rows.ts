/** Creates the rows of answers about several objects, each with the name of its object. */

import { parseBytes } from '../../base/json/records.js'
import { openBracket } from '../../base/json/tokens.js'
import { isObject, type JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getKindByName, type Kind, listKinds } from '../../catalogue/kinds.js'
import { getScopeType, isScope } from '../../catalogue/params.js'
import { usage } from '../../errors.js'
import type { AnswerService } from '../command/context.js'
import { getFirstSegment, getFlagName, objectColumn } from '../command/derive.js'
import type { Plan } from '../command/types.js'
import type { PlanAnswer } from '../rows.js'
import { getShapeFields } from '../where/shape.js'

// The names of an answer's objects, for formats that show nothing else.

/** Returns the kind of an answer's objects: what the endpoint lists, what it takes, or the kind of its area. */
const getAnswerKind = (endpoint: Endpoint | undefined, area: string): Kind | undefined => {
  const taken = endpoint?.path[endpoint.args?.at(-1) ?? '']?.completes
  const own = getKindByName(endpoint?.lists) ?? getKindByName(taken)
  return own ?? listKinds().find(({ areas }) => areas[0] === area)
}

/**
 * Returns the fields by which an area's commands identify a record, the best first. If several projects are possible,
 * these are full references. Returns undefined if the documented answer has none of them, such as the time spent on an issue.
 * @param below true if the records come with their parents
 */
export const getIdentityNames = (
  endpoint: Endpoint | undefined,
  area: string,
  below: boolean,
): readonly string[] | undefined => {
  const kind = getAnswerKind(endpoint, area)
  if (kind === undefined) return undefined
  const alone = kind.mark !== undefined && !below && getScopeType(endpoint?.path.id) === 'project'
  const names = alone ? ['iid', ...kind.names] : kind.names
  // A file of commands need not name all fields of an answer.
  const fields = endpoint?.from === undefined ? getShapeFields(endpoint?.returns.shape, 0) : []
  const isShown = names.some((name) => fields.includes(getFirstSegment(name)))
  return isShown || fields.length === 0 ? names : undefined
}

// The values of an outcome.

export const hasNothingToShow = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined && value === undefined

/** Returns the value to print, with its numbers exactly as they came. */
export const getPrintedValue = ({ bytes, value }: PlanAnswer): unknown =>
  bytes === undefined ? value : parseBytes(bytes)

export const isList = ({ bytes, value }: PlanAnswer): boolean =>
  bytes === undefined ? Array.isArray(value) : bytes.find((byte) => byte > 0x20) === openBracket

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

/** Returns the placeholder for the project or group of an object, with its kind. */
export const getHolder = ({
  path,
}: Pick<Endpoint, 'path'>): { readonly name: string; readonly type: string } | undefined => {
  const [name, param] = Object.entries(path).find(([, one]) => isScope(one)) ?? []
  const type = getScopeType(param)
  return name === undefined || type === undefined ? undefined : { name, type }
}

/** Returns the object of a plan and its parent, without further words of the label. */
export const getParentFields = ({
  endpoint,
  values,
  label = '',
  object: named,
}: Plan): { readonly object: string; readonly parent?: string } => {
  const holder = getHolder(endpoint)
  const { name } = getObjectArgument(endpoint)
  // A reference contains its project; any other text is the object's name.
  const object = named ?? (/[!#/]\d+$/.test(label) ? String(values[name] ?? label) : label)
  const parent = holder === undefined || holder.name === name ? undefined : values[holder.name]
  return { object, parent: parent === undefined ? undefined : String(parent) }
}

/** True if a column shows each object exactly as the line names it. */
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

/** Returns the column to put first, if the first column does not show the objects as the line names them. */
export const getLeadColumn = (
  columns: readonly string[],
  plans: readonly Plan[],
): { lead?: typeof objectColumn } => {
  const given = plans.filter(({ label }) => label !== undefined)
  return given.length === 0 || isGivenText(columns[0] ?? '', given) ? {} : { lead: objectColumn }
}

/** Puts the name of the object before the fields of its record. */
const putObjectFirst = ({ label }: Plan, value: unknown): unknown => {
  if (label === undefined) return value
  return isObject(value) ? { [objectColumn]: label, ...value } : { [objectColumn]: label, value }
}

/** Returns the cell that names the parent of a plan's object, if there are several parents. */
const getParentCell = ({ parent }: Plan): Readonly<Record<string, string>> =>
  parent === undefined ? {} : { [parent.column]: parent.name }

/** Wraps a row with the name of its parent, as `RecordView.parent` expects. */
const putBelowParent = (plan: Plan, value: unknown): unknown =>
  plan.parent === undefined ? value : { ...getParentCell(plan), record: value }

/** Puts the name of the object before its record, unless the record contains it. */
const putObjectIfUnnamed = (plan: Plan, value: unknown): unknown => {
  const { name, param, key } = getObjectArgument(plan.endpoint)
  const texts = [plan.label, String(plan.values[name] ?? plan.label)]
  const names = [name, key, ...(getKindByName(param?.completes)?.names ?? [])]
  const says = isObject(value) && names.some((field) => texts.includes(String(value[field])))
  return says ? value : putObjectFirst(plan, value)
}

/** Returns the fields that name a plan's object and, if there are several, its parent. */
export const getObjectFields = (plan: Plan): Readonly<Record<string, unknown>> => ({
  ...getParentCell(plan),
  ...getIdentity(plan),
})

/**
 * Creates the row of a plan's record, with its parent if there are several.
 * @param lead when the object's name is put first: `unsaid` if the record does not contain it, or `always`
 */
export const createObjectRow = (plan: Plan, record: unknown, lead: 'unsaid' | 'always'): unknown =>
  putBelowParent(
    plan,
    lead === 'unsaid' ? putObjectIfUnnamed(plan, record) : putObjectFirst(plan, record),
  )

// The answer of a command that runs for one of several parents or instances.

/** Creates the failure for a result that cannot be a row among others. */
export const createPartFailure = (what: string) =>
  usage(`this result belongs to a single ${what}`, 'Run the command once for each.')

/** Returns the answer service for a command whose records are one part of a list. */
export const toPartOfAnswer = (whole: AnswerService): AnswerService => ({
  reader: whole.reader === 'pages' ? 'sheets' : whole.reader,
  terminal: whole.terminal,
  width: whole.width,
  text: whole.text,
  borrowColumns: (endpoint) => whole.borrowColumns(endpoint),
  setExitCode: (code) => whole.setExitCode(code),
})
