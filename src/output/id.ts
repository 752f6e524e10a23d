/** What the area's verbs take, a line an object. */
import { Failure } from '../errors.js'
import { shown } from './shown.js'
import type { Open } from './types.js'

export const open: Open = (sink, view) => {
  const { names = [], parents, pick, style } = view
  const lineOf = (whole: unknown): string => {
    const record = parents === undefined ? whole : pick(whole, 'record')
    for (const name of names) {
      const value = pick(record, name)
      if (value !== undefined && value !== null && value !== '')
        return `${shown(String(value), style)}\n`
    }
    throw new Failure(
      'failed',
      `the response has no ${names.join(' and no ') || 'name of an object'}`,
      {
        hint: 'Use -o json to see its fields.',
      },
    )
  }
  return {
    values: (batch) => sink.write(batch.map(lineOf).join('')),
    close: async () => {},
  }
}
