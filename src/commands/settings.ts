/** `settings get` and `settings update` (`catalogue/reference/settings.md`). */

import { stringifyExact } from '../base/json/json.js'
import { type Fields, isObject } from '../base/objects.js'
import { nearest } from '../base/suggest.js'
import { settings } from '../catalogue/areas/settings.js'
import { meaningIn } from '../catalogue/legible.js'
import { boolean } from '../catalogue/params.js'
import { keyIn, namesIn } from '../catalogue/words.js'
import { answered } from '../engine/command/answered.js'
import type { Across, Given, OfInstance, Plan } from '../engine/command/described.js'
import type { InstanceService } from '../engine/command/services.js'
import { Failure, survived } from '../errors.js'
import { define } from './define.js'

// `settings get --diff`: in what the settings of several instances differ.

/** What every instance has for itself. */
const own: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at'])

/** What stands in the place of secrets that are not the same. */
const differs = 'differs'

interface Site {
  readonly profile: string
  /** By the names of the documents. */
  readonly settings: ReadonlyMap<string, unknown>
  readonly secrets: ReadonlySet<string>
}

const siteOf = ({ profile, value, fields, neutral, isSecret }: OfInstance): Site => {
  const all = Object.entries(isObject(value) ? value : {})
  const wanted = all.filter(([name]) => fields === undefined || fields.includes(neutral(name)))
  const secret = wanted.filter(([name]) => isSecret(name))
  return {
    profile,
    settings: new Map(wanted.map(([name, set]) => [neutral(name), set])),
    secrets: new Set(secret.map(([name]) => neutral(name))),
  }
}

const shownValue = (site: Site, name: string): string | undefined =>
  site.settings.has(name) ? stringifyExact(site.settings.get(name)) : undefined

const isDifferent = (sites: readonly Site[], name: string): boolean =>
  new Set(sites.map((site) => shownValue(site, name))).size > 1

/** A setting with its values by profile; where it is absent there is none. */
const recordOf = (sites: readonly Site[], name: string): { name: string; values: Fields } => {
  const having = sites.filter(({ settings: all }) => all.has(name))
  const secret = having.some(({ secrets }) => secrets.has(name))
  const values = having.map(({ profile, settings: all }) => [
    profile,
    secret ? differs : all.get(name),
  ])
  return { name, values: Object.fromEntries(values) }
}

/** The rows of `settings get --diff`: settings that differ, a column a profile. */
const comparing: Across = {
  flag: 'diff',
  join: (answers) => {
    const sites = answers.map(siteOf)
    const profiles = sites.map(({ profile }) => profile)
    const names = [...new Set(sites.flatMap((site) => [...site.settings.keys()]))]
    const records = names
      .filter((name) => !own.has(name) && isDifferent(sites, name))
      .map((name) => recordOf(sites, name))
    // A profile may have the name of the column.
    const head = profiles.includes('name') ? 'setting' : 'name'
    const rows = (): readonly Fields[] =>
      records.map(({ name, values }) => ({
        ...Object.fromEntries(profiles.map((profile) => [profile, '-'])),
        ...values,
        [head]: name,
      }))
    return { records, people: { columns: [head, ...profiles], rows, sheets: true } }
  },
}

type Settings = Fields
const asSettings = (data: unknown): Settings => (isObject(data) ? data : {})

/** @throws Failure `not_found` for a setting that the instance does not have */
const checkKnown = (all: Settings, wanted: readonly string[], { naming }: Given): void => {
  const unknown = wanted.filter((name) => keyIn(all, name, naming) === undefined)
  if (unknown.length > 0) {
    const near = unknown.flatMap((name) => nearest(name, namesIn(Object.keys(all), naming)) ?? [])
    const meant = near.length === 0 ? '' : `Did you mean ${near.join(', ')}? `
    throw new Failure('not_found', `the instance has no setting ${unknown.join(', ')}`, {
      hint: `${meant}svcctl settings get lists them all.`,
    })
  }
}

const names = Object.keys(settings.get.returns.shape.properties)

export const get = define({
  args: [
    {
      name: 'name',
      required: false,
      variadic: true,
      help: 'only these settings',
      values: async (_before, _current, naming) =>
        namesIn(names, naming).map((value) => ({ value })),
    },
  ],
  flags: {
    diff: boolean('with -p staging,prod: only what differs, side by side'),
  },
  across: comparing,
  examples: ['settings get', 'settings get default_project_visibility signup_enabled'],
  gathers: true,
  operation: (_, given) => {
    const { diff: __, ...flags } = given.flags
    const wanted = given.args.map((name) => name.replaceAll('-', '_'))
    return {
      given: { ...given, flags, args: [] },
      finish: async (___, came) => {
        if ('failure' in came) throw came.failure
        if (!('whole' in came)) return {}
        if (wanted.length > 0) checkKnown(asSettings(came.whole.data), wanted, given)
        return answered(came.whole)
      },
      emit: { endpoint: settings.get, ...(wanted.length === 0 ? {} : { fields: wanted }) },
    }
  },
})

/** What the instance had before; unknown where it does not let itself be read. */
const before = async (instance: InstanceService): Promise<Settings | undefined> => {
  try {
    return asSettings((await instance.call(settings.get, {})).data)
  } catch (error) {
    survived(error)
    return undefined
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The settings that are others than before. */
const changed = (old: Settings, now: Settings): readonly string[] =>
  Object.keys(now).filter(
    (name) => meaningIn(now)(name) !== 'updated_at' && !same(old[name], now[name]),
  )

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Whether the answer shows everything that was sent as it was sent. */
const showsAll = (now: Settings, { values, extra }: Plan): boolean =>
  Object.entries({ ...values, ...extra }).every(
    ([name, value]) => now[name] !== undefined && textOf(now[name]) === textOf(value),
  )

/** Rows `setting, old, new`, of the settings before and after as they are shown. */
const rowsOf =
  (names: readonly string[]) =>
  (shown: readonly unknown[]): readonly Fields[] => {
    const [before = {}, after = {}] = shown.map(asSettings)
    return names.map((setting) => ({
      setting,
      old: before[setting] ?? null,
      new: after[setting],
    }))
  }

export const update = define({
  shows: ['setting', 'old', 'new'],
  description: ['On a terminal and in tables it shows what changed, old and new.'],
  examples: [
    'settings update --default-project-visibility internal',
    'settings update --domain-allowlist example.com,example.org',
  ],
  operation: ({ answer, instance, person }) => {
    if (answer.reader !== 'people') return {}
    let old: Settings | undefined
    return {
      complete: async (plan) => {
        old = await before(instance)
        return old === undefined ? plan : { ...plan, record: old }
      },
      present: (plan, { value }) => {
        const now = asSettings(value)
        if (old === undefined) return { records: [now], emit: { endpoint: settings.update } }
        const names = changed(old, now)
        if (names.length === 0)
          person.note(
            showsAll(now, plan)
              ? 'nothing changed: the settings had these values already'
              : 'none of the settings that the instance shows has changed',
          )
        return {
          records: [old, now],
          emit: {
            endpoint: settings.update,
            among: [now],
            people: { columns: ['setting', 'old', 'new'], rows: rowsOf(names) },
          },
        }
      },
    }
  },
})
