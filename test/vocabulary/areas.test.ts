/**
 * Tests every area in another vocabulary: one example of each command runs, one after the other, on two instances with the same
 * data, one of which uses other words. Both give the same results.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isObject } from '../../src/base/objects.js'
import { splitCommand } from '../../src/base/shell-words.js'
import { areas } from '../../src/catalogue/index.js'
import { loadAreaCommands, loadExamples } from '../../src/commands/index.js'
import { translateCommand } from '../../src/engine/command/aliases.js'
import { getCommandFlags } from '../../src/engine/command/flags.js'
import type { Command } from '../../src/engine/command/types.js'
import { useSharedSandbox, useWordsSandbox } from '../sandbox/instance.js'
import { createFolder, type LineResult } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { everything, loadEveryWord } from './everything.js'

const words = await loadEveryWord()
const plain = useSharedSandbox()
const other = useWordsSandbox(words)

const cwd = createFolder()
writeFileSync(join(cwd, 'work.yml'), everything)
mkdirSync(join(cwd, 'keys'))

/** Lines that need a shell, missing files or another program. */
const needsShell =
  /[|<>$@*]|\$\(| - | -$|--exec|--extract|--report|--input|--certificate|--key |\.yml|\.pem/

/** Translates a line into the instance's words. */
const toOwnLine = (command: Command, line: readonly string[]): readonly string[] => {
  const { flags } = translateCommand(
    command,
    words,
    getCommandFlags(command).map(({ name }) => name),
  )
  const dotted = (text: string) =>
    text
      .split(',')
      .map((one) => one.split('.').map(words.name).join('.'))
      .join(',')
  return line.map((token, i) => {
    if (line[i - 1] === '--fields') return dotted(token)
    const [, dashes = '', name = '', rest = ''] = /^(--(?:no-)?)([^=]+)(.*)$/.exec(token) ?? []
    const flag = flags.find((one) => one.name === name || one.aliases?.includes(name))
    return flag?.own === undefined ? token : dashes + flag.own + rest
  })
}

const listLines = async (area: (typeof areas)[number]) => {
  const commands = await loadAreaCommands(area)
  const all = await Promise.all(
    commands.map(async (command) => [command, await loadExamples(command)] as const),
  )
  const plain = (line: string): boolean => !needsShell.test(line) && !line.startsWith('ci lint')
  // One example of each command: the others differ in their flags, which `instance.test.ts` tests.
  return all.flatMap(([command, lines]) =>
    lines
      .filter(plain)
      .slice(0, 1)
      .map((line) => ({ command, line: splitCommand(line) })),
  )
}

const run = (
  line: readonly string[],
  url: string,
  env: Record<string, string>,
): Promise<LineResult> =>
  svcctl([...line, '--yes'], {
    cwd,
    env: { SVC_BASE_URL: url, SVC_TOKEN: 'sandbox-root-token', ...env },
  })

const toNeutralNames = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toNeutralNames)
  if (!isObject(value)) return typeof value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [words.neutral(name), toNeutralNames(inner)]),
  )
}

/** Returns the structure of an output without its values: headings, or the names of JSON. */
const getOutline = (stdout: string): unknown => {
  try {
    return toNeutralNames(JSON.parse(stdout))
  } catch {
    const [first = '', ...rest] = stdout.trimEnd().split('\n')
    return {
      heading: first.split(/[\t,]/).map((name) => words.neutral(name)).length,
      lines: rest.length,
    }
  }
}

it.each(areas.map((area) => [area.name, area] as const))('%s', async (name, area) => {
  const lines = await listLines(area)
  if (!['ci', 'alerts'].includes(name)) expect(lines.length).toBeGreaterThan(0)
  for (const { command, line: neutral } of lines) {
    const was = await run(neutral, plain.url(), {})
    const line = toOwnLine(command, neutral)
    const is = await run(line, other.url(), { SVC_VOCABULARY: join(cwd, 'work.yml') })
    expect
      .soft({ line, code: is.code, out: getOutline(is.stdout) }, is.stderr + was.stderr)
      .toEqual({
        line,
        code: was.code,
        out: getOutline(was.stdout),
      })
  }
})
