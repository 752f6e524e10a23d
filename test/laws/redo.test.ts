/**
 * Undo and redo as a law, for every command that writes: do, undo, redo and undo again leave the instance as it was after each,
 * or the command says before it writes that it cannot be undone, and why. The same holds for a run that was killed before its answers
 * came, and was resumed.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { insertFlags, splitCommand } from '../../src/base/shell-words.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { canPreview, canRecordJournal, getCommandName } from '../../src/engine/command/derive.js'
import { loseAnswers } from '../support/killed.js'
import { usingSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = usingSandbox()

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
 * What changes by itself, what is new whenever something is made once more, and what no answer shows: a limit of a merge request
 * that is none, who set up a node.
 */
const passing =
  /^(?:id|iid|next|(?!expires).*_at|status|public_key|(?:updated|closed|dismissed|resolved)_by_id|approvals_before_merge|internal_url|oauth_application)$/

const lasting = (value: unknown): unknown => {
  // The order of a list is the instance's affair.
  if (Array.isArray(value))
    return value.map(lasting).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .flatMap(([name, inner]: [string, unknown]) =>
        passing.test(name) ? [] : [[name, lasting(inner)] as const],
      )
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** All that the instance holds, by table; what it noted of who did what is no part of that. */
const state = async (): Promise<readonly string[]> => {
  const {
    events: _,
    jobs: __,
    pipelines: ___,
    ...tables
  } = place().sandbox.snapshot() as Record<string, { readonly rows?: readonly unknown[] }>
  return Object.entries(tables)
    .flatMap(([name, table]) =>
      (table.rows ?? [table]).map((row) => `${name}: ${JSON.stringify(lasting(row))}`),
    )
    .toSorted()
}

/** Rows that one of two states has alone: what a test shows. */
const difference = (now: readonly string[], then: readonly string[]): readonly string[] => {
  const [are, were] = [new Set(now), new Set(then)]
  return [
    ...now.filter((row) => !were.has(row)).map((row) => `+ ${row}`),
    ...then.filter((row) => !are.has(row)).map((row) => `- ${row}`),
  ]
}

const kept = (await loadAllCommands()).filter(
  (command) => canPreview(command) && canRecordJournal(command) && command.writes !== true,
)

/** Lines of a command that write, without a pipe. */
const linesOf = async (command: (typeof kept)[number]): Promise<readonly string[]> => {
  if (command.area === 'api') return ['api PUT /runners/1 --param active=false']
  const lines = await loadExamples(command)
  return lines.filter((line) => !/ \| | - |--(?:curl|dry-run|resume|shard)\b/.test(`${line} `))
}

const cases = (
  await Promise.all(
    kept.map(async (command) =>
      (await linesOf(command)).map((line) => [getCommandName(command), line] as const),
    ),
  )
).flat()

describe('undo and redo', () => {
  it('are tried of every command that writes', () => {
    const tried = new Set(cases.map(([name]) => name))
    expect(kept.map(getCommandName).filter((name) => !tried.has(name))).toEqual([])
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
    const before = await state()
    const done = await run(insertFlags(words, ['--yes']))
    expect(done.code, done.stderr).toBe(0)
    const after = await state()
    const undone = await run(['journal', 'undo', 'last', '--yes'])
    if (/cannot be undone: \w/.test(shown.stderr)) {
      // Whoever undoes it all the same is told so, and nothing changes.
      expect([1, 2], undone.stderr).toContain(undone.code)
      expect(undone.stderr).toMatch(
        /cannot be undone: \w|no previous values|effect of this endpoint/,
      )
      return expect(difference(await state(), after)).toEqual([])
    }
    const steps = [['--redo'], [], ['--redo'], []]
    expect(undone.code, undone.stderr).toBe(0)
    expect(difference(await state(), before)).toEqual([])
    // What changed nothing has nothing to do again.
    if (undone.stderr.includes('made no changes to revert')) return
    for (const [i, redo] of steps.entries()) {
      const again = await run(['journal', 'undo', 'last', ...redo, '--yes'])
      expect([i, again.code], again.stderr).toEqual([i, 0])
      const wanted = redo.length > 0 ? after : before
      expect([i, difference(await state(), wanted)], again.stderr).toEqual([i, []])
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
      // Expired members leave when members are read.
      await run(insertFlags(words, ['--dry-run']))
      const before = await state()
      const done = await run(insertFlags(words, ['--yes', '--journal', journal]))
      expect(done.code, done.stderr).toBe(0)
      const after = await state()
      loseAnswers(journal)
      const user = /--sudo \w+/.exec(line)?.[0].split(' ') ?? []
      const again = ['--resume', journal, '--yes', ...user]
      const resumed = await run([...name.split(' '), ...again])
      const isFinal = /cannot be resumed: /.test(resumed.stderr)
      // What may not be sent twice stays unknown, and what is under way is a conflict.
      expect(isFinal ? [2] : [0, 5, 8], resumed.stderr).toContain(resumed.code)
      expect(difference(await state(), after)).toEqual([])
      const undone = await run(['journal', 'undo', journal, '--yes', ...user])
      const isReversible = undone.code === 0
      if (!isReversible)
        expect(undone.stderr).toMatch(/cannot be undone: \w|no previous values|effect of this/)
      expect(difference(await state(), isReversible ? before : after)).toEqual([])
    },
  )
})
