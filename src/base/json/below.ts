/** A record with what it belongs to: `{"project":"platform/app","record":…}`. */

/** What stands before the record; behind it stands `tail`. */
export const getHead = (column: string, name: string): Buffer =>
  Buffer.from(`{${JSON.stringify(column)}:${JSON.stringify(name)},"record":`)

export const tail = Buffer.from('}')

/** Puts records below what they belong to. */
export const wrapper = (column: string, name: string): ((record: Uint8Array) => Uint8Array) => {
  const head = getHead(column, name)
  return (record) => Buffer.concat([head, record, tail])
}

const between = Buffer.from(',"record":')
const quote = 0x22

/** The name and the record of such bytes; undefined where there is no record, as of what could not be read. */
export const splitBelow = (
  bytes: Uint8Array,
  column: string,
): { readonly name: string; readonly record: Uint8Array } | undefined => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const begin = Buffer.byteLength(JSON.stringify(column)) + 2
  // Quotes inside a name are escaped, so that this is the first one that ends it.
  let end = begin + 1
  while (end < text.length && text[end] !== quote) end += text[end] === 0x5c ? 2 : 1
  const at = end + 1 + between.length
  if (!text.subarray(end + 1, at).equals(between)) return undefined
  const name = String(JSON.parse(text.subarray(begin, end + 1).toString()))
  return { name, record: text.subarray(at, text.length - tail.length) }
}
