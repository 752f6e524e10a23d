/** Tests pages in a real browser: sorting, filtering, accessibility, dark mode, a phone, print, and large lists. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createCaller } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import {
  countSheets,
  hasBrowser,
  listViolations,
  measureWidth,
  type PageOptions,
  useBrowser,
} from './browser.js'
import { hostile, setSnapshotTime } from './parts.js'

const { server, call } = createCaller()

/** Options to run a line and to open its page. */
interface LineOptions extends PageOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly code?: number
}

/** Returns the texts of a column of the first table, from the top. */
const readColumn = (page: Page, n: number): Promise<string[]> =>
  page.locator(`section.list > .scroll tbody tr td:nth-child(${n})`).allTextContents()

/** A line, texts of its page, the largest number of printed A4 sheets, and its exit code. */
type PageLine = readonly [line: string, says: readonly string[], sheets: number, code?: number]

/** Returns the verbs of changes, as the browser knows them. */
const listVerbs = (all: readonly { readonly dataset: { readonly verb?: string } }[]) =>
  all.map(({ dataset }) => dataset.verb)

/** Creates runners; two have the hostile text: one in the HTML of the page, one in the rows that the script adds. */
const createRunners = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    description: i % 2100 === 3 ? hostile : `runner ${i % 7}`,
    status: ['online', 'offline', 'paused'][i % 3],
    contacted_at: new Date(Date.UTC(2026, 0, 1 + (i % 40), 3)).toISOString(),
    job_count: (i * 7919) % 1000,
  }))
const fields = '--fields id,description,status,contacted_at,job_count'

/** Answers with pages of this many records in total. */
const serveRunners = (count: number): void => {
  const all = createRunners(count)
  server.answer = ({ url }) => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
    const next = `<${server.url}/api/v4/runners?page=${page + 1}&per_page=100>; rel="next"`
    const more = page * 100 < count
    return { body: all.slice((page - 1) * 100, page * 100), headers: more ? { link: next } : {} }
  }
}

describe.skipIf(!hasBrowser)('a page in a browser', () => {
  const open = useBrowser()

  /** Runs a line, and opens its page. */
  const opened = async (
    line: string,
    { env, cwd = createFolder(), code = 0, ...looks }: LineOptions = {},
  ) => {
    const ran = await call(`${line} -o html`, { cwd, env })
    expect([line, ran.code, ran.code === code ? '' : ran.stderr]).toEqual([line, code, ''])
    return open(ran.stdout, looks)
  }

  it('sorts by number, and filters', async () => {
    serveRunners(30)
    const { page, complaints, close } = await opened(`runners list ${fields}`)
    const head = page.getByRole('columnheader', { name: 'job_count' })
    await head.getByRole('button').click()
    const up = (await readColumn(page, 5)).map(Number)
    expect(up).toEqual(up.toSorted((a, b) => a - b))
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    await head.getByRole('button').click()
    expect((await readColumn(page, 5)).map(Number)).toEqual(up.toReversed())
    await page.getByRole('searchbox').fill('OFFLINE runner')
    await page.getByText('10 of 30 rows').waitFor()
    expect(new Set(await readColumn(page, 3))).toEqual(new Set(['○ offline']))
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['light', false],
    ['dark', true],
  ] as const)('breaks no rule of accessibility, %s', async (_, dark) => {
    serveRunners(30)
    const list = await opened(`runners list ${fields}`, { dark })
    expect(await listViolations(list.page, dark)).toEqual([])
    expect(await list.page.locator('figure g[data-step]').count()).toBe(30)
    await list.close()
    const sandbox = { env: { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }, dark }
    for (const line of ['overview', 'projects get platform/app']) {
      const { page, complaints, close } = await opened(line, sandbox)
      expect([line, await listViolations(page, dark), complaints]).toEqual([line, [], []])
      await close()
    }
  })

  it('pages through more rows than it shows, sorted as a whole, and runs nothing of the data', async () => {
    serveRunners(5000)
    const { page, complaints, close } = await opened(`runners list --limit all ${fields}`)
    await page.getByText('1–1000 of 5,000 rows').waitFor()
    const id = page.getByRole('columnheader', { name: 'id' }).getByRole('button')
    await id.click()
    await id.click()
    expect((await readColumn(page, 1))[0]).toBe('5000')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('1001–2000 of 5,000 rows').waitFor()
    expect((await readColumn(page, 1))[0]).toBe('4000')
    expect(await page.locator('img').count()).toBe(0)
    // Rows are created only for the visible part of the list.
    await page.evaluate(`
      globalThis.made = 0
      const make = document.createElement.bind(document)
      document.createElement = (name) => {
        globalThis.made += name === 'tr' ? 1 : 0
        return make(name)
      }`)
    await page.getByRole('button', { name: 'online 1,667' }).click()
    await page.getByText('1–1000 of 1,667 of 5,000 rows').waitFor()
    expect(await page.evaluate('globalThis.made')).toBeLessThanOrEqual(1000)
    expect(await page.locator('section.list > .scroll tbody tr').count()).toBe(1000)
    await page.getByRole('button', { name: 'online 1,667' }).click()
    await page.getByRole('searchbox').fill('onerror')
    await page.getByText('3 of 5,000 rows').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'draws every kind of page, %s at %i pixels, on a few sheets',
    async (scheme, width) => {
      const cwd = createFolder()
      const own = { env: { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }, cwd, width }
      await call('export --to all.yml', own)
      const declared = readFileSync(join(cwd, 'all.yml'), 'utf8')
      const wanted = declared
        .replace('admin_mode: false', 'admin_mode: true')
        .replace('  labs:\n    members:\n', '  labs:\n    members:\n      $exact: true\n')
        .replace('      eva:\n        access_level: reporter\n', '')
      writeFileSync(join(cwd, 'wanted.yml'), wanted)
      writeFileSync(
        join(cwd, 'policy.yml'),
        [
          'policy: 1',
          'rules:',
          '- {name: offline, list: runners list --instance, where: status=offline, severity: critical}',
          '- {name: fine, list: runners list --instance, where: id=99999}',
        ].join('\n'),
      )
      const kept = ['runners list --instance', 'projects list', 'settings get']
      await call(['snapshot', ...kept, '--to', 'kept/1'], own)
      for (const [i, day] of ['2026-08-30', '2026-09-29', '2026-10-29'].entries()) {
        const to = join(cwd, 'kept', String(i + 1))
        if (i > 0) cpSync(join(cwd, 'kept', '1'), to, { recursive: true })
        setSnapshotTime(to, `${day}T12:00:00.000Z`)
      }
      const week = 'jobs list --all-projects --group-by created_at:week,status'
      const lines: readonly PageLine[] = [
        ['overview', ['What to do next', 'act now'], 3],
        ['runners list --instance', ['10 runners', 'By runner type'], 1],
        ['jobs list --all-projects', ['Jobs of all projects', 'per week, by status'], 2],
        [week, ['per week'], 2],
        ['jobs list --all-projects --group-by project,name --p95 duration', ['95th percentile'], 2],
        ['plan wanted.yml', ['to delete', 'members/eva'], 1],
        ['check policy policy.yml', ['1 rule has none', '✓ none'], 1, 1],
        ['check instance', ['Check instance: ok', 'exit code 0', 'Nothing is wrong'], 1],
        ['check runners', ['Check runners: warning', 'What is wrong', 'not online'], 1, 1],
        ['access platform/app', ['Who has access to', 'By way and access level'], 1],
        ['access platform/app --matrix', ['7 members'], 1],
        ['access ana', ['Access of @ana', 'Places', 'As owner or maintainer'], 2],
        ['overview --parts runners,storages --from kept', ['one point a snapshot'], 2],
        ['runners list --instance --from kept', ['Runners per snapshot, by status'], 2],
        [
          'runners list --instance --group-by snapshot,status --from kept',
          ['Number of runners, by snapshot and status'],
          1,
        ],
        ['projects get platform/app', ['Project platform/app'], 4],
        ['projects list --where id=99999', ['none'], 1],
      ]
      for (const [line, says, sheets, code] of lines) {
        const dark = scheme === 'dark'
        const { page, complaints, close } = await opened(line, { ...own, dark, code })
        const text = await page.locator('body').textContent()
        for (const one of says) expect([line, text]).toEqual([line, expect.stringContaining(one)])
        expect([line, await measureWidth(page)]).toEqual([line, width])
        expect([line, await listViolations(page, dark), complaints]).toEqual([line, [], []])
        const printed = await countSheets(page)
        expect([line, printed, printed > 0 && printed <= sheets]).toEqual([line, printed, true])
        await close()
      }
    },
    180_000,
  )

  it('chooses among the changes of a plan by facets, tiles and its address', async () => {
    const cwd = createFolder()
    const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
    await call('export --to all.yml', { env, cwd })
    const wanted = readFileSync(join(cwd, 'all.yml'), 'utf8')
      .replaceAll(/maximum_timeout: .*/g, 'maximum_timeout: 7200')
      .replace('  labs:\n    members:\n', '  labs:\n    members:\n      $exact: true\n')
      .replace('      eva:\n        access_level: reporter\n', '')
    writeFileSync(join(cwd, 'wanted.yml'), wanted)
    const { page, complaints, close } = await opened('plan wanted.yml', { env, cwd })
    const seen = page.locator('.change:visible')
    const all = await seen.count()
    expect(all).toBeGreaterThan(8)
    const deletion = page.getByRole('button', { name: /^delete 1$/ })
    await deletion.click()
    expect(await seen.evaluateAll(listVerbs)).toEqual(['delete'])
    expect(await page.locator('details.place:visible').count()).toBe(1)
    expect(await deletion.getAttribute('aria-pressed')).toBe('true')
    expect(page.url()).toContain('#verb=delete')
    await deletion.click()
    expect(await seen.count()).toBe(all)
    await page.locator('a.tile', { hasText: 'to change' }).click()
    await expect.poll(() => seen.count()).toBeLessThan(all)
    expect(new Set(await seen.evaluateAll(listVerbs))).toEqual(new Set(['update']))
    expect(complaints).toEqual([])
    await close()
  }, 120_000)

  it('filters by facets and by its address, and downloads what -o csv writes', async () => {
    serveRunners(30)
    const line = `runners list ${fields}`
    const { page, complaints, close } = await opened(line)
    await page.getByRole('button', { name: 'offline 10' }).click()
    await page.getByText('10 of 30 rows').waitFor()
    expect(page.url()).toContain('#status=offline')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.evaluate("location.hash = 'status=online&sort=-id'")
    await page.getByText('10 of 30 rows').waitFor()
    expect((await readColumn(page, 1))[0]).toBe('28')
    await page.evaluate("location.hash = ''")
    await page.getByText('30 rows', { exact: true }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const saved = readFileSync(await download.path(), 'utf8')
    const { stdout } = await call(`${line} -o csv`)
    expect(parse(saved, { bom: true })).toEqual(parse(stdout))
    expect(complaints).toEqual([])
    await close()
  })

  it('prints light on a dark screen', async () => {
    const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }
    const { page, close } = await opened('overview', { env, dark: true })
    await page.emulateMedia({ media: 'print' })
    const ink = await page.evaluate('getComputedStyle(document.body).color')
    expect(['rgb(0, 0, 0)', 'rgb(28, 33, 40)']).toContain(ink)
    await close()
  })
})
