/**
 * Takes the pictures of pages for the README and the guide: `npm run pictures`. The pages come from an embedded instance that is grown
 * to 300 runners and 2,000 jobs, and Chromium draws them. Everybody gets the same pages, but for times that lie in the past of today.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from 'playwright-core'
import { type RunningSandbox, startSandbox } from '../src/library/sandbox.js'

const run = promisify(execFile)
const day = 86_400_000
const now = Date.now()

/** Returns numbers that are the same in each run. */
const createDraws = (): (() => number) => {
  let state = 7
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
const draw = createDraws()

const choose = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(draw() ** 1.4 * all.length)]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

const formatTime = (daysAgo: number): string => new Date(now - daysAgo * day).toISOString()

const seedRunners = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    runners: range(count).map((i) => ({
      description: `runner-${i + 11}`,
      token: `sandbox-grown-runner-${i}`,
      runner_type: choose(['instance_type', 'group_type', 'project_type']),
      ip_address: `10.0.${Math.floor(i / 250) + 1}.${i % 250}`,
      online: choose([true, true, true, true, true, true, false]),
      active: draw() > 0.06,
      contacted_at: formatTime(draw() * 3),
      created_at: formatTime(100 + draw() * 600),
      tag_list: [choose(['linux', 'docker', 'gpu', 'macos'])],
    })),
  })

const done = range(8).map(() => 'success' as const)
const statuses = [...done, 'failed', 'canceled', 'skipped'] as const

const seedJobs = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    jobs: range(count).map(() => {
      const name = choose(['test', 'build', 'lint', 'deploy', 'scan'])
      const age = 0.1 + draw() * 58
      const weekday = new Date(now - age * day).getUTCDay()
      const begun = weekday === 0 || weekday === 6 ? age + 2 : age
      const status = choose(statuses)
      const minutes = { test: 25, build: 9, lint: 2, deploy: 5, scan: 38 }[name] ?? 5
      const lasts = Math.round(60 * minutes * (0.6 + draw()))
      return {
        project_id: choose([1, 2, 3, 4, 6, 7]),
        name,
        stage: name === 'lint' ? 'test' : name,
        status,
        created_at: formatTime(begun),
        started_at: formatTime(begun - 0.01),
        finished_at: formatTime(begun - 0.01 - lasts / 86_400),
      }
    }),
  })

const seedVulnerabilities = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    vulnerabilities: range(count).map((i) => ({
      project_id: choose([1, 2, 3, 4, 6]),
      title: `Finding ${i + 7}`,
      severity: choose(['low', 'medium', 'high', 'critical']),
      state: choose(['detected', 'resolved', 'confirmed', 'dismissed']),
      created_at: formatTime(draw() * 80),
    })),
  })

const folder = mkdtempSync(join(tmpdir(), 'svcctl-pictures-'))
const sandbox = await startSandbox()

const env = {
  PATH: process.env.PATH,
  HOME: folder,
  SVC_CONFIG_DIR: join(folder, 'config'),
  SVC_BASE_URL: sandbox.url,
  SVC_TOKEN: sandbox.token,
}

/** Runs a line, and returns what it printed. A page is there whatever its exit code. */
const answer = async (words: readonly string[], own: NodeJS.ProcessEnv = env): Promise<string> => {
  const program = resolve('bin/svcctl.js')
  const options = { cwd: folder, env: own, maxBuffer: 1 << 28 }
  return run(process.execPath, [program, ...words], options).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string }) => {
      if (error.stdout) return error.stdout
      throw error
    },
  )
}

/** Takes twelve snapshots, as if one had been taken each month. */
const takeSnapshots = async (): Promise<void> => {
  const { PATH, HOME, SVC_CONFIG_DIR, ...instance } = env
  const own = { PATH, HOME, SVC_CONFIG_DIR, ...instance }
  for (const month of range(12)) {
    const to = `snapshots/${String(month).padStart(2, '0')}`
    await answer(
      ['snapshot', 'runners list --instance', 'projects list', 'settings get', '--to', to],
      own,
    )
    const path = join(folder, to, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    const began = formatTime(30 * (11 - month))
    writeFileSync(path, JSON.stringify({ ...manifest, began, ended: began }))
    await seedRunners(sandbox, 8)
  }
}

interface Picture {
  readonly file: string
  readonly words: readonly string[]
  readonly isDark?: true
  readonly height?: number
}

const list = ['jobs', 'list', '--all-projects', '-L', 'all']
const pictures: readonly Picture[] = [
  { file: 'pages/overview.png', words: ['overview'], height: 1500 },
  { file: 'pages/list.png', words: list },
  {
    file: 'pages/vulnerabilities.png',
    words: ['vulnerabilities', 'list', '--all-projects', '-L', 'all'],
    isDark: true,
  },
  {
    file: 'pages/groups.png',
    words: [...list, '--group-by', 'project,name', '--p95', 'duration'],
  },
  { file: 'pages/plan.png', words: ['plan', 'wanted.yml'] },
  { file: 'pages/trend.png', words: ['overview', '--from', 'snapshots'], isDark: true },
]

const width = 1280
const defaultHeight = 900

const photograph = async (): Promise<void> => {
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    for (const { file, words, isDark, height = defaultHeight } of pictures) {
      const isKept = words.includes('--from')
      const own = isKept ? { ...env, SVC_BASE_URL: undefined, SVC_TOKEN: undefined } : env
      const page = join(folder, 'page.html')
      writeFileSync(page, await answer([...words, '-o', 'html'], own))
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: isDark === true ? 'dark' : 'light',
      })
      const tab = await context.newPage()
      await tab.goto(`file://${page}`)
      await tab.screenshot({ path: join('.github', file) })
      await context.close()
      process.stdout.write(`.github/${file}\n`)
    }
  } finally {
    await browser.close()
  }
}

try {
  mkdirSync('.github/pages', { recursive: true })
  await seedRunners(sandbox, 194)
  await takeSnapshots()
  await seedJobs(sandbox, 1975)
  await seedVulnerabilities(sandbox, 300)
  const exported = await answer(['export', '--to', 'wanted.yml']).then(() =>
    readFileSync(join(folder, 'wanted.yml'), 'utf8'),
  )
  const wanted = exported
    .replace('default_projects_limit: 100000', 'default_projects_limit: 100')
    .replace(
      '      gus:\n        access_level: maintainer\n',
      '      fay:\n        access_level: developer\n',
    )
    .replace('  partners:\n    members:\n', '  partners:\n    members:\n      $exact: true\n')
  writeFileSync(join(folder, 'wanted.yml'), wanted)
  await photograph()
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
}
