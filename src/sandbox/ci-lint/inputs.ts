/** Reads the header of a configuration (`spec: inputs:`), and replaces the inputs in the document after it. */
import { hasCycle } from '../../base/collections.js'
import { evaluateExpression, getInputNames, loadRegexes } from './expression.js'
import { findValueProblem, toKind, toKindName } from './input-values.js'
import { fillBlocks } from './interpolation.js'
import type { OddKeys } from './read.js'
import { checkNode, getSchema } from './schema.js'
import { type Hash, isHash, type JudgedVersion, UnreadableError } from './types.js'

/** True if a document is the header of the next one. */
export const isHeader = (document: Hash): boolean => 'spec' in document

/** Finds the first rule whose condition the known inputs meet. */
const findRule = (rules: readonly unknown[], inputs: Hash): Hash => {
  const first = rules.find(
    (rule) =>
      isHash(rule) &&
      (typeof rule.if !== 'string' || evaluateExpression(rule.if, { variables: {}, inputs })),
  )
  return isHash(first) ? first : {}
}

/** Computes the values of inputs one after the other, since the rules of an input may use the earlier inputs. */
class InputValues {
  readonly values = new Map<string, unknown>()
  readonly problems: string[] = []
  readonly #given: Hash
  readonly #asOf: JudgedVersion

  constructor(given: Hash, asOf: JudgedVersion) {
    this.#given = given
    this.#asOf = asOf
  }

  add(name: string, spec: Hash): void {
    if (spec.type === null) {
      this.problems.push(
        `unknown input specification for \`${name}\` (valid types: array, boolean, number, string)`,
      )
      return
    }
    const rules: readonly unknown[] = Array.isArray(spec.rules) ? spec.rules : []
    const known = { ...this.#given, ...Object.fromEntries(this.values) }
    const rule = findRule(rules, known)
    const kind = toKindName(spec.type)
    const options = rule.options ?? spec.options
    const input = { kind, options, regex: spec.regex, asOf: this.#asOf }
    const default_ = rule.default ?? spec.default ?? null
    const isOptional = 'default' in spec || rules.some((one) => isHash(one) && 'default' in one)
    const own = Object.hasOwn(this.#given, name) ? (this.#given[name] ?? null) : null
    const given = own === '' && rules.length > 0 ? null : own
    if (!isOptional && given === null) this.#report(name, 'required value has not been provided')
    else {
      if (default_ !== null) this.#report(name, findValueProblem(input, default_, 'default'))
      if (given !== null) this.#report(name, findValueProblem(input, given, 'provided'))
    }
    const value = given ?? default_
    this.values.set(name, value === null ? (kind === 'string' ? '' : null) : toKind(kind, value))
  }

  #report(name: string, problem: string | undefined): void {
    if (problem !== undefined) this.problems.push(`\`${name}\` input: ${problem}`)
  }
}

/** Converts a finding in a header to the message that instances have for it. */
const toInputWords = (text: string): string =>
  text
    .replace(/^header:spec:inputs:(.+?):rules:rule (?:config )?/, '`$1` input: ')
    .replace(/^(header:spec:inputs:\S+) (type|regex|options|description) /, '$1 input $2 ')

const getInputs = (spec: Hash): Hash => (isHash(spec.inputs) ? spec.inputs : {})

/** Lists the inputs that each rule of an input refers to. */
const getReferences = (input: unknown): readonly (readonly string[])[] =>
  isHash(input) && Array.isArray(input.rules)
    ? input.rules.map((rule) => (isHash(rule) ? getInputNames(String(rule.if ?? '')) : []))
    : []

/** Finds rules of inputs that refer to unknown inputs, or to each other. */
const findReferenceProblems = (inputs: Hash): readonly string[] => {
  const known = new Set(Object.keys(inputs))
  const references = Object.entries(inputs).map(
    ([name, input]) => [name, getReferences(input)] as const,
  )
  const problems = references.flatMap(([name, rules]) =>
    rules.flatMap((names, index) => {
      const unknown = [...new Set(names)].filter((one) => !known.has(one))
      return unknown.length === 0
        ? []
        : `header:spec:inputs:${name} config rule[${index}] references undefined inputs: ${unknown.join(', ')}`
    }),
  )
  const edges = new Map(
    references.map(([name, rules]) => [
      name,
      new Set(rules.flat().filter((one) => known.has(one))),
    ]),
  )
  return hasCycle(edges)
    ? [...problems, `header:spec:inputs:${[...known][0]} config circular dependency detected`]
    : problems
}

/** Checks a header before its inputs are used. */
const checkHeader = async (document: Hash, asOf: JudgedVersion): Promise<Hash> => {
  await loadRegexes(true)
  const wrong = checkNode(getSchema('header'), document, 'header', asOf).filter(
    ({ advice }) => advice !== true,
  )
  const spec = isHash(document.spec) ? document.spec : {}
  const problems =
    wrong.length > 0
      ? wrong.map(({ text }) => toInputWords(text))
      : findReferenceProblems(getInputs(spec))
  if (problems.length > 0) throw new UnreadableError(problems)
  return spec
}

/** Returns a name that an input gives a top-level key, if the input is no text. */
const getOddName = (name: unknown): readonly (readonly [string, 'number' | 'word'])[] =>
  typeof name === 'string' ? [] : [[String(name), typeof name === 'number' ? 'number' : 'word']]

/** Names the file of an include. */
export const describeInclude = (entry: unknown): string => {
  const { local, remote, project, file } = isHash(entry) ? entry : { local: entry }
  return [local ?? remote ?? project, file].flat().filter(Boolean).map(String).join(' ')
}

/**
 * Replaces the inputs in a document by their values. Also returns the input files that the header names,
 * and the top-level keys that inputs of other types than text give.
 * @throws UnreadableError if the header is invalid in this version, an input has no value, or a name is unknown
 */
export const withInputs = async (
  document: Hash,
  content: unknown,
  given: Hash,
  asOf: JudgedVersion,
): Promise<{
  readonly value: unknown
  readonly odd: OddKeys
  readonly left: readonly string[]
}> => {
  const spec = await checkHeader(document, asOf)
  const declared = getInputs(spec)
  const left = [spec.include ?? []].flat().map(describeInclude)
  const inputs = new InputValues(given, asOf)
  for (const [name, its] of Object.entries(declared)) inputs.add(name, isHash(its) ? its : {})
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name))
  if (unknown.length > 0 && left.length === 0)
    inputs.problems.unshift(`unknown input arguments: ${unknown.join(', ')}`)
  if (inputs.problems.length > 0) throw new UnreadableError(inputs.problems)
  const scope = { inputs: inputs.values, isOpen: left.length > 0, asOf }
  const names = Object.keys(isHash(content) ? content : {})
  return {
    value: fillBlocks(content, scope),
    odd: new Map(names.flatMap((name) => getOddName(fillBlocks(name, scope)))),
    left,
  }
}
