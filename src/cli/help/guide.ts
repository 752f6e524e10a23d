/** Pages of the guide for a terminal: `svcctl help where`, from the Markdown that the package carries. */
import { indent, layOutTable, wrap } from './layout.js'

/** A paragraph, an item, a heading, a table or a block of code, with its lines. */
const blocksOf = (markdown: string): readonly string[] =>
  markdown
    .replaceAll(/<!-- .*? -->\n/g, '')
    .match(
      /^```[\s\S]*?^```$|^(?: {4}.*(?:\n|$))+|^(?:\|.*\n?)+|^(?:- .*\n(?: {2}.*\n)*)|^(?!```).+(?:\n(?!- |```|\|).+)*/gm,
    ) ?? []

/** Text as a reader sees it: a link is its text, and marks are gone. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g, '$1 (svcctl help $2)')
    .replaceAll(/`([^`]*)`|\*\*?([^*\s][^*]*)\*\*?/g, (_, code = '', strong = '') => code + strong)
    .replaceAll('\\|', '|')

const cellsOf = (row: string): readonly string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => plain(cell.trim()))

const blockOf = (block: string, width: number): string => {
  if (block.startsWith('#'))
    return `${plain(block.replace(/^#+ /, ''))}${/^# /.test(block) ? '' : ':'}`
  if (block.startsWith('```'))
    return block
      .split('\n')
      .slice(1, -1)
      .map((line) => `${indent}  ${line}`)
      .join('\n')
  if (block.startsWith('    ')) return block.trimEnd().replaceAll(/^ {4}/gm, `${indent}  `)
  if (block.startsWith('|')) {
    const [, , ...rows] = block.trimEnd().split('\n').map(cellsOf)
    return layOutTable(
      rows.map(([name = '', ...rest]) => [name, rest.join('; ')]),
      width,
    )
  }
  const item = block.startsWith('- ')
  const lines = wrap(plain(block.replace(/^- /, '').trim()), width - indent.length * (item ? 2 : 1))
  return lines
    .map((line, at) => `${indent}${item ? (at === 0 ? '- ' : '  ') : ''}${line}`)
    .join('\n')
}

/** A page of the guide in lines of at most `width` characters; blocks of code are wider where they have to. */
export const guidePage = (markdown: string, width: number): string =>
  blocksOf(markdown)
    .map((block) => blockOf(block, width))
    .join('\n\n')
    .replaceAll(/^( {2}- .*(?:\n {4}.*)*)\n\n(?= {2}- )/gm, '$1\n')
    .replaceAll(/^(\S.*:)\n\n/gm, '$1\n')
