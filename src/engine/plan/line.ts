/** The types of a parsed command line, and the forms in which a flag may be written. */
import type { JsonValues } from '../../base/objects.js'
import { getPlaceholder, isSwitch } from '../../catalogue/params.js'
import type { Command, Flag } from '../command/types.js'
import type { WordsFinder } from '../command/words.js'

/** Texts as they were given, before any of them is understood. */
export interface Raw {
  readonly args: readonly string[]
  /** Flag name → its texts in order; booleans as 'true' and 'false'. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** The attributes of each argument, as a journal has them. */
  readonly rows?: readonly (JsonValues | undefined)[]
  /** The words of the line, as they were typed; none where it was not typed. */
  readonly words?: readonly string[]
  /** By which name flags were given that an instance has others for. */
  readonly own?: ReadonlyMap<string, string>
}

/** The subject of a help text. */
export type HelpTopic =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'area'
      readonly area: string
      /** The first of two verb words, where only that was given (`geo nodes`). */
      readonly group?: string
    }
  | { readonly kind: 'command'; readonly command: Command }

/** The request of a command line: help, the version, or a run of a command. */
export type ParsedLine =
  | { readonly kind: 'help'; readonly of: HelpTopic }
  /** An area or group without its verb, and nothing else. */
  | { readonly kind: 'bare'; readonly of: HelpTopic }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly raw: Raw
      /** The words of its instance. */
      readonly own: WordsFinder
    }

/** True if a token is no flag. */
export const isWord = (token: string): boolean => !token.startsWith('-')

// How a flag is written on a line: each of its forms, and the word that stands for its value.

/** One form of a flag. */
export interface Spelling {
  /** As Commander and help write it: `-P, --project <id|path>`. */
  readonly text: string
  /** Accepted and not shown. */
  readonly hidden: boolean
  /** The form that says no. */
  readonly negated?: true
}

/** Returns the forms of a flag in the instance's words, which come first; its own name stays, and is named beside them. */
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

/** Formats a flag as messages name it: as the instance calls it, with its own name beside that. */
export const formatFlagLabel = ({
  name,
  own: [first, ...others] = [],
}: Pick<Flag, 'name' | 'own'>): string =>
  first === undefined ? `--${name}` : `--${first} ${formatOtherNames(name, others)}`

/** Formats the other names of a flag, beside the one that is shown. */
export const formatOtherNames = (name: string, others: readonly string[]): string =>
  `[${[...others, name].map((one) => `--${one}`).join(', ')}]`

/** Returns both forms of a boolean; of one that is on by itself only the refusal is shown. */
const getBooleanSpellings = (
  { name, aliases = [], hidden, refusal }: Flag,
  short: string,
): Spelling[] => [
  { text: `${short}--${name}`, hidden: hidden === true || refusal !== undefined },
  { text: `--no-${name}`, hidden: hidden === true || refusal === undefined, negated: true },
  ...aliases.map((alias) => ({ text: `--${alias}`, hidden: true })),
]

/** Returns every form of a flag, the one that help shows first. */
export const getSpellings = (flag: Flag): readonly Spelling[] => {
  const { name, param, aliases = [], optionalValue, hidden, own, refusedValue } = flag
  if (own !== undefined) return getOwnSpellings(flag, own)
  const short = flag.short === undefined ? '' : `-${flag.short}, `
  // A flag that is itself a refusal (`--no-certificate`) has no other form.
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
