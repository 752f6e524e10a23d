/** Files of a test: written into a folder of its own, read, and what they want as tests can compare it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type DeclaredState,
  type FileOptions,
  readFiles,
} from '../../../src/desired/files/index.js'
import type { DesiredItem, DesiredKind } from '../../../src/desired/state.js'
import { Failure } from '../../../src/errors.js'

export type Texts = Readonly<Record<string, string>>

/** A folder with these files, gone when the test ends. */
export const folderOf = (texts: Texts): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

export type How = Partial<FileOptions>

/** Reads a document from standard input; `version: 1` stands before it. */
export const readText = (text: string, how: How = {}): Promise<DeclaredState> =>
  readFiles(['-'], {
    cwd: folderOf({}),
    stdin: async () => `version: 1\n${text}`,
    ...how,
  })

/** Reads the folder `.` of files; each begins with its version. */
export const readTexts = (texts: Texts, how: How = {}): Promise<DeclaredState> => {
  const cwd = folderOf(
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, `version: 1\n${text}`])),
  )
  return readFiles(['.'], { cwd, stdin: async () => '', ...how })
}

/** What is refused: the lines of mistakes, each from its line on, and the hint. */
export const refusal = async (reading: Promise<unknown>): Promise<readonly string[]> => {
  const error: unknown = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Failure)) throw error ?? new Error('it was not refused')
  if (error.category !== 'usage') throw error
  const lines = error.message.split('\n')
  const { hint } = error.details
  return [...(lines.length > 1 ? lines.slice(1) : lines), ...(hint === undefined ? [] : [hint])]
}

/** The mistakes of a document: line and column, counted without the version's line. */
export const mistakesIn = async (text: string, how: How = {}): Promise<readonly string[]> =>
  (await refusal(readText(text, how))).map((line) =>
    line.replace(/^standard input:(\d+):/, (_, number: string) => `${Number(number) - 1}:`),
  )

const known = {
  projects: ['platform/app', 'platform/core/db', 'ana/notes', 'web/site'],
  groups: ['platform', 'platform/core', 'web'],
} as const

/** An item in short: its attributes by name; null where it must not be there. */
const shortOf = (item: DesiredItem): unknown => {
  if (item.gone !== undefined) return null
  const values = [...item.attributes].map(([name, { value }]) => [
    name,
    value.is === 'value' ? value.value : value.is === 'secret' ? value.source : value,
  ])
  return Object.fromEntries(values)
}

const keyOf = ({ place, kind }: DesiredKind): string => `${place.path || 'site'}:${kind.name}`

/** All wishes in short, of places that there are. */
export const wanted = (
  state: DeclaredState,
  places: Parameters<DeclaredState['places']>[0] = known,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    state
      .places(places)
      .flatMap((here) => here.desired())
      .map((wish) => [
        keyOf(wish),
        {
          ...(wish.exact === undefined ? {} : { $exact: wish.exact.value }),
          ...Object.fromEntries(wish.items.map((item) => [String(item.identity), shortOf(item)])),
        },
      ]),
  )

/** One item of what is wanted. */
export const itemIn = (
  state: DeclaredState,
  key: string,
  identity: string | number,
): DesiredItem => {
  const wish = state
    .places(known)
    .flatMap((here) => here.desired())
    .find((one) => keyOf(one) === key)
  const item = wish?.items.find((one) => one.identity === identity)
  if (item === undefined) throw new Error(`there is no ${identity} in ${key}`)
  return item
}
