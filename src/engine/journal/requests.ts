/** Writes that no object of a run stands for (`api`, a command's own calls, all with `--journal none`): on record before and after. */
import { maskAddresses } from '../../base/secrets/mask.js'
import { redactSecrets } from '../../base/secrets/scrub.js'
import { version } from '../../base/version.js'
import type { AuditEntry } from '../../profile/audit.js'
import type { Header, RequestLine } from './lines.js'
import type { Journal } from './writer.js'

interface Request {
  readonly method: string
  readonly path: string
}

/** Returns a request without its query and what was sent as a secret. */
const nameRequest = ({ method, path }: Request): string => {
  const [plain = ''] = path.split(/[?#]/)
  return redactSecrets(maskAddresses(`${method} ${plain}`))
}

const createSettledLine = (entry: AuditEntry): RequestLine => ({
  request: nameRequest(entry),
  outcome: entry.outcome,
  status: entry.status ?? undefined,
  request_id: entry.request_id === null ? undefined : redactSecrets(entry.request_id),
  duration_ms: entry.duration_ms,
})

/** Begins the run of what sends requests of its own. */
export const beginRequests = async (
  folder: string,
  command: string,
  by: Pick<Header, 'instance' | 'profile' | 'user' | 'sudo'>,
  now: Date,
): Promise<Journal> => {
  const { beginRun, pruneJournals } = await import('./begin-run.js')
  const { createJournalId } = await import('./folder.js')
  const journal = await beginRun(folder, {
    run: 1,
    id: createJournalId(command, now, true),
    began: now.toISOString(),
    command,
    endpoint: '',
    input: {},
    ...by,
    source: 'arguments',
    version,
    final: 'it sent requests, and has no objects',
  })
  await pruneJournals(folder, now.getTime()).catch(() => [])
  return journal
}

/** A run of requests: begun before the first is sent. */
export class RequestRun {
  readonly #begin: (request: Request, elsewhere: boolean) => Promise<Journal | undefined>
  #journal: Promise<Journal | undefined> | undefined
  #opened: Journal | undefined

  /** @param begin opens the file of the run; undefined where it cannot be, which is no reason not to write */
  constructor(begin: (request: Request, elsewhere: boolean) => Promise<Journal | undefined>) {
    this.#begin = begin
  }

  /** Resolves when a request may be sent. */
  async begun(request: Request, elsewhere = false): Promise<void> {
    this.#journal ??= this.#begin(request, elsewhere)
    this.#opened = await this.#journal
    await this.#opened?.append({ request: nameRequest(request) }).catch(() => {})
  }

  /** Writes down what became of a request. */
  settled(entry: AuditEntry): void {
    try {
      this.#opened?.add(createSettledLine(entry))
    } catch {
      // That it was sent is on record.
    }
  }

  async close(): Promise<void> {
    const journal = this.#opened
    this.#opened = undefined
    this.#journal = undefined
    await journal?.end('completed').catch(() => {})
    await journal?.close()
  }
}
