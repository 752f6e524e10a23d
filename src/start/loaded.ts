import type { Script } from 'node:vm'

/** A script of the program, what its code is called, and how much of it there was. */
export interface Loaded {
  readonly script: Script
  readonly name: string
  readonly before: number
}
