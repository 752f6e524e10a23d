/**
 * Runs lines that end as if their process was killed: files written until then are left, locks have no owner, and nothing more
 * happens. For each kind of file, one test kills a real process (`*.process.test.ts`).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createFolder } from './program.js'
import { type LineOptions, startLine } from './within.js'

/** Returns the ID of a process that has ended. */
const getDeadPid = (): number => spawnSync('true').pid

/** Assigns the locks in a folder to a process that has ended. */
const releaseLocks = (where: string): void => {
  const pid = getDeadPid()
  for (const entry of readdirSync(where, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.startsWith('owner-')) continue
    const file = join(entry.parentPath, entry.name)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid }))
  }
}

const copyFolder = (from: string): string => {
  const copy = join(createFolder(), basename(from))
  // The times of change tell which of several runs was the last one: `cpSync` would round them.
  execFileSync('cp', ['-a', from, copy])
  releaseLocks(copy)
  return copy
}

/**
 * Starts a line that can be killed.
 * @param folders the folders that it writes to
 */
export const startKillable = (
  args: readonly string[],
  how: LineOptions,
  folders: readonly string[],
) => {
  const line = startLine(args, { input: '', ...how })
  let copies: readonly (readonly [from: string, copy: string])[] | undefined
  /** Copies the folders in their present state; they are restored to it once the line has ended. */
  const kill = (): void => {
    if (copies !== undefined) return
    copies = folders.map((from) => [from, copyFolder(from)])
    line.kill('SIGINT')
  }
  const ended = line.ended.then((ran) => {
    for (const [from, copy] of copies ?? []) {
      rmSync(from, { recursive: true })
      renameSync(copy, from)
    }
    return { ...ran, wasKilled: copies !== undefined }
  })
  return { ...line, kill, ended }
}

/** Removes the outcomes from a journal, as if the program was killed after all requests arrived and before the first answer. */
export const removeOutcomes = (file: string): void => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const kept = lines.filter((line) => !/"state":"(?:done|unchanged)"|"end":/.test(line))
  writeFileSync(file, kept.join('\n'))
}
