/** Finds the place in a CI configuration that a message of the instance's linter is about: a job, a keyword or a value. */
import {
  type ListNode,
  type MapNode,
  type Mark,
  parseYamlNodes,
  type YamlNode,
} from '../../base/yaml/nodes.js'

/** A key of a map with its value. `name` is the key as messages write it. */
export interface CiEntry {
  readonly name: string
  readonly key: YamlNode
  readonly value: YamlNode
}

/** The maximum depth of merges, aliases and references, so that the search also ends in a configuration that refers to itself. */
const deepest = 20
/** The maximum number of entries or items that are searched in one node, including those of merges and references. */
const maxEntries = 10_000

const isMerge = (key: YamlNode): boolean => key.kind === 'scalar' && key.plain && key.value === '<<'

export const getScalarText = (node: YamlNode): string => (node.kind === 'scalar' ? node.value : '')

/** Returns the name of a key as messages write it: the instance's parser reads an unquoted `on` as true, and `~` as empty. */
const getName = (key: YamlNode): string => {
  const text = getScalarText(key)
  if (key.kind !== 'scalar' || !key.plain || key.tag !== undefined) return text
  if (/^(?:yes|true|on)$/i.test(text)) return 'true'
  if (/^(?:no|false|off)$/i.test(text)) return 'false'
  return /^(?:~|null)$/i.test(text) ? '' : text
}

const isBlank = (node: YamlNode): boolean => {
  if (node.kind === 'scalar') return node.value.trim() === '' || (node.plain && node.value === '~')
  return node.kind === 'list'
    ? node.items.length === 0
    : node.kind === 'map' && node.pairs.length === 0
}

/** True for texts that are equal without regard to case: instances write some messages in lower case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** True if the rest of a message begins with a name. After the name, only a space, a period, a colon or the end may follow. */
const hasLeadingName = (rest: string, name: string): boolean =>
  isSame(rest.slice(0, name.length), name) && /^(?:$|[: .])/.test(rest.slice(name.length))

/** Matches the keys that a message lists at its end. */
const listedKeys =
  /(?:unknown keys|invalid data keys|disallowed keys|used with `rules`|used together|following keys): ([^,(]+)/

/** The place that a message is about. `whole` is true if every part of its path was found. */
interface FoundPlace {
  readonly at: Mark
  readonly whole: boolean
}

/** Returns true if a text is a valid condition. */
export type ConditionCheck = (text: string) => boolean

/** A CI configuration as YAML nodes, with the position of each. */
export class CiDocument {
  readonly header: MapNode | undefined
  readonly root: MapNode | undefined
  readonly #isCondition: ConditionCheck
  readonly #anchors = new Map<string, YamlNode>()

  /** @throws YamlProblem if the text is not valid YAML */
  constructor(text: string, isCondition: ConditionCheck) {
    const maps = parseYamlNodes(text).filter((node) => node.kind === 'map')
    const [first, second] = maps
    const isHeader = first?.pairs.some(([key]) => getScalarText(key) === 'spec') === true
    this.header = second === undefined || !isHeader ? undefined : first
    this.root = this.header === undefined ? first : second
    this.#isCondition = isCondition
    for (const node of this.walkNodes())
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
  }

  /** Yields all nodes in the order of the text, including keys. */
  *walkNodes(): Generator<YamlNode> {
    const open: YamlNode[] = [this.root, this.header].flatMap((node) => node ?? [])
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      yield node
      if (node.kind === 'list') open.push(...node.items.toReversed())
      if (node.kind === 'map') open.push(...node.pairs.flat().toReversed())
    }
  }

  /** Finds the place of the first node that passes a test. */
  findNode(holds: (node: YamlNode) => boolean): Mark | undefined {
    for (const node of this.walkNodes()) if (holds(node)) return node.at
    return undefined
  }

  // Aliases, references and merges.

  /** Returns the node that an alias or a `!reference` stands for. Any other node is returned as it is. */
  resolve(node: YamlNode, depth = 0): YamlNode {
    if (depth > deepest) return node
    if (node.kind === 'alias') {
      const anchored = this.#anchors.get(node.name)
      return anchored === undefined ? node : this.resolve(anchored, depth + 1)
    }
    if (node.tag !== '!reference' || node.kind !== 'list') return node
    let at: YamlNode | undefined = this.root
    for (const step of node.items)
      at =
        at && this.getEntries(at, depth + 1).find(({ name }) => name === getScalarText(step))?.value
    return at === undefined ? node : this.resolve(at, depth + 1)
  }

  /** Returns the entries of a map: its own, then those that are merged into it. */
  getEntries(node: YamlNode, depth = 0): CiEntry[] {
    const map = this.resolve(node, depth)
    if (map.kind !== 'map' || depth > deepest) return []
    const own = map.pairs.map(([key, value]) => ({ name: getName(this.resolve(key)), key, value }))
    const merged = map.pairs
      .filter(([key]) => isMerge(key))
      .flatMap(([, value]) => this.getItems(value, depth + 1))
    return [...own, ...merged.flatMap((source) => this.getEntries(source, depth + 1))].slice(
      0,
      maxEntries,
    )
  }

  /** Returns the items of a list and of the lists in it. Any other node counts as a list of one item. */
  getItems(node: YamlNode, depth = 0): YamlNode[] {
    const list = this.resolve(node, depth)
    if (list.kind !== 'list' || depth > deepest) return [list]
    return list.items.flatMap((item) => this.getItems(item, depth + 1)).slice(0, maxEntries)
  }

  /** Returns an entry of a map, or of the map in that entry, and so on. */
  get(node: YamlNode | undefined, name: string, ...inner: readonly string[]): CiEntry | undefined {
    const found = node && this.getEntries(node).find((entry) => entry.name === name)
    const [next, ...others] = inner
    return next === undefined ? found : this.get(found?.value, next, ...others)
  }

  /** The top-level entries: jobs and keywords. */
  get jobs(): readonly CiEntry[] {
    return this.root === undefined ? [] : this.getEntries(this.root)
  }

  /** Finds a top-level entry by name. Case is ignored if no name matches exactly. */
  findJob(name: string): CiEntry | undefined {
    const { jobs } = this
    return jobs.find((job) => job.name === name) ?? jobs.find((job) => isSame(job.name, name))
  }

  /** Returns the entries of a job, and then those of the jobs that it extends. */
  #listJobEntries(job: CiEntry, depth = 0): CiEntry[] {
    const own = this.getEntries(job.value)
    const parents = own.find(({ name }) => name === 'extends')
    if (parents === undefined || depth > deepest) return own
    const inherited = this.getItems(parents.value)
      .toReversed()
      .flatMap((parent) => this.findJob(getScalarText(parent)) ?? [])
      .flatMap((parent) => this.#listJobEntries(parent, depth + 1))
    return [...own, ...inherited].slice(0, maxEntries)
  }

  /** Finds an entry of a job, or of the jobs that it extends. */
  findJobEntry(job: CiEntry, name: string): CiEntry | undefined {
    return this.#listJobEntries(job).find((entry) => entry.name === name)
  }

  // The path at the beginning of a message: `jobs:build:rules:rule if …`.

  /** Finds the place that the rest of a message leads to from an entry. If a part of the path is missing, it is the nearest place above. */
  find(entry: CiEntry, rest: string): Mark {
    return this.#findInNode(entry.value, rest, entry.key.at).at
  }

  /** Finds the place in a job, as `find` does, including the entries of the jobs that it extends. */
  findInJob(job: CiEntry, rest: string): Mark {
    return this.#findInEntries(this.#listJobEntries(job), rest, job.key.at).at
  }

  #findInNode(node: YamlNode, rest: string, own: Mark): FoundPlace {
    const value = this.resolve(node)
    if (value.kind === 'list') return this.#findInList(value, rest, own)
    return value.kind === 'map'
      ? this.#findInEntries(this.getEntries(value), rest, own)
      : { at: own, whole: true }
  }

  /** @param own the place of the map that has these entries */
  #findInEntries(entries: readonly CiEntry[], rest: string, own: Mark): FoundPlace {
    if (rest === '' || rest.startsWith(' config')) {
      const [, listed] = listedKeys.exec(rest) ?? []
      const entry = entries.find(({ name }) => listed !== undefined && isSame(name, listed.trim()))
      return { at: entry?.key.at ?? own, whole: true }
    }
    const found = this.#listMatchingEntries(entries, rest).map(({ name, key, value }) =>
      this.#findInNode(value, rest.slice(1 + name.length), key.at),
    )
    return found.find(({ whole }) => whole) ?? found[0] ?? { at: own, whole: false }
  }

  /** Returns the entries whose name comes next in a message, the longest names first. Messages may have spaces instead of underscores. */
  #listMatchingEntries(entries: readonly CiEntry[], rest: string): readonly CiEntry[] {
    const tail = rest.slice(1)
    return entries
      .filter(
        ({ name }) =>
          name !== '' &&
          (hasLeadingName(tail, name) || hasLeadingName(tail, name.replaceAll('_', ' '))),
      )
      .toSorted((a, b) => b.name.length - a.name.length)
  }

  #hasMatchingEntry(item: YamlNode, rest: string): boolean {
    return this.#listMatchingEntries(this.getEntries(item), rest).length > 0
  }

  #findInList(list: ListNode, rest: string, own: Mark): FoundPlace {
    const [, unknown] = /contains unknown values: ([^,(]+)/.exec(rest) ?? []
    const items = this.getItems(list)
    const value = items.find(
      (item) => unknown !== undefined && getScalarText(item) === unknown.trim(),
    )
    if (value !== undefined) return { at: value.at, whole: true }
    // Paths name the items of most lists (`rules:rule`), but not those of all lists.
    const isNamed =
      rest.startsWith(':') && !items.some((item) => this.#hasMatchingEntry(item, rest))
    const words = isNamed ? rest.replace(/^:\w+/, '') : rest
    const item = this.#chooseItem(items, words)
    if (item === undefined) return { at: own, whole: rest === '' || rest.startsWith(' ') }
    return this.#findInNode(item, words, item.at)
  }

  /** Chooses the item that a message is about: the first whose keys and values fit the fault that the message states. */
  #chooseItem(items: readonly YamlNode[], words: string): YamlNode | undefined {
    if (words.startsWith(' config')) {
      const [, listed] = listedKeys.exec(words) ?? []
      if (listed !== undefined) return items.find((item) => this.get(item, listed.trim()))
      const [, missing] = /(?:missing required keys:|must specify the) (\w+)/.exec(words) ?? []
      if (missing !== undefined)
        return items.find((item) => item.kind === 'map' && !this.get(item, missing))
      if (words.includes('blank')) return items.find(isBlank)
      return words.includes('should be') ? items.find(({ kind }) => kind !== 'map') : undefined
    }
    const maps = items.filter(({ kind }) => kind === 'map')
    const having = maps.filter((item) => this.#hasMatchingEntry(item, words))
    const fitting = having.find((item) =>
      this.#listMatchingEntries(this.getEntries(item), words).some(({ value }) =>
        this.#canHaveFault(value, words),
      ),
    )
    if (words.endsWith("can't be blank"))
      return (
        fitting ?? maps.find((item) => !having.includes(item) && this.#requiresKey(item, words))
      )
    return fitting ?? having[0]
  }

  /** True if an item must have the missing keyword of a message: only delayed items need `start_in`. */
  #requiresKey(item: YamlNode, words: string): boolean {
    const when = this.get(item, 'when')
    return (
      !words.startsWith(' start in') ||
      (when !== undefined && getScalarText(when.value) === 'delayed')
    )
  }

  /** True if a value may have the fault that a message states. */
  #canHaveFault(node: YamlNode, words: string): boolean {
    const value = this.resolve(node)
    const text = value.kind === 'scalar' ? value.value : undefined
    const [, unknown] = /unknown value: (.+?)(?: \(|$)/.exec(words) ?? []
    if (unknown !== undefined) return text === unknown
    if (words.includes('invalid expression syntax'))
      return this.getItems(value).some(
        (item) => item.kind !== 'scalar' || !this.#isCondition(item.value),
      )
    if (words.endsWith("can't be blank")) return isBlank(value)
    if (words.endsWith('should be a boolean value'))
      return text === undefined || !/^(?:true|false|yes|no|on|off)$/i.test(text)
    if (words.endsWith('should be a string')) return text === undefined || /^[\d.]+$/.test(text)
    if (words.includes('should be a hash')) return value.kind !== 'map'
    return (
      !words.includes('should be an array') ||
      value.kind !== 'list' ||
      value.items.some(({ kind }) => kind !== 'scalar')
    )
  }
}
