import { describe, expect, it } from 'vitest'
import type { Prompts } from '../../src/base/interaction.js'
import { members } from '../../src/catalogue/areas/members.js'
import { integer, oneOf, string } from '../../src/catalogue/params.js'
import { Questions } from '../../src/engine/instance/planning.js'

/** Creates a UI that gives the answers in order, and records the questions, the notes and the offered choices. */
const createUi = (...answers: string[]) => {
  const asked: string[] = []
  const notes: string[] = []
  const offered: string[][] = []
  const next = async (question: string): Promise<string> => {
    asked.push(question)
    return answers.shift() ?? ''
  }
  const nobody = async (): Promise<never> => {
    throw new Error('not asked so')
  }
  const prompts: Prompts = {
    confirm: nobody,
    typed: nobody,
    secret: next,
    text: next,
    select: async (question, choices) => {
      offered.push(choices.map(({ value }) => String(value)))
      const answer = await next(question)
      const chosen = choices.find(({ name }) => name === answer) ?? choices[0]
      if (chosen === undefined) throw new Error('nothing to choose')
      return chosen.value
    },
    selectMany: nobody,
  }
  const { ask } = new Questions({
    interactive: () => true,
    prompts,
    readData: nobody,
    note: (text) => notes.push(text),
    argv: [],
    now: () => new Date(),
  })
  return { ask, asked, notes, offered }
}

describe('what a person left out', () => {
  it('is asked again while the answer is wrong, and why is said', async () => {
    const { ask, asked, notes } = createUi('many', '0', '7')
    const param = integer('how many jobs may wait', { min: 1 })
    expect(await ask({ name: 'queue-size', param })).toEqual(['7'])
    expect(asked).toEqual(['Queue size?', 'Queue size?', 'Queue size?'])
    expect(notes).toHaveLength(2)
    expect(notes.join('\n')).toMatch(/--queue-size/)
  })

  it('is asked in words, not by the help of a flag', async () => {
    const { ask, asked } = createUi('s3', 'a title', 'secret')
    await ask({ name: 'access-level', param: oneOf(['s1', 's3'], 'level to give; see help') })
    await ask({ name: 'title', param: string('title of the key, shown in lists') })
    await ask({ name: 'user_id', param: string('numeric ID (see users)', { secret: true }) })
    expect(asked).toEqual(['Which access level?', 'Title?', 'User ID?'])
  })

  it('is offered as far as the instance takes it', async () => {
    for (const [endpoint, names] of [
      [members.addToProject, ['guest', 'reporter', 'developer', 'maintainer']],
      [members.addToGroup, ['minimal', 'guest', 'reporter', 'developer', 'maintainer', 'owner']],
    ] as const) {
      const { ask, offered } = createUi('guest')
      await ask({ name: 'access-level', param: endpoint.params.access_level })
      expect(offered).toEqual([names])
    }
  })

  it('is left out by an empty answer', async () => {
    expect(await createUi('').ask({ name: 'title', param: string('t') })).toBeUndefined()
  })
})
