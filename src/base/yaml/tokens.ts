/** Declares the tokens of a YAML text as libyaml splits it, and the error for an invalid text. */

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

/** A position in a text; offset, line and column count from 0. */
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
  /** True if a scalar has no quotes and is not a block. */
  readonly plain: boolean
}

/** The error for an invalid YAML text. The message is libyaml's, and quotes nothing of the text. */
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
