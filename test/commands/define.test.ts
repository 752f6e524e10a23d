/** Tests the flags of a command written by hand: their types, and the command's own defaults. */
import { expect, expectTypeOf, it } from 'vitest'
import { mr } from '../../src/catalogue/areas/mr.js'
import { boolean, integer, string } from '../../src/catalogue/params.js'
import { define } from '../../src/commands/define.js'
import type { Context } from '../../src/engine/command/context.js'
import type { Given } from '../../src/engine/command/types.js'
import { createExitRow } from '../../src/engine/rows.js'

const getSeenFlags = async (given: Given['flags']): Promise<unknown> => {
  let seen: unknown
  const special = define({
    flags: {
      wait: boolean('wait'),
      'wait-timeout': integer('seconds', { default: 600 }),
      every: { ...integer('seconds', { default: 2 }), optionalValue: true },
      mode: { ...string('mode', { default: 'fast' }), parameter: 'mode' },
    },
    of: [mr.rebase],
    rows: async function* (_, { flags }) {
      expectTypeOf(flags['wait-timeout']).toEqualTypeOf<number>()
      expectTypeOf(flags.wait).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(flags.every).toEqualTypeOf<number | undefined>()
      expectTypeOf(flags.mode).toEqualTypeOf<string | undefined>()
      expectTypeOf(flags['skip-ci']).toEqualTypeOf<boolean | undefined>()
      // @ts-expect-error it is called wait-timeout
      expect(flags['wait-timout']).toBeUndefined()
      seen = flags
      yield createExitRow(0)
    },
  })
  await special.rows?.({} as Context, { args: [], flags: given, extra: {} }).next()
  return seen
}

it('has a default of the tool’s own, unless it was given', async () => {
  expect(await getSeenFlags({})).toEqual({ 'wait-timeout': 600 })
  expect(await getSeenFlags({ 'wait-timeout': 5, wait: true })).toEqual({
    'wait-timeout': 5,
    wait: true,
  })
})
