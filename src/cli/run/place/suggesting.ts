/** What the `.svcctl.yaml` of the working directory suggests: looked for once, read where there is one. */

import { fieldsOf, firstOf } from '../../../commands/derive/fields.js'
import type { Command } from '../../../commands/types.js'
import { formats } from '../../../output/formats.js'
import type { Takes } from '../../../profile/index.js'
import { findSuggestions } from '../../../profile/suggested/find.js'
import type { Suggested } from '../../../profile/suggested/read.js'
import { scopeIn } from '../../../profile/suggested/scope.js'

/** Who is told what was ignored. */
interface Hearing {
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
}

/** How answers are shown on a terminal, where nothing else says so. */
interface ShownAs {
  readonly output?: string
  readonly fields?: readonly string[]
}

/** A format that shows all of a record: one that needs fields to go with it would refuse most commands. */
const isWhole = (output: string): boolean =>
  formats.some(({ name, shows }) => name === output && shows === undefined)

export class Suggesting {
  readonly #cwd: string
  readonly #env: NodeJS.ProcessEnv
  #found: Promise<Suggested | undefined> | undefined
  #untold: Pick<Suggested, 'notes' | 'warnings'> | undefined

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    this.#cwd = cwd
    this.#env = env
  }

  /** How the answers of a command are shown: by the fields that they have. */
  async shown(command: Command): Promise<ShownAs> {
    const { output, fields = [] } = (await this.#read()) ?? {}
    const known = new Set(fieldsOf(Object.values(command.endpoints)))
    const own = fields.filter((field) => known.has(firstOf(field)))
    return {
      ...(output === undefined || !isWhole(output) ? {} : { output }),
      ...(own.length === 0 ? {} : { fields: own }),
    }
  }

  /** The project or group, and the file that says so. */
  async scope(takes: Takes) {
    const found = await this.#read()
    return found === undefined ? undefined : scopeIn(found, takes)
  }

  /** Says what was ignored, once. */
  tell({ note, warn }: Hearing): void {
    for (const text of this.#untold?.notes ?? []) note(text)
    for (const text of this.#untold?.warnings ?? []) warn(text)
    this.#untold = undefined
  }

  #read(): Promise<Suggested | undefined> {
    this.#found ??= this.#look()
    return this.#found
  }

  async #look(): Promise<Suggested | undefined> {
    const file = findSuggestions(this.#cwd, this.#env)
    if (file === undefined) return undefined
    const { readSuggestions } = await import('../../../profile/suggested/read.js')
    const found = await readSuggestions(file)
    const { output } = found
    const strange =
      output === undefined || isWhole(output)
        ? []
        : [`${file}: output is ignored: it is no format that suits every command`]
    this.#untold = { notes: [...found.notes, ...strange], warnings: found.warnings }
    return found
  }
}
