/** Declares how work reports its progress to a person. */

/** A function that reports progress; `fraction` is from 0 to 1 if the total is known. */
export type ProgressListener = (text: string, fraction?: number) => void

/** Work that is shown while it runs. */
export interface ShownWork {
  readonly say: ProgressListener
  /** Ends the work; resolves once its line is removed. */
  readonly end: () => Promise<void>
}

/** Work whose parts are counted. */
export interface CountedWork {
  /** Counts parts that are done, or failed. */
  add(count: number, failed?: boolean): void
  /** Sets the number of all parts. */
  setTotal(count: number): void
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
