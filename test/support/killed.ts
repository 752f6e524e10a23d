/**
 * Lines that end as a process does that is killed: what was written until then is left, its locks belong to nobody, and nothing that it
 * would have done later happened. One test for each kind of file kills a process (`*.process.test.ts`).
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { folder } from './program.js'
import { type LineHow, startLine } from './within.js'

/** The number of a process that is gone. */
const gonePid = (): number => spawnSync('true').pid

/** Gives the locks in a folder to a process that is gone. */
const releaseLocks = (where: string): void => {
  const pid = gonePid()
  for (const entry of readdirSync(where, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.startsWith('owner-')) continue
    const file = join(entry.parentPath, entry.name)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), pid }))
  }
}

const copyFolder = (from: string): string => {
  const copy = join(folder(), basename(from))
  // Times of change say which of several runs was the last: `cpSync` would round them.
  execFileSync('cp', ['-a', from, copy])
  releaseLocks(copy)
  return copy
}

/**
 * Starts a line that can be killed.
 * @param folders where it writes
 */
export const startKillable = (
  args: readonly string[],
  how: LineHow,
  folders: readonly string[],
) => {
  const line = startLine(args, { input: '', ...how })
  let copies: readonly (readonly [from: string, copy: string])[] | undefined
  /** Keeps the folders as they are now. */
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

/** Removes the outcomes from a journal: all requests arrived, and the program was killed before the first answer came. */
export const loseAnswers = (file: string): void => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const kept = lines.filter((line) => !/"state":"(?:done|unchanged)"|"end":/.test(line))
  writeFileSync(file, kept.join('\n'))
}
