/** Every type of the source is named by a plain English word or by a word of the glossary in `src/README.md`. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listNodes, parseStatements, readSource, sourceFiles } from '../support/source.js'

const splitWords = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Plain English of programming, which needs no row in the glossary. */
const plain = new Set(
  splitWords(`
  access action actor address admission advice alias allowance alternative answer api approval approver archive
  argument attempt attribute audit author body bound bracket branch breaker budget buffer byte cache call caller
  candidate cardinality case category cell certificate change chart check checked checksum choice chunk claim client clock closed
  code coercion collector column command commit comparator comparison component concern condition config configuration
  confirmation connection consent content context controller converter copy cost count counter credential curl
  cursor cutter data datum declaration deduplicator delta description destination detail dialogue diff difference
  directory distrust document domain double download draft drawing edition end endpoint engine entry enumeration
  env environment error estimate evaluator event example exchange expansion export expression extension extra fact
  factory failure fault field file filter finder finding fingerprint fit fitting fixture flag folder form format
  frame function gap gauge git glob global group handle handler hash head header history holder id identity index
  input inspection instance interrupt intersection inverse invocation issue item job journal json keeper key
  keyring keyset latch layout leaf leave lesson level lexer limit line linker list listener listing liveness load
  loader lock log loss manifest map mark markup mask masker masking match matcher meaning measure measurement member
  membership memory merge message meter method metric mistake mode module name naming need node note null number
  object observation offer op operand operation option order origin overview owner pace page paging painter pair
  param parameter parent parser part path payload peek people percentile person pick piece pipe place placeholder
  placement plain planner planning point policy position post prefetch presence preview previewer printer probe problem
  profile program progress project promise prompt prompter property provider push query question queue range rank
  rate raw reaction read reader reading receiver recipe record ref reference referent refusal region registry
  relation remark remote removal replacement reply report reporter repository request requirement resolver
  resource response result reversal role root round route router row rule run runner sample sandbox sanitizer
  scalar scale scanner scheduler schema scheme screen script secrecy secret section segment selection selector
  sender series service session setting severity shard shell side signal signature sink site snapshot socket sorter
  source span spec speed spelling splitter spool stage stat state status stdout step storage store stream
  strictness style subject suggestion sum summary symbol syntax table tag tally tap team test text threshold tile
  timeline timing title token tone topic total trace trait transport tree trend tuning type undo unit update use
  user validator value variable verb verdict version view visibility wait walk warning whitespace width wildcard
  wire work write writer
  `),
)

/** Names that programs import from `svcctl/client`. They stay, although they are not nouns. */
const published = new Set(['How', 'ListHow'])

/** The words that the glossary explains. For terms of two words, the last one counts. */
const glossary = new Set(
  [
    ...(readFileSync('src/README.md', 'utf8')
      .split('## The words')[1]
      ?.split('\n## ')[0]
      ?.matchAll(/^\| ([a-z ,]+) \|/gm) ?? []),
  ].flatMap(([, words = '']) => words.split(', ').map((word) => word.split(' ').at(-1) ?? word)),
)

/** Returns the word that says what a type is: its last one, without the `Of` or `By` of a derived type. */
const getRoot = (type: string): string => {
  const words = type.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+/g) ?? [type]
  while (words.length > 1 && /^(?:Of|By)$/.test(words.at(-1) ?? '')) words.pop()
  return (words.at(-1) ?? type).toLowerCase()
}

/** Lists a word and its possible singulars. */
const listForms = (word: string): readonly string[] => [
  word,
  word.replace(/ies$/, 'y'),
  word.replace(/(?<=s|x|ch|sh)es$/, ''),
  word.replace(/(?<!s)s$/, ''),
]

const isExplained = (type: string): boolean =>
  listForms(getRoot(type)).some((word) => plain.has(word) || glossary.has(word))

const types = sourceFiles.flatMap((file) =>
  [
    ...readSource(file).matchAll(
      /^(?:export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
    ),
  ].map(([, name = '']) => ({ name, file })),
)

it('explains the word of each type, exported or not', () => {
  expect(types.length).toBeGreaterThan(1000)
  expect(glossary.size).toBeGreaterThan(20)
  expect(
    types
      .filter(({ name }) => !isExplained(name) && !published.has(name))
      .map(({ name, file }) => `${file}: ${name} ("${getRoot(name)}")`),
    'name the type by a noun that the field uses; if the word is the project’s own, add a row to the glossary of src/README.md; if it is plain English, add it to `plain` here',
  ).toEqual([])
})

it.each([
  ['PackedRecords', 'records'],
  ['RecordOf', 'record'],
  ['OpenPrinter', 'printer'],
  ['GivenBy', 'given'],
])('finds the word of %s', (type, word) => expect(getRoot(type)).toBe(word))

/** Words that the source used in its own sense, with the terms that replaced them. */
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
    const names = [...listNodes(parseStatements(readSource(file), file))].flatMap(({ name }) =>
      typeof name === 'string' && Object.hasOwn(replaced, name) ? [name] : [],
    )
    return [...new Set(names)].map((name) => `${file}: ${name}, say ${replaced[name]}`)
  })
  expect(found, 'rename it').toEqual([])
})
