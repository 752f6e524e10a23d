/** Parses `--max-failures`: how many objects or instances may fail before a run stops. */
import { usage } from '../../errors.js'
import type { FailureLimit } from '../work/report.js'

/**
 * Parses `5`, or `10%` of the outcomes; undefined if the flag is not set.
 * @throws Failure `usage` if it is neither
 */
export const parseFailureLimit = (text: string | undefined): FailureLimit | undefined => {
  if (text === undefined) return undefined
  const [, number, percent] = /^\s*(\d+(?:\.\d+)?)\s*(?:(%)\s*)?$/.exec(text) ?? []
  const value = Number(number)
  if (percent !== undefined && value > 0 && value <= 100) return { percent: value }
  if (percent === undefined && Number.isSafeInteger(value) && value > 0) return { count: value }
  throw usage(
    `${JSON.stringify(text)} is not a valid number of failures`,
    'Use a number of at least 1, or a share of the objects, such as 10%.',
  )
}
