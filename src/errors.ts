/**
 * Declares `Failure`, the error class of the whole tool. Each failure has a category, which alone decides the exit code, as `svcctl help
 * exit-codes` shows.
 */

/** The exit code of each category. */
export const exitCodes = {
  failed: 1,
  usage: 2,
  auth: 3,
  not_found: 4,
  conflict: 5,
  rate_limited: 6,
  unreachable: 7,
  partial: 8,
  internal: 9,
  interrupted: 130,
} as const

export type Category = keyof typeof exitCodes

/** The meaning of each category, in the words that `help exit-codes` prints. */
export const categoryMeanings: Readonly<Record<Category, string>> = {
  failed: 'the instance rejected the request (400, 405, 422), or a check failed',
  usage: 'invalid flags or arguments; nothing was sent',
  auth: 'no valid credential (401), or not permitted (403)',
  not_found: '404, 410',
  conflict: '409, 412',
  rate_limited: '429 after all retries',
  unreachable: 'no connection (DNS, TLS, timeout), incomplete response, 5xx, maintenance',
  partial: 'some objects failed; each failure is reported',
  internal: 'a bug in svcctl; the message says where to report it',
  interrupted: 'interrupted by Ctrl-C (shells report 143 for SIGTERM and 129 for SIGHUP)',
}

/** A code for the next step. The module that shows the failure has the words for it. */
interface Advice {
  readonly code: string
  /** The subject of the advice: a scope, a setting. */
  readonly about?: string
}

export interface FailureDetails {
  /** The HTTP status, if an answer came. */
  readonly status?: number
  /** True if no request can be made for the object, so that trying again does not help. */
  readonly unsent?: true
  /** True if a request was interrupted before it was sent, or after the instance turned it away. It changed nothing. */
  readonly withheld?: true
  /** The request that was tried: method and URL without credentials, or the file concerned. */
  readonly request?: string
  /** The next step for the user; a full sentence or a command line. */
  readonly hint?: string
  /** The advice in place of a hint, if its words depend on commands and flags. */
  readonly advice?: Advice
  /** The instance's machine-readable code, if the body contained one (`error_code`, `error`). */
  readonly code?: string
  /**
   * The missing part: the route or the record, according to a 404, 405 or 410 of the instance, the answer, which a snapshot does not have, or
   * the form that an answer must have: JSON, or a list.
   * Undefined if a 404 may come from a proxy in front of the instance.
   */
  readonly lacks?: 'route' | 'record' | 'answer' | 'form'
  /** True if no connection was made, so that nothing was sent. */
  readonly unreached?: boolean
  /** True if standard input is at fault. Objects that it named earlier may have been written already. */
  readonly ofInput?: true
  /** True if it is unknown whether a write was carried out. */
  readonly unknownOutcome?: boolean
  /** True if no later request shows whether a write was carried out, so that resuming the run does not help. */
  readonly unverifiable?: true
  /** The instance's ID of the request (`x-request-id`). */
  readonly requestId?: string
  readonly cause?: unknown
}

export class Failure extends Error {
  /** The name is set explicitly, since minifiers rename classes. */
  static override readonly name = 'Failure'
  readonly category: Category
  readonly details: FailureDetails

  constructor(category: Category, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'Failure'
    this.category = category
    this.details = details
  }

  /** Returns this failure with other details. */
  with(details: FailureDetails): Failure {
    return new Failure(this.category, this.message, { ...this.details, ...details })
  }

  /** The HTTP status, if an answer came. */
  get status(): number | undefined {
    return this.details.status
  }

  /** The instance's machine-readable code, if the answer contained one. */
  get code(): string | undefined {
    return this.details.code
  }

  get exitCode(): number {
    return exitCodes[this.category]
  }

  /** The object printed on standard error under `-o json`. */
  toJSON(): { error: Record<string, unknown> } {
    const { status, request, hint, code, unknownOutcome, requestId } = this.details
    const error: Record<string, unknown> = { category: this.category, message: this.message }
    if (status !== undefined) error.status = status
    if (request !== undefined) error.request = request
    if (hint !== undefined) error.hint = hint
    if (code !== undefined) error.code = code
    if (unknownOutcome === true) error.outcome = 'unknown'
    if (requestId !== undefined) error.request_id = requestId
    return { error }
  }
}

/** Returns the hint and advice of a failure, for another failure that reports it. */
export const getFailureHelp = ({ details: { hint, advice } }: Failure): FailureDetails => ({
  hint,
  advice,
})

/** Creates a usage error: exit code 2, and nothing was sent. */
export const usage = (message: string, hint?: string): Failure =>
  new Failure('usage', message, hint === undefined ? {} : { hint })

/** Creates a usage error in standard input, which a run may find after it wrote earlier objects. */
export const createInputFailure = (message: string, hint?: string, cause?: unknown): Failure =>
  new Failure('usage', message, { hint, cause, ofInput: true })

/** Returns a failure after which a command may continue. @throws any other error: an interruption, or an error that is not a Failure */
export const recoverFrom = (error: unknown): Failure => {
  if (error instanceof Failure && error.category !== 'interrupted') return error
  throw error
}

/** True if the instance says that the record is missing, rather than the route to it. */
export const isMissing = (error: unknown): error is Failure =>
  error instanceof Failure && error.details.lacks === 'record'

/** True if the instance does not have the endpoint, because of its edition or version. */
export const isUnoffered = ({ details }: Failure): boolean => details.lacks === 'route'

/** True if the instance does not have what was requested, or denies it to this user. A broken connection is neither. */
export const isDenied = ({ category, details }: Failure): boolean =>
  category === 'not_found' || details.status === 403

/** Describes why something could not be read. */
export const explainUnread = (failure: Failure): string => {
  if (failure.status === 403) return `not permitted: ${failure.message}`
  return isUnoffered(failure)
    ? `not available on this instance: ${failure.message}`
    : failure.message
}

/** True if a person or a signal ended the line. */
export const isInterruption = (error: unknown): error is Failure =>
  error instanceof Failure && error.category === 'interrupted'

/** True if a failure concerns one object or parent, so that a run over many continues with the others. */
export const isObjectFailure = (error: unknown): error is Failure =>
  error instanceof Failure && !['usage', 'interrupted', 'internal'].includes(error.category)

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is exceeded',
  EFBIG: 'the file would be too large',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of its path is not a directory',
  EEXIST: 'a part of its path is not a directory',
  EISDIR: 'it is a directory',
  ENXIO: 'no process reads from it',
  EPIPE: 'the reader closed it',
  EBUSY: 'it is in use',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open on this system',
  ENAMETOOLONG: 'a name is too long',
  ELOOP: 'its symbolic links go in a circle',
}

/** Returns the system's code of a failed call (`ENOENT`); empty if there is none. */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error &&
  !(error instanceof Failure) &&
  'code' in error &&
  typeof error.code === 'string'
    ? error.code
    : ''

/** True if a call failed because there is no such file, or because a part of its path is a file. */
export const isNoFile = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(getErrorCode(error))

/** Describes why the system could not read or write a file. */
export const getReason = (error: unknown): string =>
  reasons[getErrorCode(error)] ?? (error instanceof Error ? error.message : String(error))

/** Converts an error of writing a file that the line names; a Failure stays as it is. */
export const toWriteFailure = (target: string, cause: unknown): Failure =>
  cause instanceof Failure
    ? cause
    : new Failure('failed', `cannot write ${target}: ${getReason(cause)}`, {
        hint: 'Check the free space and the permissions, or choose another place with --to.',
        cause,
      })

/** The categories of failures that concern the object itself, not the connection to the instance. */
const objectCategories: ReadonlySet<Category> = new Set([
  'usage',
  'failed',
  'not_found',
  'conflict',
])

/** Adds the object's position in standard input to a failure of planning. */
export const placeFailure = (error: unknown, place: string | undefined): unknown =>
  place !== undefined && error instanceof Failure && objectCategories.has(error.category)
    ? new Failure(error.category, `standard input, ${place}: ${error.message}`, {
        ...error.details,
        ofInput: true,
      })
    : error

/**
 * The error for a closed standard output, as after `| head -1`. The run then ends without a message.
 */
export class ClosedPipe extends Error {
  constructor() {
    super('standard output was closed')
    this.name = 'ClosedPipe'
  }
}
