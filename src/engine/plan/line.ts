/** Declares the parts of a parsed command line, and lists the forms in which each flag may be written. */
import type { JsonValues } from '../../base/objects.js'
import { getPlaceholder, isSwitch } from '../../catalogue/params.js'
import type { Command, Flag } from '../command/types.js'

/** The texts of a line before they are parsed. */
export interface Raw {
  readonly args: readonly string[]
  /** Flag name → its texts in order. Booleans are 'true' and 'false'. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** The attributes of each argument, as the journal stored them. */
  readonly rows?: readonly (JsonValues | undefined)[]
  /** The words of the line as a person typed them; undefined if nobody typed it. */
  readonly words?: readonly string[]
  /** The names under which flags were written, for flags that the instance's vocabulary renames. */
  readonly own?: ReadonlyMap<string, string>
}

/** The subject of a help text. */
export type HelpTopic =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'area'
      readonly area: string
      /** The first of two verb words, if only that was given (`geo nodes`). */
      readonly group?: string
    }
  | { readonly kind: 'command'; readonly command: Command }

/** The request of a command line: help, the version, or a run of a command. */
export type ParsedLine =
  | { readonly kind: 'help'; readonly of: HelpTopic }
  /** The name of an area or group without a verb, and nothing else. */
  | { readonly kind: 'bare'; readonly of: HelpTopic }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly command: Command; readonly raw: Raw }

/** True if a token is not a flag. */
export const isWord = (token: string): boolean => !token.startsWith('-')

// The forms of flags, and the placeholders for their values.

/** One form of a flag. */
export interface Spelling {
  /** The form as Commander and help write it: `-P, --project <id|path>`. */
  readonly text: string
  /** True if the form is accepted, but not shown in help. */
  readonly hidden: boolean
  /** Set for a form that sets the flag to false. */
  readonly negated?: true
}

/** Returns the forms of a flag that the instance's vocabulary renames: its names there first, then its own name. */
const getOwnSpellings = (flag: Flag, own: readonly string[]): readonly Spelling[] => {
  const { own: _, short, ...plain } = flag
  const { aliases: __, ...bare } = plain
  const [first = flag.name, ...others] = own
  const hidden = (one: Flag) => getSpellings(one).map((form) => ({ ...form, hidden: true }))
  return [
    ...getSpellings({ ...bare, short, name: first }),
    ...others.flatMap((name) => hidden({ ...bare, name })),
    ...hidden(plain),
  ]
}

/** Formats a flag for messages: the name in the instance's vocabulary, followed by the flag's own name. */
export const formatFlagLabel = ({
  name,
  own: [first, ...others] = [],
}: Pick<Flag, 'name' | 'own'>): string =>
  first === undefined ? `--${name}` : `--${first} ${formatOtherNames(name, others)}`

/** Formats the other names of a flag, which follow the first one. */
export const formatOtherNames = (name: string, others: readonly string[]): string =>
  `[${[...others, name].map((one) => `--${one}`).join(', ')}]`

/** Returns both forms of a boolean flag. If it is on by default, help shows only the form that turns it off. */
const getBooleanSpellings = (
  { name, aliases = [], hidden, refusal }: Flag,
  short: string,
): Spelling[] => [
  { text: `${short}--${name}`, hidden: hidden === true || refusal !== undefined },
  { text: `--no-${name}`, hidden: hidden === true || refusal === undefined, negated: true },
  ...aliases.map((alias) => ({ text: `--${alias}`, hidden: true })),
]

/** Returns all forms of a flag. Help shows the first one. */
export const getSpellings = (flag: Flag): readonly Spelling[] => {
  const { name, param, aliases = [], optionalValue, hidden, own, refusedValue } = flag
  if (own !== undefined) return getOwnSpellings(flag, own)
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  // A flag that is itself a negation (`--no-certificate`) has no other form.
  if (name.startsWith('no-')) return [{ text: `--${name}`, hidden: false }]
  if (isSwitch(param)) return getBooleanSpellings(flag, short)
  const word = getPlaceholder(param)
  const value = optionalValue === true ? `[${word}]` : `<${word}>`
  return [
    { text: `${short}--${name} ${value}`, hidden: hidden === true },
    ...aliases.map((alias) => ({ text: `--${alias} ${value}`, hidden: true })),
    ...(refusedValue === undefined ? [] : [{ text: `--no-${name}`, hidden: true }]),
  ]
}
