/**
 * Plays what happens on the instance by itself. Nothing ticks: before a request is looked at, and after one that wrote, all that
 * came due since is played in its order, each as of its own moment. Who looks, and when, changes nothing.
 */
import type { Due, Instance } from './call.js'
import { dueMerges, dueRebases } from './rules/planning/merging.js'
import { dueJobs, settleJobs } from './rules/repository/job-order.js'
import { dueMoves } from './rules/repository/pushes.js'

const sources: readonly ((instance: Instance) => Due[])[] = [
  dueJobs,
  dueMerges,
  dueRebases,
  dueMoves,
]

/** What more is due at once waits for the next request. */
const maxPlayed = 10_000

export class Scheduler {
  #turn: Promise<void> = Promise.resolve()
  /** Nothing is due before: milliseconds since the epoch. */
  #next = Number.NEGATIVE_INFINITY

  constructor(private readonly instance: Instance) {}

  /** The state was changed: whatever was due next may be something else now. */
  changed(): void {
    this.#next = Number.NEGATIVE_INFINITY
  }

  /** Plays what is due by now. `written` says that the state was changed meanwhile. */
  async advance(written = false): Promise<void> {
    if (written) this.changed()
    const now = this.instance.clock.now().getTime()
    if (now < this.#next) return
    const turn = this.#turn.then(() => this.#play(now))
    this.#turn = turn.catch(() => {})
    await turn
  }

  #soonest(): Due | undefined {
    const dues = sources.flatMap((source) => source(this.instance))
    return dues.reduce<Due | undefined>(
      (first, due) => (first === undefined || due.at < first.at ? due : first),
      undefined,
    )
  }

  /** The instance at a moment. */
  #at(moment: number): Instance {
    return { ...this.instance, clock: this.instance.clock.stoppedAt(moment) }
  }

  async #play(now: number): Promise<void> {
    for (let played = 0; played < maxPlayed; played += 1) {
      const due = this.#soonest()
      const at = due?.at ?? Number.POSITIVE_INFINITY
      // What was written since is carried on with as of now, once all that was due before is over.
      if (due === undefined || at > now) {
        this.#next = at
        if (!settleJobs(this.#at(now))) return
      } else {
        const then = this.#at(at)
        await due.play(then)
        settleJobs(then)
      }
    }
  }
}
