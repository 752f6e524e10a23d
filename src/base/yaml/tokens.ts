/** What a YAML text consists of, as libyaml cuts it up, and what is wrong with one. */

export type YamlTokenKind =
  | 'directive'
  | 'document start'
  | 'document end'
  | 'block list'
  | 'block map'
  | 'block end'
  | 'flow list'
  | 'flow list end'
  | 'flow map'
  | 'flow map end'
  | 'flow entry'
  | 'block entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'
  | 'end'

/** A place in a text; offset, line and column count from 0. */
export interface Mark {
  readonly offset: number
  readonly line: number
  readonly column: number
}

export interface YamlToken {
  readonly kind: YamlTokenKind
  readonly at: Mark
  /** The text of a scalar, the name of an anchor, alias or directive, or a tag. */
  readonly value: string
  /** Whether a scalar stands there without quotes and is no block. */
  readonly plain: boolean
}

/** What makes a text no YAML, in libyaml's words, which hold nothing of the text. */
export class YamlProblem extends Error {
  constructor(
    readonly problem: string,
    readonly context: string,
    readonly at: Mark,
  ) {
    super(context === '' ? problem : `${problem} ${context}`)
    this.name = 'YamlProblem'
  }
}
