/** Which output format is in force: flag, environment, profile, then a table. Failures follow it. */

import { formatNamed, formats, tableFormat } from '../output/formats.js'
import type { Format } from '../output/types.js'
import { getPaths, openStore } from '../profile/index.js'
import type { Globals } from './command/globals.js'
import { getLastValue } from './command/words.js'
import type { Decided } from './options.js'

/** Whether a format has failures as JSON; false for names of none. */
const failsInJson = (name: string | undefined): boolean =>
  formats.some((format) => format.name === name && format.json === true)

type Chosen = Pick<Globals, 'output' | 'profile'>

/** What the profile says of the output; a profile that cannot be read is told where it is needed. */
const profileFormat = ({ profile }: Chosen, env: NodeJS.ProcessEnv): string | undefined => {
  try {
    const store = openStore(getPaths(env))
    const name = profile ?? (env.SVC_PROFILE || undefined) ?? store.current()
    return name === undefined ? undefined : store.get(name)?.output
  } catch {
    return undefined
  }
}

const wantedOf = (chosen: Chosen, env: NodeJS.ProcessEnv): string | undefined =>
  chosen.output ?? (env.SVC_OUTPUT || undefined) ?? profileFormat(chosen, env)

/**
 * The format of a run.
 * @throws Failure `usage` for the name of none
 */
export const outputFormat = (chosen: Chosen, env: NodeJS.ProcessEnv): Format => {
  const wanted = wantedOf(chosen, env)
  return wanted === undefined ? tableFormat : formatNamed(wanted)
}

/** How a failure of a run is told. */
export const toldBy = (
  { color }: Pick<Globals, 'color'>,
  { json }: Pick<Format, 'json'>,
): Decided => ({ json: json === true, color })

/** Whether failures are JSON, of a line that came to no run: by the same rule, as far as it can be read. */
export const failuresInJson = (argv: readonly string[], env: NodeJS.ProcessEnv): boolean => {
  const output = getLastValue(argv, 'output', 'o')
  return failsInJson(wantedOf({ output, profile: getLastValue(argv, 'profile', 'p') }, env))
}
