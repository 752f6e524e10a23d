/**
 * Records writes that belong to no object of a run (`api`, a command's own calls, all with `--journal none`), before
 * they are sent and after.
 */
import { maskAddresses } from '../../base/secrets/mask.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import { version } from '../../base/version.js'
import type { AuditEntry } from '../../profile/audit.js'
import type { BeginOptions } from './begin-run.js'
import type { Header, RequestLine } from './lines.js'
import type { Journal } from './writer.js'

interface Request {
  readonly method: string
  readonly path: string
}

/** Formats a request without its query and without secrets. */
const formatRequest = ({ method, path }: Request): string => {
  const [plain = ''] = path.split(/[?#]/)
  return redactSecrets(maskAddresses(`${method} ${plain}`))
}

const createSettledLine = (entry: AuditEntry): RequestLine => ({
  request: formatRequest(entry),
  outcome: entry.outcome,
  status: entry.status ?? undefined,
  request_id: entry.request_id === null ? undefined : redactSecrets(entry.request_id),
  duration_ms: entry.duration_ms,
})

/** Begins the run of a command that sends requests of its own. */
export const beginRequests = async (
  folder: string,
  command: string,
  by: Pick<Header, 'instance' | 'profile' | 'user' | 'sudo'>,
  start: BeginOptions,
): Promise<Journal> => {
  const { beginRun, pruneJournals } = await import('./begin-run.js')
  const { createJournalId } = await import('./folder.js')
  const now = new Date(start.clock.now())
  const header: Header = {
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
  }
  const journal = await beginRun(folder, header, start)
  await pruneJournals(folder, now.getTime()).catch(() => [])
  return journal
}

/** A run of requests. It begins before the first request is sent. */
export class RequestRun {
  #journal: Promise<Journal | undefined> | undefined
  #opened: Journal | undefined

  /** @param begin opens the run's file; undefined if it cannot, which does not prevent the write */
  constructor(
    private readonly begin: (request: Request, elsewhere: boolean) => Promise<Journal | undefined>,
  ) {}

  /** Records a request. Resolves when it may be sent. */
  async recordStart(request: Request, elsewhere = false): Promise<void> {
    this.#journal ??= this.begin(request, elsewhere)
    this.#opened = await this.#journal
    await this.#opened?.append({ request: formatRequest(request) }).catch(() => {})
  }

  /** Records the outcome of a request. */
  recordOutcome(entry: AuditEntry): void {
    try {
      this.#opened?.add(createSettledLine(entry))
    } catch {
      // The request itself is already recorded.
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
