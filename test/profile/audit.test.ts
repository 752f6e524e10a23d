import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  type AuditFilter,
  auditFields,
  createAuditEntry,
  openAudit,
  readAudit,
} from '../../src/profile/index.js'
import { failureOf, temporary, together } from './setup.js'

const exchange = {
  method: 'DELETE',
  url: 'https://forge.test/forge/api/v4/runners/7?token=canary',
  status: 204,
  requestHeaders: { sudo: 'ana' },
  requestId: 'r-1',
  milliseconds: 12.7,
}
const profile = { name: 'prod', baseUrl: 'https://forge.test/forge' }
const now = new Date('2026-01-02T03:04:05Z')
const line = createAuditEntry(profile, exchange, 'root', now)

const read = async (file: string, filter?: AuditFilter) => {
  const entries: AuditEntry[] = []
  const reader = readAudit(file, filter)
  for (;;) {
    const { done, value } = await reader.next()
    if (done === true) return { entries, end: value }
    entries.push(value)
  }
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
    const file = path.join(temporary(), 'audit.jsonl')
    for (const _ of [1, 2]) {
      const log = openAudit(file)
      log.append(line)
      log.close()
    }
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(line)}\n`.repeat(2))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await read(file)).entries).toEqual([line, line])
  })

  it('gets whole lines from processes side by side', async () => {
    const file = path.join(temporary(), 'audit.jsonl')
    const users = ['ana', 'bo', 'cy']
    const ended = await together(...users.map((user) => ['audit', file, user, '200']))
    for (const { code, stderr } of ended) expect([code, stderr]).toEqual([0, ''])
    const { entries, end } = await read(file)
    expect(end).toEqual({ records: 600, more: false, unreadable: 0 })
    for (const user of users)
      expect(entries.filter((e) => e.user === user).map((e) => e.path)).toEqual(
        Array.from({ length: 200 }, (_, i) => `/${i}`),
      )
  })

  it.each([
    { method: 7 },
    { status: '204' },
    { user: ['ana'] },
    { outcome: 'perhaps' },
    { duration_ms: null },
  ])('takes a line for none of its own that holds %j', async (wrong) => {
    const file = path.join(temporary(), 'audit.jsonl')
    const other = { ...line, ...wrong }
    writeFileSync(file, `${JSON.stringify(other)}\n${JSON.stringify(line)}\n`)
    const { entries, end } = await read(file, { status: '2xx' })
    expect(entries).toEqual([line])
    expect(end).toEqual({ records: 1, more: false, unreadable: 1 })
  })

  it('goes on after a line that was cut short', async () => {
    const file = path.join(temporary(), 'audit.jsonl')
    writeFileSync(file, `${JSON.stringify(line)}\n{"time":"2026-01-`)
    const log = openAudit(file)
    log.append(line)
    log.append(line)
    log.close()
    const { entries, end } = await read(file)
    expect(entries).toEqual([line, line, line])
    expect(end).toEqual({ records: 3, more: false, unreadable: 1 })
  })

  it('that cannot be opened is a failure before anything is sent', async () => {
    const directory = temporary()
    for (const file of [directory, path.join(directory, 'no', 'audit.jsonl')]) {
      const failure = await failureOf(() => openAudit(file))
      expect(failure.category).toBe('usage')
      expect(failure.message).toContain(file)
      expect(failure.details.hint).toContain('--audit-log')
    }
  })

  it.runIf(existsSync('/dev/full'))('that is full says what was sent', async () => {
    const log = openAudit('/dev/full')
    const failure = await failureOf(() => log.append(line))
    expect(failure.message).toContain('DELETE /forge/api/v4/runners/7 (204) was sent')
    log.close()
  })
})

describe('reading it', () => {
  const rows: [AuditFilter, number[]][] = [
    [{}, [0, 1, 2, 3, 4]],
    [{ since: new Date('2026-01-01T00:00:02Z') }, [2, 3, 4]],
    [{ until: new Date('2026-01-01T00:00:01Z') }, [0, 1]],
    [{ user: 'ana' }, [1, 3]],
    [{ method: 'put' }, [0, 2, 4]],
    [{ status: '404' }, [3]],
    [{ status: '2xx' }, [0, 1, 2]],
    [{ status: 'none' }, [4]],
    [{ limit: 2 }, [3, 4]],
    [{ limit: 1, user: 'root' }, [4]],
    [{ limit: 9 }, [0, 1, 2, 3, 4]],
  ]
  it.each(rows)('with %j gives %j', async (filter, expected) => {
    const file = path.join(temporary(), 'audit.jsonl')
    const log = openAudit(file)
    for (const [i, status] of [200, 201, 204, 404, null].entries())
      log.append({
        ...line,
        time: `2026-01-01T00:00:0${i}.000Z`,
        user: i % 2 === 1 ? 'ana' : 'root',
        sudo: null,
        method: i % 2 === 1 ? 'POST' : 'PUT',
        status,
        duration_ms: i,
      })
    log.close()
    const { entries, end } = await read(file, filter)
    expect(entries.map((e) => e.duration_ms)).toEqual(expected)
    const all = filter.limit === undefined || filter.limit >= 5
    expect(end).toEqual({ records: expected.length, more: !all, unreadable: 0 })
  })

  it('is empty before the first entry, and fails where it is no file', async () => {
    const directory = temporary()
    expect((await read(path.join(directory, 'none'))).entries).toEqual([])
    expect((await failureOf(() => read(directory))).message).toContain(directory)
  })
})
