/** Faults around the program: of its standard error, and of the user who is asked at a terminal. */
import { existsSync } from 'node:fs'
import { createFileOutput, openFullDisk, openScreen } from '../support/screen.js'
import { answerHonestly } from './answers.js'
import type { Cell, Fault } from './faults.js'

/**
 * The reason why a question stays without an answer: by a key, by a hang-up, because there is no terminal, or because nobody can read
 * it.
 */
type Question = 'C-d' | 'C-c' | 'hang-up' | 'nobody' | 'unseen'

export type OuterFault =
  | { readonly stderr: 'closed' | 'full'; readonly question?: never }
  | { readonly question: Question; readonly stderr?: never }

/** Runs a line that asks a question at a terminal, and leaves the question without an answer. */
export const runAtTerminal = async (
  args: readonly string[],
  question: Question,
  cwd: string,
  env: Readonly<Record<string, string>>,
) => {
  const stdout: Buffer[] = []
  const unseen = question === 'unseen'
  const line = {
    line: args,
    stdout: createFileOutput(stdout),
    ...(unseen ? { stderr: openFullDisk() } : {}),
  }
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

/** True if this machine has the device that the fault needs. */
export const isPossible = ({ around }: Fault): boolean =>
  around?.stderr !== 'full' || existsSync('/dev/full')

const createFault = (name: string, around: OuterFault, cell: Cell): Fault => ({
  name,
  around,
  behave: (operation, _asked, socket) => answerHonestly(socket, operation),
  cell,
})

const doneCell: Cell = { exit: 0, says: /^$/, requests: 1, gives: 'whole' }
/** One request was sent: for the choices, or for the name of the object. */
const unansweredCell: Cell = {
  exit: 130,
  says: /left without an answer/,
  requests: 1,
  gives: 'nothing',
}
const refusedCell: Cell = {
  exit: 2,
  says: /needs|confirmation required/,
  requests: 0,
  gives: 'nothing',
}

export const outerFaults: readonly Fault[] = [
  createFault('standard error closed', { stderr: 'closed' }, doneCell),
  createFault('standard error full', { stderr: 'full' }, doneCell),
  createFault('Ctrl-D at a question', { question: 'C-d' }, unansweredCell),
  createFault(
    'Ctrl-C at a question',
    { question: 'C-c' },
    { ...unansweredCell, says: /interrupted/ },
  ),
  // The exit code is that of the signal, because Node would abort without a terminal.
  createFault(
    'a terminal that hangs up at a question',
    { question: 'hang-up' },
    { ...unansweredCell, exit: 129, says: /^$/ },
  ),
  createFault('a question, and nobody there', { question: 'nobody' }, refusedCell),
  createFault(
    'a question that nobody can see',
    { question: 'unseen' },
    { ...refusedCell, says: /^\s*$/ },
  ),
]
