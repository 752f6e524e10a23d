/** Regular expressions take linear time, whatever text they meet: an instance's data is whatever people write. */
import { analyse } from 'scslre'
import { expect, it } from 'vitest'
import { nodesOf, type SourceNode, sourceFiles, statementsOf, textOf } from '../support/source.js'

/** A regular expression as it stands in the source. */
interface Pattern {
  readonly source: string
  readonly flags: string
}

const patternOf = ({ regex }: SourceNode): readonly Pattern[] => {
  const { pattern, flags } = (regex ?? {}) as { pattern?: unknown; flags?: unknown }
  return typeof pattern === 'string' && typeof flags === 'string'
    ? [{ source: pattern, flags }]
    : []
}

const patternsIn = (text: string, file?: string): readonly Pattern[] =>
  [...nodesOf(statementsOf(text, file))].flatMap(patternOf)

/** What makes a pattern slow. */
const attacksOn = (pattern: Pattern): readonly string[] =>
  analyse(pattern).reports.map(
    ({ character }) =>
      `/${pattern.source}/${pattern.flags} on ${JSON.stringify(character.pick)} again and again`,
  )

it('none looks at the same text twice', () => {
  const found = sourceFiles.flatMap((file) =>
    patternsIn(textOf(file), file).map((pattern) => ({ file, pattern })),
  )
  expect(found.length).toBeGreaterThan(300)
  const slow = found.flatMap(({ file, pattern }) => attacksOn(pattern).map((a) => `${file}: ${a}`))
  expect(
    slow,
    'These take quadratic time. Begin the pattern where a run begins, as in (?<!\\/)\\/+$, or give two quantifiers that meet one text each.',
  ).toEqual([])
})
