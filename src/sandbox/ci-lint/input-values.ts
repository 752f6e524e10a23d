/** Checks the values of inputs against their declarations, in headers and in jobs. */
import { tryParseJson } from '../../base/objects.js'
import { compileRegex } from './expression.js'
import { type Hash, isKnown, type JudgedVersion } from './types.js'

type Kind = 'string' | 'number' | 'boolean' | 'array'

const isOfKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: () => true,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
}
const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && kind in isOfKind

/** Returns the kind that an input declares. Without one, it is a text. */
export const toKindName = (kind: unknown): Kind => (isKind(kind) ? kind : 'string')

/** Converts a value to a kind. A text may contain the JSON of a value, and any value can be converted to a text. */
export const toKind = (kind: Kind, value: unknown): unknown => {
  if (kind === 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (typeof value !== 'string') return value
  const parsed = tryParseJson(value)
  return parsed === undefined ? value : parsed
}

/** The declaration of an input, after the rule that applies. */
interface Input {
  readonly kind: Kind
  readonly options: unknown
  readonly regex: unknown
  readonly asOf: JudgedVersion
}

const findOptionProblem = ({ kind, options, asOf }: Input, value: unknown): string | undefined => {
  if (!Array.isArray(options)) return undefined
  const isListed = kind === 'array' && isKnown({ since: '19.0' }, asOf)
  if (kind !== 'string' && kind !== 'number' && !isListed)
    return 'Options can only be used with string and number inputs'
  const choices = kind === 'string' ? options.map(String) : options
  const other = [value].flat().find((one) => !choices.includes(one))
  if (other === undefined) return undefined
  const list = kind === 'number' ? 'the list of the allowed options' : 'the list of allowed options'
  return `\`${other}\` cannot be used because it is not in ${list}`
}

const findRegexProblem = ({ kind, regex }: Input, value: unknown, which: string) => {
  if (typeof regex !== 'string') return undefined
  if (kind !== 'string') return 'RegEx validation can only be used with string inputs'
  const pattern = compileRegex(`/${regex}/`)
  if (pattern === undefined) return 'invalid regular expression'
  return pattern.matcher(String(value)).find()
    ? undefined
    : `${which} value does not match required RegEx pattern`
}

/** Returns the problem with the value of an input; undefined if there is none. `which` describes the value in the message. */
export const findValueProblem = (
  input: Input,
  given: unknown,
  which: string,
): string | undefined => {
  const value = toKind(input.kind, given)
  const article = input.kind === 'array' ? 'an' : 'a'
  if (!isOfKind[input.kind](value)) return `${which} value is not ${article} ${input.kind}`
  return findOptionProblem(input, value) ?? findRegexProblem(input, value, which)
}

/** Returns the problem with the default of a job's input; undefined if there is none. */
export const findPresetProblem = ({ type, options, regex, default: preset }: Hash) =>
  (preset ?? null) === null
    ? undefined
    : findValueProblem(
        { kind: toKindName(type), options, regex, asOf: undefined },
        preset,
        'default',
      )
