/** Reports the errors of a value as findings, each in one sentence and at its position. */
import { isObject } from '../objects.js'
import type { Findings } from './findings.js'
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
import type { Origin } from './written.js'

/** Finds the position of a part of a value, or of the key that it stands under. */
export type OriginFinder = (path: ValuePath, isKey?: boolean) => Origin

/** An error of a value: `schemaPath` leads to the schema that has the keyword. */
export interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

const splitPointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

// The choice of the intended branch, for values that may match one of several schemas.

const isBelow = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}/`)

const getPlace = ({ schemaPath, instancePath }: SchemaError): string =>
  `${schemaPath} ${instancePath}`

/** Returns the errors that are not consequences of others: a wrong type explains every other error of the same schema. */
const dropConsequences = (errors: readonly SchemaError[]): readonly SchemaError[] => {
  const listPlaces = (keyword: string): ReadonlySet<string> =>
    new Set(errors.filter((one) => one.keyword === keyword).map(getPlace))
  const [constant, mistyped] = [listPlaces('const'), listPlaces('type')]
  const unfit = listPlaces('anyOf')
  const keys = errors.filter(({ schemaPath }) => schemaPath.endsWith('/propertyNames'))
  const outer = errors.filter(({ keyword }) => keyword === 'oneOf')
  return errors.filter((one) => {
    const { keyword, schemaPath, instancePath } = one
    if (keyword === 'boolean' && schemaPath.endsWith('/additionalProperties')) return false
    if (keyword === 'type' && constant.has(getPlace(one))) return false
    if (keyword !== 'type' && keyword !== 'const' && mistyped.has(getPlace(one))) return false
    if (keyword === 'not' && unfit.has(getPlace(one))) return false
    // If a key is wrong, its value is not checked.
    if (keys.some((key) => key !== one && isBelow(instancePath, key.instancePath))) return false
    return !outer.some((of) => isBelow(schemaPath, `${of.schemaPath}/oneOf`))
  })
}

/** Returns the cost of a branch by its errors. A missing or unknown key is a stronger sign of a wrong branch than a wrong value. */
const getCost = (errors: readonly SchemaError[]): number =>
  errors.reduce(
    (sum, { keyword }) =>
      sum + (keyword === 'required' || keyword === 'additionalProperties' ? 2 : 1),
    0,
  )

/** Reports the errors of one value as findings. */
class ErrorReporter {
  constructor(
    private readonly root: Schema,
    private readonly value: unknown,
    private readonly locate: OriginFinder,
    private readonly findings: Findings,
  ) {}

  /** Returns the schemas on the path to an error, with references resolved, the innermost last. */
  #listSchemasTo(schemaPath: string): readonly Schema[] {
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

  /** Returns the keys on the path to a part, with list indexes as numbers, and the part itself. */
  #findPart(instancePath: string): { readonly path: ValuePath; readonly part: unknown } {
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
    const schemas = this.#listSchemasTo(schemaPath)
    const [outer = {}, inner = {}] = schemas.slice(-2)
    // One of several forms has the hints of them all.
    const isForm = /\/anyOf\/\d+$/.test(schemaPath) && outer.anyOf !== undefined
    const schema = isForm ? { hints: outer.hints, ...inner } : (schemas.at(-1) ?? {})
    const isSecret = schemas.some(({ writeOnly }) => writeOnly === true)
    const { path, part } = this.#findPart(instancePath)
    const isKey = schemaPath.endsWith('/propertyNames')
    const value = isKey ? path.at(-1) : part
    const problem: SchemaProblem = {
      params: params as Schema,
      schema: keyword === 'anyOf' ? this.#mergeBranches(schema) : schema,
      value,
      path,
      name: getName(schema, path),
      // A file that is not even a map may be any file, so its content is not quoted.
      shown: describeValue(value, isSecret || instancePath === ''),
      isSecret,
    }
    const getSentence = sentences[keyword === 'anyOf' ? 'type' : keyword]
    const { errorMessage: customMessage } = schema
    const sentence = getSentence?.(problem) ?? describeInvalid(problem)
    // An empty value is said to be empty, whatever else is wrong with it.
    const replacement =
      typeof customMessage === 'string' && value !== '' ? customMessage : undefined
    const isOwnKey = keyword === 'not' && isRefused(schema)
    for (const { text, hint, key } of [sentence].flat()) {
      const at =
        key === undefined || isOwnKey
          ? this.locate(path, isKey || isOwnKey)
          : this.locate([...path, key], true)
      this.findings.add(at, replacement ?? text, hint)
    }
  }

  /** Lists the schemas of `anyOf`, including those of an `anyOf` within it. */
  #listBranches({ anyOf }: Schema): readonly Schema[] {
    return [anyOf].flat().flatMap((one) => {
      const branch = isObject(one) ? this.#resolve(one) : {}
      return branch.anyOf === undefined ? [branch] : this.#listBranches(branch)
    })
  }

  /** Merges the schemas of `anyOf` into one. A pattern without a title is another way to write one of the others, so it is left out. */
  #mergeBranches(schema: Schema): Schema {
    const all = this.#listBranches(schema)
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

  /** True if the value is of a type that the schema does not accept. */
  #isMismatch({ keyword, schemaPath, instancePath }: SchemaError): boolean {
    if (keyword === 'type' || keyword === 'const' || keyword === 'anyOf') return true
    if (keyword !== 'enum') return false
    const { part } = this.#findPart(instancePath)
    const choices = [this.#listSchemasTo(schemaPath).at(-1)?.enum ?? []].flat()
    return !choices.some((one) => typeof one === typeof part)
  }

  /**
   * Drops the errors that follow from others. If a value must match one of several schemas, only the errors of the closest one are kept. If
   * none fits the value's type, a single error stands for all.
   */
  #chooseBranches(errors: readonly SchemaError[]): readonly SchemaError[] {
    let left = dropConsequences(errors)
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

  /** Returns the errors of the intended branch; none if the error of `anyOf` is more helpful. */
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
    const isSpecific = fitting.length === 1 && !best.some((one) => this.#isUntitledPattern(one))
    return isSpecific ? best : []
  }

  #isUntitledPattern({ keyword, schemaPath }: SchemaError): boolean {
    return keyword === 'pattern' && this.#listSchemasTo(schemaPath).at(-1)?.title === undefined
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

/** Adds a finding for every error of a value. */
export const reportErrors = (
  schema: Schema,
  value: unknown,
  errors: readonly SchemaError[],
  locate: OriginFinder,
  findings: Findings,
): void => {
  const marks = errors.flatMap((error) => findMark(schema, error))
  new ErrorReporter(schema, value, locate, findings).report(marks.length > 0 ? marks : errors)
}
