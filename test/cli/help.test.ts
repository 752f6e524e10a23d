/** Tests the help of every command, area and topic: it is complete and at most 80 columns wide. */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { renderCommandHelp } from '../../src/cli/help/command.js'
import type { PageStyle } from '../../src/cli/help/layout.js'
import { toFlagRows } from '../../src/cli/help/rows.js'
import { renderAreaHelp, renderRootHelp, renderTopic, topics } from '../../src/cli/help/topics.js'
import { loadAllCommands, loadCommandByWords, toolCommands } from '../../src/commands/index.js'
import { canListRecords, getCommandName, getSelectList } from '../../src/engine/command/derive.js'
import { getOwnFlags } from '../../src/engine/command/flags.js'
import { globalFlags } from '../../src/engine/command/global-flags.js'
import { svcctl } from '../support/within.js'

const style: PageStyle = { width: 80, bold: (text) => text, dim: (text) => text }
const commands = await loadAllCommands()

const findLongLines = (text: string): string[] =>
  text.split('\n').filter((line) => line.length > 80)

describe('help', () => {
  it.each(commands.map((c) => [getCommandName(c), c] as const))('of %s', async (_, command) => {
    const text = await renderCommandHelp(command, style)
    expect(findLongLines(text)).toEqual([])
    const [summary, , usage, line] = text.split('\n')
    expect(summary).toBe(`${command.summary}.`)
    expect(usage).toBe('Usage:')
    expect(line).toContain(`svcctl ${getCommandName(command)}`)
    expect(text).toContain('\nExamples:\n')
    const all = Object.values(command.endpoints)
    if (all.some((e) => e.access !== undefined)) expect(text).toMatch(/^ {2}who {2}/m)
    if (all.some((e) => e.edition !== undefined)) expect(text).toMatch(/^ {2}edition {2}/m)
    expect(text).toMatch(/^Common flags: -o, .* … svcctl help flags$/m)
    const limits = canListRecords(command) || getSelectList(command) !== undefined
    expect(text.includes('--limit')).toBe(limits)
    // The flags that every command has are on a page of their own.
    expect(text).not.toMatch(/--insecure|--csv-raw|--timeout/)
  })

  it.each(commands.map((c) => [getCommandName(c), c] as const))(
    'of %s says of each flag what it is, and of no other command',
    async (_, command) => {
      const summaries = new Set(commands.map((c) => c.summary))
      for (const [term, text] of toFlagRows(getOwnFlags(command))) {
        expect(text).not.toBe('')
        expect(summaries.has(text), term).toBe(false)
        // A flag is called required only if every call needs it.
        if (/^-P|^-G/.test(term)) expect(text).not.toContain('required')
      }
    },
  )

  it('writes flags as they are typed', async () => {
    const text = async (words: string): Promise<string> => {
      const command = commands.find((c) => getCommandName(c) === words)
      return command === undefined ? '' : renderCommandHelp(command, style, true)
    }
    expect(await text('runners update')).toContain('--[no-]locked')
    expect(await text('runners list')).toMatch(/ --instance +list all runners of the instance/)
    for (const line of ['commits list', 'integrations update']) {
      expect(await text(line)).toMatch(/default\s+"default"/)
      expect(await text(line)).not.toMatch(/default\s+default\b/)
    }
    expect(await text('ci lint')).toMatch(
      /--report <kind=file> +write a report: junit=<file>, sarif=<file>/,
    )
    expect(await text('events list')).toContain('--after <YYYY-MM-DD|[+]30d>')
    expect(await text('mr list')).toContain('--created-after <YYYY-MM-DD[Thh:mm:ssZ]|[+]30d>')
    expect(await text('jobs list')).toMatch(/--scope .*\n? *.*created, pending, running/)
    expect(await text('members add')).toMatch(/guest, reporter, developer/)
    expect(await text('approvals rules update')).not.toContain('required)')
    expect(await text('approvals rules create')).toContain('(required)')
  })

  it.each([
    ['dependencies list --help', 'first, the most severe on top. Other formats keep the order'],
    ['auth login --help', ' token kind (personal, oauth, session'],
    ['explain --config-schema', 'conditions that must all match; * matches anything in text'],
  ])('says in %s what is meant', async (line, words) => {
    const { stdout } = await svcctl(line.split(' '))
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(words)
  })

  it('of what all commands share has every such flag', async () => {
    const text = (await renderTopic('flags')) ?? ''
    for (const { name } of globalFlags) expect(text).toMatch(new RegExp(`--(no-)?${name}\\b`))
    expect(text).toContain('--limit <n|all>')
    expect(globalFlags.length).toBeGreaterThan(20)
  })

  it.each([...areas.map((a) => a.name), ...new Set(toolCommands.map((c) => c.area))])(
    'of the area %s',
    async (area) => {
      expect(findLongLines(await renderAreaHelp(area, style))).toEqual([])
    },
  )

  it.each(Object.keys(topics))('on %s', async (topic) => {
    const text = await renderTopic(topic)
    expect(text?.length).toBeGreaterThan(100)
    // Lines of files in the guide may be longer, because users copy them.
    const prose = (text ?? '').replace(/^ {4}(?! ?[-\w]+ {2}).*$/gm, '')
    expect(findLongLines(prose)).toEqual([])
  })

  it('of the program', async () => {
    const text = renderRootHelp(style)
    expect(findLongLines(text)).toEqual([])
    for (const { name } of areas) expect(text).toContain(`  ${name} `)
  })

  it('of the program says of each command of the tool what its own help says', async () => {
    const lines = renderRootHelp({ ...style, width: 120 }).split('\n')
    expect(toolCommands.length).toBeGreaterThan(30)
    for (const { area, words } of toolCommands) {
      const name = `${area} ${words}`.trim()
      const summary = (await loadCommandByWords(area, words))?.summary
      const line = lines.find((one) => one.startsWith(`  ${name}  `))
      expect(line?.slice(name.length + 2).trim()).toBe(summary)
    }
  })
})
