/** Making a journal, and going on with one: a file that this process alone has. */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders } from '../../base/files/folders.js'
import { type Lock, lock } from '../../base/files/lock.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import { type Clock, systemClock } from '../../http/gate.js'
import type { Header } from './lines.js'
import type { Past } from './past.js'
import { openJournal } from './reading.js'
import { Journal } from './writing.js'

/** Another process writes it. */
const heldBy =
  (file: string) =>
  (owner: string): Failure =>
    new Failure('conflict', `the journal ${file} is in use by ${owner}`, {
      hint: `Wait until it ends. If it has ended, delete ${file}.lock`,
    })

const lockOf = (file: string): Promise<Lock> =>
  lock(`${file}.lock`, { patience: 0, held: heldBy(file) })

const cannot = (file: string, error: unknown): Failure =>
  usage(
    `cannot create the journal ${file}: ${getErrorCode(error) === 'EEXIST' ? 'it exists' : getReason(error)}`,
    'Pass another file with --journal <file>. With --journal none, the run can be neither resumed nor undone.',
  )

/**
 * Makes a journal: a file that was not there, for its owner only, never through a link.
 * @throws Failure `usage` where it cannot be made, `conflict` where another process has it
 */
export const createJournal = async (
  file: string,
  header: Header,
  clock: Clock = systemClock,
): Promise<Journal> => {
  const { O_CREAT, O_EXCL, O_APPEND, O_RDWR } = constants
  let handle: FileHandle
  try {
    makeFolders(dirname(file), 0o700)
    handle = await open(file, O_CREAT | O_EXCL | O_APPEND | O_RDWR, 0o600)
  } catch (error) {
    throw cannot(file, error)
  }
  try {
    const journal = new Journal({ file, header, handle, held: await lockOf(file), clock })
    await journal.append(header)
    return journal
  } catch (error) {
    await handle.close().catch(() => {})
    await unlink(file).catch(() => {})
    throw error instanceof Failure ? error : cannot(file, error)
  }
}

/**
 * Makes a journal in a folder, by the name of its run; of several in one second each has a number.
 * @throws Failure as `createJournal`
 */
export const createIn = async (
  folder: string,
  header: Header,
  clock: Clock = systemClock,
): Promise<Journal> => {
  for (let n = 1; ; n++) {
    const id = n === 1 ? header.id : `${header.id}_${n}`
    const file = join(folder, `${id}.ndjson`)
    // Whoever is faster takes the name: the file is made for one alone.
    if (existsSync(file)) continue
    try {
      return await createJournal(file, { ...header, id }, clock)
    } catch (error) {
      if (!existsSync(file)) throw error
    }
  }
}

/**
 * Goes on with a journal where its whole lines end.
 * @param read reads it once it is this process's own
 * @throws Failure `usage` where it cannot be read, `conflict` where another process has it
 */
export const reopenJournal = async (
  file: string,
  read: (file: string) => Promise<Past>,
  clock: Clock = systemClock,
): Promise<{ readonly journal: Journal; readonly past: Past }> => {
  const handle = await openJournal(file, constants.O_RDWR | constants.O_APPEND)
  const held = await lockOf(file).catch(async (error: unknown) => {
    await handle.close()
    throw error
  })
  try {
    const past = await read(file)
    await handle.truncate(past.size)
    const { header, size: written, states } = past
    const journal = new Journal({ file, header, handle, held, written, states, clock })
    await journal.append({ resumed: new Date(clock.now()).toISOString() })
    return { journal, past }
  } catch (error) {
    held.release()
    await handle.close()
    throw error
  }
}
