/**
 * Tests `journal undo --redo`, which does again what was undone, and another undo after it. An object that the run
 * created has another ID each time.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { splitCommand } from '../../src/base/shell-words.js'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()
const run = (line: string, input?: string) => {
  const { cwd, config, sandbox } = place()
  return svcctl(splitCommand(line), {
    cwd,
    env: {
      SVC_CONFIG_DIR: config,
      SVC_BASE_URL: sandbox.url,
      SVC_TOKEN: sandbox.token,
      HOOK: 'https://hooks.example.test/x',
    },
    ...(input === undefined ? {} : { input }),
  })
}
const runOk = async (line: string, input?: string): Promise<string> => {
  const { code, stdout, stderr } = await run(line, input)
  expect(code, `${line}: ${stderr}`).toBe(0)
  return stdout
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA'

const lines: readonly (readonly [line: string, reads: string, input?: string])[] = [
  [
    'members add 8 --access-level developer --expires-at 2030-01-01 -P web/docs',
    'members list -P web/docs -o csv --fields id,access_level,expires_at',
  ],
  [
    'members add - -P web/legacy --row-fields access_level',
    'members list -P web/legacy -o csv --fields id,access_level',
    'user_id,access_level\n8,20\n5,30\n',
  ],
  [
    'members add 5 8 --access-level reporter -P web/legacy',
    'members list -P web/legacy -o csv --fields id,access_level',
  ],
  [
    `deploy-keys add --title x --key '${key}' --can-push -P web/docs`,
    'deploy-keys list -P web/docs -o csv --fields title,key,can_push',
  ],
  ['deploy-keys enable 3 -P web/site', 'deploy-keys list -P web/site -o csv --fields id,title'],
  [
    'deploy-keys delete 1 -P platform/app --yes',
    'deploy-keys list -P platform/app -o csv --fields title,can_push',
  ],
  [
    'approvals rules create --name QA --approvals-required 1 --user-ids 2 -P web/docs',
    'approvals rules list -P web/docs -o csv --fields name,approvals_required,users.id',
  ],
  [
    'approvals rules delete 2 -P platform/app --yes',
    'approvals rules list -P platform/app -o csv --fields name,approvals_required,users.id,groups.id',
  ],
  ['pages-domains add new.example.test -P web/site', 'pages-domains list -P web/site -o csv'],
  ['geo nodes create --name eu --url https://eu.test', 'geo nodes list -o csv --fields name,url'],
  [
    'integrations update emails-on-push --recipients a@example.test -P web/site',
    'integrations list -P web/site -o csv --fields slug,active',
  ],
]

describe('the answer has the form of that of the run, even if it changed one object', () => {
  it.each([
    ['runners pause 3 4', true],
    ["runners pause --instance --select 'id=4' --yes", true],
    ['runners pause 4', false],
  ])('%s', async (line, isList) => {
    await runOk(line)
    for (const undo of ['journal undo last --yes', 'journal undo last --redo --yes']) {
      const answer: unknown = JSON.parse(await runOk(`${undo} -o json`))
      expect([undo, Array.isArray(answer), [answer].flat()]).toEqual([
        undo,
        isList,
        [expect.objectContaining({ id: 4 })],
      ])
    }
  })

  it('names the object to people', async () => {
    await runOk('runners pause 3 4')
    expect(await runOk('journal undo last --yes')).toContain('\n4\tplatform-builder\t')
  })
})

it('shows access levels by their names, as other tables do', async () => {
  await runOk('members update 8 --access-level maintainer -P platform/app')
  expect(await runOk('journal undo last --yes')).toBe(
    'attribute\told\tnew\naccess_level\tmaintainer\tdeveloper\n',
  )
})

describe('the shards of a run', () => {
  const reads = 'runners list --instance --fields id,active -o csv --limit all'
  const pause = (shard: string, runners = '4 5 6') =>
    runOk(`runners pause ${runners} --shard ${shard} --journal ${shard[0]}.ndjson`)

  it('are undone together, and redone', async () => {
    const before = await runOk(reads)
    for (const shard of ['1/3', '2/3', '3/3']) await pause(shard)
    const paused = await runOk(reads)
    expect(paused).not.toBe(before)
    const undone = JSON.parse(await runOk('journal undo 1.ndjson 2.ndjson 3.ndjson --yes -o json'))
    expect(undone.map(({ id }: { id: number }) => id).sort()).toEqual([4, 5, 6])
    expect(await runOk(reads)).toBe(before)
    await runOk('journal undo last --redo --yes')
    expect(await runOk(reads)).toBe(paused)
  })

  it('are confirmed with all their IDs', async () => {
    for (const shard of ['1/2', '2/2']) await pause(shard, '1 2 4 5')
    const { stderr } = await run('journal undo 1.ndjson 2.ndjson --dry-run')
    expect(stderr).toMatch(/This reverts the runs \S+ and \S+\.$/m)
    const twice = await run('journal undo 1.ndjson ./1.ndjson --dry-run')
    expect(twice.stderr).toMatch(/This reverts run \S+\.$/m)
  })

  it('must be shards, and of one run', async () => {
    await pause('1/2')
    await runOk('runners pause 7 9 --journal whole.ndjson')
    await runOk('runners resume 7 9 --shard 2/2 --journal other.ndjson')
    for (const [files, why] of [
      ['1.ndjson whole.ndjson', 'is no shard'],
      ['whole.ndjson whole.ndjson', 'is no shard of a run'],
      ['1.ndjson other.ndjson', 'belong to different runs: command differs'],
      ['1.ndjson last', 'unknown journal "last"'],
    ]) {
      const { code, stderr } = await run(`journal undo ${files} --yes`)
      expect([files, code, stderr]).toEqual([files, 2, expect.stringContaining(String(why))])
    }
  })
})

describe('redoing', () => {
  it.each(lines.map(([line, reads, input]) => ({ line, reads, input })))(
    '$line',
    {
      timeout: 60_000,
    },
    async ({ line, reads, input }) => {
      const before = await runOk(reads)
      await runOk(line, input)
      const after = await runOk(reads)
      expect(after).not.toBe(before)
      for (const _ of ['once', 'again']) {
        await runOk('journal undo last --yes')
        expect(await runOk(reads)).toBe(before)
        await runOk('journal undo last --redo --yes')
        expect(await runOk(reads)).toBe(after)
      }
    },
  )

  it('of what no journal has sends nothing, and says so', async () => {
    await runOk('integrations update slack --webhook env:HOOK -P web/site')
    await runOk('journal undo last --yes')
    const { sandbox } = place()
    const sent = sandbox.requests.length
    const { code, stderr } = await run('journal undo last --redo --yes')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('cannot be redone: the journal does not record webhook'),
    ])
    expect(sandbox.requests.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([])
  })
})

describe('an empty name of a file', () => {
  it.each([
    'plan --out ""',
    'apply ""',
    'drift ""',
    'check policy ""',
    'ci lint ""',
    'snapshot --to ""',
    'sandbox reset --yes --state-dir ""',
    'vocabulary learn --to ""',
    'runners pause 1 --journal ""',
    'runners pause --resume ""',
    'runners list --instance --since ""',
  ])('means no folder: %s', async (line) => {
    const { cwd, sandbox } = place()
    writeFileSync(join(cwd, 'site.yml'), 'version: 1\n')
    const sent = sandbox.requests.length
    const { code, stderr } = await run(line)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/requires the name of a f/)])
    expect(sandbox.requests.length).toBe(sent)
  })
})
