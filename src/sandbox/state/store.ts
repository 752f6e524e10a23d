/** Keeps the state in a folder: read whole, written whole or not at all, by one process at a time. */
import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegular } from '../../base/regular.js'
import { Failure } from '../../errors.js'
import { seedState } from '../seed/index.js'
import { restore, type SavedState, type State } from './state.js'

/** Raised when older states can no longer be read. */
const format = 1
const settle = 200

export const stateFile = (folder: string): string => join(folder, 'state.json')

const unreadable = (file: string, why: string, cause?: unknown): Failure =>
  new Failure('failed', `The sandbox's state in ${file} ${why}.`, {
    hint: 'svcctl sandbox reset begins again with the sample data.',
    ...(cause === undefined ? {} : { cause }),
  })

/** The saved state of a folder; that of the sample data where there is none. */
export const readState = (folder: string): State => {
  const file = stateFile(folder)
  if (!existsSync(file)) return seedState()
  let saved: SavedState & { format: number }
  try {
    saved = JSON.parse(readRegular(file).toString())
  } catch (cause) {
    throw unreadable(file, 'cannot be read', cause)
  }
  if (saved.format !== format) throw unreadable(file, 'was written by another version')
  return restore(saved)
}

const inUse = (folder: string, cause?: unknown): Failure =>
  new Failure('conflict', `The sandbox in ${folder} is in use by another process.`, {
    hint: 'Talk to the running one by its address, or choose another folder with --state.',
    ...(cause === undefined ? {} : { cause }),
  })

/** `onLost` is called when another process took the folder over (this one slept too long). */
const lockFolder = async (
  folder: string,
  onLost: () => void = () => {},
): Promise<() => Promise<void>> => {
  const { lock } = await import('proper-lockfile')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    return await lock(folder, {
      lockfilePath: join(folder, '.lock'),
      stale: 10_000,
      onCompromised: onLost,
      retries: { retries: 60, minTimeout: 20, maxTimeout: 250, factor: 1.5 },
    })
  } catch (cause) {
    throw inUse(folder, cause)
  }
}

export class Store {
  #saved: string
  #dirty = false
  #lost = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly folder: string,
    readonly state: State,
    private readonly release: () => Promise<void>,
  ) {
    this.#saved = this.#text()
  }

  /** Opens a folder for this process alone; waits a while for another one to finish. */
  static async open(folder: string): Promise<Store> {
    let store: Store | undefined
    const release = await lockFolder(folder, () => {
      if (store !== undefined) store.#lost = true
    })
    try {
      store = new Store(folder, readState(folder), release)
      return store
    } catch (error) {
      await release()
      throw error
    }
  }

  #text(): string {
    return JSON.stringify({ format, ...this.state })
  }

  /** Something may have changed: saved soon, and at the latest by `close`. */
  touch(): void {
    this.#dirty = true
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // What cannot be written now is tried again, and reported, by the next flush or by close.
      this.flush().catch(() => {})
    }, settle).unref()
  }

  /** Writes the state if it differs from what was last written. */
  flush(): Promise<void> {
    const write = () => this.#write()
    this.#writing = this.#writing.then(write, write)
    return this.#writing
  }

  async #write(): Promise<void> {
    if (!this.#dirty) return
    this.#dirty = false
    const text = this.#text()
    if (text === this.#saved) return
    try {
      if (this.#lost) throw inUse(this.folder)
      const { writeWhole } = await import('../../base/files.js')
      await writeWhole(stateFile(this.folder), text, { own: true })
      this.#saved = text
    } catch (error) {
      this.#dirty = true
      throw error
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.flush()
    } finally {
      if (!this.#lost) await this.release()
    }
  }
}

/** Forgets everything that happened: the next start begins with the sample data. */
export const removeState = async (folder: string): Promise<void> => {
  const release = await lockFolder(folder)
  try {
    await rm(stateFile(folder), { force: true })
    await rm(join(folder, 'repositories'), { recursive: true, force: true })
  } finally {
    await release()
  }
}
