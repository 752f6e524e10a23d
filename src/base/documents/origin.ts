/** Where something stands in a file, as editors and terminals open it. */

/** A position in a file; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The team that it comes from, where that names the person, and the teams whose other values it goes before. */
  readonly team?: { readonly name: string; readonly at: Origin; readonly over?: readonly string[] }
}

/** Writes a position as `file:line:column`. */
export const originText = ({ file, line, column, team }: Origin): string => {
  const at = `${file}:${line}:${column}`
  return team === undefined ? at : `${at}, team ${team.name} at ${originText(team.at)}`
}
