/** Help on a real terminal: longer than the screen it goes through the pager, else not. */
import { describe, expect, it } from 'vitest'
import { folder, program } from '../support/program.js'
import { has, openTerminal } from '../support/terminal.js'

const shown = async (line: string, wanted: RegExp, rows: number): Promise<string> => {
  const script = `${process.execPath} ${program} ${line}; echo "ended $?"; sleep 600`
  const terminal = openTerminal(['sh', '-c', script], {
    cwd: folder(),
    rows,
    columns: 100,
    env: { SVC_CONFIG_DIR: folder(), SVC_PAGER: "sed 's/^/paged /'" },
  })
  try {
    return await terminal.until(wanted)
  } finally {
    await terminal.close()
  }
}

describe.skipIf(!has('tmux', '-V'))('help at a terminal', () => {
  it.each(['mr list --help', 'help mr list', 'mr --help', '--help'])(
    '%s is paged',
    async (line) => {
      expect(await shown(line, /ended 0/, 10)).toMatch(/^paged /m)
    },
  )
  it('is not where it fits the screen, nor where it is told not to', async () => {
    expect(await shown('geo nodes --help', /ended 0/, 40)).not.toContain('paged')
    expect(await shown('mr list --help --no-pager', /ended 0/, 10)).not.toContain('paged')
  })
})
