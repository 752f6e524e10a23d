/**
 * Undo and redo as a law for every command that writes. Do, undo, redo and undo again each leave the instance as it was after the same
 * step before, or the command says in advance that it cannot be undone, and why. The same holds for a run that was killed before its
 * answers came and was then resumed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { insertFlags, splitCommand } from '../../src/base/shell-words.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { canPreview, canRecordJournal, getCommandName } from '../../src/engine/command/derive.js'
import { removeOutcomes } from '../support/killed.js'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()

const files: Readonly<Record<string, string>> = {
  'ci.pub': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mA ci\n',
  'README.md': 'What it is for.\n',
  'docs/about.md': 'What it is for.\n',
  'robot.pub':
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3FXXtqJIUKP2hbkPRAQMoMBUjsUnWWb7lHxS9H40mB r\n',
}

const run = (words: readonly string[]) => {
  const { config, cwd, sandbox } = place()
  const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
  return svcctl(words, { cwd, env: { ...env, HOOK: 'https://hooks.example.test/x' } })
}

/**
 * Fields that change by themselves, that are new whenever an object is created again, or that no answer shows, such as an empty limit
 * of a merge request or the user who set up a node.
 */
const volatileFields =
  /^(?:id|iid|next|(?!expires).*_at|status|public_key|(?:updated|closed|dismissed|resolved)_by_id|approvals_before_merge|internal_url|oauth_application)$/

const removeVolatile = (value: unknown): unknown => {
  // The order of a list is up to the instance.
  if (Array.isArray(value))
    return value
      .map(removeVolatile)
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .flatMap(([name, inner]: [string, unknown]) =>
        volatileFields.test(name) ? [] : [[name, removeVolatile(inner)] as const],
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Reads all tables of the instance, without its own records of events, jobs and pipelines. */
const readState = async (): Promise<readonly string[]> => {
  const {
    events: _,
    jobs: __,
    pipelines: ___,
    ...tables
  } = place().sandbox.snapshot() as Record<string, { readonly rows?: readonly unknown[] }>
  return Object.entries(tables)
    .flatMap(([name, table]) =>
      (table.rows ?? [table]).map((row) => `${name}: ${JSON.stringify(removeVolatile(row))}`),
    )
    .toSorted()
}

/** Lists the rows that only one of two states has, as a diff. */
const listDifferences = (now: readonly string[], then: readonly string[]): readonly string[] => {
  const [are, were] = [new Set(now), new Set(then)]
  return [
    ...now.filter((row) => !were.has(row)).map((row) => `+ ${row}`),
    ...then.filter((row) => !are.has(row)).map((row) => `- ${row}`),
  ]
}

const writingCommands = (await loadAllCommands()).filter(
  (command) => canPreview(command) && canRecordJournal(command) && command.writes !== true,
)

/** Lists the examples of a command that write and have no pipe. */
const listLines = async (command: (typeof writingCommands)[number]): Promise<readonly string[]> => {
  if (command.area === 'api') return ['api PUT /runners/1 --param active=false']
  const lines = await loadExamples(command)
  return lines.filter((line) => !/ \| | - |--(?:curl|dry-run|resume|shard)\b/.test(`${line} `))
}

const cases = (
  await Promise.all(
    writingCommands.map(async (command) =>
      (await listLines(command)).map((line) => [getCommandName(command), line] as const),
    ),
  )
).flat()

describe('undo and redo', () => {
  it('are tried of every command that writes', () => {
    const tried = new Set(cases.map(([name]) => name))
    expect(writingCommands.map(getCommandName).filter((name) => !tried.has(name))).toEqual([])
    expect(tried.size).toBeGreaterThan(50)
  })

  const writeFiles = (): void => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(place().cwd, file)), { recursive: true })
      writeFileSync(join(place().cwd, file), text)
    }
  }

  it.each(cases.map(([, line]) => line))('of %s', { timeout: 60_000 }, async (line) => {
    writeFiles()
    const words = splitCommand(line)
    const shown = await run(insertFlags(words, ['--dry-run']))
    const before = await readState()
    const done = await run(insertFlags(words, ['--yes']))
    expect(done.code, done.stderr).toBe(0)
    const after = await readState()
    const undone = await run(['journal', 'undo', 'last', '--yes'])
    if (/cannot be undone: \w/.test(shown.stderr)) {
      // An undo of it is rejected with the reason, and nothing changes.
      expect([1, 2], undone.stderr).toContain(undone.code)
      expect(undone.stderr).toMatch(
        /cannot be undone: \w|no previous values|effect of this endpoint/,
      )
      return expect(listDifferences(await readState(), after)).toEqual([])
    }
    const steps = [['--redo'], [], ['--redo'], []]
    expect(undone.code, undone.stderr).toBe(0)
    expect(listDifferences(await readState(), before)).toEqual([])
    // A command that changed nothing has nothing to redo.
    if (undone.stderr.includes('made no changes to revert')) return
    for (const [i, redo] of steps.entries()) {
      const again = await run(['journal', 'undo', 'last', ...redo, '--yes'])
      expect([i, again.code], again.stderr).toEqual([i, 0])
      const wanted = redo.length > 0 ? after : before
      expect([i, listDifferences(await readState(), wanted)], again.stderr).toEqual([i, []])
    }
  })

  const short = cases.filter(([, line]) => !line.includes(' --wait'))
  const shortest = new Map(short.toSorted(([, a], [, b]) => b.length - a.length))
  it.each([...shortest])(
    'of %s, resumed without its answers: %s',
    {
      timeout: 60_000,
    },
    async (name, line) => {
      writeFiles()
      const words = splitCommand(line)
      const journal = join(place().cwd, 'lost.ndjson')
      // Expired members are removed when members are read.
      await run(insertFlags(words, ['--dry-run']))
      const before = await readState()
      const done = await run(insertFlags(words, ['--yes', '--journal', journal]))
      expect(done.code, done.stderr).toBe(0)
      const after = await readState()
      removeOutcomes(journal)
      const user = /--sudo \w+/.exec(line)?.[0].split(' ') ?? []
      const again = ['--resume', journal, '--yes', ...user]
      const resumed = await run([...name.split(' '), ...again])
      const isFinal = /cannot be resumed: /.test(resumed.stderr)
      // A request that must not be sent twice stays unknown, and an object that is still being changed is a conflict.
      expect(isFinal ? [2] : [0, 5, 8], resumed.stderr).toContain(resumed.code)
      expect(listDifferences(await readState(), after)).toEqual([])
      const undone = await run(['journal', 'undo', journal, '--yes', ...user])
      const isReversible = undone.code === 0
      if (!isReversible)
        expect(undone.stderr).toMatch(/cannot be undone: \w|no previous values|effect of this/)
      expect(listDifferences(await readState(), isReversible ? before : after)).toEqual([])
    },
  )
})
