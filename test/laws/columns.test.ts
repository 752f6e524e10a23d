/** Every column heading of a list can be used with `--where` and `--fields`. */
import { describe, expect, it } from 'vitest'
import { shownFields } from '../../src/catalogue/kinds.js'
import { loadAllCommands } from '../../src/commands/index.js'
import {
  getAnswerFields,
  getCommandName,
  getFirstSegment,
} from '../../src/engine/command/derive.js'
import { findFieldKind } from '../../src/engine/where/shape.js'

describe('every column of a list', () => {
  it('is a field of its records, shown under another name, or made by the command', async () => {
    const strange: string[] = []
    for (const command of await loadAllCommands()) {
      const made = Object.keys(command.computedFields ?? {})
      for (const endpoint of Object.values(command.endpoints)) {
        if (endpoint.returns.kind !== 'many') continue
        const { shape } = endpoint.returns
        const fields = new Set(getAnswerFields([endpoint]))
        const { columns = [], brief = {} } = endpoint
        for (const column of [...columns, ...Object.values(brief).flatMap((some) => some ?? [])]) {
          const tested = findFieldKind(shape, column) !== undefined || made.includes(column)
          if (!tested && !Object.hasOwn(shownFields, column))
            strange.push(`${getCommandName(command)} --where ${column}`)
          if (!fields.has(column) && !fields.has(getFirstSegment(column)))
            strange.push(`${getCommandName(command)} --fields ${column}`)
        }
      }
    }
    expect(
      strange,
      'name a field of the shape in "columns", add it to shownFields, or make it by computedFields',
    ).toEqual([])
  })
})
