/** Runs of the real program that keep journals, against an instance that is scripted. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Header, JournalLine } from '../../../src/engine/journal/lines.js'
import { configuration, type Ran } from '../../support/program.js'
import { type Recorder, recording, type Scripted } from '../../support/recorder.js'
import { svcctl } from '../../support/within.js'

export interface Runs {
  readonly server: Recorder
  /** A run in this test's own configuration. */
  readonly run: (line: string | readonly string[], input?: string, env?: Env) => Promise<Ran>
  /** The files of the journals' folder. */
  readonly files: () => readonly string[]
  /** What was written to the instance. */
  readonly written: () => readonly string[]
  /** Forgets what was sent. */
  readonly forget: () => void
  readonly fresh: () => string
}
type Env = Readonly<Record<string, string>>

export const user: Scripted = { body: { id: 1, username: 'ana' } }
export const notFound: Scripted = { status: 404, body: { message: '404 Not found' } }

/** The lines of a journal, without their checksums. */
export const linesOf = (file: string): readonly JournalLine[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const { c: _, ...line } = JSON.parse(text) as JournalLine & { c: number }
      return line as JournalLine
    })

export const headerOf = (file: string): Header => linesOf(file)[0] as Header

/** The last state of each object. */
export const statesOf = (file: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(file).flatMap((line) => ('n' in line ? [[line.object, line.state]] : [])),
  )

export const runs = (): Runs => {
  const server = recording()
  let config = ''
  const fresh = (): string => {
    config = configuration()
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
