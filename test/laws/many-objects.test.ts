/** The flags for many objects: help shows each where it is taken, and nowhere else. */
import { describe, expect, it } from 'vitest'
import { allCommands } from '../../src/commands/index.js'
import { getCommandName, lists } from '../../src/engine/command/derive/index.js'
import { configuration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const config = configuration()
/** Nothing is sent: no server listens there. */
const run = (line: readonly string[]) =>
  svcctl(line, {
    env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'none', SVC_CONFIG_DIR: config },
  })

/** The part of a command's help below that heading. */
const manyObjects = async (command: string): Promise<string> => {
  const { stdout } = await run([...command.split(' '), '--help'])
  return /^Many objects:\n((?: .*\n)*)/m.exec(stdout)?.[1] ?? ''
}

const refused = /is not available for a (?:project|group)|downloads from a single/
const commands = (await allCommands()).filter(
  ({ endpoints, open }) => Object.keys(endpoints).length > 0 && open !== true,
)

describe('help shows where a command takes', () => {
  it.each(['--all-projects', '--all-groups'])('%s', async (flag) => {
    const [shown, taken]: [string[], string[]] = [[], []]
    for (const command of commands.map(getCommandName)) {
      if ((await manyObjects(command)).includes(flag)) shown.push(command)
      const { code, stderr } = await run([...command.split(' '), flag, '--retries', '0'])
      expect([command, code]).not.toEqual([command, 0])
      if (!refused.test(stderr)) taken.push(command)
    }
    expect(shown).toEqual(taken)
    expect(shown.length).toBeGreaterThan(8)
  })

  it('-G of what belongs to projects alone', async () => {
    expect(await manyObjects('jobs list')).toContain('-G, --group')
    expect(await manyObjects('members list')).not.toContain('-G, --group')
    expect(await manyObjects('settings get')).toBe('')
  })

  it('what chooses among records, on every list', async () => {
    const listing = commands.filter(lists).map(getCommandName)
    expect(listing.length).toBeGreaterThan(20)
    for (const command of listing) {
      const shown = await manyObjects(command)
      expect([command, shown]).toEqual([command, expect.stringMatching(/--limit.*--where/s)])
    }
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
