/** Lines in front of a server that writes down what it is asked. */
import type { How, Ran } from '../support/program.js'
import { type Recorder, recording, type Script } from '../support/recorder.js'
import { openScreen, type Screen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

interface Sent {
  /** Method and path with query, below the API root. */
  readonly line: string
  readonly body: unknown
}

export interface Calling {
  readonly server: Recorder
  /** Runs a command line; words are separated by blanks, or given one by one. */
  call(line: string | readonly string[], how?: How): Promise<Ran>
  /** Runs a command line on a terminal that is there as long as the work with it. */
  atTerminal<T>(line: string, work: (screen: Screen) => Promise<T>, cwd?: string): Promise<T>
  /** What was sent that is no GET, with the value of its JSON body. */
  sent(): readonly Sent[]
}

const parsed = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

/** Runs a command line on a terminal, which says at the end how it ended. */
export const onTerminal = async <T>(
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

/** For the tests of a file. The server answers as it is told; else with an empty list or object. */
export const calling = (): Calling => {
  const server = recording()
  return {
    server,
    call: (line, how = {}) =>
      svcctl(typeof line === 'string' ? line.split(' ') : line, {
        ...how,
        env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token', ...how.env },
      }),
    atTerminal: (line, work, cwd) =>
      onTerminal(line, { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' }, work, cwd),
    sent: () =>
      server.seen.flatMap(({ method, body }, i) =>
        method === 'GET' ? [] : [{ line: server.lines()[i] ?? '', body: parsed(body) }],
      ),
  }
}

/** A script that answers by the beginning of method and path; what is first in the table wins. */
export const answers =
  (table: Readonly<Record<string, unknown>>): Script =>
  ({ method, url }) => {
    const asked = `${method} ${url.replace(/^\/api\/v4/, '')}`
    const found = Object.entries(table).find(([beginning]) => asked.startsWith(beginning))
    return found === undefined ? undefined : { body: found[1] }
  }

/** Tab-separated rows as objects, by their heading. */
export const rowsOf = (stdout: string): readonly Readonly<Record<string, string>>[] => {
  const [head = [], ...rows] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  return rows.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ''])))
}
