/**
 * The last write of each profile at each instance, whether or not it kept a journal: a file each, in a folder beside
 * that of the journals. So `journal undo last` knows what was last without going by clocks.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeWhole } from '../../base/files/files.js'
import { makeFolders } from '../../base/files/regular.js'
import { isObject } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/mask.js'
import { scrub } from '../../base/secrets/scrub.js'
import { getErrorCode } from '../../errors.js'
import type { Header } from './lines.js'
import { openJournal } from './reader.js'

/** Whose writes are told apart. */
export type WriteAuthor = Pick<Header, 'instance' | 'profile'>

export interface LastWrite extends WriteAuthor {
  /** Area and verb, or what else wrote. */
  readonly command: string
  /** ISO, UTC; only for whoever reads it. */
  readonly at: string
  /** The file of its journal; absent where it kept none. */
  readonly journal?: string
  /** Where it kept none: the method and the path of its first request. */
  readonly request?: string
}

const named = /^[0-9a-f]{32}\.json$/
/** Nothing that is written here is longer. */
const maxSize = 1 << 16

/** Where they are noted, by the folder of the journals. */
const notesOf = (journals: string): string => join(dirname(journals), 'last-writes')

/** Notes a write that keeps a journal. */
export const noteKept = async (journals: string, write: LastWrite): Promise<void> => {
  const { instance, profile } = write
  const digest = createHash('sha256')
    .update(JSON.stringify([instance, profile]))
    .digest('hex')
  const folder = notesOf(journals)
  makeFolders(folder, 0o700)
  const file = join(folder, `${digest.slice(0, 32)}.json`)
  await writeWhole(file, `${JSON.stringify(write)}\n`, { own: true, durable: false })
}

/**
 * Notes a write that keeps none, before it is sent. Where no run kept one yet, there is nothing that it could
 * be taken for.
 * @throws the system's error
 */
export const noteUnkept = async (
  journals: string,
  write: Omit<LastWrite, 'journal' | 'request'>,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<void> => {
  if (!existsSync(journals)) return
  const [plain = ''] = path.split(/[?#]/)
  await noteKept(journals, { ...write, request: scrub(maskAddresses(`${method} ${plain}`)) })
}

const isText = (value: unknown): boolean => typeof value === 'string'

const isWrite = (value: unknown): value is LastWrite =>
  isObject(value) &&
  [value.instance, value.command, value.at].every(isText) &&
  (value.profile === null || isText(value.profile)) &&
  [value.journal, value.request].every((text) => text === undefined || isText(text)) &&
  !Number.isNaN(Date.parse(String(value.at)))

/** As with a journal: nobody else can have written it. */
const readIn = async (file: string): Promise<LastWrite | undefined> => {
  const handle = await openJournal(file)
  try {
    const { size } = await handle.stat()
    const value: unknown = size > maxSize ? undefined : JSON.parse(await handle.readFile('utf8'))
    return isWrite(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  } finally {
    await handle.close()
  }
}

/**
 * The last writes that are known of; what cannot be read is left out.
 * @param journals the folder of the journals
 * @throws Failure `usage` where others may have written one
 */
export const lastWritesIn = async (journals: string): Promise<readonly LastWrite[]> => {
  const folder = notesOf(journals)
  const names = await readdir(folder).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return []
    throw error
  })
  const found = await Promise.all(
    names.filter((name) => named.test(name)).map((name) => readIn(join(folder, name))),
  )
  return found.filter((write) => write !== undefined)
}
