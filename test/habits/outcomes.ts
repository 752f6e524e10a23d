/** Runs lines that users of other tools type on the embedded instance, and classifies their outcomes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteWord, splitCommand } from '../../src/base/shell-words.js'
import type { RunningSandbox } from '../../src/library/sandbox.js'
import {
  copyConfiguration,
  createConfiguration,
  createFolder,
  type LineResult,
} from '../support/program.js'
import { svcctl } from '../support/within.js'

/** The outcome of a line: it works, or its hint is a line, an undocumented operation, a page of help, or something else. */
export type Outcome = 'works' | 'line' | 'undocumented' | 'help' | 'other'

/** A line with its expected outcome. */
export interface Habit {
  readonly line: string
  /** The expected outcome: `ok`, `-> LINE` with … for any text, `doc` or `help`. */
  readonly gives: string
  /** Set if the line does not have that outcome yet. */
  readonly isOpen: boolean
}

/** Reads rows of `LINE | OUTCOME`. `! ` before a line marks it as still open. */
export const readHabits = (text: string): readonly Habit[] =>
  text.split('\n').flatMap((row) => {
    const [, open, line, gives] = /^(! )?([^#].*?) \| (ok|doc|help|-> .*)$/.exec(row) ?? []
    return line === undefined || gives === undefined
      ? []
      : [{ line, gives, isOpen: open !== undefined }]
  })

/** Returns the error of a line as text, also if it was printed as JSON. */
const readError = (stderr: string): string => {
  if (!stderr.startsWith('{"error"')) return stderr
  const { error } = JSON.parse(stderr.split('\n')[0] ?? '')
  return `${error.message}\n  hint: ${error.hint}`
}

/** Returns the lines of a shell loop over objects: one for each. */
const expandLoop = (objects: string, line: string): readonly string[] =>
  objects.split(' ').map((object) => line.replaceAll('$id', object))

/** Finds the lines that an error names. */
export const findLines = (stderr: string): readonly string[] => {
  const named = /"(?:for id in ([^"]*?); do )?svcctl ([^"]*?)(?:; done)?"/g
  return [...readError(stderr).matchAll(named)].flatMap(([, objects, line = '']) =>
    objects === undefined ? [line] : expandLoop(objects, line),
  )
}

export const readOutcome = ({ code, stderr }: LineResult): Outcome => {
  // At a terminal, the user would be asked.
  if (/confirmation required/.test(stderr)) return 'works'
  if (/documents have no such operation/.test(stderr)) return 'undocumented'
  const [line] = findLines(stderr)
  if (code !== 2) return line === undefined || code === 0 ? 'works' : 'line'
  if (line === undefined) return /^Usage:/m.test(stderr) ? 'help' : 'other'
  return /(?: |^)--help$/.test(line) ? 'help' : 'line'
}

/** Quotes the words of a line as a shell needs it, so that lines that differ only in quotes are equal. */
const normalizeLine = (line: string): string => splitCommand(line).map(quoteWord).join(' ')

const isLineMeant = (meant: string, line: string): boolean => {
  const pieces = normalizeLine(meant)
    .split('…')
    .map((piece) => piece.trimEnd().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`).test(normalizeLine(line))
}

/** Returns true if a line has its expected outcome. */
export const isAsMeant = ({ gives }: Habit, ran: LineResult): boolean => {
  const outcome = readOutcome(ran)
  const [, meant] = /^-> svcctl (.*)$/.exec(gives) ?? []
  if (meant !== undefined)
    return (
      ['line', 'undocumented'].includes(outcome) &&
      isLineMeant(meant, findLines(ran.stderr)[0] ?? '')
    )
  return { ok: 'works', doc: 'undocumented', help: 'help' }[gives] === outcome
}

const document = `version: 1
groups:
  platform:
    members:
      eva:
        access_level: guest
`

const policy =
  'policy: 1\nrules:\n  - { name: no-project-public, list: projects list, where: visibility=public }\n'

const commands =
  'extension: daily\ncommands:\n  users list: { request: GET /users, columns: [id, username] }\n'

/** Creates a configuration with a profile for an instance. */
export const signIn = async ({ url, token }: RunningSandbox): Promise<string> => {
  const config = createConfiguration()
  const line = ['auth', 'login', 'work', '--base-url', url, '--token-stdin']
  await svcctl(line, { env: { SVC_CONFIG_DIR: config }, input: token })
  return config
}

/** Creates a function that runs lines in a folder, with a copy of a configuration. */
export const createRunner = (signedIn: string) => {
  const [config, cwd] = [copyConfiguration(signedIn), createFolder()]
  writeFileSync(join(cwd, 'x.yml'), document)
  writeFileSync(join(cwd, 'policy.yml'), policy)
  writeFileSync(join(cwd, 'commands.yml'), commands)
  writeFileSync(join(cwd, '.gitlab-ci.yml'), 'test:\n  script: [make]\n')
  const env = { SVC_CONFIG_DIR: config }
  /** Runs a line. A line that does not end by itself is interrupted after its first output. */
  const run = (line: string, input?: string): Promise<LineResult> => {
    const stop = new AbortController()
    const goesOn = / --watch\b|^sandbox serve\b/.test(line)
    const interrupted = { stop: stop.signal, afterOutput: () => stop.abort() }
    return svcctl(splitCommand(line), { env, cwd, input, ...(goesOn ? interrupted : {}) })
  }
  return run
}

/** Runs a hint as a shell does, without pipes to other programs. Returns the error if the program rejects the line. */
export const runHint = async (
  run: (line: string, input?: string) => Promise<LineResult>,
  hint: string,
  token: string,
): Promise<string | undefined> => {
  if (/^journal (?:show|undo)/.test(hint)) await run('runners update 1 --description undone')
  let line = hint.replace(/ \| .*$/, '')
  const [inner, words] = /\$\(svcctl (.*?)\)/.exec(line) ?? []
  if (inner !== undefined && words !== undefined)
    line = line.replace(inner, (await run(words)).stdout.trim())
  const ran = await run(line, token)
  return ran.code === 2 && readOutcome(ran) !== 'works' ? ran.stderr : undefined
}
