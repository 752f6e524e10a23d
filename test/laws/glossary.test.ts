/** The glossary of `src/README.md` and the exported types keep together: no type is named by a word that nobody explains. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { nodesOf, sourceFiles, statementsOf, textOf } from '../support/source.js'

const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Plain English of programming, which needs no row. */
const plain = new Set(
  wordsIn(`
  action actor address admission advice aliase allowance answer api archive argument attempt attribute audit
  author body bound branch breaker budget buffer cache call caller candidate case category cell certificate
  change check checked choice claim client clock closed code coercion commit comparison concern condition
  confirmation connection consent content context cost count counter curl cutter data datum deduplicator delta
  description detail diff difference distrust document double download draft edition end engine entry env
  environment error event example exchange expansion export expression extra fact failure fault field file
  filter finder finding fit fitting folder form frame function gap global group handler hash head header history
  id identity index input inspection interrupt inverse item job json keeper key keyring keyset layout leaf leave
  lesson level limit line list listener liveness load loader lock log loss manifest map mark markup masking
  match matcher meaning measure member membership memory merge meter mistake mode module name naming need note
  number object observation offer op operand operation option order origin owner pace page paging pair param
  parent parser part path people person pick pipe place placement plain planner planning policy position post
  prefetch presence preview printer problem progress project promise prompt provider push query question queue
  range rank rate raw reaction read reader recipe ref reference referent refusal registry relation remark
  replacement reply report repository request resolver response result role root round route router row rule run
  runner sample sandbox scalar scanner scheduler schema screen script secrecy section selection selector sender
  service setting severity shard signal sink site source span speed spelling splitter spool stat state status
  stdout step store stream style suggestion sum symbol syntax tally tap team test text threshold timeline timing
  token tone topic trace trait transport tree tuning type undo value variable verdict version view wait warning
  width wire work write writer
  `),
)

/** Names that programs import from `svcctl/client`: they are kept, though their word is no noun. */
const published = new Set(['How', 'ListHow'])

/** The words that the glossary explains, those of two words by their last. */
const glossary = new Set(
  [
    ...(readFileSync('src/README.md', 'utf8')
      .split('## The words')[1]
      ?.split('\n## ')[0]
      ?.matchAll(/^\| ([a-z ]+) \|/gm) ?? []),
  ].flatMap(([, word = '']) => [word, word.split(' ').at(-1) ?? word]),
)

/** The word that says what a type is: its last, before the `Of` or `By` of a type made of another. */
const rootOf = (type: string): string => {
  const words = type.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+/g) ?? [type]
  while (words.length > 1 && /^(?:Of|By)$/.test(words.at(-1) ?? '')) words.pop()
  return (words.at(-1) ?? type).toLowerCase()
}

/** A word and its singular. */
const formsOf = (word: string): readonly string[] => [
  word,
  word.replace(/ies$/, 'y'),
  word.replace(/(?<!s)s$/, ''),
]

const isExplained = (type: string): boolean =>
  formsOf(rootOf(type)).some((word) => plain.has(word) || glossary.has(word))

const types = sourceFiles.flatMap((file) =>
  [...textOf(file).matchAll(/^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm)].map(
    ([, name = '']) => ({ name, file }),
  ),
)

it('explains the word of each exported type', () => {
  expect(types.length).toBeGreaterThan(500)
  expect(glossary.size).toBeGreaterThan(30)
  expect(
    types
      .filter(({ name }) => !isExplained(name) && !published.has(name))
      .map(({ name, file }) => `${file}: ${name} ("${rootOf(name)}")`),
    'name the type by a noun that the field uses; if the word is the project’s own, add a row to the glossary of src/README.md; if it is plain English, add it to `plain` here',
  ).toEqual([])
})

it.each([
  ['PackedRecords', 'records'],
  ['RecordOf', 'record'],
  ['OpenPrinter', 'printer'],
  ['GivenBy', 'given'],
])('finds the word of %s', (type, word) => expect(rootOf(type)).toBe(word))

/** Words that the source once had of its own, by the terms that it has in their place. */
const replaced: Readonly<Record<string, string>> = {
  coming: 'stream',
  crowd: 'bulk',
  glance: 'peek',
  heardBy: 'logger',
  rounds: 'polls',
  sealed: 'opaque',
  shelves: 'groups',
  sightings: 'presence',
  spoken: 'translated',
  standings: 'states',
  surroundings: 'environment',
  tally: 'counter',
  told: 'reported',
}

it('has terms of the field where it had words of its own', () => {
  const found = sourceFiles.flatMap((file) => {
    const names = [...nodesOf(statementsOf(textOf(file), file))].flatMap(({ name }) =>
      typeof name === 'string' && Object.hasOwn(replaced, name) ? [name] : [],
    )
    return [...new Set(names)].map((name) => `${file}: ${name}, say ${replaced[name]}`)
  })
  expect(found, 'rename it').toEqual([])
})
