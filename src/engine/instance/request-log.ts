/** Records the writes that no journal of objects contains, as a run of their own. */
import { getReason, isInterruption } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import type { AuditEntry } from '../../profile/audit.js'
import { createWaitOptions, getRunFolder } from '../../profile/index.js'
import type { WorkspaceService } from '../command/context.js'
import { getCommandName } from '../command/derive.js'
import type { Command } from '../command/types.js'
import { beginRequests, RequestRun } from '../journal/requests.js'
import type { Journal } from '../journal/writer.js'

export interface RequestRunParts {
  readonly command: Command
  readonly place: Pick<WorkspaceService, 'clock' | 'env' | 'getOrigin' | 'globals' | 'profile'>
  readonly note: (text: string) => void
  readonly warn: (text: string) => void
}

type Request = Pick<WireRequest, 'method' | 'path'>

/** Identifies the run of a request to another address. With a profile it counts as a write of that profile. */
const identifyElsewhere = async ({ place }: RequestRunParts, { path }: Request) => {
  const profile = await place.profile()
  const origin = URL.canParse(path) ? new URL(path).origin : ''
  const instance = profile?.baseUrl ?? origin
  return { instance, profile: profile?.name ?? null, user: null, sudo: null }
}

const identifySession = async ({ place }: RequestRunParts) => {
  const { version: _, ...by } = await place.getOrigin('known')
  return by
}

/** Records the writes that no journal of objects contains, each as a request. */
export class RequestLog {
  readonly #run: RequestRun
  readonly #parts: RequestRunParts
  /** True if a journal of objects records the writes; undefined if the command alone decides that. */
  #hasJournal: boolean | undefined

  constructor(parts: RequestRunParts) {
    this.#parts = parts
    this.#run = new RequestRun((...sent) => this.#begin(...sent))
  }

  /** Says whether a journal of objects records the writes from now on. */
  setJournal(hasJournal: boolean): void {
    this.#hasJournal = hasJournal
  }

  /** True if a journal of objects records what is sent now. */
  get #isJournaled(): boolean {
    const { command, place } = this.#parts
    const own = command.ownJournal === true || command.area === 'journal'
    return this.#hasJournal ?? (own && place.globals.journal !== 'none')
  }

  /** Records the start of a write. Resolves when the request may be sent. */
  async recordStart(request: Request, elsewhere = false): Promise<void> {
    if (request.method === 'GET' || request.method === 'HEAD' || this.#isJournaled) return
    await this.#run.recordStart(request, elsewhere)
  }

  /** Returns the function that records each exchange; undefined if a journal of objects does. */
  readonly getListener = (): ((entry: AuditEntry) => void) | undefined =>
    this.#isJournaled ? undefined : (entry) => this.#run.recordOutcome(entry)

  close(): Promise<void> {
    return this.#run.close()
  }

  async #begin(request: Request, elsewhere: boolean): Promise<Journal | undefined> {
    const { command, note, place, warn } = this.#parts
    const waiting = createWaitOptions({ ui: { note }, place })
    try {
      const by = await (elsewhere
        ? identifyElsewhere(this.#parts, request)
        : identifySession(this.#parts))
      const words = getCommandName(command)
      return await beginRequests(getRunFolder(place.env), words, by, {
        ...waiting,
        clock: place.clock.timers,
      })
    } catch (error) {
      if (isInterruption(error)) throw error
      warn(
        `this write cannot be recorded (${getReason(error)}): it cannot be undone, and "svcctl journal undo last" undoes an earlier run`,
      )
      return undefined
    }
  }
}
