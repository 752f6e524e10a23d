/** What a command line comes to. */
import type { JsonValues } from '../../base/json/value.js'
import type { Failure } from '../../errors.js'
import type { Command } from '../command/types.js'
import { beforeDashes, type FindOwn } from '../own/found.js'

/** Texts as they were given, before any of them is understood. */
export interface Raw {
  readonly args: readonly string[]
  /** Flag name → its texts in order; booleans as 'true' and 'false'. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** The attributes of each argument, as a journal has them. */
  readonly rows?: readonly (JsonValues | undefined)[]
  /** By which name flags were given that an instance has others for. */
  readonly own?: ReadonlyMap<string, string>
}

/** What help may be about. */
export type About =
  | { readonly kind: 'root' }
  | {
      readonly kind: 'area'
      readonly area: string
      /** The first of two verb words, where only that was given (`geo nodes`). */
      readonly group?: string
    }
  | { readonly kind: 'command'; readonly command: Command }

/** What a command line asks for. */
export type Meant =
  | { readonly kind: 'help'; readonly of: About }
  /** An area or group without its verb, and nothing else. */
  | { readonly kind: 'bare'; readonly of: About }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'run'
      readonly command: Command
      readonly raw: Raw
      /** The words of its instance. */
      readonly own: FindOwn
    }

/** Leaves Commander, which knows no other way than to end: the line is understood. */
export class Understood extends Error {
  constructor(readonly line: Meant) {
    super(line.kind)
  }
}

/** A first word that names no command: it may be an alias. */
export class LineError extends Error {
  constructor(
    readonly word: string,
    /** What it is where it is none. */
    readonly failure: Failure,
  ) {
    super(failure.message)
  }
}

/** Whether help is asked for, wherever on the line: it is shown whatever else is wrong with it. */
export const asksHelp = (tokens: readonly string[]): boolean =>
  beforeDashes(tokens).some((token) => token === '--help' || token === '-h')

/** Whether a token is no flag. */
export const isWord = (token: string): boolean => !token.startsWith('-')
