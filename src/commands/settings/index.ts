/** `settings get` and `settings update` (`catalogue/reference/settings.md`). */
import { parseExact } from '../../base/json/json.js'
import { viewed } from '../../base/utf8.js'
import { settings } from '../../catalogue/areas/settings.js'
import { secretsOf } from '../../catalogue/secret-fields.js'
import { Failure } from '../../errors.js'
import { mask, secrecies } from '../../output/masking/secrets.js'
import type { Context, Given, Special } from '../types.js'

type Settings = Readonly<Record<string, unknown>>
const asSettings = (data: unknown): Settings =>
  data !== null && typeof data === 'object' ? { ...data } : {}

const chosen = (all: Settings, names: readonly string[]): Settings => {
  const wanted = names.map((name) => name.replaceAll('-', '_'))
  const unknown = wanted.filter((name) => !(name in all))
  if (unknown.length > 0)
    throw new Failure('not_found', `the instance has no setting ${unknown.join(', ')}`, {
      hint: 'svcctl settings get lists them all.',
    })
  return Object.fromEntries(wanted.map((name) => [name, all[name]]))
}

const names = Object.keys(settings.get.returns.shape.properties)

export const get: Special = {
  args: [
    {
      name: 'name',
      required: false,
      variadic: true,
      help: 'only these settings',
      values: async () => names.map((value) => ({ value })),
    },
  ],
  examples: ['settings get', 'settings get default_project_visibility signup_enabled'],
  run: async (ctx: Context, given: Given) => {
    const plan = await ctx.plan({ ...given, args: [] })
    const whole = await ctx.call(plan)
    if (given.args.length === 0)
      return ctx.printAnswer(plan, { bytes: whole.bytes, value: whole.data })
    return ctx.print(chosen(asSettings(exactly(whole.bytes)), given.args), {
      endpoint: settings.get,
    })
  },
}

/** The numbers are only printed, and as they came. */
const exactly = (bytes: Uint8Array): unknown => parseExact(viewed(bytes).toString())

/** What the instance had before; unknown where it does not let itself be read. */
const before = async (ctx: Context): Promise<Settings | undefined> => {
  try {
    return asSettings((await ctx.call({ endpoint: settings.get, values: {} })).data)
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined
    throw error
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Rows `setting, old, new` of what changed; what a secret was and is is not told. */
const changes = (old: Settings, now: Settings, show: (all: Settings) => Settings) => {
  const [before, after] = [show(old), show(now)]
  return Object.keys(now)
    .filter((name) => name !== 'updated_at' && !same(old[name], now[name]))
    .map((setting) => ({ setting, old: before[setting] ?? null, new: after[setting] }))
}

export const update: Special = {
  description: ['On a terminal and in tables it shows what changed, old and new.'],
  examples: [
    'settings update --default-project-visibility internal',
    'settings update --domain-allowlist example.com,example.org',
  ],
  run: async (ctx: Context, given: Given) => {
    const plan = await ctx.plan(given)
    if (ctx.globals.curl || ctx.reader !== 'people') return ctx.perform([plan])
    const old = await before(ctx)
    const now = asSettings((await ctx.call(plan)).data)
    if (old === undefined) return ctx.print(now, { endpoint: settings.update })
    const secrecyOf = secrecies(secretsOf(settings.update))
    const rows = changes(old, now, (all) =>
      ctx.globals.showSecrets ? all : asSettings(mask(all, secrecyOf)),
    )
    if (rows.length === 0) ctx.note('nothing changed: the settings had these values already')
    await ctx.printMany(rows, { columns: ['setting', 'old', 'new'], endpoint: settings.update })
  },
}
