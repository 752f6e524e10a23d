/**
 * Masks the secrets of values: by the names of fields, in addresses, private keys in any text, and the values of variables. Answers,
 * traces, `--curl`, journals and exports all use it.
 */
import { createLineState } from '../io.js'
import { type Fields, isObject } from '../objects.js'
import {
  findPrivateKeys,
  maskAssignments,
  maskPrivateKeys,
  replaceParts,
  type TextMark,
  type TextPart,
} from './mask-text.js'
import { isSecretName, isSecretParameter, masked } from './names.js'

// Addresses: user information before the host, and secret parameters after it.

/** Matches the user information of an address, with its scheme if that is of SSH. */
const userInfo = /(?<=(s(?:sh|ftp)[a-z0-9+.-]*:)?)\/\/([^/?#\s]+)@/gi
const parameter = /[?&;#]([^=&?#;\s]+)=/g
const valueEnd = /[&#>\s"']|$/g

const findUsers = (text: string): TextPart[] =>
  [...text.matchAll(userInfo)].flatMap(({ 0: all, 1: ssh, 2: user = '', index }) => {
    // A user name without a password in an SSH address is not a secret: `ssh://git@host`.
    if (ssh !== undefined && !user.includes(':')) return []
    const end = index + all.length - 1
    return [{ name: 'userinfo', start: end - user.length, end }]
  })

const findParameters = (text: string): TextPart[] => {
  let end = 0
  return [...text.matchAll(parameter)].flatMap(({ 0: all, 1: name = '', index }) => {
    if (!isSecretParameter(name)) return []
    const start = index + all.length
    // A value that begins within the previous one ends with it: `?token=;token=1`.
    if (end < start) {
      valueEnd.lastIndex = start
      end = valueEnd.exec(text)?.index ?? text.length
    }
    return start === end ? [] : [{ name, start, end }]
  })
}

const none: readonly TextPart[] = []

const findSecretParts = (text: string): readonly TextPart[] => {
  const users = text.includes('@') ? findUsers(text) : none
  const parameters = text.includes('=') ? findParameters(text) : none
  const keys = findPrivateKeys(text)
  if (users.length === 0 && keys.length === 0) return parameters
  return [...users, ...parameters, ...keys].toSorted((a, b) => a.start - b.start)
}

const getMask: TextMark = () => masked

/**
 * Masks user names, passwords and secret parameters in the addresses of a text, and private keys.
 * @param mark returns the replacement of each; a user name and password are called `userinfo`
 */
export const maskAddresses = (text: string, mark: TextMark = getMask): string =>
  replaceParts(text, findSecretParts(text), mark)

const address = /^\s*(?:(?:[a-z][a-z0-9+.-]*:)+\/\/|\/)/i

/** True if a text consists of one or more addresses. A text that only mentions an address is ordinary text. */
export const isAddressText = (text: string): boolean => address.test(text)

/** Masks the private keys of a text and, if the text is an address, its secret parts. */
export const maskText = (text: string): string =>
  isAddressText(text) ? maskAddresses(text) : maskPrivateKeys(text, getMask)

/** Lists the secret parts of a text. */
export const listSecretsInText = (text: string): readonly string[] =>
  (isAddressText(text) ? findSecretParts(text) : findPrivateKeys(text)).flatMap(
    ({ start, end, name }) => {
      const part = text.slice(start, end)
      return name === 'userinfo' ? [part, ...part.split(':').slice(1)] : [part]
    },
  )

/** True if a user name and password refer to a variable: `ci:$CI_JOB_TOKEN`. */
const isVariableReference = (secret: string): boolean => /(?:^|:)\$(?:\w+|\{\w+\})$/.test(secret)

/** Masks every recognizable secret of a text: in the addresses that it mentions, and in its assignments, as in a CI file. */
export const maskWholeText = (text: string, mark: TextMark): string =>
  maskAssignments(
    maskAddresses(text, (name, secret) =>
      isVariableReference(secret) ? secret : mark(name, secret),
    ),
    mark,
  )

// Values, with the fields of records at any depth.

/** The certainty that a field is secret. Of a `guessed` field, only texts are masked, alone or in a list. */
export type Secrecy = 'declared' | 'guessed'

/**
 * The meaning of a name. A `value` is a secret beside a field that `marks` its record as a variable, and below a field that `holds`
 * variables.
 */
type Meaning = Secrecy | 'value' | 'marks' | 'holds' | undefined

/** A function that returns the meaning of a field's name for secrets. */
export type SecrecyFinder = (name: string) => Meaning

/** The part of a vocabulary that identifies secret fields, under either name. */
export interface SecretWords {
  name(neutral: string): string
  neutral(own: string): string
  named(own: string): boolean
  /** The endings of the names of secret fields. */
  readonly secretEndings: readonly string[]
}

/** The vocabularies of the instances of a line. Each may add secrets, and none can take one away. */
const vocabularies = createLineState(() => new Set<SecretWords>())

/** Remembers a vocabulary: from then on, its names are those of secrets wherever something is masked. */
export const recordSecretWords = (words: SecretWords): void => void vocabularies().add(words)

/** Returns a name under which a field is found, with its names in the vocabularies. */
const listNames = (name: string): readonly string[] => [
  name,
  ...[...vocabularies()].flatMap((words) => [words.neutral(name), words.name(name)]),
]

/** Lists the endings of the names of secrets in the vocabularies, and their names for declared secrets. */
export const listOwnEndings = (declared: readonly string[]): readonly string[] =>
  [...vocabularies()].flatMap((words) => [...words.secretEndings, ...declared.map(words.name)])

/** The fields of a variable: its value is a secret, whatever it is called. */
const variable: Readonly<Record<string, Meaning>> = {
  value: 'value',
  variable_type: 'marks',
  masked: 'marks',
  variables: 'holds',
}

/** Matches the name of a variable's value in a form: `variables[0][value]`. */
const variableValue = /\bvariables\b.*\[value\]$/

/** The names because of which a record is inspected for variables. */
export const variableNames = Object.keys(variable)

/** The maximum number of names that are kept, so that an endless supply of names cannot fill the memory. */
const maxNames = 10_000

const getMeaning = (name: string, declared: ReadonlySet<string>): Meaning => {
  const names = listNames(name)
  const isNamed = [...vocabularies()].some((words) => words.named(name))
  if (isNamed || names.some((one) => declared.has(one))) return 'declared'
  if (names.some((one) => isSecretName(one) || variableValue.test(one))) return 'guessed'
  const known = names.find((one) => Object.hasOwn(variable, one))
  return known === undefined ? undefined : variable[known]
}

/**
 * Returns a test of field names: a field is secret if it is declared to hold credentials, has a name that credentials have, or is secret in
 * a vocabulary.
 * @returns the same test for the same arguments
 */
export const getSecrecies = (declared: ReadonlySet<string> = noNames): SecrecyFinder => {
  const before = tests().get(declared)
  const size = declared.size + vocabularies().size
  if (before?.size === size) return before.findSecrecy
  const findSecrecy = createSecrecies(declared)
  tests().set(declared, { size, findSecrecy })
  return findSecrecy
}

const noNames: ReadonlySet<string> = new Set()

interface SecrecyTest {
  /** The number of declared names and vocabularies, both of which only grow. */
  readonly size: number
  readonly findSecrecy: SecrecyFinder
}

/** The tests by their declared names: all requests of a run use the same ones. */
const tests = createLineState(() => new WeakMap<ReadonlySet<string>, SecrecyTest>())

const createSecrecies = (declared: ReadonlySet<string>): SecrecyFinder => {
  const known = new Map<string, Meaning>()
  return (name) => {
    if (declared.has(name)) return 'declared'
    if (known.has(name)) return known.get(name)
    const found = getMeaning(name, declared)
    if (known.size < maxNames) known.set(name, found)
    return found
  }
}

/** Returns the secrecy that a name has by itself, regardless of the fields beside it. */
export const getSecrecy = (findSecrecy: SecrecyFinder, name: string): Secrecy | undefined => {
  const meaning = findSecrecy(name)
  return meaning === 'declared' || meaning === 'guessed' ? meaning : undefined
}

/** The replacement that is written instead of hidden values. */
export interface Replacement {
  /** Returns the replacement for the value of a field with this name. */
  value(name: string, value: unknown): unknown
  /** Returns the replacement of a text in a field that is not secret; the text itself if it contains no secret. */
  text(name: string, text: string): unknown
}

const defaultReplacement: Replacement = {
  value: () => masked,
  text: (_, text) => maskText(text),
}

/** True if the value of a marker field marks its record as a variable; `masked` may also be false. */
const marksVariable = (value: unknown): boolean =>
  value !== false && value !== 'false' && value !== null && value !== undefined

class Masker {
  constructor(
    private readonly findSecrecy: SecrecyFinder,
    private readonly instead: Replacement,
  ) {}

  /** @param held true below a field that holds variables */
  value(value: unknown, name: string, secrecy: Secrecy | undefined, held = false): unknown {
    if (secrecy === 'declared') return this.#mask(value, name)
    if (typeof value === 'string')
      return secrecy === 'guessed' ? this.#mask(value, name) : this.instead.text(name, value)
    if (Array.isArray(value)) return this.#maskList(value, name, secrecy, held)
    return isObject(value) ? this.fields(value, held) : value
  }

  #mask(value: unknown, name: string): unknown {
    return value === null || value === undefined || value === ''
      ? value
      : this.instead.value(name, value)
  }

  #maskList(
    list: readonly unknown[],
    name: string,
    secrecy: Secrecy | undefined,
    held: boolean,
  ): unknown {
    const items = list.map((item) => this.value(item, name, secrecy, held))
    return items.every((item, i) => item === list[i]) ? list : items
  }

  fields(record: Fields, held = false): Fields {
    const names = Object.keys(record)
    const isVariable =
      held ||
      names.some((name) => this.findSecrecy(name) === 'marks' && marksVariable(record[name]))
    // Nothing is copied unless a value is masked.
    let hidden: Map<string, unknown> | undefined
    for (const name of names) {
      const meaning = this.findSecrecy(name)
      const own = meaning === 'value' && isVariable
      const secrecy = own ? 'declared' : getSecrecy(this.findSecrecy, name)
      const shown = this.value(record[name], name, secrecy, held || meaning === 'holds')
      if (shown !== record[name])
        hidden = (hidden ?? new Map(Object.entries(record))).set(name, shown)
    }
    return hidden === undefined ? record : Object.fromEntries(hidden)
  }
}

/**
 * Masks every secret of a value, at any depth; returns the value itself if it has none. An absent, null or empty secret is not masked:
 * people may see that it is not set. Numbers and booleans under a name that only looks like a secret's describe how it is used, and are not
 * masked.
 * @param secrecy the secrecy of the place of the value itself
 */
export const maskSecrets = (
  value: unknown,
  findSecrecy: SecrecyFinder,
  secrecy?: Secrecy,
  instead: Replacement = defaultReplacement,
): unknown => new Masker(findSecrecy, instead).value(value, '', secrecy)

/** Masks the secrets of a record, as `maskSecrets` does for a value. */
export const maskFields = (
  record: Fields,
  findSecrecy: SecrecyFinder = getSecrecies(),
  instead: Replacement = defaultReplacement,
): Fields => new Masker(findSecrecy, instead).fields(record)

/** True if the value of a field is a secret, or contains one. */
export const isSecret = (name: string, value: unknown): boolean =>
  maskFields({ [name]: value })[name] !== value
