/** Ages in an old snapshot count from its own time, and not from today. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { calling } from '../commands/calling.js'
import { folder } from '../support/program.js'

const { call } = calling()
const live = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
const nobody = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: '' }

/** Ages a snapshot: it was read at this time. */
const age = (to: string, at: string): void => {
  const path = join(to, 'manifest.json')
  const manifest: object = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...manifest, began: at, ended: at }))
}

interface Certificate {
  readonly expires_at?: string
  readonly left_seconds?: number
}

it('counts the ages of an old snapshot from its own time', async () => {
  const to = join(folder(), 'old')
  const lists = ['pages-domains list --instance', 'runners list --instance']
  const taken = await call(['snapshot', ...lists, '--to', to], { env: live })
  expect([taken.code, taken.stderr]).toEqual([0, expect.any(String)])
  const at = '2024-12-20T12:00:00.000Z'
  age(to, at)
  const from = (line: string) => call(`${line} --from ${to}`, { env: nobody })
  const overview = JSON.parse((await from('overview --parts certificates -o json')).stdout)
  const certificates: readonly Certificate[] = overview.certificates.certificates
  const known = certificates.flatMap(({ expires_at: end, left_seconds: left }) =>
    end === undefined ? [] : [[left, Math.floor((Date.parse(end) - Date.parse(at)) / 1000)]],
  )
  expect(known.length).toBeGreaterThan(0)
  for (const [left, counted] of known) expect(left).toBe(counted)
  const check = JSON.parse((await from('check certificates -o json')).stdout)
  const lefts = certificates.flatMap(({ left_seconds: left }) => left ?? [])
  expect(check.measures.map(({ value }: { value: number }) => value)).toEqual(lefts)
  const page = (await from('overview --parts certificates -o html')).stdout
  expect(page).toContain('>2024-12-20</text>')
  expect(page).not.toContain('>today</text>')
  const day = new Date().toISOString().slice(0, 10)
  expect(page).toContain(`<li>${day} `)
}, 60_000)
