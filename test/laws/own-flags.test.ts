/**
 * Tests flags of single commands, beside each other and beside flags of all commands: no line ends with a defect, with a stack trace, or
 * without a byte. A usage error comes before any write. Flags of all commands beside each other have a law of their own (`pairs/`).
 */
import { expect, inject, it } from 'vitest'
import { insertFlags, splitCommand } from '../../src/base/shell-words.js'
import { isSwitch, type Param } from '../../src/catalogue/params.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import type { Command } from '../../src/engine/command/types.js'
import { countDraws } from '../support/draws.js'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()

/** Flags of all commands, with a value each. */
const common: readonly (readonly string[])[] = [
  ...['json', 'csv', 'html', 'id'].map((format) => ['-o', format]),
  ...['--dry-run', '--curl', '--count', '--all-projects'].map((flag) => [flag]),
  ...['--where', '--select'].map((flag) => [flag, 'id>0']),
  ...['-P', '-G'].map((flag) => [flag, 'platform']),
  ['--limit', '2'],
  ['--fields', 'id'],
  ['--to', 'out'],
  ['--param', 'a=b'],
]

/** Values for parameters without a list of values, and for those that name a file: a folder and a full disk are there, too. */
const texts = ['1', 'x', 'a=b', '2036-11-01', '', '-1', 'platform/app', 'DELETE']
const files = ['out', '.', 'none/out', '/dev/full', '@none', '-']

// Lines that never end, that a person has to answer, or that other programs talk to.
const isLeftOut = (command: Command): boolean =>
  /^(?:auth (?:login|git-credential)|completion|mcp|sandbox)\b/.test(getCommandName(command))

/** Creates a generator of numbers below a bound, the same ones for each seed. */
const createDraw = (seed: number) => {
  let state = seed
  return (bound: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * bound)
  }
}
const draw = createDraw(inject('seed'))
const pick = <T>(list: readonly T[]): T | undefined => list[draw(list.length)]

const getValues = (param: Param): readonly string[] => {
  if (/^(?:file|folder)$/.test(param.completes ?? '')) return files
  return 'values' in param && Array.isArray(param.values) ? param.values.map(String) : texts
}

/** Gives a flag one of its values. */
const drawValue = ({ name, param }: Command['flags'][number]): readonly string[] =>
  isSwitch(param) ? [`--${name}`] : [`--${name}`, pick(getValues(param)) ?? '']

/** Draws two flags of a command; one if it has no other. */
const drawFlags = ({ flags }: Command): readonly string[] => {
  const first = pick(flags)
  const second = pick(flags.filter((flag) => flag !== first))
  return [first, second].flatMap((flag) => (flag === undefined ? [] : drawValue(flag)))
}

/** Returns the reason why the end of a line is wrong; undefined if there is none. */
const findFault = (
  args: readonly string[],
  { code, stdout, stderr }: Awaited<ReturnType<typeof svcctl>>,
  writes: readonly string[],
): string | undefined => {
  if (code === 9 || stderr.includes('has a defect')) return stderr
  if (/\n\s+at .*:\d+:\d+/.test(stderr)) return 'a stack trace'
  if (code === 2 && writes.length > 0) return `a usage error after ${writes[0]}`
  const isSilent = args.some((flag) => /^(?:-q|--quiet|--silent|--to)$/.test(flag))
  return code === 0 && stdout + stderr === '' && !isSilent ? 'exit 0 without a byte' : undefined
}

const commands = (await loadAllCommands()).filter((command) => !isLeftOut(command))

it.each(commands.map((command) => [getCommandName(command), command] as const))(
  'ends well with any of its flags: %s',
  async (_, command) => {
    const { config, cwd, sandbox } = place()
    const examples = (await loadExamples(command)).filter((line) => !/[|<>]|--w/.test(line))
    for (let n = 0; n < countDraws(24); n++) {
      const words = splitCommand(pick(examples) ?? getCommandName(command))
      const beside = draw(2) === 0 ? [] : (pick(common) ?? [])
      const args = insertFlags(words, [...drawFlags(command), ...beside, '--yes'])
      const before = sandbox.requests.length
      const ran = await svcctl(args, {
        cwd,
        input: '1\n',
        env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token },
      })
      const writes = sandbox.requests
        .slice(before)
        .flatMap(({ method, path }) => (/^(?:GET|HEAD)$/.test(method) ? [] : `${method} ${path}`))
        .filter((request) => !/\/ci\/lint$/.test(request))
      expect(findFault(args, ran, writes), args.join(' ')).toBeUndefined()
    }
  },
)
