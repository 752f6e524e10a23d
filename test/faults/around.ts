/** Faults around the program: of its standard error, and of those who are asked at a terminal. */
import { existsSync } from 'node:fs'
import { openFullDisk, openScreen, toFile } from '../support/screen.js'
import { honest } from './answers.js'
import type { Cell, Fault } from './faults.js'

/** Who does not answer, and how: by a key, by hanging up, since nobody is there, or since nobody can read it. */
type Question = 'C-d' | 'C-c' | 'hang-up' | 'nobody' | 'unseen'

export type Around =
  | { readonly stderr: 'closed' | 'full'; readonly question?: never }
  | { readonly question: Question; readonly stderr?: never }

/** Runs a line that asks, at a terminal, and leaves its question without an answer. */
export const atTerminal = async (
  args: readonly string[],
  question: Question,
  cwd: string,
  env: Readonly<Record<string, string>>,
) => {
  const stdout: Buffer[] = []
  const unseen = question === 'unseen'
  const line = { line: args, stdout: toFile(stdout), ...(unseen ? { stderr: openFullDisk() } : {}) }
  const screen = openScreen([line], { cwd, env, columns: 400 })
  try {
    if (!unseen) await screen.until(/^\? /m)
    if (question === 'hang-up') screen.hangUp()
    else if (!unseen) screen.press(question)
    const exit = await screen.ended
    const shown = (await screen.screen()).replace(/^exit \d+$/m, '')
    return { exit, stdout: Buffer.concat(stdout), stderr: question === 'hang-up' ? '' : shown }
  } finally {
    await screen.close()
  }
}

/** Whether this machine has what the fault takes. */
export const canBe = ({ around }: Fault): boolean =>
  around?.stderr !== 'full' || existsSync('/dev/full')

const one = (name: string, around: Around, cell: Cell): Fault => ({
  name,
  around,
  behave: (operation, _asked, socket) => honest(socket, operation),
  cell,
})

const done: Cell = { exit: 0, says: /^$/, requests: 1, gives: 'whole' }
/** What might be picked was looked for, or what the object is called; nothing else was sent. */
const left: Cell = { exit: 130, says: /left without an answer/, requests: 1, gives: 'nothing' }
const refused: Cell = {
  exit: 2,
  says: /needs|confirmation required/,
  requests: 0,
  gives: 'nothing',
}

export const surroundings: readonly Fault[] = [
  one('standard error closed', { stderr: 'closed' }, done),
  one('standard error full', { stderr: 'full' }, done),
  one('Ctrl-D at a question', { question: 'C-d' }, left),
  one('Ctrl-C at a question', { question: 'C-c' }, { ...left, says: /interrupted/ }),
  // By the signal, since Node would abort without a terminal.
  one(
    'a terminal that hangs up at a question',
    { question: 'hang-up' },
    { ...left, exit: 129, says: /^$/ },
  ),
  one('a question, and nobody there', { question: 'nobody' }, refused),
  one('a question that nobody can see', { question: 'unseen' }, { ...refused, says: /^\s*$/ }),
]
