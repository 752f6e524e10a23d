/** The file of what was learnt: what is certain as entries, the rest as comments. */
import type { Lesson, Unsure } from './learn.js'

/** What a lesson came from. */
export interface LearntFrom {
  readonly baseUrl: string
  readonly version: string | undefined
  readonly day: string
  /** Names that a person gave. */
  readonly answered: ReadonlyMap<string, string>
}

const section = (name: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [`${name}: {}`] : [`${name}:`, ...lines]

/** Lines of a comment from names that stand one behind the other. */
const folded = (names: readonly string[]): readonly string[] => {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length > 96) lines.push(`#   ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines
}

const commented = (open: readonly Unsure[]): readonly string[] => {
  const some = open.filter(({ candidates }) => candidates.length > 0)
  const none = open.filter(({ candidates }) => candidates.length === 0)
  return [
    ...(some.length === 0
      ? []
      : [
          '# Not in the answers, and what they may be called there: put what is right under names.',
          ...some.map(({ name, candidates }) => `#   ${name}: ${candidates.join(' | ')}`),
        ]),
    ...(none.length === 0
      ? []
      : [
          '# Not in the answers, and nothing like them is:',
          ...folded(none.map(({ name }) => name)),
        ]),
  ]
}

/** The text of a vocabulary. */
export const writtenOf = (
  { words, kept, open }: Lesson,
  { baseUrl, version, day, answered }: LearntFrom,
): string => {
  const rest = open.filter(({ name }) => !answered.has(name))
  return [
    `# The words of ${baseUrl}${version === undefined ? '' : `, version ${version}`}, as its answers of ${day} tell.`,
    'vocabulary: 1',
    ...section(
      'words',
      words.map(({ word, own, names }) => `  ${word}: ${own} # ${names.join(', ')}`),
    ),
    ...section('names', [
      ...kept.map((name) => `  ${name}: ${name} # called so there, too`),
      ...[...answered].map(([name, own]) => `  ${name}: ${own}`),
    ]),
    ...commented(rest),
    '',
  ].join('\n')
}
