/** What a command is handed: four services, none of them large, the names of the instance, and what carries out its actions; the engine's flags are none of a command's. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type SourceNode, sourceFiles, statementsOf, textOf } from '../support/source.js'

/** How many members each interface of a file has, by name. */
const sizes = (file: string): ReadonlyMap<string, number> =>
  new Map(
    statementsOf(readFileSync(`src/${file}`, 'utf8'), file).flatMap(({ declaration }) => {
      const { id, body } = (declaration ?? {}) as {
        id?: { name: string }
        body?: { body?: readonly SourceNode[] }
      }
      return id === undefined || body?.body === undefined ? [] : [[id.name, body.body.length]]
    }),
  )

it('is four services of at most a dozen members each, the names of the instance, and four members for the actions of a line', () => {
  const found = sizes('engine/command/context.ts')
  expect(found.get('Context')).toBe(9)
  const services = [...found].filter(([name]) => name.endsWith('Service'))
  expect(services.map(([name]) => name).sort()).toEqual([
    'AnswerService',
    'InstanceService',
    'UiService',
    'WorkspaceService',
  ])
  for (const [name, size] of services)
    expect(
      size,
      `${name} is too large: move what one command needs into that command`,
    ).toBeLessThanOrEqual(12)
})

it('leaves --curl, interruptions and masking to the engine', () => {
  const specials = sourceFiles.filter((file) => /^commands\//.test(file))
  expect(specials.length).toBeGreaterThan(50)
  const mentions = specials.filter((file) => /globals\.curl|'interrupted'/.test(textOf(file)))
  // Unpacking ends between two files by itself; the others write and read how a run ended.
  expect(
    mentions.sort(),
    'let the engine print, preview and end the command, or list the file here with the reason',
  ).toEqual([
    // Whether a run can be undone by single requests is known from its journal.
    'commands/apply/undoing.ts',
    'commands/artifacts/extract.ts',
    'commands/journal/index.ts',
    // What a person is told whose command was not run depends on whether they ended the waiting.
    'commands/runners.ts',
  ])
  const masking = specials.filter((file) => /secrets\/mask-records/.test(textOf(file)))
  expect(masking, 'print through the answer service: it masks').toEqual([])
})
