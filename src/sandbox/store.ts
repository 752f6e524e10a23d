/**
 * Stores the state of the embedded instance in a folder: a file with all of it, and a log of later changes. One process writes it at a
 * time.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Array as ArrayOf, Integer, Object as Obj, Optional, String as Str, Unsafe } from 'typebox'
import { Check } from 'typebox/schema'
import { Findings } from '../base/documents/findings.js'
import { checkDocument } from '../base/documents/json.js'
import { parseJson } from '../base/documents/parse-json.js'
import { type Lock, lock } from '../base/files/lock.js'
import { describeOther, nonBlocking, readRegular } from '../base/files/regular.js'
import { isObject, listObjects, tryParseJson } from '../base/objects.js'
import { Failure, getReason, usage } from '../errors.js'
import {
  restore,
  type SavedState,
  type State,
  type StateChange,
  tableNames,
  takeChanges,
} from './state/state.js'

/** Applies a change from the log. @returns false if the value is not a change */
const applyChange = (state: State, change: unknown): boolean => {
  if (!Array.isArray(change)) return false
  const [name, id, record] = change
  if (typeof name !== 'string' || !Object.hasOwn(state, name)) return false
  const isRecord = record === null || (typeof record === 'object' && !Array.isArray(record))
  if (!Number.isSafeInteger(id) || !isRecord) return false
  state[name as 'users'].put(id, record)
  return true
}

// The schema that a saved state is checked against before it is used.

const count = Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const table = Obj({ next: count, rows: ArrayOf(Obj({ id: count })) })
/** The schema of a saved state. Tables may be absent, since older states do not have all of them. */
const stateSchema = Unsafe<SavedState & { readonly format?: number; readonly generation?: string }>(
  Obj({
    generation: Optional(Str()),
    config: Obj({}),
    settings: Optional(Obj({})),
    ...Object.fromEntries(tableNames.map((name) => [name, Optional(table)])),
  }),
)

/** True if no group contains itself, so that a walk to the parents of a group ends. */
const isTree = (groups: unknown): boolean => {
  const rows = isObject(groups) ? listObjects(groups.rows) : []
  const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
  return rows.every(({ id }) => {
    let at: unknown = id
    for (let steps = 0; at !== null && at !== undefined; at = parents.get(at))
      if (steps++ > rows.length) return false
    return true
  })
}

const isSavedState = (value: unknown): value is SavedState =>
  Check(stateSchema, value) && isTree((value as SavedState).groups)

/** The version of the format. It increases when older programs cannot read a state; this program reads version 1, too. */
const format = 2

const getStateFile = (folder: string): string => join(folder, 'state.json')
const getLogFile = (folder: string): string => join(folder, 'state.log')

const createUnreadableFailure = (file: string, why: string, cause?: unknown): Failure =>
  new Failure('failed', `The sandbox's state in ${file} ${why}.`, {
    hint: 'svcctl sandbox reset begins again with the sample data.',
    cause,
  })

// The log has a line for the changes of each save. The cost of a change so does not depend on the size of the state.

interface Line {
  readonly generation: string
  readonly n: number
  readonly changes: readonly unknown[]
}

const sumMark = ',"crc":'

const formatLine = (generation: string, n: number, changes: readonly StateChange[]): Buffer => {
  const text = JSON.stringify({ generation, n, changes }).slice(0, -1)
  return Buffer.from(`${text}${sumMark}${crc32(text)}}\n`)
}

/** Parses a line of the log; undefined if it is incomplete or damaged. */
const parseLine = (bytes: Buffer): Line | undefined => {
  const at = bytes.lastIndexOf(sumMark)
  if (
    at < 0 ||
    `${crc32(bytes.subarray(0, at))}}` !== bytes.toString('latin1', at + sumMark.length)
  )
    return undefined
  const line = tryParseJson(bytes.toString())
  if (!isObject(line) || !Array.isArray(line.changes)) return undefined
  const { generation, n, changes } = line
  return typeof generation === 'string' && typeof n === 'number'
    ? { generation, n, changes }
    : undefined
}

/**
 * Applies the changes of a log that follow the saved state, and skips those of an older state.
 * @returns the number of applied lines, and of the bytes before an incomplete last line, which a process that was ended may leave
 */
const applyLog = (log: Buffer, file: string, generation: string, state: State) => {
  let [n, from] = [0, 0]
  for (let end = log.indexOf(10); from < log.length; end = log.indexOf(10, from)) {
    const line = end < 0 ? undefined : parseLine(log.subarray(from, end))
    const isNext = line !== undefined && (line.generation !== generation || line.n === n + 1)
    if (!isNext && end >= 0 && end < log.length - 1)
      throw createUnreadableFailure(file, `is damaged at byte ${from}`)
    if (!isNext) break
    if (line.generation === generation) {
      n = line.n
      if (!line.changes.every((change) => applyChange(state, change)))
        throw createUnreadableFailure(file, `is damaged at byte ${from}`)
    }
    from = end + 1
  }
  return { n, whole: from }
}

/** A state that was read from the folder, and the position in the log for its next change. */
interface LoadedState {
  readonly state: State
  /** The ID of the saved state that log lines repeat. Undefined if there is none yet, or if an older program wrote it. */
  readonly generation?: string
  readonly n: number
  /** The length of the log in bytes, without an incomplete last line. */
  readonly log: number
  readonly size: number
}

/** Reads a file of the state folder. @throws Failure `failed` if it cannot be read */
const readStateFile = (file: string): Buffer => {
  try {
    return readRegular(file)
  } catch (cause) {
    throw createUnreadableFailure(file, `cannot be read: ${getReason(cause)}`, cause)
  }
}

/** Parses a saved state. @throws Failure `failed` with the position of the error */
const parseSavedState = (bytes: Buffer, file: string) => {
  const findings = new Findings()
  const parsed = parseJson(bytes, file, findings, { maxValues })
  if (parsed === undefined)
    throw createUnreadableFailure(file, `cannot be read: ${findings.toFailure()?.message}`)
  const { format: written } = isObject(parsed.value) ? parsed.value : {}
  if (written !== format && written !== 1)
    throw createUnreadableFailure(file, 'was written by another version')
  const saved = checkDocument(stateSchema, parsed, findings)?.value
  if (saved !== undefined && !isTree(saved.groups))
    findings.add(parsed.at(['groups']), 'groups stand in each other')
  if (saved !== undefined && written === format && saved.generation === undefined)
    findings.add(parsed.at([]), 'generation is missing')
  const failure = findings.toFailure()
  if (saved === undefined || failure !== undefined)
    throw createUnreadableFailure(file, `is damaged: ${failure?.message}`)
  return saved
}

/** The maximum number of values in a state. A state with a million records has fewer. */
const maxValues = 50_000_000

const loadState = async (folder: string): Promise<LoadedState> => {
  const [file, logAt] = [getStateFile(folder), getLogFile(folder)]
  const none = { n: 0, log: 0, size: 0 }
  if (!existsSync(file))
    return { state: (await import('./seed/index.js')).loadSampleState(), ...none }
  // The log is read first. If another process replaces the state meanwhile, the new state contains this log.
  const log = existsSync(logAt) ? readStateFile(logAt) : Buffer.alloc(0)
  const bytes = readStateFile(file)
  const size = bytes.length
  const saved = parseSavedState(bytes, file)
  const { generation } = saved
  const state = restore(saved)
  if (typeof generation !== 'string') return { state, ...none }
  const { n, whole } = applyLog(log, logAt, generation, state)
  return { state, generation, n, log: whole, size }
}

/** Reads the saved state of a folder, or the sample data if there is none. */
export const readState = async (folder: string): Promise<State> => (await loadState(folder)).state

const createInUseFailure = (folder: string, owner = 'another process'): Failure =>
  new Failure('conflict', `The sandbox in ${folder} is in use by ${owner}.`, {
    hint: 'Use that instance without --sandbox, through SVC_BASE_URL and SVC_TOKEN, or stop its process. "svcctl sandbox serve --state-dir <folder>" starts another one.',
  })

/** The options for waiting until another process releases the folder. */
export interface StateWait {
  /** Called with a message that names the other process. */
  readonly note?: ((text: string) => void) | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

const patience = 13_000

const lockFolder = (folder: string, { note, signal }: StateWait): Promise<Lock> => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const createHeldFailure = (owner: string): Failure => createInUseFailure(folder, owner)
  return lock(join(folder, '.lock'), { patience, note, signal, held: createHeldFailure })
}

/** The state is rewritten when its log is larger than this number of bytes, and than half of the state. */
const smallLog = 4 * 1024 * 1024

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0 } = constants

export class StateStore {
  readonly state: State
  #generation: string | undefined
  #n: number
  #log: number
  #size: number
  /** True if some changes are not in the log and cannot be added to it, so that the next save writes the whole state. */
  #behind = false
  #descriptor: number | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(
    private readonly folder: string,
    private readonly lock: Lock,
    { state, generation, n, log, size }: LoadedState,
  ) {
    this.state = state
    this.#generation = generation
    this.#n = n
    this.#log = log
    this.#size = size
  }

  /** Opens a folder for this process alone. If another process has it open, this waits for some seconds. */
  static async open(folder: string, waiting: StateWait = {}): Promise<StateStore> {
    const lock = await lockFolder(folder, waiting)
    try {
      return new StateStore(folder, lock, await loadState(folder))
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** Replaces the state with a saved one. The next save writes all of it. @throws Failure `usage` if the value is not a saved state */
  load(saved: unknown): void {
    if (!isSavedState(saved)) throw usage('restore() takes what snapshot() returned')
    const copy: SavedState = structuredClone(saved)
    for (const [name, table] of Object.entries(this.state)) table.load(copy[name as 'users'])
    this.#behind = true
  }

  /** Writes the changes to the disk cache: they survive the end of the process, but not a power failure. */
  save(): Promise<void> {
    const write = () => this.#write()
    this.#writing = this.#writing.then(write, write)
    return this.#writing
  }

  async #write(): Promise<void> {
    const changes = takeChanges(this.state)
    if (changes.length === 0 && !this.#behind) return
    const whole = this.#behind || this.#generation === undefined
    this.#behind = true
    // Another process took the lock, since this one did not renew it in time.
    if (!this.lock.isHeld()) throw createInUseFailure(this.folder)
    if (!whole) this.#appendToLog(changes)
    if (whole || this.#log > Math.max(smallLog, this.#size / 2)) await this.#writeWhole()
    this.#behind = false
  }

  /** Opens the log, and removes an incomplete last line. @returns the file descriptor */
  #openLog(): number {
    if (this.#descriptor !== undefined) return this.#descriptor
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | nonBlocking
    const descriptor = openSync(getLogFile(this.folder), flags, 0o600)
    this.#descriptor = descriptor
    const other = describeOther(fstatSync(descriptor))
    if (other !== undefined) throw new Error(other)
    ftruncateSync(descriptor, this.#log)
    return descriptor
  }

  #appendToLog(changes: readonly StateChange[]): void {
    const descriptor = this.#openLog()
    const line = formatLine(this.#generation ?? '', this.#n + 1, changes)
    try {
      if (writeSync(descriptor, line) < line.length) throw new Error('the disk is full')
    } catch (error) {
      ftruncateSync(descriptor, this.#log)
      throw error
    }
    this.#n += 1
    this.#log += line.length
  }

  /**
   * Rewrites the state and then empties the log. If the process ends in between, the lines of the log are ignored as those of an older
   * state.
   */
  async #writeWhole(): Promise<void> {
    const generation = crypto.randomUUID()
    const tables = Object.entries(this.state).map(([name, table]) =>
      Buffer.from(`,${JSON.stringify(name)}:${JSON.stringify(table)}`),
    )
    const text = [
      Buffer.from(JSON.stringify({ format, generation }).slice(0, -1)),
      ...tables,
      Buffer.from('}'),
    ]
    const { writeWhole } = await import('../base/files/files.js')
    await writeWhole(getStateFile(this.folder), text, { own: true, durable: false })
    this.#generation = generation
    this.#n = 0
    this.#size = text.reduce((sum, { length }) => sum + length, 0)
    this.#log = 0
    if (this.#descriptor !== undefined || existsSync(getLogFile(this.folder)))
      ftruncateSync(this.#openLog(), 0)
  }

  async close(): Promise<void> {
    try {
      await this.save()
    } finally {
      if (this.#descriptor !== undefined) closeSync(this.#descriptor)
      this.lock.release()
    }
  }
}

/** Deletes the state, so that the next start begins with the sample data. */
export const removeState = async (folder: string, waiting: StateWait = {}): Promise<void> => {
  const { release } = await lockFolder(folder, waiting)
  try {
    await rm(getStateFile(folder), { force: true })
    await rm(getLogFile(folder), { force: true })
    await rm(join(folder, 'repositories'), { recursive: true, force: true })
  } finally {
    release()
  }
}
