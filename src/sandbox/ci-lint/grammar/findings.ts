/** Checks the values of a configuration against the types of its keywords. Findings have the messages of instances. */

import {
  type AdvisedType,
  type AllType,
  describeChange,
  type EitherType,
  type Finding,
  type Form,
  type HashType,
  type ItemsType,
  isHash,
  isKnown,
  type JudgedVersion,
  type Keys,
  type LeafType,
  type NamedType,
  type Type,
  type WordsType,
} from './types.js'
import { isKeywordReference } from './values.js'

/** The position of a value, such as `jobs:a:artifacts:when`. For an attribute, it also has the path of the owner and the keyword. */
interface Place {
  readonly path: string
  readonly owner?: string
  readonly keyword?: string
}

const toWords = (key: string): string => key.replaceAll('_', ' ')

const getSubject = ({ path, owner, keyword }: Place): string =>
  keyword === undefined ? `${path} config` : `${owner} ${keyword}`

/** Builds the message of a finding from its subject, its fault, and the versions that differ. */
const buildSentence = (subject: string, says: string, changes: readonly string[] = []): string => {
  const shown = changes.filter((change) => change !== '')
  return `${subject} ${says}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
}

const getForm = (value: unknown): Form | undefined => {
  if (Array.isArray(value)) return 'list'
  if (isHash(value)) return 'hash'
  const kind = typeof value
  return kind === 'string' || kind === 'number' || kind === 'boolean' ? kind : undefined
}

const getType = (keys: Keys, key: string): Type | undefined =>
  Object.hasOwn(keys, key) ? keys[key] : undefined

const createPlaceBelow = (path: string, key: string, { entry }: Type): Place => ({
  path: `${path}:${key}`,
  ...(entry === true ? {} : { owner: path, keyword: toWords(key) }),
})

/** Validates values by the rules of one version. */
class Validator {
  readonly #asOf: JudgedVersion
  constructor(asOf: JudgedVersion) {
    this.#asOf = asOf
  }

  of(type: Type, value: unknown, place: Place): readonly Finding[] {
    switch (type.kind) {
      case 'leaf':
        return this.#checkLeaf(type, value, place)
      case 'words':
        return this.#checkWords(type, value, place)
      case 'hash':
        return this.#checkHash(type, value, place)
      case 'named':
        return this.#checkNamed(type, value, place)
      case 'items':
        return this.#checkItems(type, value, place)
      case 'either':
        return this.#checkEither(type, value, place)
      case 'all':
        return this.#checkAll(type, value, place)
      case 'chosen':
        return this.of(type.of(value), value, place)
      case 'advised':
        return this.#checkAdvised(type, value, place)
    }
  }

  #checkLeaf({ holds, says }: LeafType, value: unknown, place: Place): readonly Finding[] {
    if (holds(value)) return []
    const text = typeof says === 'string' ? says : says(value)
    return [{ text: buildSentence(getSubject(place), text) }]
  }

  #checkWords({ words, says, many }: WordsType, value: unknown, place: Place): Finding[] {
    const known = [...words].flatMap(([word, span]) => (isKnown(span, this.#asOf) ? [word] : []))
    const several = many && Array.isArray(value)
    const given: readonly unknown[] = several ? value : [value]
    const wrong = given.filter(
      (one) => !isKeywordReference(one) && !known.some((word) => word === one),
    )
    if (wrong.length === 0) return []
    const text = several
      ? `contains unknown values: ${[...new Set(wrong)].join(', ')}`
      : says(known.join(', '), value)
    const changes = wrong.map((one) =>
      describeChange(`\`${one}\``, words.get(String(one)) ?? {}, this.#asOf),
    )
    return [{ text: buildSentence(getSubject(place), text, changes) }]
  }

  #checkHash({ keys, relations, unknown }: HashType, value: unknown, place: Place): Finding[] {
    if (!isHash(value)) return [{ text: buildSentence(getSubject(place), 'should be a hash') }]
    const { path } = place
    return [
      ...this.#checkUnknown(keys, unknown, value, path),
      ...relations
        .filter(({ holds }) => !holds(value, path))
        .map(({ key, says, curable }): Finding => {
          const subject = `${path} ${key === undefined ? 'config' : toWords(key)}`
          const text = buildSentence(subject, typeof says === 'string' ? says : says(value))
          return { text, ...(curable ? { curable } : {}) }
        }),
      ...Object.entries(value).flatMap(([key, one]) => {
        const type = getType(keys, key)
        return type === undefined ||
          one === null ||
          isKeywordReference(one) ||
          !isKnown(type, this.#asOf)
          ? []
          : this.of(type, one, createPlaceBelow(path, key, type))
      }),
    ]
  }

  #checkUnknown(keys: Keys, says: string, value: object, path: string): Finding[] {
    const unknown = Object.keys(value).filter((key) => {
      const type = getType(keys, key)
      return type === undefined || !isKnown(type, this.#asOf)
    })
    if (unknown.length === 0) return []
    const changes = unknown.map((key) =>
      describeChange(`\`${key}\``, getType(keys, key) ?? {}, this.#asOf),
    )
    return [{ text: buildSentence(`${path} config`, `${says}: ${unknown.join(', ')}`, changes) }]
  }

  #checkNamed({ of, says }: NamedType, value: unknown, { path }: Place): readonly Finding[] {
    if (!isHash(value)) return [{ text: buildSentence(path, says) }]
    return Object.entries(value).flatMap(([name, one]) =>
      isKeywordReference(one) ? [] : this.of(of, one ?? {}, { path: `${path}:${name}` }),
    )
  }

  #checkItems({ of, item, says }: ItemsType, value: unknown, { path }: Place): readonly Finding[] {
    if (!Array.isArray(value)) return [{ text: buildSentence(path, says) }]
    const flat: readonly unknown[] = value.flat(10)
    const below = item === '' ? path : `${path}:${item}`
    return flat.flatMap((one) => (isKeywordReference(one) ? [] : this.of(of, one, { path: below })))
  }

  #checkEither({ forms, says }: EitherType, value: unknown, place: Place): readonly Finding[] {
    const form = getForm(value)
    const type = form === undefined ? undefined : forms[form]
    if (type !== undefined && isKnown(type, this.#asOf)) return this.of(type, value, place)
    const subject = place.keyword === undefined ? place.path : getSubject(place)
    return [
      { text: buildSentence(subject, says, [describeChange('this form', type ?? {}, this.#asOf)]) },
    ]
  }

  #checkAll({ of }: AllType, value: unknown, place: Place): readonly Finding[] {
    const found: Finding[] = []
    for (const type of of.filter((one) => isKnown(one, this.#asOf))) {
      const limit =
        type.forbids === undefined
          ? describeChange('this limit', type, undefined)
          : `${type.forbids} was added in ${type.until}`
      const wrong = this.of(type, value, place)
      found.push(
        ...wrong.map((one) =>
          limit === '' ? one : { ...one, text: buildSentence(one.text, `(${limit})`) },
        ),
      )
      if (wrong.some(({ advice }) => advice !== true)) return found
    }
    return found
  }

  #checkAdvised({ of }: AdvisedType, value: unknown, place: Place): readonly Finding[] {
    return this.of(of, value, place).map((one) => ({
      ...one,
      advice: true,
      text: buildSentence(one.text, "(the service's schema does not allow this)"),
    }))
  }
}

/** Checks a value at `path` against a type. @returns the findings */
export const checkNode = (
  type: Type,
  value: unknown,
  path: string,
  asOf: JudgedVersion,
): readonly Finding[] => new Validator(asOf).of(type, value, { path })
