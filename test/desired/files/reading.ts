/** Writes files for a test into a folder of its own, reads them, and returns their wishes in a form to compare. */
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

/** Creates a folder with these files, which is removed when the test ends. */
export const writeFolder = (texts: Texts): string => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

export type ReadOptions = Partial<FileOptions>

/** Reads a document from standard input, with `version: 1` before it. */
export const readText = (text: string, how: ReadOptions = {}): Promise<DeclaredState> =>
  readFiles(['-'], {
    cwd: writeFolder({}),
    stdin: async () => `version: 1\n${text}`,
    ...how,
  })

/** Reads a folder of files, each with its version before it. */
export const readTexts = (texts: Texts, how: ReadOptions = {}): Promise<DeclaredState> => {
  const cwd = writeFolder(
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, `version: 1\n${text}`])),
  )
  return readFiles(['.'], { cwd, stdin: async () => '', ...how })
}

/** Returns the lines of mistakes, each from its position on, and the hint. */
export const getRefusal = async (reading: Promise<unknown>): Promise<readonly string[]> => {
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

/** Returns the mistakes of a document. Lines are counted without the line of the version. */
export const findMistakes = async (
  text: string,
  how: ReadOptions = {},
): Promise<readonly string[]> =>
  (await getRefusal(readText(text, how))).map((line) =>
    line.replace(/^standard input:(\d+):/, (_, number: string) => `${Number(number) - 1}:`),
  )

const known = {
  projects: ['platform/app', 'platform/core/db', 'ana/notes', 'web/site'],
  groups: ['platform', 'platform/core', 'web'],
} as const

/** Returns the attributes of an item by name; null for an item that must be absent. */
const shortenItem = (item: DesiredItem): unknown => {
  if (item.gone !== undefined) return null
  const values = [...item.attributes].map(([name, { value }]) => [
    name,
    value.is === 'value' ? value.value : value.is === 'secret' ? value.source : value,
  ])
  return Object.fromEntries(values)
}

const getKey = ({ place, kind }: DesiredKind): string => `${place.path || 'site'}:${kind.name}`

/** Returns the wishes for existing places, with shortened items. */
export const getWanted = (
  state: DeclaredState,
  places: Parameters<DeclaredState['places']>[0] = known,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    state
      .places(places)
      .flatMap((here) => here.desired())
      .map((wish) => [
        getKey(wish),
        {
          ...(wish.exact === undefined ? {} : { $exact: wish.exact.value }),
          ...Object.fromEntries(
            wish.items.map((item) => [String(item.identity), shortenItem(item)]),
          ),
        },
      ]),
  )

/** Finds one item of the wishes. */
export const findItem = (
  state: DeclaredState,
  key: string,
  identity: string | number,
): DesiredItem => {
  const wish = state
    .places(known)
    .flatMap((here) => here.desired())
    .find((one) => getKey(one) === key)
  const item = wish?.items.find((one) => one.identity === identity)
  if (item === undefined) throw new Error(`there is no ${identity} in ${key}`)
  return item
}
