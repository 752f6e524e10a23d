/** The flags of a line, as they were typed and after their replacement. */
import type { FlagReplacement } from './values.js'

/** The flags and arguments of a command, after replacement and in their order. */
export interface RewrittenFlags {
  readonly tokens: readonly string[]
  /** Another command that replaces this one. */
  readonly command?: string
  /** The file that standard input is read from. */
  readonly input?: string | undefined
}

/** A flag as it was typed. */
export interface TypedFlag {
  /** The flag without its value: `--json`, `-R`. */
  readonly name: string
  /** The value after `=`. */
  readonly joined?: string
  /** The next token. */
  readonly next?: string
}

/** The replacement of a flag. If `takesNext`, the next token was its value. */
export interface ReadFlag extends FlagReplacement {
  readonly takesNext?: boolean
  /** True if the replacement wins over a flag of that name that the command takes. */
  readonly wins?: boolean
}

/** Splits a flag and the value after its `=`. */
export const splitFlag = (token: string, next: string | undefined): TypedFlag => {
  const [, name = token, joined] = /^(--?[^=]+)=(.*)$/s.exec(token) ?? []
  return { name, joined, next }
}

/** Returns the tokens with the order of `--sort` reversed; undefined if there is none. */
export const reverseSort = (tokens: readonly string[]): readonly string[] | undefined => {
  const at = tokens.indexOf('--sort')
  const field = tokens[at + 1]
  return at < 0 || field === undefined ? undefined : tokens.toSpliced(at, 2, `--sort=-${field}`)
}
