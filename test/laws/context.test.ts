/**
 * A command gets a context of four small services, the names of the instance, and the functions that carry out its actions. The
 * engine's own flags are not part of it.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseStatements, readSource, type SourceNode, sourceFiles } from '../support/source.js'

/** Counts the members of each interface of a file, by name. */
const countMembers = (file: string): ReadonlyMap<string, number> =>
  new Map(
    parseStatements(readFileSync(`src/${file}`, 'utf8'), file).flatMap(({ declaration }) => {
      const { id, body } = (declaration ?? {}) as {
        id?: { name: string }
        body?: { body?: readonly SourceNode[] }
      }
      return id === undefined || body?.body === undefined ? [] : [[id.name, body.body.length]]
    }),
  )

it('is four services of at most a dozen members each, the names of the instance, and four members for the actions of a line', () => {
  const found = countMembers('engine/command/context.ts')
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
  const mentions = specials.filter((file) => /globals\.curl|'interrupted'/.test(readSource(file)))
  // Extraction stops by itself between two files; the other files write or read how a run ended.
  expect(
    mentions.sort(),
    'let the engine print, preview and end the command, or list the file here with the reason',
  ).toEqual([
    // A journal says whether single requests can undo its run.
    'commands/apply/undoing.ts',
    'commands/artifacts/extract.ts',
    'commands/journal/index.ts',
    // The message about a command that was not run depends on whether the user ended the wait.
    'commands/runners.ts',
  ])
  const masking = specials.filter((file) => /secrets\/mask-records/.test(readSource(file)))
  expect(masking, 'print through the answer service: it masks').toEqual([])
})
