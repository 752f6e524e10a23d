/** Regular expressions take linear time with any text, because the data of an instance can be anything. */
import { analyse } from 'scslre'
import { expect, it } from 'vitest'
import {
  listNodes,
  parseStatements,
  readSource,
  type SourceNode,
  sourceFiles,
} from '../support/source.js'

/** A regular expression of the source. */
interface Pattern {
  readonly source: string
  readonly flags: string
}

const toPatterns = ({ regex }: SourceNode): readonly Pattern[] => {
  const { pattern, flags } = (regex ?? {}) as { pattern?: unknown; flags?: unknown }
  return typeof pattern === 'string' && typeof flags === 'string'
    ? [{ source: pattern, flags }]
    : []
}

const listPatterns = (text: string, file?: string): readonly Pattern[] =>
  [...listNodes(parseStatements(text, file))].flatMap(toPatterns)

/** Lists the inputs that make a pattern slow. */
const listAttacks = (pattern: Pattern): readonly string[] =>
  analyse(pattern).reports.map(
    ({ character }) =>
      `/${pattern.source}/${pattern.flags} on ${JSON.stringify(character.pick)} again and again`,
  )

it('none looks at the same text twice', () => {
  const found = sourceFiles.flatMap((file) =>
    listPatterns(readSource(file), file).map((pattern) => ({ file, pattern })),
  )
  expect(found.length).toBeGreaterThan(300)
  const slow = found.flatMap(({ file, pattern }) =>
    listAttacks(pattern).map((a) => `${file}: ${a}`),
  )
  expect(
    slow,
    'These take quadratic time. Begin the pattern where a run begins, as in (?<!\\/)\\/+$, or give two quantifiers that meet one text each.',
  ).toEqual([])
})
