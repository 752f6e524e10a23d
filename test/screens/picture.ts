/** Draws a terminal screen with its colours as an SVG, such as the picture of the README. */
import Anser from 'anser'
import stringWidth from 'string-width'
import { create } from 'xmlbuilder2'

/** The size of a character cell and of the frame around the screen, in pixels. */
const cell = { width: 8.4, height: 20 } as const
const frame = { side: 20, top: 44, bottom: 20, radius: 10 } as const
const fontSize = 14

/** The colours of a dark terminal, by the names of the escape parser. */
const colours: Readonly<Record<string, string>> = {
  'ansi-black': '#45475a',
  'ansi-red': '#f38ba8',
  'ansi-green': '#a6e3a1',
  'ansi-yellow': '#f9e2af',
  'ansi-blue': '#89b4fa',
  'ansi-magenta': '#f5c2e7',
  'ansi-cyan': '#94e2d5',
  'ansi-white': '#bac2de',
  'ansi-bright-black': '#7f849c',
}
const plain = '#cdd6f4'
const ground = '#1e1e2e'
const buttons = ['#f38ba8', '#f9e2af', '#a6e3a1']

interface Piece {
  readonly row: number
  readonly column: number
  readonly text: string
  readonly look: Readonly<Record<string, string>>
}

const toStyle = ({ fg, decorations }: Anser.AnserJsonEntry): Record<string, string> => {
  if (fg !== null && colours[fg] === undefined) throw new Error(`a picture has no colour ${fg}`)
  return {
    ...(fg === null ? {} : { fill: colours[fg] ?? plain }),
    ...(decorations.includes('bold') ? { 'font-weight': 'bold' } : {}),
    ...(decorations.includes('dim') ? { opacity: '0.6' } : {}),
    ...(decorations.includes('underline') ? { 'text-decoration': 'underline' } : {}),
  }
}

/** Splits a screen into texts with their positions, so that the picture does not depend on the character widths of a font. */
const toPieces = (screen: string): readonly Piece[] => {
  const pieces: Piece[] = []
  let [row, column] = [0, 0]
  for (const entry of Anser.ansiToJson(screen, { json: true, use_classes: true }))
    for (const [n, part] of entry.content.split('\n').entries()) {
      if (n > 0) [row, column] = [row + 1, 0]
      const text = part.trim()
      const indent = part.length - part.trimStart().length
      if (text !== '') pieces.push({ row, column: column + indent, text, look: toStyle(entry) })
      column += stringWidth(part)
    }
  return pieces
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10

/** @param screen lines with the escapes of their colours */
export const toPicture = (screen: string, title: string): string => {
  const pieces = toPieces(screen.trimEnd())
  const columns = Math.max(...pieces.map(({ column, text }) => column + stringWidth(text)))
  const rows = 1 + Math.max(...pieces.map(({ row }) => row))
  const width = Math.ceil(columns * cell.width) + 2 * frame.side
  const height = frame.top + rows * cell.height + frame.bottom
  const root = create().ele('svg', {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    'font-size': fontSize,
    fill: plain,
  })
  root.ele('title').txt(title)
  root.ele('rect', { width, height, rx: frame.radius, fill: ground })
  for (const [n, fill] of buttons.entries())
    root.ele('circle', { cx: frame.side + n * 20, cy: 20, r: 6, fill })
  for (const { row, column, text, look } of pieces)
    root
      .ele('text', {
        x: round(frame.side + column * cell.width),
        y: round(frame.top + (row + 0.7) * cell.height),
        'xml:space': 'preserve',
        textLength: round(stringWidth(text) * cell.width),
        ...look,
      })
      .txt(text)
  return `${root.end({ prettyPrint: true, headless: true })}\n`
}
