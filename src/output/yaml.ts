/**
 * Writes YAML. A list is one sequence, written batch by batch. Text that YAML 1.1 would read as another type (`no`,
 * `012`) is quoted, and so is text with control characters. `--fields` creates the same flat keys as in JSON.
 */

import { guardStack } from '../base/json/values.js'
import { toYaml } from '../base/json/yaml-writer.js'
import { createShaper } from '../catalogue/pick.js'
import type { OpenPrinter } from './types.js'

/** The number of characters from which a separate write is worthwhile. */
const writeSize = 1 << 16

export const open: OpenPrinter = (sink, view) => {
  const { many } = view
  const shape = createShaper(view)
  let started = false
  const toText = (value: unknown): string => {
    const separator = started && !many ? '---\n' : ''
    started = true
    const shaped = shape(value)
    return separator + guardStack(() => toYaml(many ? [shaped] : shaped))
  }
  return {
    values: async (batch) => {
      let text = ''
      for (const value of batch) {
        text += toText(value)
        if (text.length < writeSize) continue
        await sink.write(text)
        text = ''
      }
      if (text !== '') await sink.write(text)
    },
    close: async () => {
      if (many && !started) await sink.write('[]\n')
    },
  }
}
