/**
 * A value that an enumeration does not list: for the API's parameters the hint says how to send it anyway, and for flags of the tool
 * there is no such hint.
 */
import { expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { canListRecords, getCommandName } from '../../src/engine/command/derive.js'
import { globalFlags } from '../../src/engine/command/global-flags.js'
import type { Flag } from '../../src/engine/command/types.js'
import { svcctl } from '../support/within.js'

const isListed = ({ param }: Flag): boolean =>
  param.type === 'enum' ||
  (param.type === 'list' && param.of === 'enum') ||
  ((param.type === 'list' || param.type === 'integer') && param.names !== undefined)

/** One command for each name and kind of flag. */
const lines = new Map<string, { readonly line: readonly string[]; readonly flag: Flag }>()
for (const command of await loadAllCommands())
  for (const flag of command.flags.filter(isListed)) {
    // A value of --sort that is not the API's is the name of a field.
    if (flag.name === 'sort' && canListRecords(command)) continue
    const own = flag.parameter === undefined || flag.path === true
    const line = [...getCommandName(command).split(' '), `--${flag.name}`, 'zz']
    const key = `${own ? 'own' : flag.parameter} ${flag.name} ${flag.param.type}`
    if (!lines.has(key)) lines.set(key, { line, flag })
  }
for (const flag of globalFlags.filter(isListed))
  lines.set(`global ${flag.name}`, { line: ['runners', 'list', `--${flag.name}`, 'zz'], flag })

const run = (line: readonly string[]) =>
  svcctl(line, { env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'any' } })

it('has flags of both kinds', () => {
  const own = [...lines.values()].filter(({ flag }) => flag.parameter === undefined)
  expect(own.length).toBeGreaterThan(5)
  expect(lines.size - own.length).toBeGreaterThan(20)
})

it.each([...lines])('%s', async (_, { line, flag }) => {
  const { code, stderr } = await run(line)
  expect(code).toBe(2)
  expect(stderr, 'the message must name the flag, its values and what was given').toMatch(
    new RegExp(`--${flag.name} must be .*, not "zz"`),
  )
  const { parameter } = flag
  if (parameter === undefined || flag.path === true) return expect(stderr).not.toContain('newer')
  const sent = flag.param.type === 'enum' || !('names' in flag.param) ? 'zz' : '<number>'
  expect(stderr, 'the hint must say how the value is sent with --param').toMatch(
    new RegExp(`may support more values. Send one with --param '?${parameter}=${sent}'?\\.`),
  )
})

it('of levels, by their number', async () => {
  const { code, stderr } = await run('members add 5 --access-level 15 -G platform'.split(' '))
  expect([code, stderr]).toEqual([2, expect.stringContaining('--param access_level=15.')])
})
