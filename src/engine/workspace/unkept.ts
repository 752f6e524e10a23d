/** Writes that no journal keeps: noted before they are sent, so that `journal undo last` does not pass over them. */

import { getReason } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import { journalFolder } from '../../profile/index.js'
import { getCommandName } from '../command/derive/index.js'
import type { WorkspaceService } from '../command/services.js'
import type { Command } from '../command/types.js'
import { getInstanceName } from './sandbox.js'

interface UnkeptParts {
  readonly command: Command
  readonly place: Pick<WorkspaceService, 'clock' | 'env' | 'globals' | 'profile' | 'session'>
  readonly warn: (text: string) => void
}

type Request = Pick<WireRequest, 'method' | 'path'>

/** Where a profile's own instance is not what is written to, it is the profile's write all the same. */
const elsewhereBy = async ({ place }: UnkeptParts) => {
  const profile = await place.profile()
  return profile && { instance: profile.baseUrl, profile: profile.name }
}

export class UnkeptWrites {
  readonly #parts: UnkeptParts
  /** A journal is in force, which notes its run by itself; undefined where the command alone says so. */
  kept: boolean | undefined
  #noted: Promise<void> | undefined
  #warned = false
  #latest: (() => Promise<void>) | undefined

  constructor(parts: UnkeptParts) {
    this.#parts = parts
  }

  /** Whether the command keeps a journal of its own. */
  get #own(): boolean {
    const { command, place } = this.#parts
    const own = command.ownJournal === true || command.area === 'journal'
    return own && place.globals.journal !== 'none'
  }

  /** Resolves when a request may be sent: the first write of a run is noted. */
  readonly note = async (request: Request, elsewhere = false): Promise<void> => {
    if (request.method === 'GET' || request.method === 'HEAD') return
    this.#latest = (this.kept ?? this.#own) ? undefined : () => this.#note(request, elsewhere)
    this.#noted ??= this.#latest?.()
    await this.#noted
  }

  /** Notes the writes of a run once more: others may have written since the first. */
  async close(): Promise<void> {
    await this.#latest?.()
  }

  async #note(request: Request, elsewhere: boolean): Promise<void> {
    const { command, place, warn } = this.#parts
    const { clock, env } = place
    try {
      const writer = elsewhere
        ? await elsewhereBy(this.#parts)
        : {
            instance: await getInstanceName(place),
            profile: (await place.session()).profile?.name ?? null,
          }
      const write = { command: getCommandName(command), at: clock.now().toISOString() }
      if (writer === undefined) return
      const { noteUnkept } = await import('../journal/last.js')
      await noteUnkept(journalFolder(env), { ...writer, ...write }, request)
    } catch (error) {
      if (!this.#warned)
        warn(
          `this write cannot be recorded (${getReason(error)}); pass the run ID to "svcctl journal undo" instead of "last"`,
        )
      this.#warned = true
    }
  }
}
