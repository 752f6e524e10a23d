/** Clickable text (OSC 8), where the terminal is known to show it. */
import type { Env } from './color.js'

export type Linker = (text: string, url: string) => string

/** An address that holds nothing but itself: no control character, no space. */
const address = /^https?:\/\/[\x21-\x7e]+$/

const unlinked: Linker = (text) => text

/** The text as a link to the address; addresses that are not plain http(s) ones are left out. */
export const hyperlink: Linker = (text, url) =>
  address.test(url) ? `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\` : text

/** Loads the knowledge of which terminals show links. */
export const linkerOf = async (stream: { isTTY?: boolean }, env: Env): Promise<Linker> => {
  if (stream.isTTY !== true || env.TERM === 'dumb') return unlinked
  const { createSupportsHyperlinks } = await import('supports-hyperlinks')
  return createSupportsHyperlinks({ isTTY: true }) ? hyperlink : unlinked
}
