/**
 * Takes the pictures of pages for the README and the guide: `npm run pictures`. The pages come from an embedded instance with 300
 * runners and 2,000 jobs, and Chromium draws them. The pages are the same on every machine, except for times, which lie before
 * today.
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

/** Creates a generator of numbers that are the same in each run. */
const createDraws = (): (() => number) => {
  let state = 7
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
const drawNumber = createDraws()

const choose = <T>(all: readonly T[]): T => {
  const one = all[Math.floor(drawNumber() ** 1.4 * all.length)]
  if (one === undefined) throw new Error('nothing to choose from')
  return one
}

const createRange = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

const formatTime = (daysAgo: number): string => new Date(now - daysAgo * day).toISOString()

const addRunners = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    runners: createRange(count).map((i) => ({
      description: `runner-${i + 11}`,
      token: `sandbox-grown-runner-${i}`,
      runner_type: choose(['instance_type', 'group_type', 'project_type']),
      ip_address: `10.0.${Math.floor(i / 250) + 1}.${i % 250}`,
      online: choose([true, true, true, true, true, true, false]),
      active: drawNumber() > 0.06,
      contacted_at: formatTime(drawNumber() * 3),
      created_at: formatTime(100 + drawNumber() * 600),
      tag_list: [choose(['linux', 'docker', 'gpu', 'macos'])],
    })),
  })

const successes = createRange(8).map(() => 'success' as const)
const statuses = [...successes, 'failed', 'canceled', 'skipped'] as const

const addJobs = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    jobs: createRange(count).map(() => {
      const name = choose(['test', 'build', 'lint', 'deploy', 'scan'])
      const age = 0.1 + drawNumber() * 58
      const weekday = new Date(now - age * day).getUTCDay()
      const begun = weekday === 0 || weekday === 6 ? age + 2 : age
      const status = choose(statuses)
      const minutes = { test: 25, build: 9, lint: 2, deploy: 5, scan: 38 }[name] ?? 5
      const lasts = Math.round(60 * minutes * (0.6 + drawNumber()))
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

const addVulnerabilities = (sandbox: RunningSandbox, count: number) =>
  sandbox.seed({
    vulnerabilities: createRange(count).map((i) => ({
      project_id: choose([1, 2, 3, 4, 6]),
      title: `Finding ${i + 7}`,
      severity: choose(['low', 'medium', 'high', 'critical']),
      state: choose(['detected', 'resolved', 'confirmed', 'dismissed']),
      created_at: formatTime(drawNumber() * 80),
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

/** Runs a line and returns its output, whatever its exit code is. */
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

/** Takes twelve snapshots, as if taken once a month. */
const takeSnapshots = async (): Promise<void> => {
  const { PATH, HOME, SVC_CONFIG_DIR, ...instance } = env
  const own = { PATH, HOME, SVC_CONFIG_DIR, ...instance }
  for (const month of createRange(12)) {
    const to = `snapshots/${String(month).padStart(2, '0')}`
    await answer(
      ['snapshot', 'runners list --instance', 'projects list', 'settings get', '--to', to],
      own,
    )
    const path = join(folder, to, 'manifest.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    const began = formatTime(30 * (11 - month))
    writeFileSync(path, JSON.stringify({ ...manifest, began, ended: began }))
    await addRunners(sandbox, 8)
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

const takePictures = async (): Promise<void> => {
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
  await addRunners(sandbox, 194)
  await takeSnapshots()
  await addJobs(sandbox, 1975)
  await addVulnerabilities(sandbox, 300)
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
  await takePictures()
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
}
