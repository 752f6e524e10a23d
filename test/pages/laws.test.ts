/** What holds of every page: it says all that the terminal says, what it proposes can be run, and lists have the chart of their fields. */
import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { findFieldKind, findFieldWords } from '../../src/engine/where/shape.js'
import { isExpiry } from '../../src/output/cell.js'
import { chooseChart } from '../../src/output/html/summary.js'
import { calling } from '../commands/calling.js'
import { folder } from '../support/program.js'
import { openScreen } from '../support/screen.js'

const { call } = calling()
const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }

const entities: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
}

/** The text of a page, as a person reads it. */
const textOf = (page: string): string =>
  page
    .slice(page.indexOf('<body>'))
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;|&quot;|&amp;|&lt;|&gt;/g, (entity) => entities[entity] ?? '')

/** The commands that a page offers to copy. */
const commandsOf = (page: string): readonly string[] =>
  [...page.matchAll(/<code>(svcctl .*?)<\/code>/g)].map(([, line = '']) => textOf(`<body>${line}`))

describe('the page of an overview', () => {
  it('says every word and number of the terminal', async () => {
    const { stdout } = await call('overview -o html', { env })
    const page = textOf(stdout).toLowerCase()
    const says = 'ended with'
    const size = { columns: 140, rows: 80 }
    const terminal = openScreen([['overview', '--no-pager']], { env, says, ...size })
    const screen = await terminal.until(/ended with 0/)
    await terminal.close()
    const words = screen
      .replace(/ended with 0/, '')
      .split(/[\s█░]+/)
      .map((word) => word.replace(/^[(✓✗!→–]+|[),.:;…]+$/g, '').toLowerCase())
      .filter((word) => word !== '' && !/^https?:|^127\.0\.0\.1/.test(word))
    // The block *Next* says where the other findings are; on the page they stand.
    const own = new Set(['and', 'more', 'json', 'all', '-o', 'has', 'findings', '3', 'next'])
    const missing = [...new Set(words)].filter((word) => !own.has(word) && !page.includes(word))
    expect(missing).toEqual([])
  })

  it('has the numbers of -o json in its tiles', async () => {
    const { stdout } = await call('overview -o json', { env })
    const record = JSON.parse(stdout)
    const page = await call('overview -o html', { env })
    const text = textOf(page.stdout).replace(/\s+/g, ' ')
    const { online, paused } = record.runners.by_state
    expect(text).toContain(`${online} of ${record.runners.total - paused} active`)
    expect(text).toContain(`in 1 of ${record.jobs.projects_looked_at} projects`)
    expect(record.jobs.by_age['over 1 day']).toBe(record.jobs.waiting)
    expect(record.findings).toHaveLength(6)
    for (const { message } of record.findings) expect(text).toContain(message)
  })
})

describe('what a page proposes', () => {
  it('runs', async () => {
    const { stdout } = await call('overview -o json', { env })
    const findings: readonly { readonly command: string }[] = JSON.parse(stdout).findings
    const page = await call('overview -o html', { env })
    const lines = new Set([...findings.map(({ command }) => command), ...commandsOf(page.stdout)])
    expect(lines.size).toBeGreaterThan(5)
    for (const line of lines) {
      const [, ...words] = splitCommand(line)
      const isWrite = words.includes('repair')
      const ran = await call([...words, ...(isWrite ? ['--dry-run'] : [])], { env, cwd: folder() })
      expect([line, ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([line, 0, ''])
    }
  })
})

/** Lists without any chart: they show neither a time nor a word of a known set. */
const withoutChart: readonly string[] = [
  'dependencies list',
  'geo list',
  'geo status',
  'error-tracking keysList',
]

describe('the chart of a list', () => {
  it('is known of every list of the catalogue', async () => {
    const found: Record<string, string[]> = { columns: [], ends: [], rows: [], none: [] }
    for (const area of areas)
      for (const [name, endpoint] of Object.entries<Endpoint>(await area.load())) {
        if (endpoint.returns.kind !== 'many' || endpoint.columns === undefined) continue
        const { shape } = endpoint.returns
        const columns = endpoint.columns.map((column) => ({
          name: column,
          isTime:
            findFieldKind(shape, column) === 'time' ||
            (isExpiry(column) && endpoint.made?.some((one) => one === column) === true),
          words: findFieldWords(shape, column),
        }))
        found[chooseChart(columns).kind]?.push(`${area.name} ${name}`)
      }
    expect(found.columns).toContain('jobs list')
    expect(found.rows).toContain('runners list')
    expect(found.none).toEqual(withoutChart)
  })
})
