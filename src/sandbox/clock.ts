/** The instance's idea of time: the real clock, and how fast its background work goes. */

export class InstanceClock {
  constructor(
    readonly now: () => Date = () => new Date(),
    /** Background seconds per real second: 0 freezes the work, Infinity does it at once. */
    readonly speed = 1,
  ) {}

  /** The present moment as the API writes it. */
  iso(): string {
    return this.now().toISOString()
  }

  /** The present day, `YYYY-MM-DD`. */
  day(): string {
    return this.iso().slice(0, 10)
  }

  /** When background work begun at `start` that takes `seconds` is through, in milliseconds since the epoch. */
  due(start: string, seconds: number): number {
    return Date.parse(start) + (seconds * 1000) / this.speed
  }

  /** Whether background work begun at `start` that takes `seconds` is through. */
  over(start: string, seconds: number): boolean {
    return this.now().getTime() >= this.due(start, seconds)
  }

  /** The same clock, stopped at a moment (milliseconds since the epoch). */
  stoppedAt(moment: number): InstanceClock {
    return new InstanceClock(() => new Date(moment), this.speed)
  }
}
