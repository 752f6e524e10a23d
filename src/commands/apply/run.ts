/** A run of apply: what it does, and with what. */
import type { PlannedAction } from '../../desired/actions.js'
import type { Services } from '../../engine/command/services.js'
import type { MadePlan } from '../plan/making.js'
import type { ActionEnd, Reported } from '../plan/markdown.js'
import type { secretsOf } from '../plan/secrets.js'
import type { OwnRun } from './journal.js'

export interface ApplyRun {
  readonly services: Services
  readonly made: MadePlan
  readonly actions: readonly PlannedAction[]
  readonly secrets: Awaited<ReturnType<typeof secretsOf>>
  readonly run: OwnRun
  /** Whether what was written is read once more. */
  readonly verify: boolean
  readonly reported: Reported
  /** Writes the reports again, with what became of actions. */
  report(ends: ReadonlyMap<string, ActionEnd>): Promise<void>
}
