/** Keeps the state in a folder: read whole, written whole or not at all, by one process at a time. */
import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lock, lock } from '../../base/files/lock.js'
import { readRegular } from '../../base/files/regular.js'
import { isObject, objects } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import { seedState } from '../seed/index.js'
import { restore, type SavedState, type State, tableNames } from './state.js'

// Whether what was read from a folder is a state: what is wrong with it is said before anything is built of it.

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const isTable = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.next) &&
  Array.isArray(value.rows) &&
  objects(value.rows).length === value.rows.length &&
  objects(value.rows).every(({ id }) => isCount(id))

/** Whether each group stands in one that is not in it: whoever goes up from one comes to an end. */
const isTree = (groups: unknown): boolean => {
  const rows = isObject(groups) ? objects(groups.rows) : []
  const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
  return rows.every(({ id }) => {
    let at: unknown = id
    for (let steps = 0; at !== null && at !== undefined; at = parents.get(at))
      if (steps++ > rows.length) return false
    return true
  })
}

/** Whether a value is a saved state with these tables; one that an older state lacks may be absent. */
const isSavedState = (value: unknown, tables: readonly string[]): boolean =>
  isObject(value) &&
  isObject(value.config) &&
  (value.settings === undefined || isObject(value.settings)) &&
  tables.every((name) => value[name] === undefined || isTable(value[name])) &&
  isTree(value.groups)

/** Raised when older states can no longer be read. */
const format = 1
const settle = 200

const stateFile = (folder: string): string => join(folder, 'state.json')

const unreadable = (file: string, why: string, cause?: unknown): Failure =>
  new Failure('failed', `The sandbox's state in ${file} ${why}.`, {
    hint: 'svcctl sandbox reset begins again with the sample data.',
    cause,
  })

/** The saved state of a folder; that of the sample data where there is none. */
export const readState = (folder: string): State => {
  const file = stateFile(folder)
  if (!existsSync(file)) return seedState()
  let saved: (SavedState & { format: number }) | null
  try {
    saved = JSON.parse(readRegular(file).toString())
  } catch (cause) {
    throw unreadable(file, 'cannot be read', cause)
  }
  if (saved?.format !== format) throw unreadable(file, 'was written by another version')
  if (!isSavedState(saved, tableNames)) throw unreadable(file, 'is damaged')
  return restore(saved)
}

const inUse = (folder: string, owner = 'another process'): Failure =>
  new Failure('conflict', `The sandbox in ${folder} is in use by ${owner}.`, {
    hint: 'Talk to the running one by its address, or choose another folder with --state.',
  })

/** How a folder is waited for that another process works on. */
export interface StateWait {
  /** Hears who is waited for. */
  readonly note?: ((text: string) => void) | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

const patience = 13_000

const lockFolder = (folder: string, { note, signal }: StateWait): Promise<Lock> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const held = (owner: string): Failure => inUse(folder, owner)
  return lock(join(folder, '.lock'), { patience, note, signal, held })
}

export class StateStore {
  #saved: string
  #dirty = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly folder: string,
    readonly state: State,
    private readonly lock: Lock,
  ) {
    this.#saved = this.#text()
  }

  /** Opens a folder for this process alone; waits a while for another one to finish. */
  static async open(folder: string, waiting: StateWait = {}): Promise<StateStore> {
    const lock = await lockFolder(folder, waiting)
    try {
      return new StateStore(folder, readState(folder), lock)
    } catch (error) {
      lock.release()
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

  /** Writes what changed, now. Writes that wait for the same turn share one. */
  save(): Promise<void> {
    this.#dirty = true
    return this.flush()
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
      // Another process took the folder over: this one slept too long.
      if (!this.lock.isHeld()) throw inUse(this.folder)
      const { writeWhole } = await import('../../base/files/files.js')
      // It outlives the process, at once; a power cut it need not.
      await writeWhole(stateFile(this.folder), text, { own: true, durable: false })
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
      this.lock.release()
    }
  }
}

/** Forgets everything that happened: the next start begins with the sample data. */
export const removeState = async (folder: string, waiting: StateWait = {}): Promise<void> => {
  const { release } = await lockFolder(folder, waiting)
  try {
    await rm(stateFile(folder), { force: true })
    await rm(join(folder, 'repositories'), { recursive: true, force: true })
  } finally {
    release()
  }
}
