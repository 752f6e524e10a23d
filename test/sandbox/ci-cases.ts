/** The configurations of `ci-cases/`, each with the verdict that an instance gives. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Case {
  readonly name: string
  readonly content: string
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** `@ 14.5`: the version as of which it is checked. */
  readonly asOf: string | undefined
  /** `@ pipeline`: a pipeline of it is simulated. */
  readonly pipeline: boolean
  /** `~ refused`: by the schema for editors, as in firecow/gitlab-ci-local, commit 4e945cd. */
  readonly refusedBySchema: boolean
}

/** Signs that no editor shows: a tab, a bell. */
const shown = (text: string): string => text.replaceAll('→', '\t').replaceAll('␇', '\u0007')

/** `<<t 50>>` stands for `t1, t2, …`, and with `%` for names that have the number there. */
const counted = (text: string): string =>
  text.replace(/<<([^>]*?) (\d+)>>/g, (_, name: string, count: string) =>
    Array.from({ length: Number(count) }, (_, i) =>
      name.includes('%') ? name.replace('%', String(i + 1)) : `${name}${i + 1}`,
    ).join(', '),
  )

const caseOf = (text: string): Case => {
  const [name = '', ...lines] = text.trimEnd().split('\n')
  const marked = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2))
  const content = lines.filter((line) => !/^[!?@~] /.test(line)).join('\n')
  return {
    name,
    content: `${shown(counted(content))}\n`,
    errors: marked('!'),
    warnings: marked('?'),
    asOf: marked('@').find((mark) => /^\d/.test(mark)),
    pipeline: marked('@').includes('pipeline'),
    refusedBySchema: marked('~').length > 0,
  }
}

/** The configurations of a folder, by the file that they stand in. */
export const readCases = (folder: string): Readonly<Record<string, readonly Case[]>> =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace('.txt', ''),
      readFileSync(join(folder, file), 'utf8').split(/^=== /m).slice(1).map(caseOf),
    ]),
  )

export const cases = readCases(join(import.meta.dirname, 'ci-cases'))
