/**
 * The gate that all requests to an instance pass. It is declared here, where it is used, and made
 * where it is understood: whoever puts rooms together hands one in.
 */
import type { AnswerHeaders } from './answers/headers.js'

/** Time and chance, handed in so that tests need neither. */
export interface Clock {
  /** Milliseconds of the epoch. */
  readonly now: () => number
  /** From 0 up to, and never, 1. */
  readonly random: () => number
  /** Does something after so many milliseconds; gives a way to leave it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

export const systemClock: Clock = {
  now: Date.now,
  random: Math.random,
  later: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** Calls back once when the run is interrupted; gives a way to stop listening. */
export type OnInterrupt = (stop: () => void) => () => void

/** Leave to send one request; only the gate that gave it knows what it holds. */
export interface Admission {
  /** When it was given, by the gate's clock. */
  readonly at: number
  /** How often the gate had closed by then. */
  readonly closings: number
  /** Since when this request, sent before and sent back, has been refused. */
  readonly refused: number | undefined
}

/** What became of an admitted request: the beginning of an answer, or none. */
export type AdmissionResult =
  | { readonly status: number; readonly headers: AnswerHeaders }
  | { readonly lost: 'time-out' | 'connection' | 'interrupted' }

export interface Gate {
  /** How many requests may be under way now. */
  readonly width: number
  /**
   * Leave to send a request, as soon as there may be one.
   * @param before what the same request had when it was sent back
   * @throws Failure `interrupted`, or for which no request may be sent any more
   */
  admit(onInterrupt: OnInterrupt, before?: Admission): Promise<Admission>
  /**
   * To be told once of each admission.
   * @returns true where the instance asks to send the request again later (429; 503 with `Retry-After`): it
   *   asks for leave again, which counts as no retry
   */
  observe(admission: Admission, came: AdmissionResult): boolean
}
