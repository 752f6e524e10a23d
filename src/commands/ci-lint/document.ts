/** A CI configuration as nodes that know their places: where a job, a keyword or a text stands that a sentence of an instance names. */
import {
  type ListNode,
  type MapNode,
  type Mark,
  parseYamlNodes,
  type YamlNode,
} from '../../base/yaml/nodes.js'

/** A key with its value. */
export interface CiEntry {
  readonly name: string
  readonly key: YamlNode
  readonly value: YamlNode
}

/** Merges, aliases and references lead on; a text that makes them lead on for ever is nobody's. */
const deepest = 20
const maxEntries = 10_000

const isMerge = (key: YamlNode): boolean => key.kind === 'scalar' && key.plain && key.value === '<<'

const getText = (node: YamlNode): string => (node.kind === 'scalar' ? node.value : '')

/** Returns the name of a key in the sentences of an instance, which reads an unquoted `on` as true and `~` as nothing. */
const getName = (key: YamlNode): string => {
  const text = getText(key)
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

/** True for equal texts in any case: instances write some sentences in lower case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** True if a sentence begins with a name and ends behind it, or continues with a keyword or a further part of the path. */
const hasLeadingName = (rest: string, name: string): boolean =>
  isSame(rest.slice(0, name.length), name) && /^(?:$|[: .])/.test(rest.slice(name.length))

/** Keys that a sentence lists at its end. */
const listedKeys =
  /(?:unknown keys|invalid data keys|disallowed keys|used with `rules`|used together|following keys): ([^,(]+)/

/** The place that a sentence is about, and whether all of its path was found. */
interface FoundPlace {
  readonly at: Mark
  readonly whole: boolean
}

/** Tells whether a text is a condition. */
export type ConditionCheck = (text: string) => boolean

export class CiDocument {
  readonly header: MapNode | undefined
  readonly root: MapNode | undefined
  readonly #isCondition: ConditionCheck
  readonly #anchors = new Map<string, YamlNode>()

  /** @throws YamlProblem for what is no YAML */
  constructor(text: string, isCondition: ConditionCheck) {
    const maps = parseYamlNodes(text).filter((node) => node.kind === 'map')
    const [first, second] = maps
    const isHeader = first?.pairs.some(([key]) => getText(key) === 'spec') === true
    this.header = second === undefined || !isHeader ? undefined : first
    this.root = this.header === undefined ? first : second
    this.#isCondition = isCondition
    for (const node of this.nodes())
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
  }

  /** Yields all nodes, keys included, in their order. */
  *nodes(): Generator<YamlNode> {
    const open: YamlNode[] = [this.root, this.header].flatMap((node) => node ?? [])
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      yield node
      if (node.kind === 'list') open.push(...node.items.toReversed())
      if (node.kind === 'map') open.push(...node.pairs.flat().toReversed())
    }
  }

  // What stands for something else.

  resolve(node: YamlNode, depth = 0): YamlNode {
    if (depth > deepest) return node
    if (node.kind === 'alias') {
      const meant = this.#anchors.get(node.name)
      return meant === undefined ? node : this.resolve(meant, depth + 1)
    }
    if (node.tag !== '!reference' || node.kind !== 'list') return node
    let at: YamlNode | undefined = this.root
    for (const step of node.items)
      at = at && this.entries(at, depth + 1).find(({ name }) => name === getText(step))?.value
    return at === undefined ? node : this.resolve(at, depth + 1)
  }

  /** Returns the entries of a map: its own, then those that are merged into it. */
  entries(node: YamlNode, depth = 0): CiEntry[] {
    const map = this.resolve(node, depth)
    if (map.kind !== 'map' || depth > deepest) return []
    const own = map.pairs.map(([key, value]) => ({ name: getName(this.resolve(key)), key, value }))
    const merged = map.pairs
      .filter(([key]) => isMerge(key))
      .flatMap(([, value]) => this.items(value, depth + 1))
    return [...own, ...merged.flatMap((source) => this.entries(source, depth + 1))].slice(
      0,
      maxEntries,
    )
  }

  /** Returns the items of a list, and of the lists in it; any other node is an item alone. */
  items(node: YamlNode, depth = 0): YamlNode[] {
    const list = this.resolve(node, depth)
    if (list.kind !== 'list' || depth > deepest) return [list]
    return list.items.flatMap((item) => this.items(item, depth + 1)).slice(0, maxEntries)
  }

  get(node: YamlNode | undefined, name: string): CiEntry | undefined {
    return node && this.entries(node).find((entry) => entry.name === name)
  }

  /** The outermost entries, of which jobs also have those of the jobs that they extend. */
  job(name: string): CiEntry | undefined {
    const entries = this.root === undefined ? [] : this.entries(this.root)
    return (
      entries.find((entry) => entry.name === name) ??
      entries.find((entry) => isSame(entry.name, name))
    )
  }

  #jobEntries(job: CiEntry, depth = 0): CiEntry[] {
    const own = this.entries(job.value)
    const parents = own.find(({ name }) => name === 'extends')
    if (parents === undefined || depth > deepest) return own
    const inherited = this.items(parents.value)
      .toReversed()
      .flatMap((parent) => this.job(getText(parent)) ?? [])
      .flatMap((parent) => this.#jobEntries(parent, depth + 1))
    return [...own, ...inherited].slice(0, maxEntries)
  }

  /** Finds an entry of a job, or of the jobs that it extends. */
  ofJob(job: CiEntry, name: string): CiEntry | undefined {
    return this.#jobEntries(job).find((entry) => entry.name === name)
  }

  // What a sentence begins with: `jobs:build:rules:rule if …`.

  /** Finds the place that a path leads to, with the words behind it; the nearest place above where a part is missing. */
  find(entry: CiEntry, rest: string): Mark {
    return this.#below(entry.value, rest, entry.key.at).at
  }

  /** Returns the place within a job that a path leads to, or the nearest one above it. */
  findInJob(job: CiEntry, rest: string): Mark {
    return this.#among(this.#jobEntries(job), rest, job.key.at).at
  }

  #below(node: YamlNode, rest: string, own: Mark): FoundPlace {
    const value = this.resolve(node)
    if (value.kind === 'list') return this.#inList(value, rest, own)
    return value.kind === 'map'
      ? this.#among(this.entries(value), rest, own)
      : { at: own, whole: true }
  }

  /** @param own the place of the map that has these entries */
  #among(entries: readonly CiEntry[], rest: string, own: Mark): FoundPlace {
    if (rest === '' || rest.startsWith(' config')) {
      const [, listed] = listedKeys.exec(rest) ?? []
      const entry = entries.find(({ name }) => listed !== undefined && isSame(name, listed.trim()))
      return { at: entry?.key.at ?? own, whole: true }
    }
    const found = this.#matching(entries, rest).map(({ name, key, value }) =>
      this.#below(value, rest.slice(1 + name.length), key.at),
    )
    return found.find(({ whole }) => whole) ?? found[0] ?? { at: own, whole: false }
  }

  /** Returns the entries whose name comes next, which words have with blanks; the longest names first. */
  #matching(entries: readonly CiEntry[], rest: string): readonly CiEntry[] {
    const tail = rest.slice(1)
    return entries
      .filter(
        ({ name }) =>
          name !== '' &&
          (hasLeadingName(tail, name) || hasLeadingName(tail, name.replaceAll('_', ' '))),
      )
      .toSorted((a, b) => b.name.length - a.name.length)
  }

  #has(item: YamlNode, rest: string): boolean {
    return this.#matching(this.entries(item), rest).length > 0
  }

  #inList(list: ListNode, rest: string, own: Mark): FoundPlace {
    const [, unknown] = /contains unknown values: ([^,(]+)/.exec(rest) ?? []
    const items = this.items(list)
    const value = items.find((item) => unknown !== undefined && getText(item) === unknown.trim())
    if (value !== undefined) return { at: value.at, whole: true }
    // The items of some lists have no name in paths.
    const isNamed = rest.startsWith(':') && !items.some((item) => this.#has(item, rest))
    const words = isNamed ? rest.replace(/^:\w+/, '') : rest
    const item = this.#chooseItem(items, words)
    if (item === undefined) return { at: own, whole: rest === '' || rest.startsWith(' ') }
    return this.#below(item, words, item.at)
  }

  /** Chooses the item that a sentence is about: the one of which it is true, as far as that shows. */
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
    const having = maps.filter((item) => this.#has(item, words))
    const fitting = having.find((item) =>
      this.#matching(this.entries(item), words).some(({ value }) => this.#isWrong(value, words)),
    )
    if (words.endsWith("can't be blank"))
      return fitting ?? maps.find((item) => !having.includes(item) && this.#lacks(item, words))
    return fitting ?? having[0]
  }

  /** True if a missing keyword is an error here: the time of a delay is required only where there is a delay. */
  #lacks(item: YamlNode, words: string): boolean {
    const when = this.get(item, 'when')
    return (
      !words.startsWith(' start in') || (when !== undefined && getText(when.value) === 'delayed')
    )
  }

  /** True if the statement of a sentence may be true of a value. */
  #isWrong(node: YamlNode, words: string): boolean {
    const value = this.resolve(node)
    const text = value.kind === 'scalar' ? value.value : undefined
    const [, unknown] = /unknown value: (.+?)(?: \(|$)/.exec(words) ?? []
    if (unknown !== undefined) return text === unknown
    if (words.includes('invalid expression syntax'))
      return this.items(value).some(
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
