/** `settings get --diff`: in what the settings of several instances differ. */
import { stringifyExact } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import type { Across, OfInstance } from '../described.js'

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

const textOf = (site: Site, name: string): string | undefined =>
  site.settings.has(name) ? stringifyExact(site.settings.get(name)) : undefined

const isDifferent = (sites: readonly Site[], name: string): boolean =>
  new Set(sites.map((site) => textOf(site, name))).size > 1

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
export const comparing: Across = {
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
