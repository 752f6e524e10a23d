/** Routes that an instance did not have when they were last asked: said before they are asked again, kept with its profile. */
import type { Called } from '../../client/credential.js'
import { Failure } from '../../errors.js'
import { getPaths } from '../../profile/index.js'
import { findGone, type GoneRoute, updateGone } from '../../profile/known.js'
import type { Profile } from '../../profile/types.js'

interface RouteMemoryOptions {
  readonly env: NodeJS.ProcessEnv
  /** Whose instance it is. */
  readonly profile: Profile
  /** Whether what is found out is kept. */
  readonly remembers: boolean
  readonly note: (text: string) => void
}

export class RouteMemory {
  readonly #options: RouteMemoryOptions
  readonly #found = new Map<string, GoneRoute>()
  /** Routes that were gone, and have not failed in this run. */
  readonly #back = new Set<string>()
  readonly #asked = new Set<string>()

  constructor(options: RouteMemoryOptions) {
    this.#options = options
  }

  /** An endpoint is about to be asked. */
  readonly asking = ({ route, successor }: Called): void => {
    const { env, profile, note } = this.#options
    if (this.#asked.has(route)) return
    this.#asked.add(route)
    const gone = findGone(getPaths(env), profile, route, new Date())
    if (gone === undefined) return
    this.#back.add(route)
    const instead = successor === undefined ? '' : `. ${successor}`
    note(`the instance did not have ${route} on ${gone.at.slice(0, 10)} (${gone.status})${instead}`)
  }

  readonly failed = ({ route }: Called, error: unknown): void => {
    // Whatever went wrong, it is not known to be there again.
    this.#back.delete(route)
    if (!(error instanceof Failure) || error.details.lacks !== 'route') return
    const { status = 404 } = error.details
    this.#found.set(route, { route, status, at: new Date().toISOString() })
  }

  /** Keeps what was found. What cannot be kept is found again. */
  async keep(): Promise<void> {
    const { env, profile, remembers } = this.#options
    if (!remembers || env.CI || this.#found.size + this.#back.size === 0) return
    const found = [...this.#found.values()]
    try {
      await updateGone(getPaths(env), profile, { found, back: [...this.#back] }, new Date())
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
}
