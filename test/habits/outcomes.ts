/** Runs what people of other tools type on the embedded instance, and says what each line gives. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quoteWord, splitCommand } from '../../src/base/shell-words.js'
import type { RunningSandbox } from '../../src/library/sandbox.js'
import { configuration, copyConfiguration, folder, type Ran } from '../support/program.js'
import { svcctl } from '../support/within.js'

/** What a line gives: it works, or the hint is a line, an operation that is missing, a page of help, or something else. */
export type Outcome = 'works' | 'line' | 'undocumented' | 'help' | 'other'

/** A line, and what it is to give. */
export interface Habit {
  readonly line: string
  /** `ok`, `-> LINE` with … for any text, `doc` or `help`. */
  readonly gives: string
  /** It does not give that yet. */
  readonly isOpen: boolean
}

/** Reads `LINE | GIVES`; `! ` before a line says that it is still open. */
export const readHabits = (text: string): readonly Habit[] =>
  text.split('\n').flatMap((row) => {
    const [, open, line, gives] = /^(! )?([^#].*?) \| (ok|doc|help|-> .*)$/.exec(row) ?? []
    return line === undefined || gives === undefined
      ? []
      : [{ line, gives, isOpen: open !== undefined }]
  })

/** The error of a line as people read it, whichever format it was told in. */
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

export const readOutcome = ({ code, stderr }: Ran): Outcome => {
  // A person at a terminal is asked.
  if (/confirmation required/.test(stderr)) return 'works'
  if (/documents have no such operation/.test(stderr)) return 'undocumented'
  const [line] = findLines(stderr)
  if (code !== 2) return line === undefined || code === 0 ? 'works' : 'line'
  if (line === undefined) return /^Usage:/m.test(stderr) ? 'help' : 'other'
  return /(?: |^)--help$/.test(line) ? 'help' : 'line'
}

/** Writes a line with the quotes that a shell needs: what has other quotes is the same line. */
const normalizeLine = (line: string): string => splitCommand(line).map(quoteWord).join(' ')

const isLineMeant = (meant: string, line: string): boolean => {
  const pieces = normalizeLine(meant)
    .split('…')
    .map((piece) => piece.trimEnd().replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`).test(normalizeLine(line))
}

/** Returns true if a line gives what it is to give. */
export const isAsMeant = ({ gives }: Habit, ran: Ran): boolean => {
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
  const config = configuration()
  const line = ['auth', 'login', 'work', '--base-url', url, '--token-stdin']
  await svcctl(line, { env: { SVC_CONFIG_DIR: config }, input: token })
  return config
}

/** Creates what runs lines in a folder, with a copy of a configuration. */
export const createRunner = (signedIn: string) => {
  const [config, cwd] = [copyConfiguration(signedIn), folder()]
  writeFileSync(join(cwd, 'x.yml'), document)
  writeFileSync(join(cwd, 'policy.yml'), policy)
  writeFileSync(join(cwd, 'commands.yml'), commands)
  writeFileSync(join(cwd, '.gitlab-ci.yml'), 'test:\n  script: [make]\n')
  const env = { SVC_CONFIG_DIR: config }
  /** Runs a line; one that goes on is interrupted after its first output. */
  const run = (line: string, input?: string): Promise<Ran> => {
    const stop = new AbortController()
    const goesOn = / --watch\b|^sandbox serve\b/.test(line)
    const interrupted = { stop: stop.signal, afterOutput: () => stop.abort() }
    return svcctl(splitCommand(line), { env, cwd, input, ...(goesOn ? interrupted : {}) })
  }
  return run
}

/** Runs a hint as a shell does, but for what another program does with its output. Returns why it is refused. */
export const runHint = async (
  run: (line: string, input?: string) => Promise<Ran>,
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
