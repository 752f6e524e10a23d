/** Declares commands that are written by hand, with typed flags. */

import type { Endpoint, Value } from '../catalogue/endpoint.js'
import { formatNames, formatSpellings } from '../catalogue/formats.js'
import type { KebabCase } from '../catalogue/index.js'
import { hash, oneOf, string } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import type { Given, OwnFlag, Special } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'

type OwnFlags = Readonly<Record<string, OwnFlag>>

type NameOf<K, P> = P extends { name: infer N extends string } ? N : KebabCase<K>
/** The names of flags that always have a value, because svcctl itself has a default for them. */
type DefaultedNames<F> = {
  [K in keyof F]: F[K] extends { parameter: string } | { optionalValue: true } | { stays: true }
    ? never
    : F[K] extends { default: unknown }
      ? K
      : never
}[keyof F]

/** The values of the command's own flags. Flags with a default are never undefined. */
type OwnFlagValues<F> = { readonly [K in DefaultedNames<F>]: Value<F[K]> } & {
  readonly [K in Exclude<keyof F, DefaultedNames<F>>]?: Value<F[K]>
}
/** The values of the flags that are derived from an endpoint. With several endpoints, any of them may be missing. */
type EndpointFlagValues<E> = E extends { params: infer Ps; path: infer Pa }
  ? { readonly [K in keyof Ps as NameOf<K, Ps[K]>]?: Value<Ps[K]> } & {
      readonly [K in keyof Pa as NameOf<K, Pa[K]>]?: Value<Pa[K]>
    } & { readonly project?: string | number; readonly group?: string | number }
  : unknown
/** The intersection of the members of a union. */
type Intersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never

/** The arguments of a command with these flags. Reading any other flag does not compile. */
export type Arguments<F extends OwnFlags, E extends Endpoint = never> = Omit<Given, 'flags'> & {
  readonly flags: OwnFlagValues<F> &
    ([E] extends [never] ? unknown : Omit<Intersection<EndpointFlagValues<E>>, keyof F>)
}

/** Creates the flag `-o` of a command with its own output formats. */
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

/** Creates the flag `--report <kind>=<file>` for these kinds of report. */
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
  /** The flags that are not parameters of the API. */
  readonly flags?: F
  /** The endpoints whose flags the command reads. */
  readonly of?: readonly E[]
  readonly rows?: (context: Context, given: Arguments<F, E>) => Rows
}

/** True if a missing flag gets its default. The type `DefaultedNames` has the same rule. */
const isDefaulted = ({ optionalValue, parameter, stays }: OwnFlag): boolean =>
  optionalValue !== true && parameter === undefined && stays !== true

/** Adds the defaults of the command's own flags. Flags of the API never get one. */
const applyDefaults = <F extends OwnFlags, E extends Endpoint>(
  own: F | undefined,
  given: Given,
): Arguments<F, E> => {
  const defaults = Object.entries(own ?? {}).flatMap(([name, flag]) =>
    flag.default === undefined || !isDefaulted(flag) ? [] : [[name, flag.default] as const],
  )
  const flags = { ...Object.fromEntries(defaults), ...given.flags }
  // The parser created the values according to these flags, so the types are correct.
  return { ...given, flags } as Arguments<F, E>
}

/**
 * Declares a command. `given.flags` has the flags of `flags` and of the endpoints in `of`, by their names on the line. Flags with a default
 * are never undefined.
 */
export const define = <
  const F extends OwnFlags = Record<never, never>,
  E extends Endpoint = never,
>({
  of: _,
  rows,
  ...rest
}: Declaration<F, E>): Special => {
  const toArguments = (given: Given): Arguments<F, E> => applyDefaults<F, E>(rest.flags, given)
  return {
    ...rest,
    ...(rows && { rows: (context, given) => rows(context, toArguments(given)) }),
  }
}
