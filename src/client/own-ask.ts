/** Translates the values of a request to the instance's own names. */
import { getOwn, type JsonValue, type JsonValues } from '../base/objects.js'
import { mapInnerFields, type Param, type Params, takesPairs } from '../catalogue/params.js'
import type { Words } from '../catalogue/words.js'
import { usage } from '../errors.js'
import { getPathNames } from '../http/index.js'
import type { Ask } from '../http/types.js'

/** True if a parameter takes any keys: these are the user's own, so they are not translated. */
const isOpen = (param: Param | undefined): boolean => takesPairs(param) && param.keys === undefined

/** Translates a name with brackets, level by level. The keys of a parameter that takes any keys stay as they are. */
const toOwnName = (name: string, params: Params, words: Words): string => {
  const [root = ''] = name.split('[', 1)
  return isOpen(getOwn(params, root))
    ? words.name(root) + name.slice(root.length)
    : words.name(name)
}

/** Translates the names of values, and the keys inside them that a parameter documents. */
const toOwnValues = (
  values: JsonValues,
  params: Params,
  words: Words,
): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (value === undefined) return []
      const translated = mapInnerFields(value, getOwn(params, name), (fields, inner) =>
        toOwnValues(fields, inner, words),
      )
      return [[toOwnName(name, params, words), translated]]
    }),
  )

/**
 * Replaces a family of integrations by the instance's own slug, if the value is a family.
 * @throws Failure `usage` for a family that has several slugs there
 */
const toOwnSlug = (value: JsonValue | undefined, words: Words): JsonValue | undefined => {
  const own = typeof value === 'string' ? words.slugs(value) : []
  const [first, ...more] = own
  if (first === undefined || more.length === 0) return first ?? value
  throw usage(
    `${String(value)} has several slugs on this instance: ${own.join(', ')}`,
    'Choose one.',
  )
}

/**
 * Translates an ask to the instance's own names. Endpoints of an extension use these already.
 * @throws Failure `usage` if the names of the vocabulary turn the endpoint into another one
 */
export const toOwnAsk = async (ask: Ask, words: Words): Promise<Ask> => {
  const { endpoint, values, extra, files } = ask
  if (endpoint.from !== undefined) return ask
  const { params, path } = endpoint
  const inPath = getPathNames(endpoint).map((name) => {
    const value = getOwn(values, name)
    const isSlug = getOwn(path, name)?.completes === 'integration'
    return [name, isSlug ? toOwnSlug(value, words) : value] as const
  })
  const others = Object.entries(values).filter(([name]) => !inPath.some(([one]) => one === name))
  return {
    ...ask,
    endpoint: await words.rename(endpoint),
    values: {
      ...toOwnValues(Object.fromEntries(others), params, words),
      ...Object.fromEntries(inPath),
    },
    extra: extra && toOwnValues(extra, params, words),
    files:
      files &&
      Object.fromEntries(Object.entries(files).map(([name, file]) => [words.name(name), file])),
  }
}
