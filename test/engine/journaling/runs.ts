/** Runs the program with journals against a scripted instance, for tests. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Header, JournalLine } from '../../../src/engine/journal/lines.js'
import { createConfiguration, type LineResult } from '../../support/program.js'
import { type Recorder, type ScriptedAnswer, useRecorder } from '../../support/recorder.js'
import { svcctl } from '../../support/within.js'

export interface Runs {
  readonly server: Recorder
  /** Runs a line in the test's own configuration. */
  readonly run: (line: string | readonly string[], input?: string, env?: Env) => Promise<LineResult>
  /** Lists the files in the folder of the journals. */
  readonly files: () => readonly string[]
  /** Lists the write requests that the instance received. */
  readonly written: () => readonly string[]
  /** Forgets the requests that were sent. */
  readonly forget: () => void
  readonly fresh: () => string
}
type Env = Readonly<Record<string, string>>

export const user: ScriptedAnswer = { body: { id: 1, username: 'ana' } }
export const notFound: ScriptedAnswer = { status: 404, body: { message: '404 Not found' } }

/** Reads the lines of a journal, without their checksums. */
export const readJournalLines = (file: string): readonly JournalLine[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const { c: _, ...line } = JSON.parse(text) as JournalLine & { c: number }
      return line as JournalLine
    })

export const readHeader = (file: string): Header => readJournalLines(file)[0] as Header

/** Reads the last state of each object. */
export const readStates = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readJournalLines(file).flatMap((line) => ('n' in line ? [[line.object, line.state]] : [])),
  )

export const createRuns = (): Runs => {
  const server = useRecorder()
  let config = ''
  const fresh = (): string => {
    config = createConfiguration()
    return config
  }
  const folder = () => join(config, 'state', 'runs')
  return {
    server,
    fresh,
    run: (line, input, env = {}) =>
      svcctl(typeof line === 'string' ? line.split(' ') : line, {
        env: {
          SVC_CONFIG_DIR: config,
          SVC_BASE_URL: server.url,
          SVC_TOKEN: 'a-token-of-ana',
          ...env,
        },
        ...(input === undefined ? {} : { input }),
      }),
    files: () => {
      try {
        return readdirSync(folder())
          .filter((name) => name.endsWith('.ndjson'))
          .map((name) => join(folder(), name))
      } catch {
        return []
      }
    },
    written: () => server.lines().filter((line) => !line.startsWith('GET')),
    forget: () => {
      server.seen.length = 0
    },
  }
}
