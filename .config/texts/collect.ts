/**
 * Collects every text that a user reads, with its place: the texts of `src` and the documents. `npm run texts` and the test that
 * keeps them plain use it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  listNodes,
  parseStatements,
  readSource,
  type SourceNode,
  sourceFiles,
} from '../../test/support/source.js'

export interface Text {
  /** The file and the line: `README.md:7`. */
  readonly place: string
  /** The text as Markdown; values that the program inserts are `{}`. */
  readonly text: string
}

/** Excluded files: answers of the embedded instance have the words of the API, and scripts are no prose. */
const excludedFiles = /^(?:sandbox\/(?!index)|start\/|http\/lists\/|commands\/completion)/

/** Matches two adjacent words, one of them in lower case. */
const prose = /(?:^|[\s("])[A-Za-z’'-]+,? [a-z’'-]{2,}/

/** Matches a line of a shell, of a file or of a program. */
const code = /^(?:svcctl |SVC|[a-z_]+: |jq |#|\||function |import |const |SELECT )|[;{]\n|=>/

const getCookedText = (node: unknown): string => {
  const { value } = node as { value: { cooked: string } }
  return value.cooked
}

/** Returns the text of a literal, a template, or of several that are joined by +; undefined for anything else. */
const getText = (node: SourceNode): string | undefined => {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TemplateLiteral')
    return (node.quasis as unknown[]).map(getCookedText).join('{}')
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined
  const [a, b] = [getText(node.left as SourceNode), getText(node.right as SourceNode)]
  return a === undefined && b === undefined ? undefined : `${a ?? '{}'}${b ?? '{}'}`
}

const getLine = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** Converts a text of the program to Markdown: angle brackets and stars are escaped; flags and code-like words become code. */
const toMarkdown = (text: string): string =>
  text
    .replaceAll(/`[^`]*`|[A-Z]+ \/\S+|[^\s(]*(?:\w[_/.=:]\w|--\w)[^\s),;:]*/g, (part) =>
      part.startsWith('`')
        ? part
        : `\`${part.replace(/\.$/, '')}\`${part.endsWith('.') ? '.' : ''}`,
    )
    .replaceAll(/[<>*#|\\]/g, '\\$&')
    .replaceAll(/\s*\n\s*/g, ' ')

const listSourceTexts = (file: string): Text[] => {
  const source = readSource(file)
  const found: Text[] = []
  let past = 0
  for (const node of listNodes(parseStatements(source, file))) {
    if (node.start < past) continue
    const text = getText(node)
    if (text === undefined) continue
    past = node.end
    if (prose.test(text) && !code.test(text))
      found.push({ place: `src/${file}:${getLine(source, node.start)}`, text: toMarkdown(text) })
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

/** Returns the paragraphs and list items of a document, without code, tables and generated parts. */
const listDocumentTexts = (file: string): Text[] => {
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

/** Returns all texts in the order of their files. */
export const collectTexts = (): readonly Text[] => [
  ...sourceFiles.filter((file) => !excludedFiles.test(file)).flatMap(listSourceTexts),
  ...documents.flatMap(listDocumentTexts),
]

/** Builds one Markdown document, with each text below its place. */
export const buildDocument = (texts: readonly Text[]): string =>
  texts.map(({ place, text }) => `## \`${place}\`\n\n${text}\n`).join('\n')
