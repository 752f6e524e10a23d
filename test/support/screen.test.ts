/** The terminal that is a value does what those of systems do. */
import { afterEach, expect, it } from 'vitest'
import {
  createNullOutput,
  openScreen,
  pipeToScreen,
  type Screen,
  type ScreenLine,
} from './screen.js'

const opened: Screen[] = []
afterEach(async () => {
  for (const screen of opened.splice(0)) await screen.close()
})

const open = (
  lines: readonly ScreenLine[],
  more: Partial<Parameters<typeof openScreen>[1]> = {},
) => {
  const screen = openScreen(lines, { env: { SVC_SANDBOX: '1' }, ...more })
  opened.push(screen)
  return screen
}

it('is raw while a question is asked: keys are bytes, and Ctrl-C is one', async () => {
  const screen = open(['runners get'])
  await screen.until(/shared-macos/)
  expect(screen.isRaw()).toBe(true)
  screen.type('macos')
  screen.press('Down', 'C-c')
  const shown = await screen.until(/^exit \d/m)
  expect(shown).toMatch(/interrupted: the question was left[\s\S]*exit 130\n/)
  expect(shown).not.toContain('^C')
  expect([await screen.ended, screen.isRaw()]).toEqual([130, false])
})

it('else echoes what is typed, and Ctrl-C interrupts', async () => {
  const screen = open(['runners list --watch 60'])
  await screen.until(/Ctrl-C to stop/)
  expect(screen.isRaw()).toBe(false)
  screen.type('abc')
  screen.press('C-c')
  expect(await screen.until(/exit \d/)).toMatch(/^abc\^Cexit 130$/m)
})

it('gives a line to a program when Enter ends it, and its end by Ctrl-D', async () => {
  const screen = open(['runners get - --fields id'])
  screen.type('1')
  screen.press('Enter')
  screen.type('2')
  screen.press('C-d', 'C-d')
  expect(await screen.until(/^exit \d/m)).toMatch(/^1\n2[\s\S]*\b1\n[\s\S]*\b2\n[\s\S]*^exit 0$/m)
})

it('runs lines one after the other, whose answers may go elsewhere', async () => {
  const lines = ['runners get 1 --fields id -o json', 'runners get 2 --fields id'] as const
  const screen = open([
    { line: lines[0], stdout: createNullOutput },
    { line: lines[0], stdout: pipeToScreen('read: ') },
    lines[1],
  ])
  expect(await screen.ended).toBe(0)
  const shown = await screen.screen()
  expect(shown).toMatch(/^read: \{"id":1\}\nid +2\nexit 0\n+$/)
  expect(shown.match(/"id"/g)).toHaveLength(1)
})

it('has colours, and none where nobody wants them', async () => {
  const screen = open(['runners list --fields id,status -L 1', 'runners get 9999'])
  await screen.ended
  expect(await screen.coloured()).toContain('\x1b[31msvcctl:\x1b[0m')
  const plain = open(['runners get 9999'], { env: { SVC_SANDBOX: '1', NO_COLOR: '1' } })
  await plain.ended
  expect(await plain.coloured()).toBe(await plain.screen())
})

it('says at once what stands on the screen, when nothing more can come', async () => {
  const screen = open(['--version'])
  await expect(screen.until(/never/)).rejects.toThrow(
    /never \/never\/ on the screen:\n\d+\.\d+[\s\S]*exit 0/,
  )
})
