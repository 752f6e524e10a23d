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

  /** Whether background work begun at `start` that takes `seconds` is through. */
  over(start: string, seconds: number): boolean {
    if (this.speed === Number.POSITIVE_INFINITY) return true
    const elapsed = (this.now().getTime() - Date.parse(start)) / 1000
    return elapsed * this.speed >= seconds
  }
}
