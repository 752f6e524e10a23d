/** Parameters: what an endpoint takes, everything that is known of it, and how help, questions and `explain` say it. */

/** The edition that an instance is licensed for, least first. */
export type Edition = 'FREE' | 'PREMIUM' | 'ULTIMATE'

interface BaseParam {
  /** One line, in the imperative or as a noun phrase, without a closing full stop. */
  readonly help: string
  readonly required?: true
  /** The server's default; shown in help, never sent. */
  readonly default?: string | number | boolean
  /** Editions below this one ignore the parameter. */
  readonly edition?: Edition
  /** The replacement. A given deprecated parameter is sent, with a note. */
  readonly deprecated?: string
  /** Flag or placeholder name where it is not the parameter's own name with dashes. */
  readonly name?: string
  /** An empty value sends null. */
  readonly nullable?: true
  /** Values come from `env:NAME`, `@file` or a hidden prompt; masked wherever they are shown. */
  readonly secret?: true
  /** The part of the request that it travels in, where the method does not say so (GET, DELETE: query; else body). */
  readonly in?: 'query' | 'body'
  /** Bare words that stand in for a value (`None`, `Any`): sent as scalars, without brackets. */
  readonly words?: readonly string[]
  /** The environment variable that fills it where a command cannot do without. */
  readonly env?: string
  /** True if a write's answer shows it, false if not; set where the shape of the answer says otherwise. */
  readonly echo?: boolean
  /**
   * True for an exact filter of a list. The instance leaves out the records whose field of this name has another value
   * (of a list of values: does not hold the one given).
   */
  readonly exact?: true
  /**
   * The field of a list's records that decides, where that has another name, or where the instance looks at more than that
   * field. `before` and `after` compare times, and both count the time itself.
   */
  readonly keeps?: { readonly field: string; readonly by?: 'before' | 'after' }
  /** The value that leaves no record out, for a list whose records are those of one user by default. */
  readonly everything?: string
  /** The word that stands for a value in help, where the type does not say it. */
  readonly placeholder?: string
  /** The kind of live values that complete this parameter (`runner`, `project`, `storage` …). */
  readonly completes?: string
  /** The kind that shells offer instead, where that says more: names, or the members of the project at hand. */
  readonly suggests?: string
  /** It names a file or a folder that is written: never an input of the same line. */
  readonly writes?: true
}

export interface StringParam extends BaseParam {
  readonly type: 'string'
  /** `csv` and `spaced`: a string by the documents that holds several items, joined by commas or spaces. */
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
    /** A length of time in words, at least a day. */
    | 'span'
  /** The format of each item of several. */
  readonly items?: 'email'
  /** Instances take no longer text. */
  readonly max?: number
  /** Instances refuse a blank one. */
  readonly filled?: true
  /** True for a date that instances refuse if it is over. */
  readonly ahead?: true
  /** True for a date that an empty one removes. Elsewhere an empty date is invalid. */
  readonly clears?: true
}
export interface IntegerParam extends BaseParam {
  readonly type: 'integer'
  readonly min?: number
  readonly max?: number
  /** Instances refuse less, where the documents name no range. */
  readonly least?: number
  /** Whole numbers by name (`--access-level maintainer`). */
  readonly names?: Readonly<Record<string, number>>
  /** The names that a question offers, where instances take fewer than there are. */
  readonly offers?: readonly string[]
}
export interface BooleanParam extends BaseParam {
  readonly type: 'boolean'
}
export interface EnumParam<V extends string = string> extends BaseParam {
  readonly type: 'enum'
  readonly values: readonly V[]
  /** Values that still work, each with its successor. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface ListParam extends BaseParam {
  readonly type: 'list'
  readonly of: 'string' | 'integer' | 'enum'
  readonly values?: readonly string[]
  readonly max?: number
  /** In a query: repeated with brackets (default), repeated as the name is, or one comma-joined value. */
  readonly join?: 'comma' | 'repeat'
  /** "String or array" by the documents: one value goes as a string. */
  readonly single?: true
  readonly names?: Readonly<Record<string, number>>
  /** Values that still work, each with its successor. */
  readonly deprecatedValues?: Readonly<Record<string, string>>
}
export interface HashParam extends BaseParam {
  readonly type: 'hash'
  /** The keys and their types; absent when any key goes. */
  readonly keys?: Readonly<Record<string, Param>>
}
export interface JsonParam extends BaseParam {
  readonly type: 'json'
  /** It is a list of objects with these keys. */
  readonly items?: Readonly<Record<string, Param>>
}
/** An integer id, or a full path that travels as one encoded segment. */
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

// What is asked of a parameter whatever its type.

/** Returns the format of a text. */
export const formatOf = (param: Param | undefined): StringParam['format'] =>
  param?.type === 'string' ? param.format : undefined

/** True if an empty text removes the current value. */
export const isClearedByEmpty = (param: Param | undefined): boolean =>
  param?.type === 'string' && param.clears === true

/** True if two parameters are of one type, whatever values each takes. */
export const isSameType = (a: Param, b: Param): boolean => a.type === b.type

/** Returns the values of an enumeration, or of a list of those. */
export const getParamValues = (param: Param): readonly string[] =>
  'values' in param ? (param.values ?? []) : []

/** Returns the names that stand for numbers. */
export const getNumberNames = (param: Param): readonly string[] =>
  'names' in param ? Object.keys(param.names ?? {}) : []

/** True if the parameter's flag takes no value: the flag or its negation is given. */
export const isSwitch = (param: Param | undefined): boolean => param?.type === 'boolean'

export const isText = (param: Param | undefined): param is StringParam => param?.type === 'string'

export const isNumeric = (param: Param | undefined): param is IntegerParam =>
  param?.type === 'integer'

/** True if the parameter takes several values. */
export const isListParam = (param: Param | undefined): param is ListParam => param?.type === 'list'

/** True if the parameter takes values by keys, which a flag has as `key=value`. */
export const takesPairs = (param: Param | undefined): param is HashParam => param?.type === 'hash'

export const takesJson = (param: Param | undefined): boolean => param?.type === 'json'

/** Returns the parameters inside of one: the keys of a hash, or of the objects in a list. */
export const getInnerParams = (param: Param | undefined): Params | undefined => {
  if (param?.type === 'hash') return param.keys
  return param?.type === 'json' ? param.items : undefined
}

/** Returns a parameter with changed parameters inside of it, where it has any. */
export const withParamsIn = (param: Param, change: (inside: Params) => Params): Param => {
  if (param.type === 'hash' && param.keys !== undefined)
    return { ...param, keys: change(param.keys) }
  return param.type === 'json' && param.items !== undefined
    ? { ...param, items: change(param.items) }
    : param
}

/** True if the parameter's value names a file of this machine. */
export const isFile = (param: Param): boolean =>
  param.completes === 'file' || formatOf(param) === 'pem'

/** True for parameters whose text may stand in a file; a PEM parameter names its file anyway. */
export const canComeFromFile = (param: Param): boolean => {
  const format = formatOf(param)
  if (format === 'pem') return false
  return param.secret === true || param.type === 'json' || format === 'public-key'
}

export const isScope = (param: Param | undefined): param is ScopeParam =>
  param?.type === 'project' || param?.type === 'group'

/** Returns the type of the scope that the parameter names: a project or a group. Returns undefined for any other parameter. */
export const getScopeType = (param: Param | undefined): ScopeParam['type'] | undefined =>
  isScope(param) ? param.type : undefined

/** Returns a parameter with further values, where it has any. */
export const widenParam = (param: Param, more: readonly string[]): Param =>
  more.length === 0 || getParamValues(param).length === 0
    ? param
    : ({ ...param, values: [...new Set([...getParamValues(param), ...more])] } as Param)

type Options<P> = Partial<Omit<P, 'type' | 'help'>>

export const string = <const O extends Options<StringParam>>(help: string, options?: O) =>
  ({ type: 'string', help, ...(options as O) }) as const
export const integer = <const O extends Options<IntegerParam>>(help: string, options?: O) =>
  ({ type: 'integer', help, ...(options as O) }) as const
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
export const project = <const O extends Options<ScopeParam>>(
  help = 'project: ID or full path',
  options?: O,
) => ({ type: 'project', help, completes: 'project', ...(options as O) }) as const
export const group = <const O extends Options<ScopeParam>>(
  help = 'group: ID or full path',
  options?: O,
) => ({ type: 'group', help, completes: 'group', ...(options as O) }) as const

// A parameter in words.

const formats: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD|[+]30d',
  datetime: 'YYYY-MM-DD[Thh:mm:ssZ]|[+]30d',
  duration: '1h30m',
  url: 'url',
}

/** The longest list of values that stands in a flag's own term. */
const inTerm = 40

/** Returns the word that stands for a value in help. */
export const getPlaceholder = (param: Param): string => {
  if (param.placeholder !== undefined) return param.placeholder
  switch (param.type) {
    case 'integer':
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

/** Returns the values that a person can choose from, where these are fixed. */
export const getChoices = (param: Param): readonly string[] => {
  if (param.type === 'enum') return param.values
  if (param.type === 'boolean') return ['true', 'false']
  if (param.type === 'list') return param.values ?? []
  return param.type === 'integer' ? (param.offers ?? Object.keys(param.names ?? {})) : []
}

/** Returns an example of a value, from the sample data where it names a project or a group. */
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
