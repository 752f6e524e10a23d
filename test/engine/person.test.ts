/** Tests the prompter: the questions at a terminal, the refusal without one, and the notes after an interruption. */
import { expect, it } from 'vitest'
import { Prompter, SilentPrompter } from '../../src/answer/prompter.js'
import { withInterruptNote } from '../../src/engine/command/outcomes.js'
import { Failure } from '../../src/errors.js'
import { silentWork } from '../../src/terminal/progress.js'

const owner = {
  baseUrl: 'https://forge.test',
  sudo: 'ana',
  profile: { name: 'prod', baseUrl: 'https://forge.test' },
}

const createPrompter = (
  { interactive = true, typed = '', agrees = true, ...globals }: Record<string, unknown> = {},
  Kind: typeof Prompter = Prompter,
) => {
  const said: string[] = []
  const asked: string[] = []
  const held: string[] = []
  const screen = {
    interactive: () => interactive,
    beginProgress: () => silentWork,
    meter: {
      begin: () => ({}),
      hold: () => {
        held.push('held')
        return () => void held.push('released')
      },
    },
    notes: {
      note: (text: string) => void said.push(text),
      warn: (text: string) => void said.push(`warning: ${text}`),
      report: ({ message }: Failure) => void said.push(`failure: ${message}`),
    },
    prompts: {
      text: async (question: string) => {
        asked.push(question)
        return typed
      },
      secret: async (question: string) => {
        asked.push(question)
        return 'hidden'
      },
      confirm: async (question: string) => {
        asked.push(question)
        return agrees
      },
    },
  }
  const subject = {
    command: {},
    getOwner: async () => owner,
    origin: () => undefined,
    peek: async () => undefined,
  }
  // Of flags, streams and the command, only the parts that the prompter uses.
  type Made = ConstructorParameters<typeof Prompter>
  const ui = new Kind(
    { yes: false, ...globals } as unknown as Made[0],
    screen as unknown as Made[1],
    subject as unknown as Made[2],
  )
  return { ui, said, asked, held }
}

it('asks where somebody is there, and nobody else', async () => {
  const there = createPrompter({ typed: 'blue' })
  expect(await there.ui.ask('Which colour?')).toBe('blue')
  expect(await there.ui.askSecret('Token?', 'token')).toBe('hidden')
  const alone = createPrompter({ interactive: false, typed: 'blue' })
  expect(await alone.ui.ask('Which colour?')).toBeUndefined()
  expect(await alone.ui.askSecret('Token?', 'token')).toBeUndefined()
  expect([there.asked, alone.asked]).toEqual([['Which colour?', 'Token?'], []])
})

it('does not ask for a secret that is not sent', async () => {
  const { ui, asked } = createPrompter({}, SilentPrompter)
  expect(await ui.askSecret('Token?', 'token')).toBe('<token>')
  expect(asked).toEqual([])
})

it('confirms with where, as whom and what, at most ten by name', async () => {
  const { ui, said, asked } = createPrompter()
  const names = Array.from({ length: 12 }, (_, i) => `runner ${i + 1}`)
  await ui.confirm('They are deleted.', async () => names)
  expect(asked).toEqual(['Continue?'])
  expect(said).toHaveLength(1)
  expect(said[0]).toEqual([
    'On https://forge.test (profile prod), as ana, 12 objects:',
    ...names.slice(0, 10).map((name) => `  ${name}`),
    '  and 2 more',
    'They are deleted.',
  ])
  await ui.confirm('They are deleted.', names, undefined, 300)
  expect(said[1]).toEqual([
    'On https://forge.test (profile prod), as ana, 300 objects:',
    ...names.slice(0, 10).map((name) => `  ${name}`),
    '  and 290 more',
    'They are deleted.',
  ])
})

it('confirms of another owner where it is another’s', async () => {
  const { ui, said } = createPrompter()
  await ui.confirm('It is deleted.', ['one'], { baseUrl: 'https://other.test' })
  expect(said[0]).toEqual(['On https://other.test:', '  one', 'It is deleted.'])
  const embedded = { baseUrl: 'http://127.0.0.1:41215', title: 'the embedded instance' }
  await ui.confirm('It is deleted.', ['one'], embedded)
  expect(said[1]).toEqual(['On the embedded instance:', '  one', 'It is deleted.'])
})

it('goes on after --yes without a word, and refuses where nobody can be asked', async () => {
  const { ui, said, asked } = createPrompter({ yes: true })
  await ui.confirm('They are deleted.', async () => {
    throw new Error('asked for names nobody sees')
  })
  expect([said, asked]).toEqual([[], []])
  const alone = createPrompter({ interactive: false })
  await expect(alone.ui.confirm('They are deleted.')).rejects.toMatchObject({ exitCode: 2 })
})

it('changes nothing where the answer is no', async () => {
  const { ui } = createPrompter({ agrees: false })
  await expect(ui.confirm('They are deleted.')).rejects.toMatchObject({
    exitCode: 2,
    message: 'not confirmed; nothing was changed',
  })
})

it('says to who leaves what goes on, and lets other failures through', async () => {
  const stays = { text: 'while waiting; the rebase goes on', hint: 'Look again.' }
  const leaving = (error: Error) =>
    withInterruptNote(stays, async () => {
      throw error
    })
  const abort = Object.assign(new Error('aborted'), { name: 'AbortError' })
  for (const error of [new Failure('interrupted', 'interrupted'), abort])
    await expect(leaving(error)).rejects.toMatchObject({
      category: 'interrupted',
      message: 'interrupted while waiting; the rebase goes on',
      details: { hint: 'Look again.' },
    })
  await expect(leaving(new Failure('not_found', 'gone'))).rejects.toMatchObject({ message: 'gone' })
  expect(await withInterruptNote(stays, async () => 7)).toBe(7)
})

it('holds the meter while another line of progress is there, also when the work fails', async () => {
  const { ui, held } = createPrompter()
  await expect(
    ui.showProgress('waiting', async () => {
      expect(held).toEqual(['held'])
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(held).toEqual(['held', 'released'])
})
