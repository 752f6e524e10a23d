import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  auditFields,
  createAuditEntry,
  openAudit,
} from '../../src/profile/index.js'
import { createDirectory, getFailure, runWorkers } from './setup.js'

const exchange = {
  method: 'DELETE',
  url: 'https://forge.test/forge/api/v4/runners/7?token=canary',
  status: 204,
  sudo: 'ana',
  requestId: 'r-1',
  milliseconds: 12.7,
}
const profile = { name: 'prod', baseUrl: 'https://forge.test/forge' }
const now = new Date('2026-01-02T03:04:05Z')
const line = createAuditEntry(profile, exchange, 'root', now)

/** The lines of a log, and how many of them are no entries. */
/** Reads the lines of a log; an empty one stands where a process saw the file while another was writing. */
const read = (file: string) => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
  const entries = lines.flatMap((text): readonly AuditEntry[] => {
    try {
      return [JSON.parse(text)]
    } catch {
      return []
    }
  })
  return { entries, unreadable: lines.length - entries.length }
}

describe('an entry', () => {
  it('says who did what, without the query', () => {
    expect(line).toEqual({
      time: '2026-01-02T03:04:05.000Z',
      profile: 'prod',
      user: 'root',
      sudo: 'ana',
      method: 'DELETE',
      path: '/forge/api/v4/runners/7',
      status: 204,
      request_id: 'r-1',
      duration_ms: 13,
      outcome: 'done',
    })
    expect(Object.keys(line)).toEqual(auditFields)
    expect(JSON.stringify(line)).not.toContain('canary')
  })

  it.each([
    [200, 'done'],
    [304, 'done'],
    [302, 'refused'],
    [403, 'refused'],
    [502, 'unknown'],
    [undefined, 'unknown'],
  ])('with status %s is %s', (status, outcome) => {
    const { status: _, ...rest } = exchange
    const entry = createAuditEntry(
      profile,
      status === undefined ? rest : { ...rest, status },
      undefined,
      now,
    )
    expect(entry.outcome).toBe(outcome)
    expect(entry.user).toBeNull()
  })
})

describe('the audit log', () => {
  it('is appended to, for its owner only', async () => {
    const file = path.join(createDirectory(), 'audit.jsonl')
    for (const _ of [1, 2]) {
      const log = openAudit(file)
      log.append(line)
      log.close()
    }
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(line)}\n`.repeat(2))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(read(file).entries).toEqual([line, line])
  })

  it('gets whole lines from processes side by side', async () => {
    const file = path.join(createDirectory(), 'audit.jsonl')
    const users = ['ana', 'bo', 'cy']
    const ended = await runWorkers(...users.map((user) => ['audit', file, user, '200']))
    for (const { code, stderr } of ended) expect([code, stderr]).toEqual([0, ''])
    const { entries, unreadable } = read(file)
    expect([entries.length, unreadable]).toEqual([600, 0])
    for (const user of users)
      expect(entries.filter((e) => e.user === user).map((e) => e.path)).toEqual(
        Array.from({ length: 200 }, (_, i) => `/${i}`),
      )
  })

  it('goes on after a line that was cut short', async () => {
    const file = path.join(createDirectory(), 'audit.jsonl')
    writeFileSync(file, `${JSON.stringify(line)}\n{"time":"2026-01-`)
    const log = openAudit(file)
    log.append(line)
    log.append(line)
    log.close()
    const { entries, unreadable } = read(file)
    expect([entries, unreadable]).toEqual([[line, line, line], 1])
  })

  it('that cannot be opened is a failure before anything is sent', async () => {
    const directory = createDirectory()
    for (const file of [directory, path.join(directory, 'no', 'audit.jsonl')]) {
      const failure = await getFailure(() => openAudit(file))
      expect(failure.category).toBe('usage')
      expect(failure.message).toContain(file)
      expect(failure.details.hint).toContain('--audit-log')
    }
  })

  it.runIf(existsSync('/dev/full'))('that is full says what was sent', async () => {
    const log = openAudit('/dev/full')
    const failure = await getFailure(() => log.append(line))
    expect(failure.message).toContain('DELETE /forge/api/v4/runners/7 (204) was sent')
    log.close()
  })
})
