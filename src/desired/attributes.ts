/** What follows from a kind's fact: its attributes, and where each is read. */

import { isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Managed, Reference } from '../catalogue/managed/managed.js'
import type { Param } from '../catalogue/params.js'

/** A parameter that files can declare. */
export interface Attribute {
  readonly name: string
  readonly param: Param
  /** The path of the field that shows it (`users[].id`); undefined where no answer does. */
  readonly field: string | undefined
  /** Cannot be read back, and is nowhere shown. */
  readonly secret: boolean
  /** A name in files stands for a number. */
  readonly ref?: Reference
  /** Given at creation only. */
  readonly fixed: boolean
  /** Sent with every change. */
  readonly keep: boolean
  readonly operational: boolean
}

const shapeFields = (endpoint: Endpoint | undefined): readonly string[] => {
  const shape = endpoint?.returns.shape
  return isObject(shape) && isObject(shape.properties) ? Object.keys(shape.properties) : []
}

const fieldOf = (kind: Managed, name: string): string | undefined => {
  const from = kind.from?.[name]
  if (from !== undefined) return from
  if (kind.unreadable?.includes(name)) return undefined
  if ([...shapeFields(kind.read), ...shapeFields(kind.each)].includes(name)) return name
  const echo = kind.update?.echo
  return echo === undefined ? undefined : `${echo}.${name}`
}

const attributeOf = (kind: Managed, name: string, param: Param): Attribute => {
  const ref = kind.refs?.[name]
  const secret = param.secret === true
  return {
    name,
    param,
    field: secret ? undefined : fieldOf(kind, name),
    secret,
    ...(ref === undefined ? {} : { ref }),
    fixed: kind.fixed?.includes(name) === true,
    keep: kind.keep?.includes(name) === true,
    operational: kind.operational?.includes(name) === true,
  }
}

/** The attributes of a kind: parameters of create and update less identity, placeholders and deprecated ones. */
export const attributesOf = (kind: Managed): ReadonlyMap<string, Attribute> => {
  const params = { ...kind.create?.params, ...kind.update?.params }
  const left = new Set([kind.identity, ...Object.keys(kind.at ?? {}), ...(kind.without ?? [])])
  return new Map(
    Object.entries(params)
      .filter(([name, param]) => !left.has(name) && param.deprecated === undefined)
      .map(([name, param]) => [name, attributeOf(kind, name, param)]),
  )
}
