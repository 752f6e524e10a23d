/**
 * YAML: the API's own objects; a list is one sequence, written batch by batch. What YAML 1.1
 * would read otherwise (`no`, `012`) is quoted, and so is text with control characters.
 * `--fields` gives the same flat keys as JSON.
 */

import { guardStack } from '../base/json/values.js'
import { toYaml } from '../base/json/yaml-writer.js'
import { createShaper } from '../catalogue/pick.js'
import type { OpenPrinter } from './types.js'

/** The number of characters that are worth a write of their own. */
const enough = 1 << 16

export const open: OpenPrinter = (sink, view) => {
  const { many } = view
  const shape = createShaper(view)
  let started = false
  const textOf = (value: unknown): string => {
    const separator = started && !many ? '---\n' : ''
    started = true
    const shaped = shape(value)
    return separator + guardStack(() => toYaml(many ? [shaped] : shaped))
  }
  return {
    values: async (batch) => {
      let text = ''
      for (const value of batch) {
        text += textOf(value)
        if (text.length < enough) continue
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
