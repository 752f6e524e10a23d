import type { Patient } from '../answers/body.js'
import type { AnswerHeaders } from '../answers/headers.js'
import type { Target } from '../request/address.js'
import type { Trace } from './tracing.js'

/** An answer of any status, its body still to be read. */
export interface OpenAnswer {
  readonly status: number
  readonly headers: AnswerHeaders
  /** Where it came from in the end. */
  readonly target: Target
  /** What was asked, without credentials. */
  readonly label: string
  readonly method: string
  readonly body: Patient
  /** How its body begins, where that was read already. */
  readonly read?: Uint8Array
  /** Reads no further. */
  readonly cancel: () => void
  readonly signedIn: boolean
  readonly trace: Trace
  /** What the gate says, where the request passed one: it may come again, or the answer stands. */
  readonly gate?: 'again' | 'stands'
}
