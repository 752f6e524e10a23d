/**
 * Tests hostile names in every kind of page in a real browser: no script runs, nothing is wider than the window, and text is shown
 * as text.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningSandbox, startSandbox } from '../../src/library/sandbox.js'
import { createCaller } from '../commands/calling.js'
import { createFolder } from '../support/program.js'
import { hasBrowser, measureWidth, useBrowser } from './browser.js'

const { call } = createCaller()

/** Names that another program might execute or obey, or that might break it. */
const names: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  'javascript:alert(3)',
  '\u202egnp.exe',
  'x\u0000y\u001b[31m',
  'L'.repeat(10_000),
  'Z\u0351\u036b\u0343a\u0300\u0301\u0302\u0303\u0304l\u0327\u0328'.repeat(20),
  '</style></script><svg onload=alert(4)>',
  `=cmd|' /C calc'!A0`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is data
  '{{x}} ${y} `z` %s',
  '漢字カタカナ'.repeat(30),
  'a\nb\tc',
  '#status=x&q=<b>',
]
/** The names as pages show them: control characters are visible, and long names may be cut. */
const shownNames: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  'javascript:alert(3)',
  '\\u202egnp.exe',
  'x\\u0000y\\u001b[31m',
  '</style></script><svg onload=alert(4)>',
  `=cmd|' /C calc'!A0`,
]

const getName = (i: number): string => names[i % names.length] ?? ''
const getHoursAgo = (hours: number): string =>
  new Date(Date.now() - hours * 3_600_000).toISOString()

const createHostileData = (sandbox: RunningSandbox) =>
  sandbox.seed({
    runners: Array.from({ length: 26 }, (_, i) => ({
      description: getName(i),
      token: `hostile-${i}`,
      tag_list: [getName(i).slice(0, 200)],
    })),
    jobs: Array.from({ length: 52 }, (_, i) => ({
      project_id: 1,
      name: getName(i),
      stage: getName(i + 1),
      status: (['pending', 'success', 'failed'] as const)[i % 3] ?? 'success',
      created_at: getHoursAgo(30 * i),
      started_at: getHoursAgo(30 * i - 1),
      finished_at: getHoursAgo(30 * i - 2),
    })),
    vulnerabilities: names.map((title) => ({ project_id: 1, title, severity: 'high' as const })),
  })

const getAll = '--all-projects -L all'
const policy = names
  .filter((name) => !name.includes('\u0000'))
  .map(
    (message, i) =>
      `- {name: rule-${i}, list: runners list --instance, where: id>${i * 3}, message: ${JSON.stringify(message)}}`,
  )

/** Each kind of page, the texts that it must show, and its exit code. */
const lines: readonly (readonly [line: string, says: readonly string[], code?: number])[] = [
  ['overview', []],
  ['runners list --instance -L all', shownNames],
  [`jobs list ${getAll}`, shownNames],
  [`jobs list ${getAll} --group-by name`, shownNames],
  [`jobs list ${getAll} --group-by created_at:day,name`, shownNames],
  [`jobs list ${getAll} --group-by name,stage --avg duration`, shownNames],
  [`vulnerabilities list ${getAll}`, shownNames],
  ['runners get 20', []],
  ['check runners', [], 1],
  ['check policy policy.yml', shownNames.filter((name) => !name.includes('\\u0000')), 1],
  ['plan wanted.yml', shownNames.slice(0, 4)],
  ['access platform/app', []],
  ['access platform/app --matrix', []],
]

describe.skipIf(!hasBrowser)('hostile names', () => {
  const open = useBrowser()
  let sandbox: RunningSandbox
  const cwd = createFolder()
  const env = (): Readonly<Record<string, string>> => ({
    SVC_BASE_URL: sandbox.url,
    SVC_TOKEN: sandbox.token,
  })

  beforeAll(async () => {
    sandbox = await startSandbox()
    await createHostileData(sandbox)
    const tags = names.filter(
      (name) => name.length < 200 && !name.includes('\u0000') && !name.includes('\n'),
    )
    const wanted = `version: 1\nsite:\n  runners:\n    - match: {description: shared-linux-1}\n      set: {tag_list: ${JSON.stringify(tags)}}\n`
    writeFileSync(join(cwd, 'wanted.yml'), wanted)
    writeFileSync(join(cwd, 'policy.yml'), ['policy: 1', 'rules:', ...policy].join('\n'))
  }, 120_000)
  afterAll(() => sandbox.close())

  it.each([1280, 390])(
    'are text on every kind of page, at %i pixels',
    async (width) => {
      for (const [line, says, code = 0] of lines) {
        const ran = await call(`${line} -o html`, { cwd, env: env() })
        expect([line, ran.code, ran.code === code ? '' : ran.stderr]).toEqual([line, code, ''])
        const { page, complaints, close } = await open(ran.stdout, { width })
        const text = (await page.locator('body').textContent()) ?? ''
        expect([line, says.filter((one) => !text.includes(one))]).toEqual([line, []])
        expect([line, complaints]).toEqual([line, []])
        expect([line, await measureWidth(page)]).toEqual([line, width])
        const strange = page.locator(
          'img, iframe, svg[onload], body script:not([type]), body style',
        )
        expect([line, await strange.count()]).toEqual([line, 0])
        const links = await page.locator('a').evaluateAll(listAddresses)
        const outside = links.filter((to) => !to.startsWith('#') && !to.startsWith(sandbox.url))
        expect([line, outside]).toEqual([line, []])
        await close()
      }
    },
    240_000,
  )

  it('are text in the title and the filter of a page, and in what it downloads', async () => {
    const title = names.filter((name) => name.length < 100 && !name.includes('\u0000')).join(' ')
    const where = `description!="${names[0]}"`
    const list = ['runners', 'list', '--instance', '-L', 'all', '--where', where]
    const more = ['--fields', 'id,description']
    const words = [...list, ...more, '-o', 'html', '--page-title', title]
    const { stdout } = await call(words, { cwd, env: env() })
    const { page, complaints, close } = await open(stdout, { width: 390 })
    expect(await page.title()).toContain('<script>alert(1)</script>')
    expect(await page.locator('h1').textContent()).toContain('"><img src=x onerror=alert(2)>')
    expect(await page.locator('.facts').textContent()).toContain(where)
    expect(await page.locator('header code').textContent()).toContain('</style></script>')
    expect(await measureWidth(page)).toBe(390)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    const rows: unknown = parse(readFileSync(await download.path()), { bom: true })
    const csv = await call([...list, ...more, '-o', 'csv'], { cwd, env: env() })
    expect(rows).toEqual(parse(csv.stdout))
    expect(JSON.stringify(rows)).toContain(`"'=cmd|' /C calc'!A0"`)
    expect(complaints).toEqual([])
    await close()
  }, 120_000)
})

/** Returns the link addresses as the browser resolves them. */
const listAddresses = (all: readonly { getAttribute(name: string): string | null }[]) =>
  all.map((one) => one.getAttribute('href') ?? '')
