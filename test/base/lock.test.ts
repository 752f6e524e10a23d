import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  getProcessState,
  getThisProcess,
  type Lock,
  type LockOptions,
  lock,
  type ProcessId,
} from '../../src/base/files/lock.js'
import { Failure } from '../../src/errors.js'
import { getBundle } from '../support/bundled.js'

let home: string
let directory: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svcctl-lock-'))
  directory = join(home, 'x.lock')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true, force: true })
})

const linux = process.platform === 'linux'
const program = await getBundle(join(import.meta.dirname, 'holder.ts'))

const startProcess = (program: string, args: readonly string[]): ChildProcess => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return child
}
const startHolder = (...args: readonly string[]) =>
  startProcess(process.execPath, [program, ...args])
const readOutput = async ({ stdout }: ChildProcess): Promise<string> =>
  stdout === null ? '' : String((await once(stdout, 'data'))[0])

const createHeldFailure = (owner: string): Failure => new Failure('failed', `held by ${owner}`)
const take = async (options: Partial<LockOptions> = {}): Promise<Lock> => {
  const taken = await lock(directory, { patience: 0, held: createHeldFailure, ...options })
  onTestFinished(taken.release)
  return taken
}

/** Creates a lock that another process left behind. */
const leaveLock = (owner: ProcessId | string): void => {
  mkdirSync(directory)
  const text = typeof owner === 'string' ? owner : JSON.stringify(owner)
  writeFileSync(join(directory, 'owner-other'), text)
}

/** Mocks performance.now(). Returns a function that advances it by milliseconds. */
const mockTime = () => {
  const now = performance.now.bind(performance)
  let more = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now() + more)
  return (milliseconds: number): void => {
    more += milliseconds
  }
}

describe('a lock', () => {
  it('is had by one process at a time, also when owners are killed', {
    timeout: 120_000,
  }, async () => {
    const file = join(home, 'count')
    writeFileSync(file, '0')
    const counting = [1, 2, 3].map(() => startHolder('count', directory, file, '40'))
    const ended = Promise.all(counting.map((child) => once(child, 'exit')))
    for (let i = 0; i < 3; i++) {
      const victim = startHolder('hold', directory)
      await readOutput(victim)
      victim.kill('SIGKILL')
      await once(victim, 'exit')
    }
    expect(await ended).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ])
    expect(readFileSync(file, 'utf8')).toBe('120')
    // The last one may have been killed when nobody came after it.
    ;(await take()).release()
    expect(readdirSync(home)).toEqual(['count'])
  })

  it('adds no listener to the process for each lock', async () => {
    const [first, ...others] = Array.from({ length: 12 }, (_, i) => join(home, `one-${i}`))
    const takeOne = async (at: string | undefined): Promise<void> => {
      const held = await lock(at ?? '', { patience: 0, held: createHeldFailure })
      onTestFinished(held.release)
    }
    await takeOne(first)
    const before = process.listenerCount('exit')
    for (const at of others) await takeOne(at)
    expect(process.listenerCount('exit')).toBe(before)
  })

  it('of a killed process is taken at once', async () => {
    const victim = startHolder('hold', directory)
    await readOutput(victim)
    await expect(take()).rejects.toThrow(`held by process ${victim.pid}`)
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    expect((await take()).isHeld()).toBe(true)
  })

  it.runIf(linux)('of an earlier process of the same number is taken at once', async () => {
    leaveLock({ ...getThisProcess(), started: '1' })
    expect((await take()).isHeld()).toBe(true)
  })

  it.runIf(linux)('of a process that runs is waited for, however silent it is', async () => {
    leaveLock(getThisProcess())
    const pass = mockTime()
    const notes: string[] = []
    const note = (text: string): void => {
      notes.push(text)
      pass(30_000)
    }
    await expect(take({ patience: 20_000, note })).rejects.toThrow(`held by process ${process.pid}`)
    expect(notes).toEqual([`waiting for process ${process.pid}, which has locked ${directory}`])
  })

  it('of another host is taken after ten seconds of silence; a note says whose it is', async () => {
    leaveLock({ pid: 7, host: 'far', place: 'far boot pid:[1]', started: '5' })
    const pass = mockTime()
    const notes: string[] = []
    const note = (text: string): void => {
      notes.push(text)
      pass(11_000)
    }
    expect((await take({ patience: 60_000, note })).isHeld()).toBe(true)
    expect(notes).toEqual([`waiting for process 7 on far, which has locked ${directory}`])
  })

  it.each(['', 'no JSON', '{}', '{"pid":-1,"place":"x","host":"x"}', 'null'])(
    'whose owner reads %j is not taken before it is silent',
    async (owner) => {
      leaveLock(owner)
      await expect(take()).rejects.toThrow('held by another process')
    },
  )

  it('without owner is nobody’s', async () => {
    mkdirSync(directory)
    expect((await take()).isHeld()).toBe(true)
  })

  it('with something else in it is a failure, not a wait without end', async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, 'notes.txt'), 'mine')
    await expect(take({ patience: 60 })).rejects.toThrow('held by another process')
    expect(readdirSync(home)).toEqual(['x.lock'])
  })

  it('ends its wait when it is interrupted', async () => {
    leaveLock({ pid: 7, host: 'far', place: 'far' })
    const waiting = take({ patience: 60_000, signal: AbortSignal.abort() })
    await expect(waiting).rejects.toMatchObject({ category: 'interrupted' })
  })

  it('knows that it was taken over, and leaves the next one alone', async () => {
    const mine = await take()
    rmSync(directory, { recursive: true })
    leaveLock({ pid: 7, host: 'far', place: 'far' })
    expect(mine.isHeld()).toBe(false)
    mine.release()
    expect(readdirSync(directory)).toEqual(['owner-other'])
  })

  it('leaves nothing behind, where it cannot be made either', async () => {
    const { release } = await take()
    release()
    expect(readdirSync(home)).toEqual([])
    writeFileSync(join(home, 'file'), '')
    directory = join(home, 'file', 'x.lock')
    await expect(take()).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect(existsSync(directory)).toBe(false)
  })
})

describe.runIf(linux)('a process', () => {
  it('that nobody waited for is gone', async () => {
    const parent = startProcess('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
    const pid = Number(await readOutput(parent))
    const zombie: ProcessId = { ...getThisProcess(), pid, started: getStartTime(pid) }
    // A shell would wait for its child. After its exec, the parent does not, so the child stays a zombie.
    const readName = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')
    await vi.waitFor(() => expect(readName()).toBe('sleep\n'), { timeout: 10_000 })
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(() => expect(getProcessState(zombie)).toBe('gone'), { timeout: 10_000 })
    expect(existsSync(`/proc/${pid}`)).toBe(true)
  })

  it('that runs does, and one of another place is not known', () => {
    expect(getProcessState(getThisProcess())).toBe('runs')
    expect(getProcessState({ ...getThisProcess(), place: 'elsewhere' })).toBe('unknown')
    const { started: _, ...untold } = getThisProcess()
    expect(getProcessState(untold)).toBe('unknown')
  })
})

const getStartTime = (pid: number): string => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
