/** The flags that every command has: one declaration, its type, and what is read from a line. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { runners } from '../../src/catalogue/areas/runners.js'
import { deriveCommand } from '../../src/engine/command/derive.js'
import { globalFlagRows, globalFlags } from '../../src/engine/command/global-flags.js'
import type { Globals } from '../../src/engine/command/globals.js'
import { parseGlobals } from '../../src/engine/plan/given.js'

const read = (flags: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}): Globals =>
  parseGlobals(
    deriveCommand('runners', 'list', { list: runners.list }),
    { args: [], flags: new Map(Object.entries(flags).map(([name, text]) => [name, [text]])) },
    env,
    { now: new Date() },
  )

describe('global flags', () => {
  it('are absent where they were not given, booleans false, the pager on', () => {
    expect(read({})).toEqual({
      count: false,
      open: false,
      strict: false,
      web: false,
      allFields: false,
      allProfiles: false,
      allGroups: false,
      allProjects: false,
      withArchived: false,
      sandbox: false,
      insecure: false,
      curl: false,
      dryRun: false,
      undoRecord: true,
      save: false,
      showSecrets: false,
      slurp: false,
      csvRaw: false,
      yes: false,
      quiet: false,
      verbose: 0,
      pager: true,
      headers: true,
      help: false,
    })
  })
  it.each<[string, string, Partial<Globals>]>([
    ['limit', 'all', { limit: 'all' }],
    ['limit', '7', { limit: 7 }],
    ['per-page', '20', { perPage: 20 }],
    ['base-url', 'https://x.test', { baseUrl: 'https://x.test' }],
    ['fields', 'a,b.c', { fields: ['a', 'b.c'] }],
    ['watch', '', { watch: 2 }],
    ['watch', '5', { watch: 5 }],
    ['color', 'never', { color: 'never' }],
    ['pager', 'false', { pager: false }],
    ['verbose', 'true', { verbose: 1 }],
    ['sandbox', 'false', { sandbox: false }],
  ])('--%s %s is read', (name, text, wanted) => {
    expect(read({ [name]: text })).toMatchObject(wanted)
  })
  it('take SVC_SANDBOX unless the flag says otherwise', () => {
    expect(read({}, { SVC_SANDBOX: '1' }).sandbox).toBe(true)
    expect(read({}, { SVC_SANDBOX: '0' }).sandbox).toBe(false)
    expect(read({ sandbox: 'false' }, { SVC_SANDBOX: '1' }).sandbox).toBe(false)
  })
  it.each([
    ['limit', '0'],
    ['limit', 'some'],
    ['per-page', '101'],
    ['color', 'red'],
  ])('refuse --%s %s', (name, text) => {
    expect(() => read({ [name]: text })).toThrow(`--${name} must`)
  })
  it('are all declared once, and known to the type', () => {
    const names = globalFlags.map(({ name }) => name)
    expect(
      [
        ...names,
        ...['dry-run', 'journal', 'resume', 'row-fields', 'save', 'select', 'shard', 'strict'],
        'undo-record',
        ...['sort', 'wait-until', 'wait-timeout'],
        ...['group-by', 'count', 'sum', 'avg', 'min', 'max', 'p95'],
        ...['since', 'all-fields'],
      ].sort(),
    ).toEqual(Object.keys(globalFlagRows).sort())
    expectTypeOf<Globals['limit']>().toEqualTypeOf<number | 'all' | undefined>()
    expectTypeOf<Globals['curl']>().toEqualTypeOf<boolean>()
    expectTypeOf<Globals['verbose']>().toEqualTypeOf<number>()
    expectTypeOf<Globals['color']>().toEqualTypeOf<'auto' | 'always' | 'never' | undefined>()
    expectTypeOf<Globals['fields']>().toEqualTypeOf<readonly string[] | undefined>()
    // @ts-expect-error no flag is called that
    expect(read({}).timeOut).toBeUndefined()
  })
})
