/** Recognizes formats that svcctl prints for people, whose lines are no objects. */
import type { Objects } from '../objects.js'
import { createRowFailure, isLeadingColumn, isOneHeading } from './rows.js'

/** True for the heading of an aligned table, whose cells may be shortened. */
const isAlignedHeading = (line: string, objects: Objects): boolean => {
  const cells = line.split(/ {2,}/)
  return (
    cells.length > 1 &&
    cells.every((cell) => /^\p{L}[\p{L}\p{N} _.-]*$/u.test(cell)) &&
    cells.some((cell, i) => (i === 0 ? isLeadingColumn : isOneHeading)(cell, objects))
  )
}

/** Returns the format of a first line that svcctl prints and does not read; undefined for any other line. */
const findPrintedFormat = (line: string, objects: Objects): string | undefined => {
  if (isAlignedHeading(line, objects)) return 'an aligned table'
  if (/^\|.*\|$/.test(line)) return 'a Markdown table'
  if (/^<!doctype html>/i.test(line)) return 'a page'
  const [, item, key = ''] = /^(- )?([\w.]+):(?: |$)/.exec(line) ?? []
  return key !== '' && (item !== undefined || isLeadingColumn(key, objects)) ? 'YAML' : undefined
}

/**
 * Rejects input in a format that is only printed: its lines would be taken for names.
 * @throws Failure `usage`
 */
export const checkReadable = (line: string, objects: Objects): void => {
  const format = findPrintedFormat(line.trim(), objects)
  if (format === undefined) return
  throw createRowFailure(
    'line 1',
    `${format}, which is not read here`,
    'Omit -o, because a pipe gets tab-separated values without it. Or pass -o json, or -o id.',
  )
}
