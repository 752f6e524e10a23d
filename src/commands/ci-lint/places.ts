/** Finds the line of a message from the instance's linter. Messages name jobs, keywords, inputs and files, but rarely lines. */

import { DeepYamlError, type Mark, type YamlNode, YamlProblem } from '../../base/yaml/nodes.js'
import { isModestYaml } from '../../base/yaml/texts.js'
import { CiDocument, type CiEntry, type ConditionCheck, getScalarText } from './document.js'

/** A position in a file. Lines and columns are counted from 1. */
interface Place {
  readonly line: number
  readonly column?: number
  /** The file, if it is not the checked one. */
  readonly file?: string
}

/** Finds the place that a message is about. For another file, the place has its path. */
type Finder = (document: CiDocument, match: RegExpExecArray) => Mark | Place | undefined

// Jobs. Messages may name a parallel instance of a job instead.

const getBaseName = (name: string): string => name.replace(/(?: \d+\/\d+|: \[.*\])$/, '')

const getJob = (document: CiDocument, name: string): CiEntry | undefined =>
  document.findJob(name) ?? document.findJob(getBaseName(name))

/** Finds a key of a job. If the job has no such key, it is the place of the job itself. */
const findJobMark = (document: CiDocument, name: string, key: string): Mark | undefined => {
  const job = getJob(document, name)
  return job && (document.findJobEntry(job, key)?.key.at ?? job.key.at)
}

/** Creates the finder of a key of the job that a message names. */
const findJobKey =
  (key: string): Finder =>
  (document, [, name = '']) =>
    findJobMark(document, name, key)

/** Returns the values that name a job: texts, or the key `job` of a map. */
const getNames = (document: CiDocument, value: YamlNode): readonly YamlNode[] =>
  document.getItems(value).flatMap((item) => {
    if (item.kind === 'scalar') return [item]
    const named = document.get(item, 'job')
    return named === undefined ? [] : [named.value]
  })

/** Returns all nodes in which a job names other jobs: in this keyword, in its rules, and in the includes of its trigger. */
const getNamed = (
  document: CiDocument,
  job: CiEntry,
  key: 'needs' | 'dependencies',
): readonly YamlNode[] => {
  const rules = document.findJobEntry(job, 'rules')
  const trigger = document.findJobEntry(job, 'trigger')
  const files = trigger && document.get(trigger.value, 'include')
  const lists = [
    document.findJobEntry(job, key),
    ...(rules === undefined
      ? []
      : document.getItems(rules.value).map((rule) => document.get(rule, key))),
    key === 'dependencies' ? files : undefined,
  ]
  return lists.flatMap((list) => (list === undefined ? [] : getNames(document, list.value)))
}

/** Creates the finder of the place where a job names another one, or the job that the other one is an instance of. */
const findOther =
  (key: 'needs' | 'dependencies'): Finder =>
  (document, [, name = '', other = '']) => {
    const job = getJob(document, name)
    const names = job === undefined ? [] : getNamed(document, job, key)
    const found =
      names.find((node) => getScalarText(node) === other) ??
      names.find((node) => getScalarText(node) === getBaseName(other))
    return found?.at ?? findJobMark(document, name, key)
  }

const findTwice: Finder = (document, [, name = '', other = '']) => {
  const job = getJob(document, name)
  const names = job === undefined ? [] : getNamed(document, job, 'needs')
  const found = names.filter((node) => [other, getBaseName(other)].includes(getScalarText(node)))
  return found.at(-1)?.at ?? findJobMark(document, name, 'needs')
}

/** Finds the needs of a job that depends on itself, directly or through other jobs. */
const findCircle: Finder = (document) => {
  const waits = new Map<string, readonly string[]>()
  for (const job of document.jobs) {
    const needs = document.findJobEntry(job, 'needs')
    if (needs !== undefined)
      waits.set(
        job.name,
        getNames(document, needs.value).map((name) => getBaseName(getScalarText(name))),
      )
  }
  const first = document.jobs.find(({ name }) => {
    const seen = new Set<string>()
    const open = [...(waits.get(name) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true
      if (!seen.has(next)) open.push(...(waits.get(next) ?? []))
      seen.add(next)
    }
    return false
  })
  return first && findJobMark(document, first.name, 'needs')
}

// Texts.

/** Finds the text with an interpolation block that has a part. */
const findBlock = (document: CiDocument, part: string): Mark | undefined =>
  document.findNode(
    (node) => node.kind === 'scalar' && node.value.includes('$[[') && node.value.includes(part),
  )

/** Finds the text with the interpolation block that a message quotes. */
const findQuotedBlock: Finder = (document, [, part = '']) => findBlock(document, part)

const date = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s].*)?$/
const findClass: Finder = (document, [, name = '']) =>
  document.findNode((node) => {
    if (name !== 'Date' && name !== 'Time') return node.tag?.includes(name) === true
    const isMoment = node.kind === 'scalar' && node.plain && date.test(node.value)
    return isMoment && (name === 'Time') === /[Tt\s]/.test(node.value)
  })

/** Finds a reference as messages show it: a part that is no text is `…`, and a reference that is no list has no parts. */
const findReference: Finder = (document, [, shown = '']) => {
  const wanted = shown.replaceAll('", "', '","')
  return document.findNode((node) => {
    const items = node.kind === 'list' ? node.items : []
    const parts = items.map((item) => (item.kind === 'scalar' ? item.value : '…'))
    return node.tag === '!reference' && JSON.stringify(parts) === wanted
  })
}

// Includes.

const getIncludes = (document: CiDocument): readonly YamlNode[] => {
  const ofHeader = document.get(document.header, 'spec', 'include')
  return [document.get(document.root, 'include'), ofHeader].flatMap((entry) =>
    entry === undefined ? [] : document.getItems(entry.value),
  )
}

const toPath = (text: string): string => text.replace(/^\/+/, '').toLowerCase()

/** Finds the include that names a file, project or address, and its keyword. */
const findIncluded = (
  document: CiDocument,
  name: string,
): { readonly at: Mark; readonly keyword: string } | undefined => {
  for (const item of getIncludes(document)) {
    if (item.kind === 'scalar' && toPath(item.value) === toPath(name))
      return { at: item.at, keyword: 'local' }
    for (const { name: keyword, value } of document.getEntries(item))
      for (const text of document.getItems(value))
        if (text.kind === 'scalar' && toPath(text.value) === toPath(name))
          return { at: text.at, keyword }
  }
  return undefined
}

/** Finds the place of a problem in an included file, if the file belongs to this project. */
const findInFile: Finder = (document, [, path = '', problem = '']) => {
  const found = findIncluded(document, path)
  const place = findYaml(problem)
  if (place === undefined) return found?.at
  return found?.keyword === 'local' ? { ...place, file: path.replace(/^\/+/, '') } : undefined
}

const findInclude: Finder = (document, [, name = '']) => findIncluded(document, name)?.at

/** Finds the first include whose keywords pass a test. */
const findEntry = (document: CiDocument, holds: (keys: readonly string[]) => boolean) =>
  getIncludes(document).find((item) => holds(document.getEntries(item).map(({ name }) => name)))?.at

const accessors = ['local', 'project', 'remote', 'template', 'component', 'artifact']
const countAccessors = (keys: readonly string[]): number =>
  keys.filter((key) => accessors.includes(key)).length

// Messages.

/** Finds the place of a syntax error at the end of a message. */
const findYaml = (text: string): Place | undefined => {
  const [, line, column] = / at line (\d+),?(?: column (\d+))?$/.exec(text) ?? []
  if (line === undefined) return undefined
  return { line: Number(line), ...(column === undefined ? {} : { column: Number(column) }) }
}

/** Finds the place of a path that begins with the name of a job, which may contain colons and spaces. */
const findJobPath: Finder = (document, [, path = '']) => {
  const [entry] = document.jobs
    .filter(({ name }) => {
      const isNamed = path.slice(0, name.length).toLowerCase() === name.toLowerCase()
      return isNamed && /^(?:$|[: ])/.test(path.slice(name.length))
    })
    .toSorted((a, b) => b.name.length - a.name.length)
  if (entry === undefined) return undefined
  const rest = path.slice(entry.name.length)
  if (!rest.startsWith(' may allow')) return document.findInJob(entry, rest)
  const rules = document.findJobEntry(entry, 'rules')
  return (rules && document.getItems(rules.value).at(-1)?.at) ?? entry.key.at
}

/** Finds the job whose name is a number, which may be written in another form: `1:30` is 90. */
const findNumber: Finder = (document, [, number = '']) => {
  const { jobs } = document
  const job =
    jobs.find(({ name }) => name === number) ?? jobs.find(({ name }) => /^[-+]?[\d.]/.test(name))
  return job?.key.at
}

/** Finds the place of a path that begins with a top-level keyword. */
const findRootPath: Finder = (document, [, keyword = '', rest = '']) => {
  const entry = document.get(document.root, keyword)
  return entry && document.find(entry, rest)
}

const findInput = (document: CiDocument, name: string, rest = ''): Mark | undefined => {
  const input = document.get(document.header, 'spec', 'inputs', name)
  return input && document.find(input, rest)
}

const finders: readonly (readonly [RegExp, Finder])[] = [
  [/^`([^`]+)`: (.*)$/s, findInFile],
  [/^Included file `([^`]+)` (.*)$/s, findInFile],
  [
    /^\(<unknown>\): Unknown alias: (.+)$/,
    (document, [, name]) =>
      document.findNode((node) => node.kind === 'alias' && node.name === name),
  ],
  [/unspecified class: (\S+)/, findClass],
  [/^!reference (\[.*?\]) /, findReference],
  [/^(?:(?:Local|Remote|Template) file|include|Project(?: `[^`]+` file)?) `([^`]+)`/, findInclude],
  [
    /^Each include must use only one/,
    (document) => findEntry(document, (keys) => countAccessors(keys) > 1),
  ],
  [
    /does not have a valid subkey for include/,
    (document) => findEntry(document, (keys) => countAccessors(keys) === 0),
  ],
  [/^Maximum of \d+ nested includes/, (document) => document.get(document.root, 'include')?.key.at],
  [
    /^`([^`]+)` input: ?(.*)$/,
    (document, [, name = '', says = '']) => findInput(document, name, `:rules ${says}`),
  ],
  [/^header config /, (document) => document.get(document.header, 'spec')?.key.at],
  [
    /^header:spec:inputs:([^: ]+) (?:input )?(.*)$/,
    (document, [, name = '', says = '']) => findInput(document, name, ` ${says}`),
  ],
  [
    /^header:(spec.*)$/,
    (document, [, path = '']) => {
      const spec = document.get(document.header, 'spec')
      return spec && document.find(spec, path.slice('spec'.length))
    },
  ],
  [
    /(?:interpolation provided|index|non-array value|indices|without a key).* in `([^`]+)`/,
    findQuotedBlock,
  ],
  [/^no function matching `([^`]+)`/, findQuotedBlock],
  [/^error in `(\w+)` function/, findQuotedBlock],
  [
    /^(?:invalid pattern used for|maximum) interpolation|^too many functions/,
    (document) => findBlock(document, ''),
  ],
  [
    /^(\w+) is defined in top-level and `default:` entry/,
    (document, [, key = '']) => document.get(document.root, key)?.key.at,
  ],
  [
    /^(.+) job: (?:undefined need:|need) `?(.+?)`?(?: name is too long.*| is not defined in .*)?$/,
    findOther('needs'),
  ],
  [
    /^(.+) job: (?:undefined dependency:|dependency) (.+?)(?: is not defined in .*)?$/,
    findOther('dependencies'),
  ],
  [/^(.+) job: chosen stage/, findJobKey('stage')],
  [
    /^(.+) job: on_stop job /,
    (document, [, name = '']) => {
      const job = getJob(document, name)
      const environment = job && document.findJobEntry(job, 'environment')
      return environment && document.find(environment, ' on stop')
    },
  ],
  [
    /^(.+) job: '(.+)' does not exist in matrix/,
    (document, [, name = '', key = '']) =>
      findBlock(document, `matrix.${key}`) ?? findJobMark(document, name, 'needs'),
  ],
  [/^(.+) job: use either /, findJobKey('publish')],
  [/^(.+) has the following needs duplicated: (.+?)(?:, .*)?\.$/, findTwice],
  [/^'(.+)' job needs '(.+)' job, but /, findOther('needs')],
  [/^(.+): one job can only need /, findJobKey('needs')],
  [/^(.+): .+ in `extends`/, findJobKey('extends')],
  [/circular dependencies/, findCircle],
  [/^jobs:(\S+) name should be a symbol$/, findNumber],
  [/^jobs:(.+)$/s, findJobPath],
  [/^([a-z_]+)([ :].*)$/s, findRootPath],
]

/** Finds the place of a message; undefined if the message is about the whole file or another file. */
export type SentencePlaceFinder = (message: string) => Place | undefined

/** Finds the place that a message contains. Lines of included files do not count. */
export const findNamedPlace: SentencePlaceFinder = (message) =>
  /^(?:Included file )?`[^`]+`:? /.test(message) ? undefined : findYaml(message)

const isPlace = (found: Mark | Place): found is Place => !('offset' in found)

const createPlaceFinder =
  (document: CiDocument): SentencePlaceFinder =>
  (message) => {
    for (const [pattern, find] of finders) {
      const match = pattern.exec(message)
      if (match === null) continue
      const found = find(document, match)
      if (found === undefined) return undefined
      return isPlace(found) ? found : { line: found.line + 1, column: found.column + 1 }
    }
    return undefined
  }

/** The largest number of lexemes that are parsed. For more, the parser takes seconds and a gigabyte of memory. */
const maxLexemes = 500_000

/** True if a text is small enough to be parsed. */
export const isCheap = (text: string): Promise<boolean> => isModestYaml(text, maxLexemes)

/**
 * Parses a configuration, and creates the finder of the places of messages.
 * @param isCondition returns true for a valid condition, to find the invalid one among several
 */
export const readPlaces = async (
  text: string,
  isCondition: ConditionCheck,
): Promise<SentencePlaceFinder> => {
  if (!(await isCheap(text))) return findNamedPlace
  try {
    const find = createPlaceFinder(new CiDocument(text, isCondition))
    return (message) => findNamedPlace(message) ?? find(message)
  } catch (error) {
    if (error instanceof YamlProblem || error instanceof DeepYamlError) return findNamedPlace
    throw error
  }
}
