/** Tests how an export ends, depending on how much of it could be read. */
import { describe, expect, it } from 'vitest'
import { UnreadParts } from '../../src/commands/export-documents.js'
import { Failure } from '../../src/errors.js'

const refused = new Failure('auth', 'not for you', { hint: 'Ask.' })

const reportUnread = (kinds: number, unread: number, denied: readonly string[]) => {
  const lines: string[] = []
  const parts = new UnreadParts({
    note: (text) => lines.push(text),
    report: (failure, of) => lines.push(`${of}: ${failure.message}`),
  })
  parts.addResult({
    section: undefined,
    unread: Array.from({ length: unread }, (_, i) => ({ address: `part ${i}`, failure: refused })),
    unsupported: [],
    denied,
    kinds,
  })
  return { verdict: parts.createFailure(), lines, some: parts.some }
}

describe('an export of which parts are unread', () => {
  it('read nothing where only what nobody asked for is left, and ends as that failed', () => {
    const { verdict, lines, some } = reportUnread(3, 2, ['settings'])
    expect(some).toBe(false)
    expect(verdict).toMatchObject({ category: 'auth', message: 'nothing could be read' })
    expect(verdict?.details.hint).toBe('Ask.')
    expect(lines[0]).toBe('settings: skipped, because only administrators can read it')
  })

  it('counts the parts that were asked for, and tells twenty of them', () => {
    const { verdict, lines } = reportUnread(23, 22, [])
    expect(verdict).toMatchObject({
      category: 'partial',
      message: '22 of 23 could not be read and are not in the export',
    })
    expect(verdict?.details.hint).toBeUndefined()
    expect(lines.slice(19)).toEqual([
      'part 19: not for you',
      'and 2 more objects that could not be read',
    ])
  })

  it('is whole where nothing is unread', () => {
    expect(reportUnread(2, 0, ['settings']).verdict).toBeUndefined()
  })
})
