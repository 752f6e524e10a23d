/** The overview as people see it: a block a part, in two columns where there is room. */
import { stripVTControlCharacters } from 'node:util'
import { type Widths, widthsFor } from '../../terminal/text/width.js'
import type { AnswerService } from '../services.js'
import { untold } from './parts/index.js'
import type { Overview, PartAnswer } from './reading.js'
import type { Pen } from './types.js'

/** From this width on blocks stand beside each other. */
const roomy = 120
const between = 4
const indent = '  '

const indented = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${indent}${line}`)

/** What lines are written with. */
interface Sheet {
  readonly text: AnswerService['text']
  readonly widths: Widths
}

const widthOf = (line: string, { measure }: Widths): number =>
  measure(stripVTControlCharacters(line))

const penOf = ({ text, widths }: Sheet, width: number): Pen => ({
  bar: text.bar,
  mark: text.mark,
  strong: text.strong,
  after: (before, said) => {
    const behind = widthOf(before, widths)
    const [first = '', ...more] = widths.wrap(text.safe(said), width - behind)
    return [`${before}${first}`.trimEnd(), ...more.map((line) => ' '.repeat(behind) + line)]
  },
  cell: (said, columns) => {
    const cut = widths.truncate(text.safe(said), columns)
    return `${cut}${' '.repeat(Math.max(0, columns - widths.measure(cut)))}`
  },
})

const blockOf = (
  { part, read, why = '', offered }: PartAnswer,
  sheet: Sheet,
  width: number,
): readonly string[] => {
  const pen = penOf(sheet, width - indent.length)
  const { after, strong, mark } = pen
  const title = strong(part.title)
  const absent = sheet.text.accessible ? 'not here:' : '–'
  if (read === undefined)
    return [title, ...indented(after(`${offered ? mark('warn') : absent} `, why))]
  const { headline, missing } = read
  return [
    ...penOf(sheet, width).after(`${title}  `, headline),
    ...indented(read.lines(pen)),
    ...(missing === undefined ? [] : indented(after(`${mark('warn')} `, missing))),
  ]
}

/** Blocks below each other, a blank line between them. */
const stacked = (blocks: readonly (readonly string[])[]): readonly string[] =>
  blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]))

const besides = (
  left: readonly string[],
  right: readonly string[],
  width: number,
  widths: Widths,
): readonly string[] =>
  Array.from({ length: Math.max(left.length, right.length) }, (_, i) => {
    const [first = '', second = ''] = [left[i], right[i]]
    const gap = ' '.repeat(Math.max(0, width - widthOf(first, widths)) + between)
    return second === '' ? first : `${first}${gap}${second}`
  })

/** The page, a line each. */
export async function* pageOf(
  { address, answers }: Overview,
  answer: AnswerService,
): AsyncGenerator<string> {
  const { width, text } = answer
  const said = answers.map(({ read, why = '' }) => JSON.stringify(read?.value ?? why))
  const widths = await widthsFor([address, ...said])
  const columns = width >= roomy && !text.accessible ? 2 : 1
  const each = Math.floor((width - between * (columns - 1)) / columns)
  const blocks = answers.map((one) => blockOf(one, { text, widths }, each))
  const half = Math.ceil(blocks.length / columns)
  const lines =
    columns === 1
      ? stacked(blocks)
      : besides(stacked(blocks.slice(0, half)), stacked(blocks.slice(half)), each, widths)
  yield `${text.strong(widths.truncate(text.safe(address), width))}\n\n`
  for (const line of lines) yield `${line.trimEnd()}\n`
  const beside = `Not in the API, and so not here: ${untold.join(', ')}.`
  yield `\n${widths.wrap(beside, width).join('\n')}\n`
}
