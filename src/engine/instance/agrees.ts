/** Whether a value that an answer shows is the one that was sent. */
import { isObject } from '../../base/objects.js'

/** Whether a value says that there is none. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && !value.length)

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim().replace(/\/+$/, '')

const day = /^\d{4}-\d{2}-\d{2}/
/** Times as moments; a day is as precise as a day is. */
const sameTime = (a: string, b: string): boolean => {
  if (!day.test(a) || !day.test(b)) return false
  if (a.length === 10 || b.length === 10) return a.slice(0, 10) === b.slice(0, 10)
  return Date.parse(a) === Date.parse(b)
}

const itemsOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((item) => item !== '') : [value]
}

const sameItems = (a: string, b: string): boolean =>
  itemsOf(a).toSorted().join() === itemsOf(b).toSorted().join()

const sameText = (a: string, b: string): boolean =>
  plain(a) === plain(b) ||
  // Items that the documents join in one text come back in the instance's order.
  sameItems(a, b) ||
  sameTime(a, b) ||
  // Instances drop or rewrite the comment of a public key.
  (/^(ssh|ecdsa|sk)-/.test(a) && a.split(' ', 2).join() === b.split(' ', 2).join())

/** Whether a value is what was sent, as the instance may write it: other types, other order, an object for its identity. */
export const agrees = (sent: unknown, got: unknown): boolean => {
  if (isEmpty(sent) || isEmpty(got)) return isEmpty(sent) && isEmpty(got)
  if (typeof sent === 'boolean') return isObject(got) || truths[String(got)] === sent
  if (Array.isArray(sent) || Array.isArray(got)) {
    const [wanted, had] = [itemsOf(sent), itemsOf(got)]
    return wanted.length === had.length && wanted.every((one) => had.some((h) => agrees(one, h)))
  }
  if (isObject(sent))
    return isObject(got) && Object.entries(sent).every(([name, inner]) => agrees(inner, got[name]))
  if (isObject(got)) return Object.values(got).some((inner) => String(inner) === String(sent))
  return sameText(String(sent), String(got))
}
