/** Every text that a user reads, with its place: the texts of `src` and the documents. For `npm run texts` and the test that keeps them plain. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  nodesOf,
  type SourceNode,
  sourceFiles,
  statementsOf,
  textOf,
} from '../../test/support/source.js'

export interface Text {
  /** The file and its line: `README.md:7`. */
  readonly place: string
  /** As Markdown; a value that the program puts in is `{}`. */
  readonly text: string
}

/** What the embedded instance answers are the words of the API, and scripts are no prose. */
const left = /^(?:sandbox\/(?!index)|start\/|http\/lists\/|commands\/completion)/

/** Two words beside each other, one of them in lower case. */
const prose = /(?:^|[\s("])[A-Za-z’'-]+,? [a-z’'-]{2,}/

/** A line of a shell, of a file or of a program. */
const code = /^(?:svcctl |SVC|[a-z_]+: |jq |#|\||function |import |const |SELECT )|[;{]\n|=>/

const raw = (node: unknown): string => {
  const { value } = node as { value: { cooked: string } }
  return value.cooked
}

/** The text of a literal, a template, or of several that are joined by +; undefined for anything else. */
const textIn = (node: SourceNode): string | undefined => {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral') return (node.quasis as unknown[]).map(raw).join('{}')
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [a, b] = [textIn(node.left as SourceNode), textIn(node.right as SourceNode)]
  return a === undefined && b === undefined ? undefined : `${a ?? '{}'}${b ?? '{}'}`
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** Angle brackets and stars are no Markdown in a text of the program; flags and code-like words are code. */
const asMarkdown = (text: string): string =>
  text
    .replaceAll(/`[^`]*`|[A-Z]+ \/\S+|[^\s(]*(?:\w[_/.=:]\w|--\w)[^\s),;:]*/g, (part) =>
      part.startsWith('`')
        ? part
        : `\`${part.replace(/\.$/, '')}\`${part.endsWith('.') ? '.' : ''}`,
    )
    .replaceAll(/[<>*#|\\]/g, '\\$&')
    .replaceAll(/\s*\n\s*/g, ' ')

const ofSource = (file: string): Text[] => {
  const source = textOf(file)
  const found: Text[] = []
  let past = 0
  for (const node of nodesOf(statementsOf(source, file))) {
    if (node.start < past) continue
    const text = textIn(node)
    if (text === undefined) continue
    past = node.end
    if (prose.test(text) && !code.test(text))
      found.push({ place: `src/${file}:${lineOf(source, node.start)}`, text: asMarkdown(text) })
  }
  return found
}

const documents = [
  'README.md',
  '.github/CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  ...readdirSync('.github/guide').map((name) => join('.github/guide', name)),
]

/** The paragraphs and items of a document: neither code nor tables, nor what is generated. */
const ofDocument = (file: string): Text[] => {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, '')
  const lines = readFileSync(file, 'utf8')
    .replaceAll(/<!-- generated.*?<!-- end -->|^```.*?^```$|^ {4}[^\n]*$/gms, blank)
    .replaceAll(/^\|.*$|^\s*<.*>$/gm, '')
    .split('\n')
  const found: { place: string; text: string }[] = []
  lines.forEach((line, at) => {
    const last = found.at(-1)
    const begins = /^\s*(?:[-*]|\d+\.) |^#+ /.exec(line)?.[0] ?? ''
    const text = line.slice(begins.length).trim()
    if (text === '') return
    if (last !== undefined && begins === '' && lines[at - 1]?.trim() !== '') last.text += ` ${text}`
    else found.push({ place: `${file}:${at + 1}`, text })
  })
  return found
}

/** All of them, in the order of their files. */
export const collectTexts = (): readonly Text[] => [
  ...sourceFiles.filter((file) => !left.test(file)).flatMap(ofSource),
  ...documents.flatMap(ofDocument),
]

/** The texts as one Markdown document, each below its place. */
export const documentOf = (texts: readonly Text[]): string =>
  texts.map(({ place, text }) => `## \`${place}\`\n\n${text}\n`).join('\n')
