/** The last of several answers: those before it are let go. */
import type { Stdout } from './stdout.js'

export interface LastAnswer extends Stdout {
  /** Lets go of what was written. */
  drop(): void
}

export const openLast = (stdout: Stdout): LastAnswer => {
  let written: (string | Uint8Array)[] = []
  return {
    write: async (chunk) => {
      written.push(chunk)
    },
    drop: () => {
      written = []
    },
    end: async () => {
      for (const chunk of written.splice(0)) await stdout.write(chunk)
      await stdout.end()
    },
  }
}
