/** `--fields` with names that no shape knows: shown all the same, with a note. */
import { describe, expect, it } from 'vitest'
import { fieldNotes } from '../../src/cli/run/answer/fields.js'
import { allCommands, named } from '../../src/commands/derive/index.js'
import { svcctl } from '../support/within.js'

const commands = await allCommands()
const notes = async (command: string, ...fields: string[]) => {
  const found = commands.find((c) => named(c) === command)
  if (found === undefined) throw new Error(command)
  return fieldNotes(found, fields)
}

describe('unknown fields', () => {
  it('get a suggestion', async () => {
    expect(await notes('runners list', 'id', 'stauts')).toEqual([
      'the documents know no field "stauts" here. Did you mean status?',
    ])
  })

  it('are judged by their first part', async () => {
    expect(await notes('mr list', 'author.username', 'autor.username')).toHaveLength(1)
  })

  it('are sent on to the page that shows them where nothing is near', async () => {
    expect((await notes('runners list', 'zzzzzzzz'))[0]).toContain('svcctl explain runners')
  })

  it('say nothing of the columns that the catalogue shows itself', async () => {
    for (const command of commands)
      for (const { columns = [] } of Object.values(command.endpoints))
        expect(await fieldNotes(command, columns), named(command)).toEqual([])
  })

  it('are printed all the same', async () => {
    const args = ['runners', 'list', '--sandbox', '--fields', 'id,stauts', '-o', 'json', '-L', '1']
    const ran = await svcctl(args)
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: 1 }])
    expect(ran.stderr).toContain('Did you mean status?')
  })
})
