/** Which words and flags make a command, and what is said of those that make none. */
import { describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { resolve, verbsOf } from '../../src/cli/words/grammar.js'
import { svcctl } from '../support/program.js'

const hintOf = async (...words: string[]): Promise<string | undefined> => {
  try {
    await resolve(words)
  } catch (error) {
    if (error instanceof Error && 'details' in error)
      return (error.details as { hint?: string }).hint
  }
  return undefined
}

describe('words of other tools', () => {
  it.each([
    ['runners show 7', 'Did you mean get?'],
    ['runner view 7', 'Did you mean get?'],
    ['runners ls', 'Did you mean list?'],
    ['integrations rm slack', 'Did you mean delete?'],
    ['deploy-keys remove 1', 'Did you mean delete?'],
    ['geo nodes rm 1', 'Did you mean nodes delete?'],
    ['login', 'Did you mean auth login?'],
    ['merge-requests list', 'Did you mean mr?'],
    ['version', 'Did you mean --version?'],
    ['groups list', 'Groups have no commands of their own'],
    ['user list', 'Users have no commands of their own'],
    ['runers list', 'Did you mean runners?'],
    ['runners lst', 'Did you mean list?'],
    ['constructor', 'Run svcctl --help'],
  ])('%s is told of its own word', async (line, hint) => {
    expect(await hintOf(...line.split(' '))).toContain(hint)
  })
})

describe('a group of verbs', () => {
  it('has help wherever there is one, in singular and plural', async () => {
    const groups: (readonly [string, string])[] = []
    for (const { name } of areas)
      for (const verb of await verbsOf(name)) {
        const [group = '', second] = verb.split(' ')
        if (second !== undefined) groups.push([name, group])
      }
    expect(new Set(groups.map(String)).size).toBeGreaterThanOrEqual(5)
    for (const [area, group] of groups)
      for (const word of [group, group.replace(/s$/, '')])
        expect(await resolve([area, word, '--help'])).toEqual({
          kind: 'area',
          area,
          group,
          rest: ['--help'],
        })
  })
  it('prints its verbs, with 0 when asked for and 2 on standard error when not', async () => {
    const asked = await svcctl(['geo', 'nodes', '--help'])
    expect(asked).toMatchObject({ code: 0, stderr: '' })
    expect(asked.stdout).toContain('svcctl geo nodes <verb>')
    expect(asked.stdout).toMatch(/^ {2}repair <id…>/m)
    expect(asked.stdout).not.toContain('status')
    expect(await svcctl(['help', 'geo', 'nodes'])).toEqual(asked)
    expect(await svcctl(['geo', 'node'])).toEqual({ code: 2, stdout: '', stderr: asked.stdout })
  })
})

describe('flags without a command', () => {
  it.each([
    [['--versoin'], 'Did you mean --version?'],
    [['--sandbx', '--quiet'], 'Did you mean --sandbox?'],
    [['-x'], 'svcctl --help'],
    [['--sandbox'], 'svcctl --help'],
    [['runners', '--offline'], 'svcctl runners --help'],
    [['geo', 'nodes', '--all'], 'svcctl geo nodes --help'],
  ])('%s is a mistake with a hint', async (args, hint) => {
    const ran = await svcctl(args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(hint)
  })
  it('give the version beside other flags', async () => {
    const alone = await svcctl(['--version'])
    expect(alone.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await svcctl(['--version', '--sandbox'])).toEqual(alone)
  })
})
