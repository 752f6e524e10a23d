/** The help page of each command fits one screen, or is named here with its reason; `--help --all` says all of it. */
import { describe, expect, it } from 'vitest'
import { renderCommandHelp, screenLines } from '../../src/cli/help/command.js'
import type { PageStyle } from '../../src/cli/help/layout.js'
import { toFlagRows } from '../../src/cli/help/rows.js'
import { groupFlags, subjects } from '../../src/cli/help/subjects.js'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { getManyFlags, getOwnFlags } from '../../src/engine/command/flags.js'
import { svcctl } from '../support/within.js'

const style: PageStyle = { width: 80, bold: (text) => text, dim: (text) => text }
const commands = (await loadAllCommands()).map(
  (command) => [getCommandName(command), command] as const,
)

/** Pages that are longer than a screen, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'settings update': 'names its 57 settings below their headings, in 35 lines',
}

const countLines = (text: string): number => text.trimEnd().split('\n').length

describe('a page of help', () => {
  it('fits one screen, but for the exceptions', async () => {
    const long = await Promise.all(
      commands.map(async ([name, command]) =>
        countLines(await renderCommandHelp(command, style)) > screenLines ? [name] : [],
      ),
    )
    expect(long.flat()).toEqual(Object.keys(exceptions))
  })

  it.each(commands)('of %s names each of its own flags, and is whole with --all', async (_, c) => {
    const short = await renderCommandHelp(c, style)
    for (const [term] of toFlagRows(getOwnFlags(c))) {
      const name = term.replace(/^-\w, | .*/g, '')
      expect(short).toContain(name)
    }
    const whole = await renderCommandHelp(c, style, true)
    for (const [term] of toFlagRows([...getOwnFlags(c), ...getManyFlags(c)]))
      expect(whole).toContain(term)
    expect(whole).not.toContain('--help --all')
    expect(/^API:/m.test(whole)).toBe(Object.keys(c.endpoints).length > 0)
  })

  it('has headings whose flags there are', () => {
    const planning = ['plan', 'apply', 'drift']
    for (const [name, headings] of Object.entries(subjects)) {
      const users = planning.includes(name) ? planning : [name]
      const flags = commands
        .filter(([other]) => users.includes(other))
        .flatMap(([, c]) => getOwnFlags(c))
      for (const pattern of headings.flatMap(([, names]) => names)) {
        const expression = new RegExp(`^${pattern.replace('*', '.+')}$`)
        expect(
          flags.filter((flag) => expression.test(flag.name)),
          pattern,
        ).not.toEqual([])
      }
      const [title, rest] = groupFlags(name, flags).at(-1) ?? []
      expect(title).toBe('More flags')
      expect(rest?.length).toBeLessThan(flags.length / 4)
    }
  })
})

describe('many objects', () => {
  it('stand on one line, and whole with --help --all in any order', async () => {
    const { stdout } = await svcctl(['runners', 'list', '--help'])
    expect(stdout).toContain(
      '\nMany objects: --all-projects, --where, --sort, --group-by … svcctl help many\n',
    )
    expect(stdout).not.toContain('--p95')
    for (const line of [
      ['--help', '--all'],
      ['--all', '-h'],
    ]) {
      const whole = await svcctl(['runners', 'list', ...line])
      expect(whole).toMatchObject({ code: 0 })
      expect(whole.stdout).toMatch(/\nMany objects:\n.*--all-projects[\s\S]*--p95/)
    }
    const whole = await svcctl(['help', 'runners', 'list', '--all'])
    expect(whole.stdout).toContain('--p95')
  })

  it('are a topic by two names', async () => {
    const { stdout } = await svcctl(['help', 'many'])
    expect(stdout).toBe((await svcctl(['help', 'many-objects'])).stdout)
    expect(stdout).toContain('--all-projects')
  })
})
