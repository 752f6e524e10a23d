/** Declares the kinds of objects that commands take as arguments: the areas that list them, and the fields that identify them. */

import { createLineState } from '../base/io.js'

/** A kind of objects. Parameters refer to it as `completes`, by its key in `kinds`. */
export interface Kind {
  /** The areas that list such objects. The lists themselves are marked with `lists`. */
  readonly areas: readonly string[]
  /** The fields that identify an object, the most certain first. */
  readonly names: readonly string[]
  /** Fields that identify an object only in a table that has other columns as well. */
  readonly also?: readonly string[]
  /** The field by which people recognize an object. */
  readonly title?: string
  /** The word for an object in messages, if the name of the kind is an abbreviation. */
  readonly word?: string
  /** The separator in full references (`platform/app!42`), for objects whose number is unique only in their project. */
  readonly mark?: '!' | '#'
}

/** Fields with the number of an object in its project, the most certain first. All but `iid` name the project, too. */
const references = ['reference', 'references.full', 'web_url', 'iid'] as const

export const kinds = {
  runner: { areas: ['runners'], names: ['id'], title: 'description' },
  job: { areas: ['jobs', 'runners'], names: ['id'], title: 'name' },
  commit: { areas: ['commits'], names: ['id', 'short_id'], also: ['name'], title: 'title' },
  mr: {
    areas: ['mr', 'issues'],
    names: references,
    mark: '!',
    title: 'title',
    word: 'merge request',
  },
  issue: { areas: ['issues', 'mr'], names: references, mark: '#', title: 'title' },
  'approval-rule': { areas: ['approvals'], names: ['id'], title: 'name' },
  user: { areas: ['members'], names: ['id', 'username'], title: 'username' },
  project: { areas: ['projects'], names: ['path_with_namespace', 'id'] },
  // The documented API has no list of groups.
  group: { areas: [], names: ['full_path', 'id'] },
  integration: { areas: ['integrations'], names: ['slug'], title: 'title' },
  'deploy-key': { areas: ['deploy-keys'], names: ['id'], title: 'title' },
  'pages-domain': { areas: ['pages-domains'], names: ['domain'] },
  vulnerability: { areas: ['vulnerabilities'], names: ['id'], title: 'title' },
  'geo-node': { areas: ['geo'], names: ['id', 'geo_node_id'], title: 'name' },
  'client-key': { areas: ['error-tracking'], names: ['id'] },
  // The documented API has no list of resource groups.
  'resource-group': { areas: [], names: ['key', 'id'] },
} as const satisfies Readonly<Record<string, Kind>>
export type KindName = keyof typeof kinds

/** The kinds whose objects have names that people know better than their IDs. */
export const namedKinds = ['runner', 'deploy-key', 'approval-rule', 'geo-node'] as const

const byName: ReadonlyMap<string | undefined, Kind> = new Map(Object.entries(kinds))
const getLineKinds = createLineState(() => ({ byName }))

/** Returns the kind with this name; undefined if no command takes such objects. */
export const getKindByName = (name: string | undefined): Kind | undefined =>
  getLineKinds().byName.get(name)

/** Lists all kinds, those of extensions last. */
export const listKinds = (): readonly Kind[] => [...getLineKinds().byName.values()]

/** Adds the kinds of extensions for the rest of this command line. A kind that exists already only gains areas. */
export const addKinds = (added: Readonly<Record<string, Kind>>): void => {
  const all = new Map(byName)
  for (const [name, kind] of Object.entries(added)) {
    const known = byName.get(name)
    all.set(name, known === undefined ? kind : { ...known, areas: [...known.areas, ...kind.areas] })
  }
  getLineKinds().byName = all
}

/** Returns the word for an object of a kind in messages: `merge request` for `mr`. */
export const getKindWord = (name: string): string =>
  getKindByName(name)?.word ?? name.replaceAll('-', ' ')

/** Returns a word with its article: `an issue`. */
export const withArticle = (word: string): string =>
  /^(?!use)[aeiou]/.test(word) ? `an ${word}` : `a ${word}`

/** Returns the plural of a word: `vulnerabilities`, `branches`. */
export const toPlural = (word: string): string =>
  `${word.replace(/([^aeiou])y$/, '$1ie').replace(/(s|x|ch)$/, '$1e')}s`

/** Maps fields that lists show in addition to the API's to the path of their value. Columns and `--fields` accept them in every format. */
export const shownFields = { reference: 'references.full' } as const

/** The fields that commands compute for a record. Endpoints list them in `columns` and in `made`. */
export type MadeField = 'subject' | 'expires_at'
