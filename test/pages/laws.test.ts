/** Tests rules for every page: it says all that the terminal says, its commands can be run, and lists have a chart of their fields. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import { findDocumentedValues, findFieldKind } from '../../src/engine/where/shape.js'
import { isExpiry } from '../../src/output/cell.js'
import { chooseChart } from '../../src/output/html/summary.js'
import { createCaller } from '../commands/calling.js'
import { createFolder, type ProgramLineOptions } from '../support/program.js'
import { useSandbox } from '../support/sandbox.js'
import { openScreen } from '../support/screen.js'

const { call } = createCaller()
const env = { SVC_SANDBOX: '1', SVC_BASE_URL: '', SVC_TOKEN: '' }

const entities: Readonly<Record<string, string>> = {
  '&#39;': "'",
  '&quot;': '"',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
}

/** Returns the text of a page as a person reads it. */
const getPageText = (page: string): string =>
  page
    .slice(page.indexOf('<body>'))
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#39;|&quot;|&amp;|&lt;|&gt;/g, (entity) => entities[entity] ?? '')

/** Returns the commands that a page offers to copy. */
const listPageCommands = (page: string): readonly string[] =>
  [...page.matchAll(/<code>(svcctl .*?)<\/code>/g)].map(([, line = '']) =>
    getPageText(`<body>${line.replace(/<\/?i>/g, '')}`).trim(),
  )

describe('the page of an overview', () => {
  it('says every word and number of the terminal', async () => {
    const { stdout } = await call('overview -o html', { env })
    const page = getPageText(stdout).toLowerCase()
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
    // The block *Next* says where the other findings are; the page shows them itself.
    const own = new Set(['and', 'more', 'json', 'all', '-o', 'has', 'findings', '3', 'next'])
    const missing = [...new Set(words)].filter((word) => !own.has(word) && !page.includes(word))
    expect(missing).toEqual([])
  })

  it('has the numbers of -o json in its tiles', async () => {
    const { stdout } = await call('overview -o json', { env })
    const record = JSON.parse(stdout)
    const page = await call('overview -o html', { env })
    const text = getPageText(page.stdout).replace(/\s+/g, ' ')
    const { online, paused } = record.runners.by_state
    expect(text).toContain(`${online} of ${record.runners.total - paused} active`)
    expect(text).toContain(`in 1 of ${record.jobs.projects_looked_at} projects`)
    expect(record.jobs.by_age['over 1 day']).toBe(record.jobs.waiting)
    expect(record.findings).toHaveLength(6)
    for (const { message } of record.findings) expect(text).toContain(message)
  })
})

describe('the regions of a page', () => {
  it.each([
    'overview',
    'runners list --instance --group-by status,runner_type --count',
    'jobs list -P platform/app',
  ])('of %s have different names, by which a screen reader lists them', async (line) => {
    const { stdout } = await call(`${line} -o html`, { env })
    const names = [...stdout.matchAll(/role="region" aria-label="([^"]*)"/g)].map(
      ([, name]) => name,
    )
    expect(names.length).toBeGreaterThan(1)
    expect(names).toEqual([...new Set(names)])
  })
})

/** No instance is set, so that a line reaches only one that it names itself. */
const noInstance = { SVC_SANDBOX: '', SVC_BASE_URL: '', SVC_TOKEN: '' }

interface Finding {
  readonly command: string
  readonly message: string
}

describe('what a page proposes', () => {
  const place = useSandbox()
  /** Runs a command as a person who copies it would. */
  const expectRun = async (line: string, how: ProgramLineOptions): Promise<void> => {
    const [, ...words] = splitCommand(line)
    const isWrite = words.includes('repair')
    const ran = await call([...words, ...(isWrite ? ['--dry-run'] : [])], how)
    expect([line, ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([line, 0, ''])
  }
  /** Creates a configuration with two profiles. */
  const createProfiles = async (): Promise<ProgramLineOptions> => {
    const { sandbox, config: SVC_CONFIG_DIR, cwd } = place()
    const print = join(cwd, 'print-token')
    writeFileSync(print, '#!/bin/sh\necho sandbox-root-token\n', { mode: 0o755 })
    const how = { env: { ...noInstance, SVC_CONFIG_DIR }, cwd }
    for (const name of ['one', 'two']) {
      const words = ['profile', 'set', name, '--base-url', sandbox.url, '--token-command', print]
      expect((await call(words, how)).code).toBe(0)
    }
    return how
  }

  it.each([
    ['the embedded instance, chosen by the line', 'overview --sandbox', noInstance],
    ['the embedded instance, chosen by a variable', 'overview', env],
  ])('runs on %s', async (_, line, variables) => {
    const how = { env: variables, cwd: createFolder() }
    const findings: readonly Finding[] = JSON.parse(
      (await call(`${line} -o json`, how)).stdout,
    ).findings
    const page = await call(`${line} -o html`, how)
    const lines = new Set([
      ...findings.map(({ command }) => command),
      ...listPageCommands(page.stdout),
    ])
    expect(lines.size).toBeGreaterThan(5)
    for (const one of lines) await expectRun(one, how)
  })

  it('runs on the profile that the line names, and on several', async () => {
    const how = await createProfiles()
    // The first profile is the current one, so the commands must name the second.
    const page = await call('overview -p two -o html', how)
    const [own, ...lines] = listPageCommands(page.stdout)
    expect(own).toBe('svcctl overview -p two -o html')
    expect(lines.length).toBeGreaterThan(5)
    for (const line of lines) {
      expect(line).toContain(' --profile two')
      await expectRun(line, how)
    }
    for (const line of [
      'jobs list -P platform/app,web/site -p one,two --limit 5 --sort=-id',
      'jobs list -P platform/app,web/site -p two --group-by project,status',
    ]) {
      const { stdout } = await call(`${line} -o html`, how)
      expect(listPageCommands(stdout)).toEqual([`svcctl ${line} -o html`])
      await expectRun(`svcctl ${line} -o html`, how)
    }
  })

  it('names each of several instances, and links to the records of each', async () => {
    const how = await createProfiles()
    const { url } = place().sandbox
    const listed = await call('jobs list --all-projects -p one,two -o html', how)
    const text = getPageText(listed.stdout).replace(/\s+/g, ' ')
    expect(text).toContain(` one ${url} two ${url} `)
    expect(listed.stdout).toContain(`<td class="n"><a href="${url}/platform/app/-/jobs/23"`)
    expect(listed.stdout).toContain('{"column":0,"name":"profile"')
  })

  it('draws the overview of each of several instances, with commands and sections of its own', async () => {
    const how = await createProfiles()
    const { stdout } = await call('overview -p one,two -o html', how)
    expect(stdout).toContain('<title>Overview of 2 instances</title>')
    const [own, ...lines] = listPageCommands(stdout)
    expect(own).toBe('svcctl overview -p one,two -o html')
    const [ofOne, ofTwo] = ['one', 'two'].map((name) =>
      lines.filter((line) => line.includes(` --profile ${name}`)),
    )
    expect(ofOne?.length).toBeGreaterThan(5)
    expect(ofTwo).toEqual(ofOne?.map((line) => line.replace('--profile one', '--profile two')))
    expect(lines).toEqual([...(ofOne ?? []), ...(ofTwo ?? [])])
    const ids = [...stdout.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
    expect(ids).toEqual([...new Set(ids)])
    const links = [...stdout.matchAll(/ href="#([^"]*)"/g)].map(([, id = '']) => id)
    expect(ids).toEqual(expect.arrayContaining(links))
    const single = getPageText((await call('overview -p two -o html', how)).stdout)
    const sections = single.slice(single.indexOf('Runners'), single.indexOf('Not shown')).trim()
    expect(getPageText(stdout)).toContain(sections)
  })

  it('says on the page which of several instances could not be read, and why', async () => {
    const how = await createProfiles()
    const words = ['profile', 'set', 'gone', '--base-url', 'http://127.0.0.1:9']
    await call([...words, '--token-command', 'true'], how)
    for (const line of ['overview', 'runners list --instance']) {
      const page = await call(`${line} -p one,gone -o html --retries 0`, how)
      expect(page.code).toBe(8)
      expect(getPageText(page.stdout)).toMatch(/This page is incomplete.*\n *gone: /)
    }
  })

  it('reads the snapshot of the page, or says that it asks the live instance', async () => {
    const cwd = createFolder()
    const live = { env, cwd }
    const lists = ['runners list --instance', 'projects list', 'jobs list --all-projects']
    const more = ['pages-domains list --instance', 'settings get']
    await call(['snapshot', ...lists, ...more, '--to', 'snapshots/1'], live)
    const offline = { env: noInstance, cwd }
    const { stdout } = await call('overview --from snapshots/1 -o json', offline)
    const findings: readonly Finding[] = JSON.parse(stdout).findings
    expect(findings.length).toBeGreaterThan(3)
    for (const { command, message } of findings) {
      const isRead = command.endsWith(' --from snapshots/1')
      const isLive = message.endsWith('The command asks the live instance.')
      expect([command, isRead]).toEqual([command, !isLive])
      await expectRun(command, isRead ? offline : live)
    }
    const page = await call('overview --from snapshots/1 -o html', offline)
    const own = 'svcctl overview --from snapshots/1 -o html'
    expect(listPageCommands(page.stdout)).toEqual([own, ...findings.map(({ command }) => command)])
    const trend = await call('overview --from snapshots -o html', offline)
    const [, ...proposed] = listPageCommands(trend.stdout)
    expect(proposed).toEqual([
      'svcctl runners list --instance --from snapshots --group-by snapshot,status',
      'svcctl projects list --from snapshots --group-by snapshot',
    ])
    for (const line of proposed) await expectRun(line, offline)
  })
})

describe('the page of an apply', () => {
  const place = useSandbox()

  it('says what became of each action, and where', async () => {
    const { sandbox } = place()
    const cwd = createFolder()
    const how = { env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: 'sandbox-root-token' }, cwd }
    const apply = (level: string, required: number, ...flags: readonly string[]) => {
      const members = `    members:\n      dov: { access_level: ${level} }\n`
      const rules = `    approval_rules:\n      Security: { approvals_required: ${required} }\n`
      const file = `version: 1\nprojects:\n  platform/app:\n${members}${rules}`
      writeFileSync(join(cwd, 'wanted.yml'), file)
      return call(['apply', 'wanted.yml', '-o', 'html', '--yes', ...flags], how)
    }
    const titleOf = (page: string): string => /<title>(.*)<\/title>/.exec(page)?.[1] ?? ''
    const planned = await apply('reporter', 3, '--dry-run')
    expect(titleOf(planned.stdout)).toBe('Plan: 2 to change')
    const applied = await apply('reporter', 3)
    expect(titleOf(applied.stdout)).toBe('Applied: 2 done')
    const text = getPageText(applied.stdout).replace(/\s+/g, ' ')
    expect(text).toContain(`${sandbox.url} as root (administrator)`)
    expect(text).toContain('not done 0 all was done')
    expect(text).toContain('changed 2 2 attributes')
    expect(text).toContain('members/dov update done')
    sandbox.fail('PUT /projects/:id/members/:user_id', { status: 403 })
    const failed = await apply('developer', 4)
    expect([failed.code, titleOf(failed.stdout)]).toEqual([8, 'Applied: 1 done, 1 failed'])
    const rest = getPageText(failed.stdout).replace(/\s+/g, ' ')
    expect(rest).toContain('not done 1 1 failed')
    expect(rest).toContain('changed 1 1 attribute')
    expect(rest).toContain('members/dov update failed 403 Forbidden')
    const again = await apply('developer', 4)
    expect(titleOf(again.stdout)).toBe('Applied: 1 done')
    expect(titleOf((await apply('developer', 4)).stdout)).toBe('Plan: nothing to do')
  })
})

/** Lists without a chart: they show neither a time nor a field with documented values. */
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
          words: findDocumentedValues(shape, column),
        }))
        found[chooseChart(columns).kind]?.push(`${area.name} ${name}`)
      }
    expect(found.columns).toContain('jobs list')
    expect(found.rows).toContain('runners list')
    expect(found.none).toEqual(withoutChart)
  })
})
