/** Work whose progress a person sees: the interfaces that report it. */

/** Says how far work is; `fraction` from 0 to 1 where the total is known. */
export type ProgressListener = (text: string, fraction?: number) => void

/** Work that is shown while it runs. */
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

/** The limit of a wait, with its reason. */
export interface TimeLimit {
  readonly milliseconds: number
  readonly why: string
}

export interface Meter {
  /** Begins a piece of work; inside other work it only keeps the display running. */
  begin(total?: number, waiting?: () => TimeLimit | undefined): CountedWork
  /** Hides the display until it is released, because something else uses the terminal. */
  hold(): () => void
}
