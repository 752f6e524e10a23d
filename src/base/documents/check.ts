/** Holds a value to its JSON Schema. What is wrong is said in one sentence a keyword, at the position of what is wrong. */
import { Check, Compile, Errors, type Validator } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { isObject } from '../objects.js'
import type { Findings } from './findings.js'
import type { Origin } from './origin.js'
import {
  describeInvalid,
  describeValue,
  getName,
  getSubschema,
  isRefused,
  listTexts,
  listTypes,
  type Schema,
  type SchemaProblem,
  sentences,
  type ValuePath,
} from './sentences.js'

/** As many errors of one file are looked at; the library's own number is 8. */
Settings.Set({ maxErrors: 2000 })

/** Finds the position of a part of a value, or of the key that it stands under. */
export type OriginFinder = (path: ValuePath, isKey?: boolean) => Origin

/** An error of the library: `schemaPath` leads to the schema that has the keyword. */
interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

/** The number of characters that were checked with a schema, and its compiled form once that pays off. */
interface SchemaUse {
  size: number
  validator?: Validator
}
const uses = new WeakMap<object, SchemaUse>()

/** Compiling the schema of declared files takes 25 ms, and then checking is forty times quicker. */
const worthCompiling = 1 << 18

/** @param size of the text that the value is of */
const isValid = (schema: Schema, value: unknown, size: number): boolean => {
  const use = uses.get(schema) ?? { size: 0 }
  uses.set(schema, use)
  use.size += size
  if (use.size < worthCompiling) return Check(schema, value)
  use.validator ??= Compile(schema)
  return use.validator.Check(value)
}

const splitPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

// Of values that may be one of several, the branch that was meant.

const isBelow = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}/`)

const getPlace = ({ schemaPath, instancePath }: SchemaError): string =>
  `${schemaPath} ${instancePath}`

/** Returns the errors that are not consequences of others: a wrong type explains every other error of the same schema. */
const dropFollowing = (errors: readonly SchemaError[]): readonly SchemaError[] => {
  const places = (keyword: string): ReadonlySet<string> =>
    new Set(errors.filter((one) => one.keyword === keyword).map(getPlace))
  const [constant, mistyped] = [places('const'), places('type')]
  const keys = errors.filter(({ schemaPath }) => schemaPath.endsWith('/propertyNames'))
  const outer = errors.filter(({ keyword }) => keyword === 'oneOf')
  return errors.filter((one) => {
    const { keyword, schemaPath, instancePath } = one
    if (keyword === 'boolean' && schemaPath.endsWith('/additionalProperties')) return false
    if (keyword === 'type' && constant.has(getPlace(one))) return false
    if (keyword !== 'type' && keyword !== 'const' && mistyped.has(getPlace(one))) return false
    // Of a key that is wrong, the value is nobody's.
    if (keys.some((key) => key !== one && isBelow(instancePath, key.instancePath))) return false
    return !outer.some((of) => isBelow(schemaPath, `${of.schemaPath}/oneOf`))
  })
}

/** A key that is missing or unknown says more of the wrong branch than a wrong value. */
const getCost = (errors: readonly SchemaError[]): number =>
  errors.reduce(
    (sum, { keyword }) =>
      sum + (keyword === 'required' || keyword === 'additionalProperties' ? 2 : 1),
    0,
  )

/** Adds the findings of one value. */
class ErrorReporter {
  constructor(
    private readonly root: Schema,
    private readonly value: unknown,
    private readonly locate: OriginFinder,
    private readonly findings: Findings,
  ) {}

  /** Returns the schemas on the way to an error, references resolved, the innermost last. */
  #schemasTo(schemaPath: string): readonly Schema[] {
    const found = [this.#resolve(this.root)]
    let inner: unknown = this.root
    for (const part of splitPointer(schemaPath)) {
      const outer = isObject(inner) ? this.#resolve(inner) : inner
      inner = (outer as Schema | undefined)?.[part]
      if (isObject(inner)) found.push(this.#resolve(inner))
    }
    return found
  }

  #resolve(schema: Schema): Schema {
    const { $ref } = schema
    if (typeof $ref !== 'string') return schema
    return {
      ...this.#resolve(getSubschema(this.root, ...splitPointer($ref))),
      ...schema,
      $ref: undefined,
    }
  }

  /** Returns the keys to a part with indexes as numbers, and the part. */
  #partAt(instancePath: string): { readonly path: ValuePath; readonly part: unknown } {
    let part = this.value
    const path = splitPointer(instancePath).map((key) => {
      const isIndex = Array.isArray(part)
      part = (part as Schema | undefined)?.[key]
      return isIndex ? Number(key) : key
    })
    return { path, part }
  }

  report(errors: readonly SchemaError[]): void {
    for (const error of this.#chooseBranches(errors)) this.#reportOne(error)
  }

  #reportOne({ keyword, schemaPath, instancePath, params }: SchemaError): void {
    const schemas = this.#schemasTo(schemaPath)
    const schema = schemas.at(-1) ?? {}
    const isSecret = schemas.some(({ writeOnly }) => writeOnly === true)
    const { path, part } = this.#partAt(instancePath)
    const isKey = schemaPath.endsWith('/propertyNames')
    const value = isKey ? path.at(-1) : part
    const problem: SchemaProblem = {
      params: params as Schema,
      schema: keyword === 'anyOf' ? this.#mergeBranches(schema) : schema,
      value,
      path,
      name: getName(schema, path),
      // Any file may have been named: of one that is no map nothing is known.
      shown: describeValue(value, isSecret || instancePath === ''),
      isSecret,
    }
    const say = sentences[keyword === 'anyOf' ? 'type' : keyword]
    const own = schema.errorMessage
    const said = say?.(problem) ?? describeInvalid(problem)
    const isOwnKey = keyword === 'not' && isRefused(schema)
    for (const { text, hint, key } of [said].flat()) {
      const at =
        key === undefined || isOwnKey
          ? this.locate(path, isKey || isOwnKey)
          : this.locate([...path, key], true)
      this.findings.add(at, typeof own === 'string' ? own : text, hint)
    }
  }

  /** Merges the schemas of `anyOf` into one. A pattern without a title is another way to write one of the others, so it is left out. */
  #mergeBranches({ anyOf, ...schema }: Schema): Schema {
    const all = [anyOf].flat().flatMap((one) => {
      const branch = isObject(one) ? this.#resolve(one) : {}
      return branch.anyOf === undefined ? [branch] : [this.#mergeBranches(branch)]
    })
    const plain = all.filter(({ pattern, title }) => pattern === undefined || title !== undefined)
    const some = plain.length === 0 ? all : plain
    const typed = some.filter((one) => one.enum === undefined || listTypes(one).length > 1)
    const choices = some.flatMap((one) => one.enum ?? [])
    return {
      ...schema,
      type: [...new Set(typed.flatMap(listTypes))],
      ...(choices.length > 0 && { enum: choices }),
    }
  }

  /** Returns true if an error says that a value is of another kind than a schema takes. */
  #isMismatch({ keyword, schemaPath, instancePath }: SchemaError): boolean {
    if (keyword === 'type' || keyword === 'const') return true
    if (keyword !== 'enum') return false
    const { part } = this.#partAt(instancePath)
    const choices = [this.#schemasTo(schemaPath).at(-1)?.enum ?? []].flat()
    return !choices.some((one) => typeof one === typeof part)
  }

  /**
   * Returns the errors without those that follow from others. Of several schemas of which a value must fulfil one, the
   * errors of the one that it comes nearest to remain; where its kind fits none, a single error for all of them.
   */
  #chooseBranches(errors: readonly SchemaError[]): readonly SchemaError[] {
    let left = dropFollowing(errors)
    for (const outer of errors.filter(({ keyword }) => keyword === 'anyOf')) {
      const { schemaPath, instancePath } = outer
      const inside = left.filter(
        (one) =>
          isBelow(one.schemaPath, `${schemaPath}/anyOf`) && isBelow(one.instancePath, instancePath),
      )
      const kept = new Set(this.#chooseBranch(outer, inside))
      left = left.filter(
        (one) =>
          !(inside.includes(one) && !kept.has(one)) &&
          !(kept.size > 0 && getPlace(one) === getPlace(outer) && one.keyword === 'anyOf'),
      )
    }
    return left
  }

  /** Returns the errors of the branch that was meant; none where the error of all of them says more. */
  #chooseBranch(
    { schemaPath, instancePath }: SchemaError,
    inside: readonly SchemaError[],
  ): readonly SchemaError[] {
    const branches = new Map<string, SchemaError[]>()
    for (const one of inside) {
      const branch = one.schemaPath.slice(schemaPath.length).split('/', 3).join('/')
      branches.set(branch, [...(branches.get(branch) ?? []), one])
    }
    const fitting = [...branches.values()]
      .filter(
        (all) => !all.some((one) => one.instancePath === instancePath && this.#isMismatch(one)),
      )
      .toSorted((a, b) => getCost(a) - getCost(b))
    const [best = []] = fitting
    const isDeep = best.some(
      (one) =>
        one.instancePath !== instancePath ||
        one.keyword === 'required' ||
        one.keyword === 'additionalProperties',
    )
    if (isDeep || branches.size === 1) return best
    const isTold = fitting.length === 1 && !best.some((one) => this.#isUntitledPattern(one))
    return isTold ? best : []
  }

  #isUntitledPattern({ keyword, schemaPath }: SchemaError): boolean {
    return keyword === 'pattern' && this.#schemasTo(schemaPath).at(-1)?.title === undefined
  }
}

/**
 * Returns the part of an error that concerns the mark of a kind of file, a constant on its first level; nothing if there is none. Any file
 * may have been named, so a file without the mark gets no other error.
 */
const findMark = ({ properties }: Schema, error: SchemaError): readonly SchemaError[] => {
  const { keyword, instancePath, params } = error
  const isMark = (key: string): boolean => 'const' in getSubschema(properties, key)
  if (keyword === 'const') return isMark(instancePath.slice(1)) ? [error] : []
  if (keyword !== 'required' || instancePath !== '') return []
  const missing = listTexts((params as Schema).requiredProperties).filter(isMark)
  return missing.length === 0 ? [] : [{ ...error, params: { requiredProperties: missing } }]
}

/**
 * Adds a finding for everything in a value that its schema rejects.
 * @param size of the text, in characters
 * @returns true if the value is valid
 */
export const checkValue = (
  schema: object,
  value: unknown,
  locate: OriginFinder,
  findings: Findings,
  size: number,
): boolean => {
  const root = schema as Schema
  if (isValid(root, value, size)) return true
  const errors: readonly SchemaError[] = Errors(root, value)[1]
  const marks = errors.flatMap((error) => findMark(root, error))
  new ErrorReporter(root, value, locate, findings).report(marks.length > 0 ? marks : errors)
  return false
}
