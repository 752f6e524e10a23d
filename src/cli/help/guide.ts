/** Renders the guide's pages for a terminal (`svcctl help where`) from the Markdown in the package. */
import adoption from '../../../.github/guide/adoption.md?raw'
import agents from '../../../.github/guide/agents.md?raw'
import asCode from '../../../.github/guide/as-code.md?raw'
import comingFrom from '../../../.github/guide/coming-from.md?raw'
import extend from '../../../.github/guide/extend.md?raw'
import firstHour from '../../../.github/guide/first-hour.md?raw'
import instances from '../../../.github/guide/instances.md?raw'
import journal from '../../../.github/guide/journal.md?raw'
import manyObjects from '../../../.github/guide/many-objects.md?raw'
import snapshots from '../../../.github/guide/snapshots.md?raw'
import troubleshooting from '../../../.github/guide/troubleshooting.md?raw'
import where from '../../../.github/guide/where.md?raw'
import { type Recipe, recipes } from '../../catalogue/recipes.js'
import { indent, layOutTable, wrap, wrapCommandLine } from './layout.js'

const pages = {
  adoption,
  agents,
  'as-code': asCode,
  'coming-from': comingFrom,
  'first-hour': firstHour,
  extend,
  instances,
  journal,
  'many-objects': manyObjects,
  snapshots,
  troubleshooting,
  where,
} as const

/** The name of a guide page. */
export type GuidePage = keyof typeof pages

/** Splits Markdown into blocks: paragraphs, list items, headings, tables and code. */
const splitBlocks = (markdown: string): readonly string[] =>
  markdown
    .replaceAll(/<!-- .*? -->\n/g, '')
    .match(
      /^```[\s\S]*?^```$|^(?: {4}.*(?:\n|$))+|^(?:\|.*\n?)+|^(?:- .*\n(?: {2}.*\n)*)|^(?!```).+(?:\n(?!- |```|\|).+)*/gm,
    ) ?? []

/** Converts Markdown to plain text: a link becomes its text, and markup is removed. */
const toPlainText = (text: string): string =>
  text
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
    .replaceAll(/\[([^[\]]+)\]\(([\w-]+)\.md\)/g, '$1 (svcctl help $2)')
    .replaceAll(/`([^`]*)`|\*\*?([^*\s][^*]*)\*\*?/g, (_, code = '', strong = '') => code + strong)
    .replaceAll('\\|', '|')

const splitCells = (row: string): readonly string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => toPlainText(cell.trim()))

const renderBlock = (block: string, width: number): string => {
  if (block.startsWith('#'))
    return `${toPlainText(block.replace(/^#+ /, ''))}${/^# /.test(block) ? '' : ':'}`
  if (block.startsWith('```'))
    return block
      .split('\n')
      .slice(1, -1)
      .map((line) => `${indent}  ${line}`)
      .join('\n')
  if (block.startsWith('    ')) return block.trimEnd().replaceAll(/^ {4}/gm, `${indent}  `)
  if (block.startsWith('|')) {
    const [, , ...rows] = block.trimEnd().split('\n').map(splitCells)
    return layOutTable(
      rows.map(([name = '', ...rest]) => [name, rest.join('; ')]),
      width,
    )
  }
  const item = block.startsWith('- ')
  const lines = wrap(
    toPlainText(block.replace(/^- /, '').trim()),
    width - indent.length * (item ? 2 : 1),
  )
  return lines
    .map((line, at) => `${indent}${item ? (at === 0 ? '- ' : '  ') : ''}${line}`)
    .join('\n')
}

/** Renders a page of the guide in lines of at most `width` characters; code blocks may be wider. */
export const renderGuidePage = (name: GuidePage, width: number): string =>
  splitBlocks(pages[name])
    .map((block) => renderBlock(block, width))
    .join('\n\n')
    .replaceAll(/^( {2}- .*(?:\n {4}.*)*)\n\n(?= {2}- )/gm, '$1\n')
    .replaceAll(/^(\S.*:)\n\n/gm, '$1\n')

const renderRecipe = ({ job, about, lines }: Recipe, width: number): string =>
  [
    job,
    ...wrap(about, width - indent.length).map((line) => indent + line),
    ...lines.map((line) => wrapCommandLine(line, width)),
  ].join('\n')

/** Renders all recipes for a page of this width. */
export const renderRecipesPage = (width: number): string =>
  Object.values(recipes)
    .map((recipe) => renderRecipe(recipe, width))
    .join('\n\n')
