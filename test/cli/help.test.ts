/** Help of every command, area and topic: complete, and within eighty columns. */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { allCommands, named } from '../../src/cli/derive.js'
import { areaHelp, commandHelp, rootHelp, topicHelp, topics } from '../../src/cli/help.js'
import type { Style } from '../../src/cli/help-text.js'
import { toolCommands } from '../../src/commands/index.js'

const style: Style = { width: 80, bold: (text) => text, dim: (text) => text }
const commands = await allCommands()

const tooLong = (text: string): string[] => text.split('\n').filter((line) => line.length > 80)

describe('help', () => {
  it.each(commands.map((c) => [named(c), c] as const))('of %s', async (_, command) => {
    const text = await commandHelp(command, style)
    expect(tooLong(text)).toEqual([])
    const [summary, , usage, line] = text.split('\n')
    expect(summary).toBe(`${command.summary}.`)
    expect(usage).toBe('Usage:')
    expect(line).toContain(`svcctl ${named(command)}`)
    for (const title of ['Instance:', 'Output:', 'Examples:'])
      expect(text).toContain(`\n${title}\n`)
    const all = Object.values(command.endpoints)
    if (all.length > 0) expect(text).toMatch(/^ {2}who {2}/m)
    if (all.some((e) => e.edition !== undefined)) expect(text).toMatch(/^ {2}edition {2}/m)
    if (all.some((e) => e.returns.kind === 'many')) expect(text).toContain('\nPaging:\n')
  })

  it.each([...areas.map((a) => a.name), ...new Set(toolCommands.map((c) => c.area))])(
    'of the area %s',
    async (area) => {
      expect(tooLong(await areaHelp(area, style))).toEqual([])
    },
  )

  it.each(Object.keys(topics))('on %s', async (topic) => {
    const text = await topicHelp(topic)
    expect(text?.length).toBeGreaterThan(100)
    expect(tooLong(text ?? '')).toEqual([])
  })

  it('of the program', async () => {
    const text = await rootHelp(style)
    expect(tooLong(text)).toEqual([])
    for (const { name } of areas) expect(text).toContain(`  ${name} `)
  })
})
