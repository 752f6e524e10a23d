/** Help at a terminal: longer than the screen it goes through the pager, else not. */
import { describe, expect, it } from 'vitest'
import { openScreen } from '../support/screen.js'

const shown = async (line: string, rows: number): Promise<string> => {
  const env = { SVC_PAGER: "sed 's/^/paged /'" }
  const screen = openScreen([line], { rows, columns: 100, env })
  try {
    expect(await screen.ended).toBe(0)
    return await screen.screen()
  } finally {
    await screen.close()
  }
}

describe('help at a terminal', () => {
  it.each(['mr list --help', 'help mr list', 'mr --help', '--help'])(
    '%s is paged',
    async (line) => {
      expect(await shown(line, 10)).toMatch(/^paged /m)
    },
  )
  it('is not where it fits the screen, nor where it is told not to', async () => {
    expect(await shown('geo nodes --help', 40)).not.toContain('paged')
    expect(await shown('mr list --help --no-pager', 10)).not.toContain('paged')
  })
})
