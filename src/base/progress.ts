/** Work whose progress a person sees: what is told of it while it goes on. */

/** Says how far work is; `fraction` from 0 to 1 where the total is known. */
export type ProgressListener = (text: string, fraction?: number) => void

/** Work that is shown to go on. */
export interface ShownWork {
  readonly say: ProgressListener
  /** The line is gone once this ended. */
  readonly end: () => Promise<void>
}

/** Work whose parts are counted. */
export interface CountedWork {
  /** Counts parts that are done, or failed. */
  add(count: number, failed?: boolean): void
  /** Sets the number of all parts. */
  total(count: number): void
  end(): void
}

/** Work that may not go on for so long, and why. */
export interface TimeLimit {
  readonly milliseconds: number
  readonly why: string
}

export interface Meter {
  /** Some work begins; within other work it adds nothing but that it goes on. */
  begin(total?: number, waiting?: () => TimeLimit | undefined): CountedWork
  /** Nothing is shown until it is released: somebody else has the terminal. */
  hold(): () => void
}
