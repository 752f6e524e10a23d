/** Describes flags as rows of help, which manual pages share. */
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

/** How long a list of values may be in a description. */
const inDescription = 120

const valuesIn = (param: Param): readonly string[] => {
  if (getPlaceholder(param) === getParamValues(param).join('|')) return []
  return [...getParamValues(param), ...getNumberNames(param)]
}

/** The values that a flag takes, where its term does not say them; so many as fit in two lines. */
const valuesText = (param: Param): string[] => {
  const values = valuesIn(param)
  if (values.length === 0) return []
  const text = values.join(', ')
  if (text.length <= inDescription) return [text]
  const cut = text.lastIndexOf(', ', inDescription)
  return [`${text.slice(0, cut)}, …`]
}

/** Where a project or group comes from that is not given. */
const scopeDefaults: Readonly<Record<ScopeParam['type'], string>> = {
  project: 'default: SVC_PROJECT or the project of the git clone',
  group: 'else SVC_GROUP',
}

/** Whether something must be given. */
const needText = ({ required, path, param }: Flag): string[] => {
  if (!required) return []
  const scope = getScopeType(param)
  if (path === true && scope !== undefined) return [scopeDefaults[scope]]
  return [param.env === undefined ? 'required' : `else ${param.env}`]
}

/** A default as help names it; one that is called so itself stands in quotes. */
const defaultText = (value: string | number | boolean): string =>
  value === 'default' ? '"default"' : String(value)

const describe = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...valuesText(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...needText(flag),
    ...(param.default === undefined ? [] : [`default ${defaultText(param.default)}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  const [own, ...others] = flag.own ?? []
  const help =
    own === undefined ? param.help : `${formatOtherNames(flag.name, others)} ${param.help}`
  return marks.length === 0 ? help : `${help} (${marks.join('; ')})`
}

/** A row of help: how a flag is written, and what it is for. */
export type FlagRow = readonly [term: string, text: string]

const toFlagRow = (flag: Flag, { text, negated }: Spelling): FlagRow => {
  if (negated === true) return [text, flag.refusal ?? `not: ${flag.param.help}`]
  // Attributes have both forms; what picks or switches something of the tool has one.
  const both = isSwitch(flag.param) && flag.parameter !== undefined && !text.startsWith('--no-')
  return [both ? text.replace('--', '--[no-]') : text, describe(flag)]
}

/** Describes flags as rows of help, without hidden ones. */
export const toFlagRows = (flags: readonly Flag[]): FlagRow[] =>
  flags.flatMap((flag) =>
    getSpellings(flag)
      .filter(({ hidden }) => !hidden)
      .map((spelling) => toFlagRow(flag, spelling)),
  )
