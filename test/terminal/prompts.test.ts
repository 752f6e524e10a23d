import { describe, expect, it, vi } from 'vitest'
import type { Prompts } from '../../src/base/interaction.js'
import { processIo } from '../../src/base/io.js'
import { createPrompts } from '../../src/terminal/prompts.js'
import { createFakeKeyboard, createFakeScreen } from './streams.js'

const choices = [
  { value: 1, name: 'alpha', description: 'online' },
  { value: 2, name: 'beta\u001b[2J' },
  { value: 3, name: 'gamma', description: 'offline' },
]

/** Opens prompts, and types each text once the screen shows the text before it. */
const answerPrompts = async <T>(
  env: Readonly<Record<string, string>>,
  ask: (prompts: Prompts) => Promise<T>,
  typing: readonly (readonly [seen: string, keys: string])[],
) => {
  const input = createFakeKeyboard()
  const output = createFakeScreen()
  const answer = ask(createPrompts({ io: processIo, input, output }, env))
  let settled = false
  answer.then(
    () => (settled = true),
    () => (settled = true),
  )
  let from = 0
  for (const [seen, keys] of typing) {
    while (!settled && !output.text().slice(from).includes(seen))
      await new Promise((resolve) => setImmediate(resolve))
    from = output.text().length
    input.write(keys)
  }
  return { answer, output }
}

const enter = '\r'
const tab = '\t'
const down = '\u001b[B'
const ctrlC = '\u0003'
const ctrlZ = '\u001a'
const ctrlD = '\u0004'
const kinds: readonly (readonly [string, (p: Prompts) => Promise<unknown>])[] = [
  ['confirm', (p) => p.confirm('Q?')],
  ['typed', (p) => p.typed('Q?', 'x')],
  ['secret', (p) => p.secret('Q?')],
  ['text', (p) => p.text('Q?')],
  ['select', (p) => p.select('Q?', choices)],
  ['selectMany', (p) => p.selectMany('Q?', choices)],
]

describe('prompts redrawn in place', () => {
  it('confirm, no unless said', async () => {
    const no = await answerPrompts({}, (p) => p.confirm('Delete?'), [['Delete?', enter]])
    expect(await no.answer).toBe(false)
    const yes = await answerPrompts({}, (p) => p.confirm('Delete?'), [['Delete?', `y${enter}`]])
    expect(await yes.answer).toBe(true)
  })
  it('ask for a name to be typed', async () => {
    const right = await answerPrompts({}, (p) => p.typed('Name?', 'prod'), [
      ['Name?', `prod${enter}`],
    ])
    expect(await right.answer).toBe(true)
    const wrong = await answerPrompts({}, (p) => p.typed('Name?', 'prod'), [
      ['Name?', `pro${enter}`],
    ])
    expect(await wrong.answer).toBe(false)
  })
  it('never show a secret', async () => {
    const { answer, output } = await answerPrompts({}, (p) => p.secret('Token'), [
      ['Token', `s3cr3t${enter}`],
    ])
    expect(await answer).toBe('s3cr3t')
    expect(output.text()).not.toContain('s3cr3t')
  })
  it('search a list by name and description', async () => {
    const { answer, output } = await answerPrompts({}, (p) => p.select('Which?', choices), [
      ['alpha', 'OFFL'],
      ['❯ gamma', enter],
    ])
    expect(await answer).toBe(3)
    expect(output.text()).toContain('beta\\u001b[2J')
  })
  it('pick several', async () => {
    const { answer } = await answerPrompts({}, (p) => p.selectMany('Which?', choices), [
      ['alpha', `${tab}${down}${down}${tab}`],
      ['[x] gamma', enter],
    ])
    expect(await answer).toEqual([1, 3])
  })
  it('pick several by searching', async () => {
    const { answer } = await answerPrompts({}, (p) => p.selectMany('Which?', choices), [
      ['alpha', 'gam'],
      ['gam', tab],
      ['[x] gamma', `\u007f\u007f\u007f`],
      ['alpha', enter],
    ])
    expect(await answer).toEqual([3])
  })
  it('take the line under the cursor where none is marked', async () => {
    const { answer, output } = await answerPrompts({}, (p) => p.selectMany('Which?', choices), [
      ['alpha', down],
      ['❯ [ ] beta', enter],
    ])
    expect(await answer).toEqual([2])
    // The screen keeps the question with the chosen answer.
    expect(output.text().slice(output.text().lastIndexOf('Which?'))).toContain('beta')
  })
})

describe('every kind of question', () => {
  const ways: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['redrawn', {}],
    ['plain', { SVC_ACCESSIBLE: '1' }],
  ]
  const cases = ways.flatMap(([way, env]) =>
    kinds.flatMap(([kind, ask]) =>
      [ctrlC, ctrlD].map((key) => [key === ctrlC ? 'Ctrl-C' : 'Ctrl-D', way, kind, env, ask, key]),
    ),
  ) as [string, string, string, Record<string, string>, (p: Prompts) => Promise<unknown>, string][]
  it.each(cases)('is interrupted by %s: %s %s', async (_key, _way, _kind, env, ask, key) => {
    const { answer } = await answerPrompts(env, ask, [['Q?', key]])
    await expect(answer).rejects.toMatchObject({ category: 'interrupted' })
  })
  it.each(kinds)('is interrupted by a keyboard that ends: %s', async (_kind, ask) => {
    const input = createFakeKeyboard()
    const answer = ask(createPrompts({ io: processIo, input, output: createFakeScreen() }, {}))
    input.end()
    await expect(answer).rejects.toMatchObject({ category: 'interrupted' })
  })
  it.each(ways)(
    'goes on after Ctrl-Z, and releases the keyboard after the answer: %s',
    async (_way, env) => {
      const stop = vi.spyOn(process, 'kill').mockReturnValue(true)
      const input = createFakeKeyboard()
      const output = createFakeScreen()
      const answer = createPrompts({ io: processIo, input, output }, env).text('Q?')
      while (!output.text().includes('Q?')) await new Promise((resolve) => setImmediate(resolve))
      input.write(ctrlZ)
      await vi.waitFor(() => expect(stop).toHaveBeenCalledWith(process.pid, 'SIGTSTP'))
      stop.mockRestore()
      process.emit('SIGCONT', 'SIGCONT')
      input.write(`x${enter}`)
      expect(await answer).toBe('x')
      // A keyboard that is still being read would keep the process alive.
      expect(input.isPaused()).toBe(true)
    },
  )
  it.each(ways)('hides keys after another process stopped this one: %s', async (_way, env) => {
    const modes: boolean[] = []
    const keyboard = createFakeKeyboard()
    const input = Object.assign(keyboard, {
      isRaw: false,
      setRawMode: (mode: boolean) => {
        modes.push(mode)
        input.isRaw = mode
        return keyboard
      },
    })
    const output = createFakeScreen()
    const answer = createPrompts({ io: processIo, input, output }, env).secret('Q?')
    while (!output.text().includes('Q?')) await new Promise((resolve) => setImmediate(resolve))
    expect(modes).toEqual([true])
    process.emit('SIGCONT', 'SIGCONT')
    expect(modes).toEqual([true, false, true])
    // Ctrl-D still leaves the prompt.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    input.write(ctrlD)
    await expect(answer).rejects.toMatchObject({ category: 'interrupted' })
  })
})

describe('prompts for screen readers', () => {
  const env = { SVC_ACCESSIBLE: '1' }
  it('are numbered lists, asked again until answered', async () => {
    const { answer, output } = await answerPrompts(env, (p) => p.select('Which?', choices), [
      ['Number:', `9${enter}`],
      ['Number:', `3${enter}`],
    ])
    expect(await answer).toBe(3)
    expect(output.text()).toContain('   1. alpha, online\n   2. beta\\u001b[2J\n')
    expect(output.text()).toContain('Answer with one number from the list.')
  })
  it('take several numbers', async () => {
    const { answer } = await answerPrompts(env, (p) => p.selectMany('Which?', choices), [
      ['Numbers', `3, 1${enter}`],
    ])
    expect(await answer).toEqual([1, 3])
  })
  it('confirm in words', async () => {
    const { answer } = await answerPrompts(env, (p) => p.confirm('Delete?'), [
      ['Delete?', `what${enter}`],
      ['Delete?', `yes${enter}`],
    ])
    expect(await answer).toBe(true)
  })
  it('offer what is there', async () => {
    const { answer } = await answerPrompts(env, (p) => p.text('Name?', 'x'), [['(x)', enter]])
    expect(await answer).toBe('x')
  })
})
