/** Declares the types of parameters and the functions that create them, and describes parameters for help, prompts and `explain`. */

import {
  isJsonList,
  isObject,
  type JsonValue,
  type JsonValues,
  mapValues,
  toJsonFields,
} from '../base/objects.js'

/** The editions of licenses, the smallest first. */
export type Edition = 'FREE' | 'PREMIUM' | 'ULTIMATE'

/** The field of a response that shows a parameter under another name. */
export interface EchoField {
  readonly field: string
  /** The field that is true if the response hides a part of the value. */
  readonly hidden?: string
}

interface BaseParam {
  /** The help text: one line in the imperative or a noun phrase, without a full stop at its end. */
  readonly help: string
  readonly required?: true
  /** The default of the server. Help shows it, and it is never sent. */
  readonly default?: string | number | boolean
  /** The smallest edition that supports the parameter. Others ignore it. */
  readonly edition?: Edition
  /** The replacement of a deprecated parameter. If the parameter is given, it is sent with a warning. */
  readonly deprecated?: string
  /** The name of the flag or placeholder, if it is not the parameter's own name with dashes. */
  readonly name?: string
  /** True if an empty value sends null. */
  readonly nullable?: true
  /** True for a secret. Its value comes from `env:NAME`, `@file` or a hidden prompt, and is always masked in output. */
  readonly secret?: true
  /** The part of the request that has the parameter, if it is not that of the method (GET and DELETE: query, others: body). */
  readonly in?: 'query' | 'body'
  /** The words that replace a value (`None`, `Any`). They are sent as scalars, without brackets. */
  readonly words?: readonly string[]
  /** The environment variable that provides the value if a command requires one. */
  readonly env?: string
  /**
   * True if the response to a write contains the parameter, and false if not. Only set if the shape of the response is misleading, or to the
   * field that shows the parameter under another name.
   */
  readonly echo?: boolean | EchoField
  /**
   * True for a filter whose records have exactly this value in the field of the same name. If the field is a list, it has to contain the
   * value.
   */
  readonly exact?: true
  /**
   * The field that a filter compares, if it has another name or the instance compares more than this field. `before` and `after` compare
   * times, and include equal ones.
   */
  readonly keeps?: { readonly field: string; readonly by?: 'before' | 'after' }
  /** The value that all records pass, for a list that by default has only the records of one user. */
  readonly everything?: string
  /** The word for the value in help, if the type does not determine it. */
  readonly placeholder?: string
  /** The kind of live values that complete this parameter (`runner`, `project`, `storage` …). */
  readonly completes?: string
  /** The kind of values that shells suggest instead, if these are more helpful, such as names or members of the current project. */
  readonly suggests?: string
  /** True if the value names a file or folder that is written, so that the command line cannot also read it. */
  readonly writes?: true
}

export interface StringParam extends BaseParam {
  readonly type: 'string'
  /** The format of the text. `csv` and `spaced` are strings with several items, separated by commas or spaces. */
  readonly format?:
    | 'date'
    | 'datetime'
    | 'duration'
    | 'csv'
    | 'spaced'
    | 'url'
    | 'pem'
    | 'text'
    | 'public-key'
    | 'email'
    | 'domain'
    | 'slug'
    /** A username, or the ID of a user. People may write `@` before it. */
    | 'username'
    /** A period of time in words, at least one day. */
    | 'span'
  /** The format of each item, if the text has several. */
  readonly items?: 'email'
  /** The maximum length that instances accept. */
  readonly max?: number
  /** True if instances refuse a blank text. */
  readonly filled?: true
  /** True for a date that instances refuse if it is over. */
  readonly ahead?: true
  /** True for a date that an empty text removes. For other dates, an empty text is invalid. */
  readonly clears?: true
}
export interface IntegerParam extends BaseParam {
  readonly type: 'integer'
  readonly min?: number
  readonly max?: number
  /** The smallest number that instances accept, if no range is documented. */
  readonly least?: number
  /** `seconds` for a length of time, which a person may also write with units: `90s`, `2m`. */
  readonly unit?: 'seconds'
  /** The names of numbers (`--access-level maintainer`). */
  readonly names?: Readonly<Record<string, number>>
  /** The names that a prompt offers, if instances accept fewer than all. */
  readonly offers?: readonly string[]
}
export interface BooleanParam extends BaseParam {
  readonly type: 'boolean'
}
export interface EnumParam<V extends string = string> extends BaseParam {
  readonly type: 'enum'
  readonly values: readonly V[]
  /** Maps deprecated values to their replacements. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface ListParam extends BaseParam {
  readonly type: 'list'
  readonly of: 'string' | 'integer' | 'enum'
  /** The format of each item of a list of strings. */
  readonly format?: 'username'
  readonly values?: readonly string[]
  readonly max?: number
  /** The form in a query: repeated with brackets (default), repeated without brackets, or one value with commas. */
  readonly join?: 'comma' | 'repeat'
  /** True if the documented type is "string or array", so that a single value is sent as a string. */
  readonly single?: true
  /** True if each use of the flag gives one item, so that commas and blanks belong to it. */
  readonly whole?: true
  readonly names?: Readonly<Record<string, number>>
  /** Maps deprecated values to their replacements. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface HashParam extends BaseParam {
  readonly type: 'hash'
  /** The keys and their types; absent if any key is valid. */
  readonly keys?: Readonly<Record<string, Param>>
}
export interface JsonParam extends BaseParam {
  readonly type: 'json'
  /** The keys of the objects, if the value is a list of objects. */
  readonly items?: Readonly<Record<string, Param>>
}
/** An integer ID, or a full path that is encoded as one segment. */
export interface ScopeParam extends BaseParam {
  readonly type: 'project' | 'group'
}
export type Param =
  | StringParam
  | IntegerParam
  | BooleanParam
  | EnumParam
  | ListParam
  | HashParam
  | JsonParam
  | ScopeParam
export type Params = Readonly<Record<string, Param>>

// Properties of parameters of any type.

/** Returns the format of a text; undefined for other types. */
export const getParamFormat = (param: Param | undefined): StringParam['format'] =>
  param?.type === 'string' ? param.format : undefined

/** True if an empty text removes the current value. */
export const isClearedByEmpty = (param: Param | undefined): boolean =>
  param?.type === 'string' && param.clears === true

/** Returns the field of a response that shows a parameter; undefined if it has the parameter's own name. */
export const getEchoField = (param: Param | undefined): EchoField | undefined =>
  typeof param?.echo === 'object' ? param.echo : undefined

/** True if two parameters have the same type, regardless of their values. */
export const isSameType = (a: Param, b: Param): boolean => a.type === b.type

/** Returns the values of an enumeration, or of a list of enumerated values. */
export const getParamValues = (param: Param): readonly string[] =>
  'values' in param ? (param.values ?? []) : []

/** Returns the names that stand for numbers. */
export const getNumberNames = (param: Param): readonly string[] =>
  'names' in param ? Object.keys(param.names ?? {}) : []

/** True if the parameter's flag takes no value, only the flag or its negation. */
export const isSwitch = (param: Param | undefined): boolean => param?.type === 'boolean'

/** The words for booleans on the command line, in lower case. Spreadsheets write them in capitals. */
export const booleanWords: Readonly<Record<string, boolean>> = {
  ...{ true: true, '1': true },
  ...{ false: false, '0': false },
}

export const isText = (param: Param | undefined): param is StringParam => param?.type === 'string'

export const isNumeric = (param: Param | undefined): param is IntegerParam =>
  param?.type === 'integer'

export const isListParam = (param: Param | undefined): param is ListParam => param?.type === 'list'

/** True if the parameter is a hash, which a flag sets as `key=value`. */
export const takesPairs = (param: Param | undefined): param is HashParam => param?.type === 'hash'

export const takesJson = (param: Param | undefined): boolean => param?.type === 'json'

/** Returns the parameters inside a parameter: the keys of a hash, or those of the objects in a list. */
export const getInnerParams = (param: Param | undefined): Params | undefined => {
  if (param?.type === 'hash') return param.keys
  return param?.type === 'json' ? param.items : undefined
}

/** Changes the objects in a value whose keys its parameter documents. */
export const mapInnerFields = (
  value: JsonValue,
  param: Param | undefined,
  change: (fields: JsonValues, inner: Params) => JsonValue,
): JsonValue => {
  const inner = getInnerParams(param)
  if (inner === undefined) return value
  if (isJsonList(value)) return value.map((item) => mapInnerFields(item, param, change))
  return isObject(value) ? change(toJsonFields(value), inner) : value
}

/** Returns a parameter after a change of the parameters inside it. A parameter without any is not changed. */
export const withParamsIn = (param: Param, change: (inside: Params) => Params): Param => {
  if (param.type === 'hash' && param.keys !== undefined)
    return { ...param, keys: change(param.keys) }
  return param.type === 'json' && param.items !== undefined
    ? { ...param, items: change(param.items) }
    : param
}

/** True if the parameter's value is the name of a local file. */
export const isFile = (param: Param): boolean =>
  param.completes === 'file' || getParamFormat(param) === 'pem'

/** True if the text of the parameter can be read from a file. A PEM parameter always is the name of a file. */
export const canComeFromFile = (param: Param): boolean => {
  const format = getParamFormat(param)
  if (format === 'pem') return false
  return param.secret === true || param.type === 'json' || format === 'public-key'
}

export const isScope = (param: Param | undefined): param is ScopeParam =>
  param?.type === 'project' || param?.type === 'group'

/** Returns `project` or `group` for a parameter that names one; undefined for other parameters. */
export const getScopeType = (param: Param | undefined): ScopeParam['type'] | undefined =>
  isScope(param) ? param.type : undefined

/** Returns a parameter with further values. A parameter without enumerated values is not changed. */
export const widenParam = (param: Param, more: readonly string[]): Param =>
  more.length === 0 || getParamValues(param).length === 0
    ? param
    : ({ ...param, values: [...new Set([...getParamValues(param), ...more])] } as Param)

/**
 * Returns the parameters of an area with further values.
 * @param values returns the further values for `area.parameter`
 */
export const widenParams = (
  area: string,
  params: Params,
  values: (of: string) => readonly string[],
): Params => mapValues(params, (param, name) => widenParam(param, values(`${area}.${name}`)))

type Options<P> = Partial<Omit<P, 'type' | 'help'>>

export const string = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', help, ...(options as O) }) as const
export const integer = <const O extends Options<IntegerParam>>(help: string, options?: O) =>
  ({ type: 'integer', help, ...(options as O) }) as const
/** Creates a parameter for a length of time: a number of seconds, or `90s`, `2m`, `1h30m`. */
export const seconds = <const O extends Options<IntegerParam>>(help: string, options?: O) =>
  ({ type: 'integer', unit: 'seconds', help, ...(options as O) }) as const
export const boolean = <const O extends Options<BooleanParam>>(help: string, options?: O) =>
  ({ type: 'boolean', help, ...(options as O) }) as const
export const datetime = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', format: 'datetime', help, ...(options as O) }) as const
export const date = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', format: 'date', help, ...(options as O) }) as const
export const oneOf = <const V extends string, const O extends Options<EnumParam<V>>>(
  values: readonly V[],
  help: string,
  options?: O,
) => ({ type: 'enum', values, help, ...(options as O) }) as const
export const list = <
  const I extends 'string' | 'integer' | 'enum',
  const O extends Options<ListParam>,
>(
  of: I,
  help: string,
  options?: O,
) => ({ type: 'list', of, help, ...(options as O) }) as const
export const hash = <const O extends Options<HashParam>>(help: string, options?: O) =>
  ({ type: 'hash', help, ...(options as O) }) as const
export const json = <const O extends Options<JsonParam>>(help: string, options?: O) =>
  ({ type: 'json', help, ...(options as O) }) as const
export const project = (help = 'project: ID or full path') =>
  ({ type: 'project', help, completes: 'project' }) as const
export const group = (help = 'group: ID or full path') =>
  ({ type: 'group', help, completes: 'group' }) as const

// Descriptions of parameters.

const formats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD|[+]30d',
  datetime: 'YYYY-MM-DD[Thh:mm:ssZ]|[+]30d',
  duration: '1h30m',
  url: 'url',
}

/** The maximum length of a list of values that help shows instead of a placeholder. */
const inTerm = 40

/** Returns the word for a value in help. */
export const getPlaceholder = (param: Param): string => {
  if (param.placeholder !== undefined) return param.placeholder
  switch (param.type) {
    case 'integer':
      if (param.unit !== undefined) return 'n|2m'
      return param.names === undefined ? 'n' : 'level'
    case 'enum':
      return param.values.join('|').length <= inTerm ? param.values.join('|') : 'value'
    case 'list':
      return param.of === 'integer' ? 'n,…' : 'a,b,…'
    case 'hash':
      return 'key=value'
    case 'json':
      return 'json|@file'
    case 'project':
    case 'group':
      return 'id|path'
    case 'string':
      if (isFile(param)) return 'file'
      return param.secret === true ? 'secret' : (formats[param.format ?? ''] ?? 'text')
    default:
      return 'value'
  }
}

/** Describes the type of a parameter: `integer`, `list of string`. */
export const describeType = (param: Param): string =>
  param.type === 'list' ? `list of ${param.of === 'enum' ? 'string' : param.of}` : param.type

/** Returns the values that a person can choose from; empty if any value is possible. */
export const getChoices = (param: Param): readonly string[] => {
  if (param.type === 'enum') return param.values
  if (param.type === 'boolean') return ['true', 'false']
  if (param.type === 'list') return param.values ?? []
  return param.type === 'integer' ? (param.offers ?? Object.keys(param.names ?? {})) : []
}

/** Returns an example value. Projects and groups are those of the sample data. */
export const createParamExample = (param: Param): unknown => {
  switch (param.type) {
    case 'enum':
      return param.values[0]
    case 'project':
      return 'platform/app'
    case 'group':
      return 'platform'
    case 'integer':
      return Object.keys(param.names ?? {}).at(-1) ?? 1
    case 'boolean':
      return true
    default:
      return param.type === 'list' ? ['…'] : '…'
  }
}
