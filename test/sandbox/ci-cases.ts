/** Reads the configurations of `ci-cases/`, each with the verdict of an instance. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Case {
  readonly name: string
  readonly content: string
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  /** `@ 14.5`: the version whose rules apply. */
  readonly asOf: string | undefined
  /** `@ pipeline`: a pipeline is simulated with the configuration. */
  readonly pipeline: boolean
  /** `~ refused`: the editor schema of firecow/gitlab-ci-local, commit 4e945cd, refuses the configuration. */
  readonly refusedBySchema: boolean
}

/** Replaces the visible signs of the files by a tab and a bell. */
const toRealCharacters = (text: string): string =>
  text.replaceAll('→', '\t').replaceAll('␇', '\u0007')

/** Expands `<<t 50>>` to `t1, t2, …`; a `%` in the name is the place of the number. */
const expandCounts = (text: string): string =>
  text.replace(/<<([^>]*?) (\d+)>>/g, (_, name: string, count: string) =>
    Array.from({ length: Number(count) }, (_, i) =>
      name.includes('%') ? name.replace('%', String(i + 1)) : `${name}${i + 1}`,
    ).join(', '),
  )

const parseCase = (text: string): Case => {
  const [name = '', ...lines] = text.trimEnd().split('\n')
  const marked = (mark: string): string[] =>
    lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2))
  const content = lines.filter((line) => !/^[!?@~] /.test(line)).join('\n')
  return {
    name,
    content: `${toRealCharacters(expandCounts(content))}\n`,
    errors: marked('!'),
    warnings: marked('?'),
    asOf: marked('@').find((mark) => /^\d/.test(mark)),
    pipeline: marked('@').includes('pipeline'),
    refusedBySchema: marked('~').length > 0,
  }
}

/** Reads the configurations of a folder, by file. */
export const readCases = (folder: string): Readonly<Record<string, readonly Case[]>> =>
  Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace('.txt', ''),
      readFileSync(join(folder, file), 'utf8').split(/^=== /m).slice(1).map(parseCase),
    ]),
  )

export const cases = readCases(join(import.meta.dirname, 'ci-cases'))
