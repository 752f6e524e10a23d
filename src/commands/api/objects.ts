/** What standard input names for `svcctl api <method> <path with {}> -`, as it comes. */
import { JsonCutter } from '../../base/json/cutter.js'
import { digitsOf, isNumber } from '../../base/json/json.js'
import { isObject } from '../../base/objects.js'
import { usage } from '../../errors.js'

/** The columns that name an object, the most certain first. */
const naming = ['object', 'id'] as const

const strange = (what: string): Error =>
  usage(`standard input: ${what}`, 'api takes one object a line, or records with an id.')

/** What a value of JSON names. */
const nameIn = (value: unknown): string => {
  const named = isObject(value) ? (value.object ?? value.id) : value
  if (isNumber(named)) return digitsOf(named)
  if (typeof named === 'string') return named
  throw strange(`${JSON.stringify(value)?.slice(0, 40) ?? ''} names no object`)
}

/** Takes text, and gives what it names. */
type Form = (text: string, last: boolean) => readonly string[]

const json = (): Form => {
  const cutter = new JsonCutter()
  return (text, last) =>
    [...cutter.push(text), ...(last ? cutter.end() : [])].map(({ value }) => nameIn(value))
}

/** How a line of a table names its object; undefined where the first line is an object itself. */
const cellOf = (heading: string): ((line: string) => string) | undefined => {
  const cells = heading.split('\t')
  const column = naming.map((name) => cells.indexOf(name)).find((at) => at >= 0)
  if (column !== undefined) return (row) => row.split('\t')[column] ?? ''
  if (cells.length > 1) throw strange('the table has no column id')
  return undefined
}

/** The objects of a table whose heading names them; else one a line. */
const lines = (): Form => {
  let rest = ''
  let nameOf: ((line: string) => string) | undefined
  return (text, last) => {
    const cut = (rest + text).split('\n')
    rest = last ? '' : (cut.pop() ?? '')
    const found = cut.map((line) => line.trim()).filter((line) => line !== '')
    const [heading] = found
    if (nameOf !== undefined || heading === undefined)
      return found.map((line) => nameOf?.(line) ?? line)
    const named = cellOf(heading)
    nameOf = named ?? ((line) => line)
    return named === undefined ? found : found.slice(1).map(named)
  }
}

/**
 * The objects that standard input names, in its order; those that came together are understood whole
 * before any of them is given.
 * @throws Failure `usage` for what names none
 */
export async function* objectsIn(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly string[]> {
  let form: Form | undefined
  let begun = ''
  let any = false
  for await (const chunk of chunks) {
    const text = form === undefined ? (begun + chunk).replace(/^\ufeff/, '').trimStart() : chunk
    begun = text
    if (text === '') continue
    form ??= /^[[{]/.test(text) ? json() : lines()
    const found = form(text, false)
    if (found.length > 0) yield found
    any ||= found.length > 0
  }
  const found = form?.('', true) ?? []
  if (!any && found.length === 0) throw strange('it names nothing to work on')
  if (found.length > 0) yield found
}
