/** Measures infrastructure as code: export, plan and drift. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { approvalRules } from '../../src/catalogue/managed.js'
import { writePlan } from '../../src/commands/plan/printing.js'
import type { PlannedAction } from '../../src/desired/actions.js'
import type { RunClock } from '../../src/engine/command/clock.js'
import type { Bench } from './bench.js'
import {
  buildWatchedProgram,
  computeMedian,
  type Program,
  type Run,
  runInterleaved,
} from './measure.js'
import { reportPair } from './pairs.js'
import { formatUsage } from './table.js'

const projects = 3_000
const wide = ['--concurrency', '32'] as const

/** The eight reads of a project. */
const kinds = [
  'members',
  'approvals',
  'approval_rules',
  'deploy_keys',
  'integrations',
  'pages_domains',
  'error_tracking',
  'runners',
] as const

const buildInstanceProgram = (baseUrl: string, ...args: readonly string[]): Program => ({
  ...buildWatchedProgram(...args),
  env: { SVC_BASE_URL: baseUrl, SVC_TOKEN: 'bench' },
  silent: true,
})

const writeDeclaration = ({ folder }: Bench, name: string, value: object): string => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify({ version: 1, ...value }))
  return path
}

/** The declaration of each of all projects. It equals what they have, so the plan is empty. */
const ofAll = {
  approvals: { reset_approvals_on_push: true, require_password_to_approve: false },
  members: { $exact: false },
}

const ofOne = {
  ...ofAll,
  approval_rules: { Security: { approvals_required: 1 } },
  deploy_keys: { deploy: { can_push: false } },
  error_tracking: { active: true },
}

/** Declares a hundred rules for each of a hundred projects. */
const tenThousand = Object.fromEntries(
  Array.from({ length: 100 }, (_, i) => [
    `group-${i}/service-${i + 1}`,
    {
      approval_rules: Object.fromEntries(
        Array.from({ length: 100 }, (__, n) => [`Rule ${n}`, { approvals_required: 1 + (n % 3) }]),
      ),
    },
  ]),
)

const digest = '0'.repeat(64)
const origin = { file: 'svcctl.yml', line: 1, column: 1 }

const buildCreation = (item: string): PlannedAction => {
  const address = { scope: 'project', path: 'a/b', kind: 'approval_rules', item } as const
  const { create } = approvalRules
  if (create === undefined) throw new Error('rules cannot be created')
  return {
    id: `create projects/a/b:approval_rules/${item}`,
    verb: 'create',
    address,
    kind: approvalRules,
    changes: [{ attribute: 'approvals_required', wanted: 1, origin }],
    step: {
      endpoint: create,
      values: { id: 'a/b', name: item, approvals_required: 1 },
      secrets: {},
    },
    digest,
    waitsFor: [],
    origin,
  }
}

/** Measures how long it takes to write a plan of ten thousand actions to its file. */
const measurePlanWriting = async ({ folder, report }: Bench): Promise<void> => {
  const actions = Array.from({ length: 10_000 }, (_, i) => buildCreation(`Rule ${i}`))
  const plan = { actions, findings: [], unread: [], refused: [], same: 0, sets: {} }
  const head = {
    tool: '',
    instance: '',
    user: null,
    created: '',
    inputs: [],
    files: [{ path: origin.file, sha256: digest }],
    selection: {},
  }
  const place = { cwd: folder, clock: { signal: new AbortController().signal } as RunClock }
  const took: number[] = []
  for (let i = 0; i < 5; i++) {
    const begin = performance.now()
    await writePlan(place, 'written.json', { plan, head })
    took.push((performance.now() - begin) / 1000)
  }
  report({
    work: 'a plan of 10,000 actions written',
    measured: computeMedian(took),
    budget: 1,
    unit: 's',
  })
}

/** Writes a file for each of `count` projects, with a hundred rules each. Returns the folder. */
const writeRuleFiles = (bench: Bench, count: number): string => {
  const folder = join(bench.folder, `of-${count}`)
  mkdirSync(folder, { recursive: true })
  const rules = Object.values(tenThousand)[0]
  for (let i = 1; i <= count; i++)
    writeDeclaration({ ...bench, folder }, `${i}.json`, {
      projects: { [`group-${i % 97}/service-${i}`]: rules },
    })
  return folder
}

/** Measures the memory of a plan that creates many objects, and whether its time grows in proportion to their number. */
const measureLargePlan = async (bench: Bench): Promise<void> => {
  const planned = (projects: number): Program =>
    buildInstanceProgram(
      bench.instance(projects, 0),
      'plan',
      writeRuleFiles(bench, projects),
      ...wide,
      '-q',
    )
  const runs = await reportPair(
    bench,
    { it: planned(500), base: planned(100) },
    { work: 'plan of 50,000 objects beside 10,000', budget: 5, pairs: 3 },
  )
  bench.report({
    work: 'peak memory of a plan of 50,000 objects',
    measured: getPeakMemory(runs),
    budget: 200,
    unit: 'MB',
  })
}

/** Measures the memory of a plan of 51,000 rules in 3,000 files. Every tenth rule differs from the one of its project. */
const measureMostlySame = async (bench: Bench): Promise<void> => {
  const each = 17
  const folder = join(bench.folder, 'mostly-same')
  mkdirSync(folder, { recursive: true })
  for (let i = 1; i <= projects; i++) {
    const rules = Array.from({ length: each }, (_, n) => [
      `Rule ${n}`,
      { approvals_required: (i * each + n) % 10 === 0 ? 2 : 1 },
    ])
    const approval_rules = Object.fromEntries(rules)
    writeDeclaration({ ...bench, folder }, `${i}.json`, {
      projects: { [`group-${i % 97}/service-${i}`]: { approval_rules } },
    })
  }
  const baseUrl = `${bench.instance(projects, 0)}/rules/${each}/0`
  const planned = buildInstanceProgram(baseUrl, 'plan', folder, ...wide, '-q')
  await measureProgram(
    bench,
    'plan of 51,000 objects in 3,000 files, 5,100 to change',
    planned,
    40,
    200,
  )
}

const getPeakMemory = (runs: readonly Run[]): number => Math.max(...runs.map((r) => r.megabytes))

/** Reports how long a program takes, and its peak memory if `memory` has a budget for it. */
const measureProgram = async (
  bench: Bench,
  work: string,
  program: Program,
  budget?: number,
  memory?: number,
): Promise<void> => {
  const { it } = await runInterleaved({ it: program }, bench.runs || 1, bench.folder, 0)
  const wall = computeMedian(it.map((r) => r.wall))
  const goal = budget === undefined ? {} : { budget }
  bench.report({ work, measured: wall, unit: 's', detail: formatUsage(it), ...goal })
  if (memory === undefined) return
  bench.report({
    work: 'peak memory of it',
    measured: getPeakMemory(it),
    budget: memory,
    unit: 'MB',
  })
}

export const measureAsCode = async (bench: Bench): Promise<void> => {
  const [near, far] = [bench.instance(100, 0), bench.instance(projects, 20)]
  const out = join(bench.folder, 'exported.yml')
  const exporting = buildInstanceProgram(far, 'export', ...kinds, ...wide)
  await measureProgram(bench, 'export of 3,000 projects × 8 reads at 20 ms', exporting, 20, 130)
  const factoring = {
    ...buildInstanceProgram(far, 'export', ...kinds, ...wide, '--factor', '--to', out),
    writes: out,
  }
  await measureProgram(bench, 'the same, --factor', factoring, 20, 130)
  const all = writeDeclaration(bench, 'all.json', { groups: { '**': { projects: ofAll } } })
  await measureProgram(
    bench,
    'plan of members and approvals of 3,000 projects at 20 ms',
    buildInstanceProgram(far, 'plan', all, ...wide),
    6,
    130,
  )
  const one = writeDeclaration(bench, 'one.json', { projects: { 'group-1/service-1': ofOne } })
  await measureProgram(
    bench,
    'drift of one project at 20 ms',
    buildInstanceProgram(far, 'drift', one),
    0.7,
  )
  const many = writeDeclaration(bench, 'many.json', { projects: tenThousand })
  await measurePlanWriting(bench)
  const plan = join(bench.folder, 'plan.json')
  const writing = {
    ...buildInstanceProgram(near, 'plan', many, ...wide, '--out', plan, '-q'),
    writes: plan,
  }
  await measureProgram(bench, 'the same with its files, reads and comparing', writing)
  await measureLargePlan(bench)
  await measureMostlySame(bench)
}
