/** Declares commands that are written by hand, so that their flags have types where the command reads them. */
import type { Endpoint, Value } from '../catalogue/endpoint.js'
import { formatNames, formatSpellings } from '../catalogue/formats.js'
import { hash, oneOf, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Given, OwnFlag, Special } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'

type OwnFlags = Readonly<Record<string, OwnFlag>>

type KebabCase<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}-${KebabCase<Tail>}` : S
type NameOf<K, P> = P extends { name: infer N extends string } ? N : KebabCase<K>
/** The flags that always have a value: they have a default of the tool's own, not one of the API. */
type DefaultedNames<F> = {
  [K in keyof F]: F[K] extends { parameter: string } | { optionalValue: true } | { stays: true }
    ? never
    : F[K] extends { default: unknown }
      ? K
      : never
}[keyof F]

/** The values of the tool's own flags: those with a default are always there. */
type OwnFlagValues<F> = { readonly [K in DefaultedNames<F>]: Value<F[K]> } & {
  readonly [K in Exclude<keyof F, DefaultedNames<F>>]?: Value<F[K]>
}
/** The values of the flags that an endpoint makes; of several endpoints each may lack some. */
type EndpointFlagValues<E> = E extends { params: infer Ps; path: infer Pa }
  ? { readonly [K in keyof Ps as NameOf<K, Ps[K]>]?: Value<Ps[K]> } & {
      readonly [K in keyof Pa as NameOf<K, Pa[K]>]?: Value<Pa[K]>
    } & { readonly project?: string | number; readonly group?: string | number }
  : unknown
/** The intersection of the members of a union. */
type Intersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never

/** The arguments of a command with these flags; other names do not compile. */
export type Arguments<F extends OwnFlags, E extends Endpoint = never> = Omit<Given, 'flags'> & {
  readonly flags: OwnFlagValues<F> &
    ([E] extends [never] ? unknown : Omit<Intersection<EndpointFlagValues<E>>, keyof F>)
}

/** Declares `-o` of a command that has output formats of its own. */
export const createOutputFlag = (own: readonly string[], help: string, standard: string) =>
  ({
    ...oneOf([...formatNames, ...own], help, { default: standard }),
    short: 'o',
    aliases: ['format'],
    spellings: formatSpellings,
    stays: true,
  }) as const

const reportKinds = {
  junit: string('JUnit XML'),
  markdown: string('Markdown, for a comment'),
  sarif: string('SARIF 2.1.0'),
} as const

/** Declares `--report <kind>=<file>` with these kinds of report. */
export const reportFlag = <K extends keyof typeof reportKinds>(kinds: readonly K[]) =>
  hash(
    `write a report: ${kinds.map((kind) => `${kind}=<file>`).join(', ')} (- for standard output)`,
    {
      placeholder: 'kind=file',
      writes: true,
      keys: Object.fromEntries(kinds.map((kind) => [kind, reportKinds[kind]])) as Pick<
        typeof reportKinds,
        K
      >,
    },
  )

interface Declaration<F extends OwnFlags, E extends Endpoint>
  extends Omit<Special, 'flags' | 'rows'> {
  /** Flags that only the tool knows. */
  readonly flags?: F
  /** The endpoints whose flags it reads. */
  readonly of?: readonly E[]
  readonly rows?: (context: Context, given: Arguments<F, E>) => Rows
}

/** True if a flag that is left out has its default: by the same rule as its type. */
const isDefaulted = ({ optionalValue, parameter, stays }: OwnFlag): boolean =>
  optionalValue !== true && parameter === undefined && stays !== true

/** Returns the flags as `rows` sees them: the tool's own have their defaults; those of the API never. */
const applyDefaults = <F extends OwnFlags, E extends Endpoint>(
  own: F | undefined,
  given: Given,
): Arguments<F, E> => {
  const defaults = Object.entries(own ?? {}).flatMap(([name, flag]) =>
    flag.default === undefined || !isDefaulted(flag) ? [] : [[name, flag.default] as const],
  )
  const flags = { ...Object.fromEntries(defaults), ...given.flags }
  // The parser made each value by the parameter that its type comes from.
  return { ...given, flags } as Arguments<F, E>
}

/**
 * Declares a command. `given.flags` has the flags of `flags` and of the endpoints in `of`, by the names that are
 * typed; flags with a default are always there.
 */
export const define = <
  const F extends OwnFlags = Record<never, never>,
  E extends Endpoint = never,
>({
  of: _,
  rows,
  ...rest
}: Declaration<F, E>): Special => {
  const own = (given: Given): Arguments<F, E> => applyDefaults<F, E>(rest.flags, given)
  return {
    ...rest,
    ...(rows && { rows: (context, given) => rows(context, own(given)) }),
  }
}
