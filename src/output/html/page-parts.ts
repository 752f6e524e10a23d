/** Renders the head and the end of a page, and the parts of its sections: tiles, cards, badges, links and commands. */

import { createHash } from 'node:crypto'
import { formatMinute } from '../../base/dates.js'
import type { Tone } from '../../base/text.js'
import { version } from '../../base/version.js'
import { escapeLine } from '../escape.js'
import type { EndPage, FormatView } from '../types.js'
import chartStyle from './charts.css?raw'
import { renderPatterns } from './charts.js'
import { html, Markup, nothing, type Piece } from './markup.js'
import pageStyle from './page.css?raw'
import script from './page.js?raw'
import tableStyle from './tables.css?raw'

const css = `${pageStyle}${chartStyle}${tableStyle}`

const toPolicySource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Creates the Content Security Policy of the page: only its own style and script may load, by their hashes. */
const createPolicy = (): string =>
  [
    "default-src 'none'",
    `style-src ${toPolicySource(css)}`,
    `script-src ${toPolicySource(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

/** Renders a command to copy. The script adds the button. A flag is an element, so that no line breaks after its dash. */
export const renderCommand = (line: string): Markup => {
  const words = line
    .split(' ')
    .map((word, i) => html`${i === 0 ? '' : ' '}${/^-/.test(word) ? html`<i>${word}</i>` : word}`)
  return html`<div class="cmd"><code>${words}</code></div>`
}

/** Renders the beginning of a page, up to its first section. */
export const renderHead = async ({ page, printedAt, style }: FormatView): Promise<Markup> => {
  // The facts come first: they wait for the requests of the session.
  const facts = [...((await page?.facts()) ?? []), { text: `${formatMinute(printedAt)} UTC` }]
  const title = escapeLine(page?.title ?? 'svcctl', style)
  const items = facts.map(({ name, text, href }) => {
    const escaped = escapeLine(text, style)
    const value =
      href === undefined ? escaped : html`<a href="${href}" rel="noreferrer">${escaped}</a>`
    return html`<li>${name === undefined ? '' : html`<span class="said">${name}</span> `}${value}</li>`
  })
  const line = page?.line === undefined ? nothing : renderCommand(escapeLine(page.line, style))
  const meta = html`<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${createPolicy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
`
  const top = html`<a class="skip" href="#main">Skip to the content</a>
${renderPatterns()}<header><h1>${title}</h1><ul class="facts">${items}</ul>${line}</header>
`
  return html`<!doctype html>
<html lang="en">
<head>
${meta}<style>${new Markup(css)}</style>
<script>${new Markup(script)}</script>
</head>
<body>
${top}<main id="main" tabindex="-1">
`
}

/** Ends the page with its notes, and a warning if it is incomplete. */
export const endPage: EndPage = (notes, failed, style) => {
  const warning =
    failed === undefined
      ? ''
      : html`<p class="warning">This page is incomplete: ${escapeLine(failed, style)}</p>\n`
  const paragraphs = notes.map((note) => html`<p>${escapeLine(note, style)}</p>\n`)
  const written = `Written by svcctl ${version}. Times are UTC. This page loads nothing from the network; links lead to the instance.`
  return html`</main>\n<footer>${warning}${paragraphs}<p>${written}</p></footer>\n</body>\n</html>\n`
    .text
}

/** Returns the address of a link if it leads to an instance of the page; undefined for any other. */
export const getInstanceHref = (
  url: string | undefined,
  { page }: Pick<FormatView, 'page'>,
): string | undefined => {
  if (url === undefined || page === undefined || !URL.canParse(url)) return undefined
  const { origin, href, username } = new URL(url)
  return page.origins.includes(origin) && username === '' ? href : undefined
}

/** Renders a text, as a link if there is an address. */
export const renderLink = (text: Piece, href: string | undefined): Markup =>
  href === undefined ? html`${text}` : html`<a href="${href}" rel="noreferrer">${text}</a>`

/** Renders a word in the color of its tone. */
export const renderBadge = (text: string, tone: Tone): Markup =>
  html`<span class="badge ${tone}">${text}</span>`

/** Renders a section of a page: a card with a heading and a note next to it. */
export const renderCard = (
  heading: string,
  note: string,
  pieces: Piece,
  options: { readonly id?: string; readonly wide?: true } = {},
): Markup => {
  const id = options.id === undefined ? '' : html` id="${options.id}"`
  const noteMarkup = note === '' ? '' : html` <span class="said">${note}</span>`
  return html`<section class="card${options.wide === true ? ' wide' : ''}"${id}>\n<h2>${heading}${noteMarkup}</h2>\n${pieces}</section>\n`
}

/** A tile: a large number with a verdict, which links to its section. */
export interface Tile {
  readonly name: string
  readonly value: string
  readonly unit?: string
  readonly tone: Tone | 'plain'
  readonly badge?: string
  readonly lines: readonly string[]
  /** The filled part of the tile's bar, from 0 to 1. */
  readonly share?: number | undefined
  /** A small chart below the lines. */
  readonly drawing?: Markup
  readonly href?: string | undefined
}

const renderTile = ({
  name,
  value,
  unit,
  tone,
  badge: word,
  lines,
  share,
  drawing,
  href,
}: Tile): Markup => {
  const bar =
    share === undefined
      ? nothing
      : html`<svg class="share" aria-hidden="true"><rect class="g" width="100%" height="6" rx="3"/><rect class="f k-${tone}" width="${Math.round(1000 * share) / 10}%" height="6" rx="3"/></svg>`
  const inside = html`<span class="tile-name">${name}</span>${word === undefined || tone === 'plain' ? nothing : renderBadge(word, tone)}<span class="big"><b>${value}</b>${unit === undefined ? '' : html` ${unit}`}</span>${lines.map((line) => html`<span class="said">${line}</span>`)}${bar}${drawing ?? nothing}`
  return href === undefined
    ? html`<div class="tile b-${tone}">${inside}</div>\n`
    : html`<a class="tile b-${tone}" href="${href}">${inside}</a>\n`
}

/** Renders tiles in a row. */
export const renderTiles = (tiles: readonly Tile[]): Markup =>
  html`<div class="tiles">\n${tiles.map(renderTile)}</div>\n`
