/** Pages in a real browser: sorted, filtered, read aloud, in the dark, and large. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { parse } from 'csv-parse/sync'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calling } from '../commands/calling.js'
import { folder } from '../support/program.js'
import { has } from '../support/terminal.js'
import { hostile } from './parts.js'

const program = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => has(name))
const { server, call } = calling()
let browser: Browser

/** Writes the page of a line, and opens it. What the browser complains of is kept. */
const opened = async (
  line: string,
  how: {
    readonly env?: Readonly<Record<string, string>>
    readonly dark?: boolean
    readonly width?: number
    readonly cwd?: string
    readonly code?: number
  } = {},
) => {
  const { cwd = folder(), width = 1280 } = how
  const { stdout, code } = await call(`${line} -o html`, { cwd, env: how.env })
  expect([line, code]).toEqual([line, how.code ?? 0])
  const file = join(cwd, 'page.html')
  writeFileSync(file, stdout)
  const context = await browser.newContext({
    colorScheme: how.dark === true ? 'dark' : 'light',
    viewport: { width, height: 900 },
    acceptDownloads: true,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  page.on('request', (request) => {
    if (!/^(?:file|blob):/.test(request.url())) complaints.push(request.url())
  })
  await page.goto(`file://${file}`)
  return { page, complaints, close: () => context.close() }
}

/** The texts of a column of the first table, from the top. */
const column = (page: Page, n: number): Promise<string[]> =>
  page.locator(`section.list > .scroll tbody tr td:nth-child(${n})`).allTextContents()

/** What a checker of accessibility finds; in the dark by the rules of colours, since nothing else differs there. */
const violations = async (page: Page, dark: boolean): Promise<unknown> => {
  await page.evaluate(axe.source)
  const options = dark ? "{ runOnly: ['cat.color'] }" : ''
  return page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))`,
  )
}

/** Two have the hostile text: one in the page's HTML, one in the rows behind it that the script makes. */
const runners = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    description: i % 2100 === 3 ? hostile : `runner ${i % 7}`,
    status: ['online', 'offline', 'paused'][i % 3],
    contacted_at: new Date(Date.UTC(2026, 0, 1 + (i % 40), 3)).toISOString(),
    job_count: (i * 7919) % 1000,
  }))
const fields = '--fields id,description,status,contacted_at,job_count'

/** Answers with pages of so many records. */
const serve = (count: number): void => {
  const all = runners(count)
  server.answer = ({ url }) => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
    const next = `<${server.url}/api/v4/runners?page=${page + 1}&per_page=100>; rel="next"`
    const more = page * 100 < count
    return { body: all.slice((page - 1) * 100, page * 100), headers: more ? { link: next } : {} }
  }
}

describe.skipIf(program === undefined)('a page in a browser', () => {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: `/usr/bin/${program}`,
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })
  afterAll(() => browser.close())

  it('sorts by number, and filters', async () => {
    serve(30)
    const { page, complaints, close } = await opened(`runners list ${fields}`)
    const head = page.getByRole('columnheader', { name: 'job_count' })
    await head.getByRole('button').click()
    const up = (await column(page, 5)).map(Number)
    expect(up).toEqual(up.toSorted((a, b) => a - b))
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    await head.getByRole('button').click()
    expect((await column(page, 5)).map(Number)).toEqual(up.toReversed())
    await page.getByRole('searchbox').fill('OFFLINE runner')
    await page.getByText('10 of 30 rows').waitFor()
    expect(new Set(await column(page, 3))).toEqual(new Set(['○ offline']))
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['light', false],
    ['dark', true],
  ] as const)('breaks no rule of accessibility, %s', async (_, dark) => {
    serve(30)
    const list = await opened(`runners list ${fields}`, { dark })
    expect(await violations(list.page, dark)).toEqual([])
    expect(await list.page.locator('figure g[data-step]').count()).toBe(30)
    await list.close()
    const sandbox = { env: { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }, dark }
    for (const line of ['overview', 'projects get platform/app']) {
      const { page, complaints, close } = await opened(line, sandbox)
      expect([line, await violations(page, dark), complaints]).toEqual([line, [], []])
      await close()
    }
  })

  it('pages through more rows than it shows, sorted as a whole, and runs nothing of the data', async () => {
    serve(2200)
    const { page, complaints, close } = await opened(`runners list --limit all ${fields}`)
    await page.getByText('1–1000 of 2,200 rows').waitFor()
    const id = page.getByRole('columnheader', { name: 'id' }).getByRole('button')
    await id.click()
    await id.click()
    expect((await column(page, 1))[0]).toBe('2200')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('1001–2000 of 2,200 rows').waitFor()
    expect((await column(page, 1))[0]).toBe('1200')
    expect(await page.locator('img').count()).toBe(0)
    await page.getByRole('searchbox').fill('onerror')
    await page.getByText('2 of 2,200 rows').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
    await close()
  })

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'draws every kind of page, %s at %i pixels',
    async (scheme, width) => {
      const cwd = folder()
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
      const lines: readonly (readonly [line: string, says: readonly string[], code?: number])[] = [
        ['overview', ['What to do next', 'act now']],
        ['runners list --instance', ['10 runners', 'By runner type']],
        ['jobs list --all-projects', ['Jobs of all projects', 'Jobs created per week, by status']],
        ['jobs list --all-projects --group-by created_at:week,status', ['per week']],
        ['jobs list --all-projects --group-by project,name --p95 duration', ['95th percentile']],
        ['plan wanted.yml', ['to delete', 'members/eva']],
        ['check policy policy.yml', ['1 rule has none', '✓ none'], 1],
        ['access platform/app', ['Who has access to platform/app', 'By way and access level']],
        ['projects get platform/app', ['Project platform/app']],
      ]
      for (const [line, says, code] of lines) {
        const dark = scheme === 'dark'
        const { page, complaints, close } = await opened(line, { ...own, dark, code })
        const across = await page.evaluate('document.documentElement.scrollWidth')
        const text = await page.locator('body').textContent()
        for (const one of says) expect(text).toContain(one)
        expect([line, across]).toEqual([line, width])
        expect([line, await violations(page, dark), complaints]).toEqual([line, [], []])
        await close()
      }
    },
    180_000,
  )

  it('filters by facets and by its address, and downloads what -o csv writes', async () => {
    serve(30)
    const line = `runners list ${fields}`
    const { page, complaints, close } = await opened(line)
    await page.getByRole('button', { name: 'offline 10' }).click()
    await page.getByText('10 of 30 rows').waitFor()
    expect(page.url()).toContain('#status=offline')
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.evaluate("location.hash = 'status=online&sort=-id'")
    await page.getByText('10 of 30 rows').waitFor()
    expect((await column(page, 1))[0]).toBe('28')
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
