/**
 * The kinds of objects that verbs take, by the names of `completes`: which areas list them, and
 * which fields of their records name one to a verb, the most certain first.
 */
export interface Kind {
  /** Areas whose lists are of this kind, each list marked with `lists`. */
  readonly areas: readonly string[]
  readonly names: readonly string[]
  /** Fields that name one only where other columns stand beside them. */
  readonly also?: readonly string[]
  /** The field that tells people which object it is. */
  readonly title?: string
  /** The word that people use for one, where the name of the kind is an abbreviation. */
  readonly word?: string
  /** The mark of full references (`platform/app!42`) for objects that have a number only within their project. */
  readonly mark?: '!' | '#'
}

/** The fields that hold a project's own number together with its project, best first. */
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
  // The documents have no list of them.
  group: { areas: [], names: ['full_path', 'id'] },
  integration: { areas: ['integrations'], names: ['slug'], title: 'title' },
  'deploy-key': { areas: ['deploy-keys'], names: ['id'], title: 'title' },
  'pages-domain': { areas: ['pages-domains'], names: ['domain'] },
  vulnerability: { areas: ['vulnerabilities'], names: ['id'], title: 'title' },
  'geo-node': { areas: ['geo'], names: ['id', 'geo_node_id'], title: 'name' },
  'client-key': { areas: ['error-tracking'], names: ['id'] },
  // The documents have no list of them.
  'resource-group': { areas: [], names: ['key', 'id'] },
} as const satisfies Readonly<Record<string, Kind>>
export type KindName = keyof typeof kinds

const byName = new Map<string | undefined, Kind>(Object.entries(kinds))

/** Returns the kind of that name; undefined for a kind that no verb takes. */
export const getKindByName = (name: string | undefined): Kind | undefined => byName.get(name)

/** Returns the word that people use for an object of the kind of that name. */
export const getKindWord = (name: string): string =>
  getKindByName(name)?.word ?? name.replaceAll('-', ' ')

/** Returns a word with its article: `an issue`. */
export const withArticle = (word: string): string =>
  /^(?!use)[aeiou]/.test(word) ? `an ${word}` : `a ${word}`

/** Returns the plural of a word: `vulnerabilities`, `branches`. */
export const toPlural = (word: string): string =>
  `${word.replace(/([^aeiou])y$/, '$1ie').replace(/(s|x|ch)$/, '$1e')}s`

/**
 * Fields that lists show beside those of the API's records, and where their values stand: columns
 * may name them, and `--fields` selects them in every format.
 */
export const shownFields = { reference: 'references.full' } as const

/** Fields that commands make of a record, which endpoints name among their columns and in `made`. */
export type MadeField = 'subject' | 'expires_at'
