/** A help page says each thing once. Endpoints that differ in one word would repeat each other's sentences. */
import { expect, it } from 'vitest'
import { loadAllCommands } from '../../src/commands/index.js'
import { getCommandName } from '../../src/engine/command/derive.js'
import { svcctl } from '../support/within.js'

/** Lists the sentences of a command's help page before its flags. */
const listSentences = (page: string): readonly string[] => {
  const [, , ...parts] = page.split(/\n\n/)
  const said = parts.slice(
    0,
    parts.findIndex((part) => /^(Flags|Arguments):/.test(part)),
  )
  return said
    .join(' ')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]) (?=[A-Z-])/)
    .filter((sentence) => sentence.includes(' '))
}

/** True if two sentences of at least five words differ in at most one of them. */
const isAlike = (a: string, b: string): boolean => {
  const [left, right] = [a.split(' '), b.split(' ')]
  if (left.length !== right.length || left.length < 5) return false
  return left.filter((word, at) => word !== right[at]).length < 2
}

const commands = await loadAllCommands()

it('finds the sentences of a page', async () => {
  const { stdout } = await svcctl(['runners', 'register', '--help'])
  expect(listSentences(stdout).length).toBeGreaterThan(0)
})

it.each(commands.map((command) => [getCommandName(command)] as const))('%s', async (name) => {
  const { stdout } = await svcctl([...name.split(' '), '--help'], { env: { COLUMNS: '200' } })
  const all = listSentences(stdout)
  const twice = all.filter((one, at) => all.some((other, i) => i < at && isAlike(one, other)))
  expect(
    twice,
    'give the endpoints of the command the same note, word for word, or say it once in the special',
  ).toEqual([])
})
