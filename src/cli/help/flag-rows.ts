/** Flags as help and manual pages show them: how each is written, and what it is for. */
import { placeholder } from '../../catalogue/describe.js'
import {
  isSwitch,
  namesOf,
  type Param,
  type ScopeParam,
  scopeOf,
  valuesOf,
} from '../../catalogue/params.js'
import type { Flag } from '../../engine/command/types.js'
import { besides, getSpellings, type Spelling } from '../../engine/plan/spellings.js'

/** How long a list of values may be in a description. */
const inDescription = 120

const valuesIn = (param: Param): readonly string[] => {
  if (placeholder(param) === valuesOf(param).join('|')) return []
  return [...valuesOf(param), ...namesOf(param)]
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
const elsewhere: Readonly<Record<ScopeParam['type'], string>> = {
  project: 'default: SVC_PROJECT or the project of the git clone',
  group: 'else SVC_GROUP',
}

/** Whether something must be given. */
const needText = ({ required, path, param }: Flag): string[] => {
  if (!required) return []
  const scope = scopeOf(param)
  if (path === true && scope !== undefined) return [elsewhere[scope]]
  return [param.env === undefined ? 'required' : `else ${param.env}`]
}

const describe = (flag: Flag): string => {
  const { param } = flag
  const marks = [
    ...valuesText(param),
    ...(param.words === undefined ? [] : [`also ${param.words.join(', ')}`]),
    ...needText(flag),
    ...(param.default === undefined ? [] : [`default ${param.default}`]),
    ...(param.edition === undefined ? [] : [param.edition]),
    ...(param.deprecated === undefined ? [] : [`deprecated: use ${param.deprecated}`]),
  ]
  const [own, ...others] = flag.own ?? []
  const help = own === undefined ? param.help : `${besides(flag.name, others)} ${param.help}`
  return marks.length === 0 ? help : `${help} (${marks.join('; ')})`
}

/** A row of help: how a flag is written, and what it is for. */
type FlagRow = readonly [term: string, text: string]

const rowOf = (flag: Flag, { text, negated }: Spelling): FlagRow => {
  if (negated === true) return [text, flag.refusal ?? `not: ${flag.param.help}`]
  // Attributes have both forms; what picks or switches something of the tool has one.
  const both = isSwitch(flag.param) && flag.parameter !== undefined && !text.startsWith('--no-')
  return [both ? text.replace('--', '--[no-]') : text, describe(flag)]
}

/** Flags as help shows them, without those that are accepted and not shown. */
export const rowsOfFlags = (flags: readonly Flag[]): FlagRow[] =>
  flags.flatMap((flag) =>
    getSpellings(flag)
      .filter(({ hidden }) => !hidden)
      .map((spelling) => rowOf(flag, spelling)),
  )
