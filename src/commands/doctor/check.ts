/** One line of `doctor`: what was looked at, how it stands, what to do about it. */

import { type Category, exitCodes, survived } from '../../errors.js'
import type { KnownInstance } from '../../profile/known.js'

export interface Check {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure'
  readonly message: string
  readonly remedy?: string
  /** Why the tool cannot be used; decides the exit code. */
  readonly category?: Category
  /** What was seen of the instance, for programs. */
  readonly known?: KnownInstance
}

export const ok = (check: string, message: string): Check => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, remedy?: string): Check => ({
  check,
  status: 'warning',
  message,
  remedy,
})

export const failed = (
  check: string,
  category: Category,
  message: string,
  remedy?: string,
): Check => ({
  check,
  status: 'failure',
  message,
  category,
  remedy,
})

/**
 * A check from what was thrown.
 * @throws whatever is no Failure, and an interruption
 */
export const failedBy = (check: string, error: unknown, remedy?: string): Check => {
  const { category, message, details } = survived(error)
  return failed(check, category, message, remedy ?? details.hint)
}

/** The exit code of all checks together: that of the first failure. */
export const getDoctorExitCode = (checks: readonly Check[]): number => {
  const first = checks.find((c) => c.category !== undefined)?.category
  return first === undefined ? 0 : exitCodes[first]
}
