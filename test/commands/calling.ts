/** Runs command lines against a server that records its requests. */
import type { LineResult, ProgramLineOptions } from '../support/program.js'
import { type Recorder, type Script, useRecorder } from '../support/recorder.js'
import { openScreen, type Screen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

interface SentRequest {
  /** Method and path with query, below the API root. */
  readonly line: string
  readonly body: unknown
}

export interface Caller {
  readonly server: Recorder
  /** Runs a command line, given as a list of words or as one text that is split at blanks. */
  call(line: string | readonly string[], how?: ProgramLineOptions): Promise<LineResult>
  /** Runs a command line on a terminal, which closes when `work` ends. */
  atTerminal<T>(line: string, work: (screen: Screen) => Promise<T>, cwd?: string): Promise<T>
  /** Lists the requests other than GET, each with the value of its JSON body. */
  sent(): readonly SentRequest[]
}

const parseBody = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

/** Runs a command line on a terminal, which prints "ended with" and the exit code at the end. */
export const runOnTerminal = async <T>(
  line: string,
  env: Readonly<Record<string, string>>,
  work: (screen: Screen) => Promise<T>,
  cwd?: string,
): Promise<T> => {
  const words = [...line.split(' '), '--no-pager']
  const says = 'ended with'
  const screen = openScreen([words], {
    env,
    columns: 80,
    says,
    ...(cwd === undefined ? {} : { cwd }),
  })
  try {
    return await work(screen)
  } finally {
    await screen.close()
  }
}

/**
 * Creates a recorder, and functions that run lines against it. The recorder answers with an empty list or object unless
 * a test sets `server.answer`.
 */
export const createCaller = (): Caller => {
  const server = useRecorder()
  return {
    server,
    call: (line, how = {}) =>
      svcctl(typeof line === 'string' ? line.split(' ') : line, {
        ...how,
        env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token', ...how.env },
      }),
    atTerminal: (line, work, cwd) =>
      runOnTerminal(line, { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' }, work, cwd),
    sent: () =>
      server.seen.flatMap(({ method, body }, i) =>
        method === 'GET' ? [] : [{ line: server.lines()[i] ?? '', body: parseBody(body) }],
      ),
  }
}

/** Creates a script that answers by the beginning of method and path. The first matching entry of the table wins. */
export const answerByRoute =
  (table: Readonly<Record<string, unknown>>): Script =>
  ({ method, url }) => {
    const asked = `${method} ${url.replace(/^\/api\/v4/, '')}`
    const found = Object.entries(table).find(([beginning]) => asked.startsWith(beginning))
    return found === undefined ? undefined : { body: found[1] }
  }

/** Parses tab-separated rows into objects, with the headings as keys. */
export const parseRows = (stdout: string): readonly Readonly<Record<string, string>>[] => {
  const [head = [], ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])))
}
