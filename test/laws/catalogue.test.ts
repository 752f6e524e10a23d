/** Laws that every entry of the catalogue keeps. */
import { describe, expect, it } from 'vitest'
import { type Endpoint, getMethod, getPath } from '../../src/catalogue/endpoint.js'
import { examples } from '../../src/catalogue/examples.js'
import { areas, type ParameterFlag } from '../../src/catalogue/index.js'
import { shownFields } from '../../src/catalogue/kinds.js'
import { getParamValues, type Param } from '../../src/catalogue/params.js'
import { toolExamples } from '../../src/catalogue/tool-examples.js'
import { loadAllCommands, loadExamples } from '../../src/commands/index.js'
import { canRepeat, getFirstSegment } from '../../src/engine/command/derive.js'
import { getCommandFlags } from '../../src/engine/command/flags.js'
import { flagSets, globalFlags } from '../../src/engine/command/global-flags.js'
import { documented, implied, named } from './documents.js'

const loaded = await Promise.all(
  areas.map(async (row) => ({ area: row.name, endpoints: await row.load() })),
)
const all: { area: string; key: string; e: Endpoint }[] = loaded.flatMap(({ area, endpoints }) =>
  Object.entries(endpoints).map(([key, e]) => ({ area, key, e })),
)
const commands = await loadAllCommands()
const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

describe('the documents', () => {
  it('hold 129 endpoints, each in the catalogue once', () => {
    expect(documented).toHaveLength(129)
    const routes = all.map(({ e }) => e.route as string)
    expect(
      routes.filter((r) => !implied.includes(r)).sort(),
      'add the missing endpoint to its file of src/catalogue/areas/, or the route to documents.ts if the API has it',
    ).toEqual([...documented].sort())
    expect(new Set(routes).size, 'two endpoints have one route: remove one').toBe(routes.length)
  })

  it('name nothing that no command reaches', () => {
    const reached = new Set(commands.flatMap((c) => Object.values(c.endpoints).map((e) => e.route)))
    for (const { e } of all)
      expect(reached, `give ${e.route} a command, or list it in the special’s endpoints`).toContain(
        e.route,
      )
  })

  it('let a list go on by id only where it has an order and the edges for it', () => {
    const lists = all.filter(({ e }) => e.keyset === true)
    expect(lists.map(({ e }) => e.route)).toEqual(['GET /projects'])
    for (const { e } of lists)
      expect(Object.keys(e.params)).toEqual(
        expect.arrayContaining(['order_by', 'sort', 'id_after', 'id_before']),
      )
  })

  it('mark what they only imply', () => {
    for (const { e } of all)
      expect(e.implied === true, `set implied of ${e.route} as documents.ts has it`).toBe(
        implied.includes(e.route),
      )
  })
})

describe('commands', () => {
  const names = commands.map((c) => [c.area, c.words].filter((w) => w !== '').join(' '))

  it('have the public names', () => {
    for (const name of named)
      expect(names, `scripts call ${name}: keep the name of the command`).toContain(name)
  })

  it('are named once, in kebab-case', () => {
    expect(new Set(names).size, 'two commands have one name: rename one').toBe(names.length)
    for (const name of names)
      for (const word of name.split(' '))
        expect(word, `write the words of ${name} in kebab-case`).toMatch(kebabCase)
  })

  it('have flags that the compiler knows, so that none shadows one of every command', () => {
    const known = ['access-level', 'tag-list', 'job'] as const satisfies readonly ParameterFlag[]
    // @ts-expect-error no parameter has the name of a flag of every command
    const shadow: ParameterFlag = 'retries'
    const flags = commands.flatMap((command) => command.flags.map(({ name }) => name))
    expect(flags).toEqual(expect.arrayContaining([...known]))
    expect(flags).not.toContain(shadow)
  })

  it.each(commands.map((c, i) => [names[i] ?? '', c] as const))(
    '%s: flags are kebab-case, distinct, and shadow no global one',
    (_, command) => {
      const flags = getCommandFlags(command)
      const spelled = flags.flatMap((f) => [f.name, ...(f.aliases ?? [])])
      expect(new Set(spelled).size, 'two flags have one name: rename one').toBe(spelled.length)
      const shorts = flags.flatMap((f) => f.short ?? [])
      expect(new Set(shorts).size, 'two flags have one letter: remove one').toBe(shorts.length)
      for (const name of spelled)
        expect(name, `write --${name} in kebab-case, by the parameter’s "name"`).toMatch(kebabCase)
      const globals = new Set(globalFlags.map((f) => f.name))
      // The API's own dry run has the same flag name.
      const own = Object.values(command.endpoints).some((e) => e.ownDryRun === true)
      // A read-only command may use the name for a flag that counts its requests.
      const reads = command.readOnly === true
      for (const { name } of flagSets.preview) if (!own && !reads) globals.add(name)
      // Commits have a parameter `until`, which is a time.
      const timed = Object.values(command.endpoints).some((e) => 'until' in e.params)
      for (const { name } of flagSets.repeat) if (canRepeat(command) && !timed) globals.add(name)
      // A flag that a command defines again has the same meaning.
      const same = new Set(globalFlags.map((f) => f.param))
      // A command may add formats of its own, and may have its own place for files.
      for (const flag of command.flags)
        if (!['output', 'to'].includes(flag.name))
          expect(
            globals.has(flag.name) && !same.has(flag.param),
            `--${flag.name} is a flag of every command: give the parameter another "name"`,
          ).toBe(false)
    },
  )

  it('have defaults that are values of their flags', () => {
    const chosen = commands.flatMap((c) =>
      getCommandFlags(c).map(({ name, param }) => [name, param] as const),
    )
    let met = 0
    for (const [name, param] of chosen)
      if (param.type === 'enum' && param.default !== undefined) {
        met += 1
        expect(getParamValues(param), `the default of --${name}`).toContain(param.default)
      }
    expect(met).toBeGreaterThan(20)
  })

  it('make every field that their columns show beside those of the API', () => {
    for (const c of commands) {
      const wanted = Object.values(c.endpoints).flatMap((e) => e.made ?? [])
      expect(
        Object.keys(c.computedFields ?? {}).sort(),
        `${c.area}: computedFields of the special must be what its endpoints name in "made"`,
      ).toEqual([...new Set(wanted)].sort())
    }
  })

  it('say in a line what they do', () => {
    for (const c of commands) {
      expect(c.summary.length, `write a summary of ${c.area} ${c.words}`).toBeGreaterThan(8)
      expect(c.summary, 'end the summary without a full stop').not.toMatch(/\.$/)
    }
  })
})

describe('endpoints that change attributes', () => {
  it('are those of the commands that are called so', () => {
    const changing = all.filter(({ e }) => e.changes === true).map(({ e }) => e.route)
    const called = all.filter(({ e }) => e.command.split(' ').at(-1) === 'update')
    expect(changing, 'set "changes" on the endpoints of update commands, and on no others').toEqual(
      called.map(({ e }) => e.route),
    )
    expect(changing).toHaveLength(14)
  })
})

describe('examples', () => {
  it.each(commands.map((c) => [[c.area, c.words].filter((w) => w !== '').join(' '), c] as const))(
    '%s: two or more, each with its own name first',
    async (name, command) => {
      const examples = await loadExamples(command)
      expect(new Set(examples).size, `two examples of ${name} are the same`).toBe(examples.length)
      expect(
        examples.length,
        `write two examples of ${name}, in src/catalogue/examples.ts or tool-examples.ts`,
      ).toBeGreaterThanOrEqual(2)
      for (const line of examples)
        expect(
          `${line} `.includes(`svcctl ${name} `) || line.startsWith(name),
          `begin the example with ${name}: ${line}`,
        ).toBe(true)
    },
  )

  it('are those of a command', () => {
    const names = new Set(commands.map((c) => `${c.area} ${c.words}`))
    for (const [area, lines] of Object.entries({ ...examples, ...toolExamples }))
      for (const words of Object.keys(lines))
        expect(names, 'these examples are of no command: remove them').toContain(`${area} ${words}`)
  })
})

const listFields = (e: Endpoint): readonly string[] => {
  const shape = e.returns.shape
  if (shape === null || !('properties' in shape) || typeof shape.properties !== 'object') return []
  return Object.keys(shape.properties ?? {})
}

describe.each(all.map((x) => [x.e.route, x] as const))('%s', (_, { e }) => {
  const params: [string, Param][] = [...Object.entries(e.path), ...Object.entries(e.params)]

  it('describes every placeholder and parameter', () => {
    const holders = [...getPath(e).matchAll(/[:*]([a-z_]+)/g)].map((m) => m[1])
    expect(Object.keys(e.path).sort(), 'describe each placeholder of the route in "path"').toEqual(
      [...holders].sort(),
    )
    for (const [name, param] of params) {
      expect(param.help.length, `write the help of ${name}`).toBeGreaterThan(1)
      expect(param.help, `end the help of ${name} without a full stop`).not.toMatch(/\.$/)
      expect(param.help, `say "empty" for ${name}: a flag sends the word null`).not.toMatch(/null/)
    }
  })

  it('lists with columns that are fields of its shape, or are made of them', () => {
    if (e.returns.kind !== 'many') return
    const own = listFields(e)
    const shown = Object.entries(shownFields).filter(([, path]) =>
      own.includes(getFirstSegment(path)),
    )
    const fields = [...own, ...shown.map(([name]) => name), ...(e.made ?? [])]
    expect(e.columns?.length ?? 0, 'name the columns that tables show').toBeGreaterThan(0)
    for (const column of e.columns ?? [])
      if (fields.length > 0)
        expect(fields, 'name a field of the shape, or add it to "made"').toContain(
          getFirstSegment(column),
        )
  })

  it('names the successor of what is deprecated', () => {
    for (const [name, param] of params) {
      if (param.deprecated !== undefined)
        expect(param.deprecated.length, `say what to use instead of ${name}`).toBeGreaterThan(2)
      if (param.type === 'enum')
        for (const successor of Object.values(param.deprecatedValues ?? {}))
          expect(
            successor.length,
            `say what to use instead of this value of ${name}`,
          ).toBeGreaterThan(2)
    }
  })

  it('says what it did where its answer cannot', () => {
    if (getMethod(e) === 'DELETE')
      expect(e.done, 'say in "done" what was done, such as "deleted"').toMatch(/ed$/)
  })

  it('asks before it destroys', () => {
    if (getMethod(e) === 'DELETE')
      expect(e.destructive, 'say in "destructive" what is lost').toBeDefined()
    if (e.destructive !== undefined)
      expect(getMethod(e), 'a GET destroys nothing: remove "destructive"').not.toBe('GET')
  })

  it('takes only arguments that it has', () => {
    for (const name of e.args ?? [])
      expect(e.path[name] ?? e.params[name], `"args" names no parameter: ${name}`).toBeDefined()
    for (const names of e.exclusive ?? [])
      for (const name of names)
        expect(e.params[name], `"exclusive" names no parameter: ${name}`).toBeDefined()
  })
})
