/**
 * Implements `settings get` for chosen settings, and `settings update`, which shows old and new values (`catalogue/reference/settings.md`).
 */

import { type Fields, getFields, isObject } from '../base/objects.js'
import { findNearest } from '../base/suggest.js'
import { isSwitchedOn } from '../base/switches.js'
import { settings } from '../catalogue/areas/settings.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { toCallAnswer } from '../engine/command/outcomes.js'
import type { Given, Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { Failure, recoverFrom } from '../errors.js'
import { getPaths } from '../profile/index.js'
import { isDue } from '../profile/known.js'
import { toChangeRows } from './answers.js'
import { define } from './define.js'

type Settings = Fields
const toSettings = (data: unknown): Settings => getFields(data)

/** @throws Failure `not_found` for an unknown setting */
const checkKnown = (all: Settings, wanted: readonly string[], { naming }: Context): void => {
  const unknown = wanted.filter((name) => !Object.hasOwn(all, naming.neutral(name)))
  if (unknown.length > 0) {
    const near = unknown.flatMap(
      (name) => findNearest(name, naming.addOwnNames(Object.keys(all))) ?? [],
    )
    const suggestion = near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `
    throw new Failure('not_found', `unknown setting ${unknown.join(', ')}`, {
      hint: `${suggestion}"svcctl settings get" lists all settings.`,
    })
  }
}

/** Stores the names of undocumented settings once a day. The code for that is loaded only when it is due. */
const keepSettings = async ({ place }: Context, shown: unknown): Promise<void> => {
  const { env, clock, globals } = place
  if (
    !isObject(shown) ||
    isSwitchedOn(env.CI) ||
    globals.sandbox === true ||
    globals.from !== undefined
  )
    return
  const { profile, baseUrl } = await place.session()
  if (profile?.baseUrl !== baseUrl || !isDue(getPaths(env), profile, clock.now())) return
  const { keepSettingNames: noteSettings } = await import('./known.js')
  await noteSettings({ place }, profile, shown)
}

const names = Object.keys(settings.get.returns.shape.properties)

export const get = define({
  snapshots: true,
  args: [
    {
      name: 'name',
      required: false,
      variadic: true,
      help: 'settings to show',
      values: async ({ naming, instanceFields = [] }) =>
        [...naming.addOwnNames(names), ...instanceFields].map((value) => ({ value })),
    },
  ],
  gathers: true,
  rows: async function* (context, given) {
    const wanted = given.args.map((name) => name.replaceAll('-', '_'))
    let shown: unknown
    yield* context.write(await context.planActions({ ...given, args: [] }), {
      finish: async (_, came) => {
        if ('failure' in came) throw came.failure
        if (!('whole' in came)) return {}
        shown = came.whole.data
        if (wanted.length > 0) checkKnown(toSettings(came.whole.data), wanted, context)
        return toCallAnswer(came.whole)
      },
      view: { endpoint: settings.get, fields: wanted.length === 0 ? undefined : wanted },
    })
    if (context.sends) await keepSettings(context, shown)
  },
})

/** Reads the settings before the update; undefined if they cannot be read. */
const readSettings = async (instance: InstanceService): Promise<Settings | undefined> => {
  try {
    return toSettings((await instance.call(settings.get, {})).data)
  } catch (error) {
    recoverFrom(error)
    return undefined
  }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns the names of the settings that changed. */
const getChanged = (old: Settings, now: Settings, { naming }: Context): readonly string[] => {
  const isStamp = (name: string): boolean => naming.neutral(name) === 'updated_at'
  return Object.keys(now).filter((name) => !isStamp(name) && !isSame(old[name], now[name]))
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** True if the answer has all values that were sent. */
const hasAllSent = (now: Settings, { values, extra }: Plan): boolean =>
  Object.entries({ ...values, ...extra }).every(
    ([name, value]) => now[name] !== undefined && toText(now[name]) === toText(value),
  )

/** Updates settings. People see the old and new values. */
async function* updateSettings(context: Context, given: Given): Rows {
  if (context.answer.reader !== 'people')
    return yield* context.write(await context.planActions(given))
  let old: Settings | undefined
  const complete = async (plan: Plan): Promise<Plan> => {
    old = await readSettings(context.instance)
    return old === undefined ? plan : { ...plan, record: old }
  }
  yield* context.write(await context.planActions(given, { complete }), {
    present: (plan, { value }) => {
      const now = toSettings(value)
      if (old === undefined) return { records: [now], emit: { endpoint: settings.update } }
      const names = getChanged(old, now, context)
      if (names.length === 0)
        context.ui.note(
          hasAllSent(now, plan)
            ? 'nothing changed: the settings already have these values'
            : 'no visible setting changed',
        )
      return toChangeRows(settings.update, old, now, names, 'setting')
    },
  })
}

export const update = define({
  shows: ['setting', 'old', 'new'],
  description: ['Tables show the old and new value of each changed setting.'],
  rows: updateSettings,
})
