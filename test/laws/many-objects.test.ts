/** Flags for many objects: help shows each flag for the commands that accept it, and for no others. */
import { describe, expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { canListRecords, getCommandName, getScope } from '../../src/engine/command/derive.js'
import type { Command } from '../../src/engine/command/types.js'
import { parseLineParents } from '../../src/engine/plan/parents.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const config = createConfiguration()
/** Runs a line without sending anything: no server listens at this address. */
const run = (line: readonly string[]) =>
  svcctl(line, {
    env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'none', SVC_CONFIG_DIR: config },
  })

const helps = new Map<string, ReturnType<typeof run>>()

/** Returns the section "Many objects" of a command's whole help. */
const readManyObjects = async (command: string): Promise<string> => {
  const help = helps.get(command) ?? run([...command.split(' '), '--help', '--all'])
  helps.set(command, help)
  return /^Many objects:\n((?: .*\n)*)/m.exec((await help).stdout)?.[1] ?? ''
}

const refused = /is not available for a (?:project|group)|downloads from a single/
const commands = (await loadAllCommands()).filter(
  ({ endpoints, open }) => Object.keys(endpoints).length > 0 && open !== true,
)

describe('help shows where a command takes', () => {
  it.each(['--all-projects', '--all-groups'])('%s', async (flag) => {
    const [shown, taken]: [string[], string[]] = [[], []]
    for (const command of commands.map(getCommandName)) {
      if ((await readManyObjects(command)).includes(flag)) shown.push(command)
      const { code, stderr } = await run([...command.split(' '), flag, '--retries', '0'])
      expect([command, code]).not.toEqual([command, 0])
      if (!refused.test(stderr)) taken.push(command)
    }
    expect(
      shown,
      'help and the parser disagree: derive both from manyFlags of engine/command/flags.ts',
    ).toEqual(taken)
    expect(shown.length).toBeGreaterThan(8)
  })

  it('-G of what belongs to projects alone', async () => {
    expect(await readManyObjects('jobs list')).toContain('-G, --group')
    expect(await readManyObjects('members list')).not.toContain('-G, --group')
    expect(await readManyObjects('settings get')).toBe('')
  })

  it('what chooses among records, on every list', async () => {
    const listing = commands.filter(canListRecords).map(getCommandName)
    expect(listing.length).toBeGreaterThan(20)
    for (const command of listing) {
      const shown = await readManyObjects(command)
      expect([command, shown], 'every list takes --limit and --where').toEqual([
        command,
        expect.stringMatching(/--limit.*--where/s),
      ])
    }
  })
})

describe('what belongs to projects or groups is done in several of them', () => {
  /** Commands that work in a single project or group only, with the reason. The list must not grow. */
  const single: Readonly<Record<string, string>> = {
    'artifacts download': 'downloads from a single project',
    'artifacts file': 'downloads from a single project',
  }
  const isOf = (command: Command, kind: 'project' | 'group'): boolean =>
    Object.values(command.endpoints).some((endpoint) => getScope(endpoint)?.kind === kind)
  /** Lists the flags that name several projects or groups for a command. */
  const flagsFor = (command: Command): readonly (readonly [flag: string, text: string])[] => [
    ...(isOf(command, 'project')
      ? ([
          ['project', 'a/b,c/d'],
          ['project', '-'],
          ['all-projects', 'true'],
        ] as const)
      : []),
    ...(isOf(command, 'group')
      ? ([
          ['group', 'a,b'],
          ['group', '-'],
          ['all-groups', 'true'],
        ] as const)
      : ([['group', 'a']] as const)),
  ]
  const refusal = (command: Command, flag: string, text: string): string | undefined => {
    try {
      const parents = parseLineParents(command, { args: [], flags: new Map([[flag, [text]]]) })
      return parents === undefined ? `--${flag} ${text} names one` : undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  it('by -P, -G, --all-projects and --all-groups, or is refused for a reason', () => {
    const below = commands.filter((one) => isOf(one, 'project') || isOf(one, 'group'))
    expect(below.length).toBeGreaterThanOrEqual(80)
    const refused = below.flatMap((command) =>
      flagsFor(command).flatMap(([flag, text]) => {
        const reason = refusal(command, flag, text)
        return reason === undefined ? [] : [[getCommandName(command), reason] as const]
      }),
    )
    for (const [name, reason] of refused)
      expect([name, reason]).toEqual([
        name,
        expect.stringContaining(single[name] ?? 'nothing: fan it out'),
      ])
    expect([...new Set(refused.map(([name]) => name))].sort()).toEqual(Object.keys(single))
    expect(Object.keys(single).length).toBeLessThanOrEqual(2)
  })
})

describe('a refusal for want of a project or group names every way to give one', () => {
  it.each([
    ['jobs list', '--project (SVC_PROJECT), --group or --all-projects, or run it inside a clone'],
    ['members list', '--project (SVC_PROJECT), --all-projects or --all-groups, or run it inside'],
    ['members billable list', 'Give --group (SVC_GROUP) or --all-groups.'],
    ['artifacts download', 'Give --project (SVC_PROJECT), or run it inside a clone'],
  ])('%s', async (line, hint) => {
    const { code, stderr } = await run(line.split(' '))
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)])
  })
})
