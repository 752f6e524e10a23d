/** Faults around the program: of its standard error, and of those who are asked at a terminal. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { has, openTerminal } from '../support/terminal.js'
import { honest } from './answers.js'
import type { Cell, Fault } from './faults.js'

/** Who does not answer, and how: by a key, by hanging up, since nobody is there, or since nobody can read it. */
type Question = 'C-d' | 'C-c' | 'hang-up' | 'nobody' | 'unseen'

export type Around =
  | { readonly stderr: 'closed' | 'full'; readonly question?: never }
  | { readonly question: Question; readonly stderr?: never }

const patience = 15_000

/** Where the program is run so that a shell keeps its exit code and its standard output. */
const script = (home: string, question: Question): string => {
  const notes = question === 'unseen' ? ' 2>/dev/full' : ''
  return `trap : HUP; "$0" "$@" >'${join(home, 'out')}'${notes}; echo $? >'${join(home, 'code')}'; exec cat`
}

const codeIn = async (home: string): Promise<number> => {
  const file = join(home, 'code')
  for (const end = Date.now() + patience; Date.now() < end; await wait(50)) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.endsWith('\n')) return Number(text)
  }
  throw new Error('the program did not end')
}

/** Runs a command that asks, at a terminal, and leaves its question without an answer. */
export const atTerminal = async (
  command: readonly string[],
  question: Question,
  cwd: string,
  env: NodeJS.ProcessEnv,
) => {
  const home = join(cwd, '..', '..', '..')
  const set = Object.entries({ ...env, TERM: 'screen' }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const terminal = openTerminal(['sh', '-c', script(home, question), ...command], {
    cwd,
    env: Object.fromEntries(set),
    columns: 400,
  })
  try {
    if (question !== 'unseen') await terminal.until(/^\? /m)
    if (question === 'hang-up') await terminal.close()
    else if (question !== 'unseen') terminal.press(question)
    const exit = await codeIn(home)
    const stderr = question === 'hang-up' ? '' : await terminal.screen()
    return { exit, stdout: readFileSync(join(home, 'out')), stderr }
  } finally {
    await terminal.close()
  }
}

/** Whether this machine has what the fault takes. */
export const canBe = ({ around }: Fault): boolean => {
  if (around === undefined) return true
  if (around.stderr !== undefined) return around.stderr === 'closed' || existsSync('/dev/full')
  return around.question === 'nobody' || has('tmux', '-V')
}

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
