/** Journals of format 1: shown, resumed and undone. Those that are called sums have a checksum in each line; the others were written before there were any. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const fixtures = join(import.meta.dirname, 'journals-v1')

/** A line with the checksum of what it says now, where it has one. */
const withSum = (line: string): string => {
  const bare = line.replace(/,"c":\d+\}$/, '}')
  return bare === line ? line : `${bare.slice(0, -1)},"c":${crc32(bare)}}`
}

/** Runs a line about a fixture, which is of an embedded instance of its own. */
const ranWith = async (name: string, line: (file: string) => string, first?: string) => {
  const cwd = folder()
  const instance: Sandbox = await startSandbox({
    stateDir: join(cwd, 'state'),
    speed: Number.POSITIVE_INFINITY,
  })
  try {
    mkdirSync(join(cwd, 'journals'), { mode: 0o700 })
    const file = join(cwd, 'journals', `${name}.ndjson`)
    const own = (text: string): string =>
      text.replaceAll('http://instance.example', instance.url).replaceAll('/folder/work', cwd)
    const lines = own(readFileSync(join(fixtures, `${name}.ndjson`), 'utf8')).split('\n')
    writeFileSync(file, lines.map(withSum).join('\n'), { mode: 0o600 })
    writeFileSync(join(cwd, 'attributes.json'), '{"description":"from a file"}')
    const env = {
      SVC_BASE_URL: instance.url,
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: configuration(),
      KEY: 'canary-of-a-secret',
    }
    if (first !== undefined) await svcctl(first.split(' '), { cwd, env })
    return await svcctl(line(file).split(' '), { cwd, env })
  } finally {
    await instance.close()
  }
}

/** The requests of a run that change something, in no order. */
const writesIn = (trace: string): readonly string[] =>
  [...trace.matchAll(/^\* (POST|PUT|PATCH|DELETE) \S+\/api\/v4(\S+) → (\d+|\S+)/gm)]
    .map(([, method, path, status]) => `${method} ${path} ${status}`)
    .sort()

interface Written {
  /** Area and verb. */
  readonly command: string
  /** What `journal show` counts: done, unchanged, failed, unknown, not attempted. */
  readonly counts: readonly [number, number, number, number, number]
  /** The exit code of `--resume`, and the requests that it sends. */
  readonly resume: readonly [code: number, ...requests: readonly string[]]
  /** What brings a new instance to where the run left its own. */
  readonly first?: string
  /** The exit code of `journal undo` after that, and the requests that it sends. */
  readonly undo: readonly [code: number, ...requests: readonly string[]]
}

const written: Readonly<Record<string, Written>> = {
  api: { command: 'api', counts: [2, 0, 1, 0, 0], resume: [4, 'PUT /runners/999 404'], undo: [2] },
  apply: { command: 'apply', counts: [2, 0, 0, 0, 0], resume: [0], undo: [2] },
  bulk: {
    command: 'runners pause',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    first: 'runners pause 1 2',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'bulk-plain': {
    command: 'runners update',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  delete: {
    command: 'deploy-keys delete',
    counts: [1, 0, 1, 0, 0],
    resume: [4, 'DELETE /projects/platform%2Fapp/deploy_keys/999 404'],
    undo: [2],
  },
  drain: {
    command: 'runners drain',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  enable: {
    command: 'deploy-keys enable',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'POST /projects/web%2Fsite/deploy_keys/999/enable 404'],
    first: 'deploy-keys enable 1 2 -P web/site',
    undo: [
      0,
      'DELETE /projects/web%2Fsite/deploy_keys/1 204',
      'DELETE /projects/web%2Fsite/deploy_keys/2 204',
    ],
  },
  file: {
    command: 'runners update',
    counts: [1, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  'members-add': {
    command: 'members add',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'POST /groups/web/members 404'],
    undo: [2],
  },
  'members-remove': {
    command: 'members remove',
    counts: [2, 0, 0, 0, 0],
    resume: [0],
    first: 'members remove ben dov -G platform --yes',
    undo: [0, 'POST /groups/platform/members 201', 'POST /groups/platform/members 201'],
  },
  parents: {
    command: 'resource-groups update',
    counts: [1, 0, 1, 0, 0],
    resume: [4, 'PUT /projects/web%2Fsite/resource_groups/production 404'],
    first: 'resource-groups update production -P platform/app --process-mode newest_first',
    undo: [0, 'PUT /projects/platform%2Fapp/resource_groups/production 200'],
  },
  'remove-everywhere': {
    command: 'members remove-everywhere',
    counts: [2, 0, 0, 0, 0],
    resume: [0],
    first: 'members remove-everywhere gus --yes',
    undo: [0, 'POST /groups/partners/members 201', 'POST /projects/platform%2Fapp/members 201'],
  },
  'rules-update': {
    command: 'approvals rules update',
    counts: [2, 0, 1, 0, 0],
    resume: [4],
    first: 'approvals rules update 1 2 -P platform/app --approvals-required 2 --keep --yes',
    undo: [
      0,
      'PUT /projects/platform%2Fapp/approval_rules/1 200',
      'PUT /projects/platform%2Fapp/approval_rules/2 200',
    ],
  },
  secret: {
    command: 'integrations update',
    counts: [0, 0, 2, 0, 0],
    resume: [
      8,
      'PUT /projects/nope%2Fnope/integrations/asana 404',
      'PUT /projects/platform%2Fapp/integrations/asana 200',
    ],
    undo: [0],
  },
  select: {
    command: 'runners pause',
    counts: [2, 1, 0, 0, 0],
    resume: [0],
    first: 'runners pause 1 2 3',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'select-parents': { command: 'mr subscribe', counts: [6, 0, 1, 0, 0], resume: [8], undo: [2] },
  'shard-merged': {
    command: 'runners pause',
    counts: [5, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  'shard-part-1': { command: 'runners pause', counts: [3, 0, 0, 0, 0], resume: [0], undo: [2] },
  'shard-part-2': {
    command: 'runners pause',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  stdin: {
    command: 'runners pause',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  'stdin-cut': { command: 'runners pause', counts: [3, 0, 0, 0, 0], resume: [8], undo: [2] },
  'stdin-parents': {
    command: 'resource-groups update',
    counts: [1, 0, 1, 0, 0],
    resume: [4, 'PUT /projects/nope%2Fnope/resource_groups/staging 404'],
    first: 'resource-groups update production -P platform/app --process-mode newest_first',
    undo: [0, 'PUT /projects/platform%2Fapp/resource_groups/production 200'],
  },
  'sums-api': {
    command: 'api',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    undo: [2],
  },
  'sums-apply': { command: 'apply', counts: [2, 0, 0, 0, 0], resume: [0], undo: [2] },
  'sums-bulk': {
    command: 'runners pause',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'PUT /runners/999 404'],
    first: 'runners pause 1 2',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'sums-delete': {
    command: 'deploy-keys delete',
    counts: [1, 0, 0, 0, 0],
    resume: [0],
    first: 'deploy-keys delete 1 -P platform/app --yes',
    undo: [0, 'POST /projects/platform%2Fapp/deploy_keys 201'],
  },
  'sums-drain': {
    command: 'runners drain',
    counts: [2, 0, 0, 0, 0],
    resume: [0],
    first: 'runners pause 1 2',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'sums-everywhere': {
    command: 'members remove-everywhere',
    counts: [2, 0, 0, 0, 0],
    resume: [0],
    first: 'members remove-everywhere gus --yes',
    undo: [0, 'POST /groups/partners/members 201', 'POST /projects/platform%2Fapp/members 201'],
  },
  'sums-killed': {
    command: 'runners pause',
    counts: [1, 0, 0, 2, 0],
    resume: [8, 'PUT /runners/2 200', 'PUT /runners/999 404'],
    first: 'runners pause 1 2',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'sums-rows': {
    command: 'members add',
    counts: [2, 0, 1, 0, 0],
    resume: [4, 'POST /projects/web%2Fsite/members 404'],
    first: 'members add 5 8 -P web/site --access-level 20',
    undo: [
      0,
      'DELETE /projects/web%2Fsite/members/5 204',
      'DELETE /projects/web%2Fsite/members/8 204',
    ],
  },
  'sums-single': {
    command: 'runners update',
    counts: [1, 0, 0, 0, 0],
    resume: [0],
    first: 'runners update 1 --description renamed',
    undo: [0, 'PUT /runners/1 200'],
  },
  'sums-undo': {
    command: 'runners pause',
    counts: [2, 0, 0, 0, 0],
    resume: [2],
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  tree: {
    command: 'members update',
    counts: [1, 0, 7, 0, 0],
    resume: [8],
    first: 'members update ben -G platform --access-level reporter',
    undo: [0, 'PUT /groups/platform/members/3 200'],
  },
  undo: {
    command: 'runners update',
    counts: [2, 0, 0, 0, 0],
    resume: [2],
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
  'undo-2': {
    command: 'runners pause',
    counts: [2, 0, 0, 0, 0],
    resume: [0],
    first: 'runners pause 1 2',
    undo: [0, 'PUT /runners/1 200', 'PUT /runners/2 200'],
  },
}

describe('a journal of format 1', () => {
  it('is held by a row for each fixture', () => {
    const names = readdirSync(fixtures).filter((name) => name.endsWith('.ndjson'))
    expect(names.map((name) => name.replace('.ndjson', '')).sort()).toEqual(
      Object.keys(written).sort(),
    )
  })

  it.each(Object.entries(written))('%s is shown', async (name, { counts }) => {
    const shown = await ranWith(name, (file) => `journal show ${file} -o json`)
    const { done, unchanged, failed, unknown, not_tried } = JSON.parse(shown.stdout)
    expect([done, unchanged, failed, unknown, not_tried]).toEqual(counts)
    expect(shown.code).toBe(0)
  })

  it.each(Object.entries(written))('%s is resumed', async (name, { command, resume }) => {
    const ran = await ranWith(name, (file) => `${command} --resume ${file} --yes -v`)
    expect([ran.code, ...writesIn(ran.stderr)], ran.stderr).toEqual(resume)
  })

  it.each(Object.entries(written))('%s is undone', async (name, { first, undo }) => {
    const ran = await ranWith(name, (file) => `journal undo ${file} --yes -v`, first)
    expect([ran.code, ...writesIn(ran.stderr)], ran.stderr).toEqual(undo)
  })
})
