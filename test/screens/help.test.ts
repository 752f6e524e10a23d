/** Tests help at a terminal: it goes through the pager only if it is longer than the screen. */
import { describe, expect, it } from 'vitest'
import { openScreen } from '../support/screen.js'

const readScreen = async (line: string, rows: number): Promise<string> => {
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
      expect(await readScreen(line, 10)).toMatch(/^paged /m)
    },
  )
  it('is not where it fits the screen, nor where it is told not to', async () => {
    expect(await readScreen('geo nodes --help', 40)).not.toContain('paged')
    expect(await readScreen('mr list --help --no-pager', 10)).not.toContain('paged')
  })
})
