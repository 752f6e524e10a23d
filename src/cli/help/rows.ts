/** Formats flags as rows of help pages and manual pages. */
import {
  getNumberNames,
  getParamValues,
  getPlaceholder,
  getScopeType,
  isSwitch,
  type Param,
  type ScopeParam,
} from '../../catalogue/params.js'
import type { Flag } from '../../engine/command/types.js'
import { formatOtherNames, getSpellings, type Spelling } from '../../engine/plan/line.js'

/** The maximum length of a list of values in a description, in characters. */
const maxValuesLength = 120

const listValues = (param: Param): readonly string[] => {
  if (getPlaceholder(param) === getParamValues(param).join('|')) return []
  return [...getParamValues(param), ...getNumberNames(param)]
}

/** Formats the values of a flag, unless its term shows them. Long lists are cut to two lines. */
const formatValues = (param: Param): string[] => {
  const values = listValues(param)
  if (values.length === 0) return []
  const text = values.join(', ')
  if (text.length <= maxValuesLength) return [text]
  const cut = text.lastIndexOf(', ', maxValuesLength)
  return [`${text.slice(0, cut)}, …`]
}

/** The default values of --project and --group. */
const scopeDefaults: Readonly<Record<ScopeParam['type'], string>> = {
  project: 'default: SVC_PROJECT or the project of the git clone',
  group: 'else SVC_GROUP',
}

/** Formats the mark of a required flag: `required`, or its default. */
const formatNeed = ({ required, path, param }: Flag): string[] => {
  if (!required) return []
  const scope = getScopeType(param)
  if (path === true && scope !== undefined) return [scopeDefaults[scope]]
  return [param.env === undefined ? 'required' : `else ${param.env}`]
}

/** Formats a default value. The word `default` is quoted. */
const formatDefault = (value: string | number | boolean): string =>
  value === 'default' ? '"default"' : String(value)

const describeFlag = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...formatValues(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...formatNeed(flag),
    ...(param.default === undefined ? [] : [`default ${formatDefault(param.default)}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  const [own, ...others] = flag.own ?? []
  const help =
    own === undefined ? param.help : `${formatOtherNames(flag.name, others)} ${param.help}`
  return marks.length === 0 ? help : `${help} (${marks.join('; ')})`
}

/** A row of help: the flag as it is typed, and its description. */
export type FlagRow = readonly [term: string, text: string]

const toFlagRow = (flag: Flag, { text, negated }: Spelling): FlagRow => {
  if (negated === true) return [text, flag.refusal ?? `not: ${flag.param.help}`]
  // Attributes have both forms; a flag of the tool itself has one.
  const both = isSwitch(flag.param) && flag.parameter !== undefined && !text.startsWith('--no-')
  return [both ? text.replace('--', '--[no-]') : text, describeFlag(flag)]
}

/** Formats flags as rows of help, without hidden ones. */
export const toFlagRows = (flags: readonly Flag[]): FlagRow[] =>
  flags.flatMap((flag) =>
    getSpellings(flag)
      .filter(({ hidden }) => !hidden)
      .map((spelling) => toFlagRow(flag, spelling)),
  )
