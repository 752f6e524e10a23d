/** Reads the schemas of an OpenAPI document: follows references, merges unions, and reduces answers to the names and types of their fields. */
import { getOwn, isObject, type JsonValue, listObjects } from '../base/objects.js'
import type { LooseSchema } from './parameters.js'

/** The longest chain of references that is followed. */
const deepest = 20

/** An operation that cannot become a command; its message is the reason. */
export class UnusableOperation extends Error {}

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

/** Returns the only type of a schema besides null; undefined if there is none, or several. */
const getOnlyType = ({ type, enum: values }: LooseSchema): unknown => {
  const types = [type].flat().filter((one) => one !== undefined && one !== 'null')
  if (types.length > 0) return types.length === 1 ? types[0] : undefined
  return Array.isArray(values) && values.every((one) => typeof one === 'string')
    ? 'string'
    : undefined
}

const isScalar = ({ type }: LooseSchema): boolean =>
  type === 'string' || type === 'integer' || type === 'number' || type === 'boolean'

/** Reads the parts of a document, and follows their references. */
export class OpenApiReader {
  /** Merged schemas. A schema that contains itself is complete only after its parts. */
  readonly #merged = new Map<object, LooseSchema>()

  constructor(readonly root: LooseSchema) {}

  /**
   * Follows the reference of a value within the document. @throws UnusableOperation for one to another document, to itself or to nothing
   */
  resolve(value: unknown, depth = 0): LooseSchema {
    if (!isObject(value)) return {}
    const { $ref } = value
    if (typeof $ref !== 'string') return value
    if (!$ref.startsWith('#/') || depth > deepest)
      throw new UnusableOperation('it refers to another document, or to itself')
    let inner: unknown = this.root
    for (const part of $ref.slice(2).split('/').map(decodePart)) {
      // A reference may lead through a list.
      const holder: unknown = Array.isArray(inner) ? { ...inner } : inner
      inner = isObject(holder) ? getOwn(holder, part) : undefined
    }
    if (!isObject(inner))
      throw new UnusableOperation('it refers to what the document does not have')
    return this.resolve(inner, depth + 1)
  }

  /** Merges the parts of a schema: all of `allOf`, and one of `oneOf` and of `anyOf`. */
  schema(value: unknown): LooseSchema {
    const whole = this.resolve(value)
    const known = this.#merged.get(whole)
    if (known !== undefined) return known
    const { allOf, oneOf, anyOf, ...own } = whole
    this.#merged.set(whole, own)
    try {
      const result = this.#merge(own, { allOf, oneOf, anyOf })
      this.#merged.set(whole, result)
      return result
    } catch (error) {
      // The next operation with this schema must fail as well.
      this.#merged.delete(whole)
      throw error
    }
  }

  #merge(own: LooseSchema, { allOf, oneOf, anyOf }: LooseSchema): LooseSchema {
    const chosen = [oneOf, anyOf].flatMap((all) => this.#choose(listObjects(all)))
    const parts = [own, ...listObjects(allOf).map((one) => this.schema(one)), ...chosen]
    const properties = Object.assign({}, ...parts.toReversed().map((one) => one.properties))
    const required = parts.flatMap((one) => (Array.isArray(one.required) ? one.required : []))
    const merged = {
      ...Object.assign({}, ...parts.toReversed()),
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    }
    return { ...merged, type: getOnlyType(merged) }
  }

  /**
   * Chooses one of several schemas: the first that is not null. Lists of words are joined. If another kind of scalar may be any text, such
   * as a path beside an ID, it is text.
   */
  #choose(all: readonly LooseSchema[]): readonly LooseSchema[] {
    const some = all.filter(({ type }) => type !== 'null')
    const [first] = some.slice(0, 1).map((one) => this.schema(one))
    if (first === undefined) return []
    // The others are read only where they matter.
    const parts = isScalar(first) ? some.map((one) => this.schema(one)) : []
    if (parts.length < 2 || !parts.every(isScalar)) return [first]
    const words = parts.flatMap((one) => (Array.isArray(one.enum) ? [one.enum] : []))
    if (words.length === parts.length) return [{ ...first, enum: words.flat() }]
    const hasText = parts.some(({ type, format }) => type === 'string' && format === undefined)
    return [hasText ? { ...first, type: 'string', enum: undefined, format: undefined } : first]
  }

  /** Merges the schema of a parameter, and that of its items. */
  param(value: unknown): LooseSchema {
    const schema = this.schema(value)
    return schema.items === undefined ? schema : { ...schema, items: this.schema(schema.items) }
  }

  /** Reduces a schema to the names and types of its fields, `levels` deep. */
  shape(value: unknown, levels = 2): Readonly<Record<string, JsonValue>> {
    const { type, format, properties, items } = this.schema(value)
    const fields = isObject(properties) ? Object.entries(properties) : []
    return {
      ...(typeof type === 'string' && { type }),
      ...(typeof format === 'string' && { format }),
      ...(fields.length > 0 &&
        levels > 0 && {
          properties: Object.fromEntries(
            fields.map(([name, one]) => [name, this.shape(one, levels - 1)]),
          ),
        }),
      ...(items !== undefined && levels > 1 && { items: this.shape(items, levels - 1) }),
    }
  }
}
