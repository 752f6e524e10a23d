/**
 * YAML: the API's own objects; a list is one sequence, written record by record. What YAML 1.1
 * would read otherwise (`no`, `012`) is quoted, and so is text with control characters.
 * `--fields` gives the same flat keys as JSON.
 */
import { Document, isScalar, Scalar, type ScalarTag, visit } from 'yaml'
import { Exact } from '../base/json/json.js'
import { shallow, shaper } from './record.js'
import { shownLines } from './shown.js'
import type { Open, TextStyle } from './types.js'

/** A number as it came. */
const exactly: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^(?!)/,
  identify: (value) => value instanceof Exact,
  resolve: Number,
  stringify: ({ value }) => String(value),
}

/** Line breaks and tabs may stand in YAML; whatever else must be escaped is quoted first. */
const shown = (style: TextStyle, text: string): string => shownLines(text, style, '\n\t')

/** Longer texts stand in one line. */
const longBlock = 1 << 20

/** One value as YAML text that ends in a line break. */
const dump = (value: unknown, style: TextStyle): string => {
  const document = new Document(value, {
    version: '1.2',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    customTags: (tags) => [...tags, exactly],
  })
  visit(document, {
    Scalar: (_, node) => {
      if (!isScalar(node) || typeof node.value !== 'string') return
      // A block scalar that starts with white space does not always read back as it was.
      // A very long one takes forty times its own memory.
      const quoted = /^\s/.test(node.value) || node.value.length > longBlock
      if (quoted || shown(style, node.value) !== node.value) {
        node.type = Scalar.QUOTE_DOUBLE
      }
    },
  })
  return shown(
    style,
    document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY }),
  )
}

export const open: Open = (sink, view) => {
  const shape = shaper(view)
  let started = false
  const record = async (value: unknown): Promise<void> => {
    const shaped = shape(value)
    const separator = started && !view.many ? '---\n' : ''
    started = true
    await sink.write(separator + shallow(() => dump(view.many ? [shaped] : shaped, view.style)))
  }
  return {
    values: async (batch) => {
      for (const value of batch) await record(value)
    },
    close: async () => {
      if (view.many && !started) await sink.write('[]\n')
    },
  }
}
