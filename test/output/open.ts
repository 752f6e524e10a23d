/** Writes records in a format and gives what came out. */
import { formatNamed, openWriter } from '../../src/output/index.js'
import type { Sink, View } from '../../src/output/types.js'
import { styleOf } from '../../src/terminal/text/style.js'

const now = new Date('2026-05-01T12:00:00Z')

/** A view as commands make it; a pipe unless the options say otherwise. */
export const viewOf = async (options: Partial<View> = {}): Promise<View> => {
  const { terminal = false, width = 80, color = false } = options
  const style = await styleOf(
    { isTTY: terminal, columns: width },
    { TERM: 'xterm', FORCE_HYPERLINK: '0' },
    color ? 'always' : 'never',
  )
  return {
    many: true,
    secrets: new Set(),
    showSecrets: false,
    terminal,
    width,
    color,
    now,
    style,
    ...options,
  }
}

export const collector = (): Sink & { text(): string; chunks: string[] } => {
  const chunks: string[] = []
  return {
    chunks,
    text: () => chunks.join(''),
    write: async (chunk) => {
      chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
    },
  }
}

export const bytes = (json: string): Uint8Array => new TextEncoder().encode(json)

/** The whole output for records given as JSON texts, as the instance would send them. */
export const written = async (
  format: string,
  records: readonly string[],
  options: Partial<View> = {},
): Promise<string> => {
  const sink = collector()
  const writer = await openWriter(formatNamed(format), sink, await viewOf(options))
  await writer.raw(records.map(bytes))
  await writer.close()
  return sink.text()
}

/** The same for values. */
export const shown = (
  format: string,
  values: readonly unknown[],
  options: Partial<View> = {},
): Promise<string> =>
  written(
    format,
    values.map((value) => JSON.stringify(value)),
    options,
  )
