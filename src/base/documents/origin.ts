/** Positions in files, written so that editors and terminals can open them. */

/** A position in a file; line and column count from 1. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The team that the value comes from, if a team names the person, and the teams whose values it overrides. */
  readonly team?: { readonly name: string; readonly at: Origin; readonly over?: readonly string[] }
}

/** Writes a position as `file:line:column`. */
export const formatOrigin = ({ file, line, column, team }: Origin): string => {
  const at = `${file}:${line}:${column}`
  return team === undefined ? at : `${at}, team ${team.name} at ${formatOrigin(team.at)}`
}
