/** Rounds of a watch drawn over each other. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { openFrames } from '../../src/terminal/frames.js'

const make = (rows = 24) => {
  let text = ''
  const stdout = {
    write: async (chunk: string | Uint8Array) => {
      text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
    },
    end: async () => {},
  }
  const style = { bold: (t: string) => `<${t}>`, dim: (t: string) => t }
  const frames = openFrames({ stdout, style, rows: () => rows })
  const round = async (answer: string): Promise<string> => {
    text = ''
    await frames.write(answer)
    await frames.draw()
    return text
  }
  /** Lines as they stand on the screen, without the movements. */
  const lines = async (answer: string): Promise<string[]> =>
    stripVTControlCharacters(await round(answer))
      .replaceAll('\r', '')
      .split('\n')
      .slice(0, -1)
  return { frames, round, lines }
}

describe('frames', () => {
  it('goes back to where the last picture began, clears line by line, never the screen', async () => {
    const { round } = make()
    expect(await round('a\nb\n')).not.toContain('A')
    const second = await round('a\n')
    expect(second).toContain('\x1b[2A')
    expect(second).toContain('a\x1b[K\n\x1b[J')
    expect(second).not.toContain('\x1b[2J')
    expect(second).not.toContain('\x1b[?1049h')
    expect(second.endsWith('\x1b[?2026l')).toBe(true)
  })

  it('marks lines that are new or changed, and only for one round', async () => {
    const { lines } = make()
    expect(await lines('1 online\n2 online\n')).toEqual(['  1 online', '  2 online'])
    expect(await lines('1 online\n2 offline\n')).toEqual(['  1 online', '<~> <2 offline>'])
    expect(await lines('1 online\n2 offline\n')).toEqual(['  1 online', '  2 offline'])
  })

  it('marks the cells that changed, of the line that is about the same', async () => {
    const { lines } = make()
    await lines('1  web   online   yes\n2  gpu   online   yes\nstatus  a b\n')
    expect(await lines('2  gpu   offline  yes\n1  web   paused   no\nstatus  a c\n')).toEqual([
      '<~> 2  gpu   <offline>  yes',
      '<~> 1  web   <paused>   <no>',
      '<~> status  <a c>',
    ])
  })

  it('marks a whole line that is new, has other cells, or is one of several about the same', async () => {
    const { lines } = make()
    await lines('1  a  b\nx  1\nx  2\n')
    expect(await lines('1  a\n2  a  b\nx  1\nx  3\n')).toEqual([
      '<~> <1  a>',
      '<~> <2  a  b>',
      '  x  1',
      '<~> <x  3>',
    ])
  })

  it('takes an age that goes on for no change', async () => {
    const { lines } = make()
    await lines('1  just now    x\n2  9 s ago  x\n')
    expect(await lines('1  7 s ago     x\n2  10 s ago  x\n')).toEqual([
      '  1  7 s ago     x',
      '  2  10 s ago  x',
    ])
  })

  it('shows what the screen has room for, and says how much it leaves out', async () => {
    const { lines, frames } = make(5)
    frames.note('below')
    const shown = await lines('1\n2\n3\n4\n5\n6\n')
    expect(shown).toEqual(['  1', '  2', '  … 4 more lines', '  below'])
  })
})
