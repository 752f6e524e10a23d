/** Pages domains: a certificate and its key are one, and automatic ones are nobody's. */
import { X509Certificate } from 'node:crypto'
import type { Fields } from '../../../base/objects.js'
import { isObject } from '../../../base/objects.js'
import type { PlanFinding } from '../../actions.js'
import type { SeenItem } from '../../seen.js'
import type { WishedItem } from '../../wishes.js'
import { saying } from '../item.js'
import { itemAddress } from '../selected.js'
import { type Comparing, found, type KindHooks } from '../types.js'

const soon = 30
const day = 24 * 60 * 60 * 1000

const automatic = ({ attributes }: WishedItem, item: SeenItem | undefined): boolean => {
  const wanted = attributes.get('auto_ssl_enabled')?.value
  if (wanted?.is === 'value') return wanted.value === true
  return item?.attributes.auto_ssl_enabled === true
}

const without = (wished: WishedItem, names: readonly string[]): WishedItem => ({
  ...wished,
  attributes: new Map([...wished.attributes].filter(([name]) => !names.includes(name))),
})

/** A certificate that is taken away takes its key along. */
const cleared = ({ attributes }: WishedItem): boolean => {
  const wanted = attributes.get('certificate')?.value
  return wanted?.is === 'value' && (wanted.value === null || wanted.value === '')
}

const endOf = (certificate: Fields): Date | undefined => {
  const { expiration, certificate: pem } = certificate
  if (typeof expiration === 'string') return new Date(expiration)
  if (typeof pem !== 'string' || pem === '') return undefined
  try {
    return new Date(new X509Certificate(pem).validTo)
  } catch {
    return undefined
  }
}

/** A certificate that ends within thirty days, or ended. */
const ending = (c: Comparing, item: SeenItem): readonly PlanFinding[] => {
  const { certificate } = item.record
  if (!isObject(certificate) || item.attributes.auto_ssl_enabled === true) return []
  const end = endOf(certificate)
  const address = itemAddress(c.wish, item.identity)
  const now = c.how.now?.() ?? new Date()
  if (certificate.expired === true || (end !== undefined && end <= now)) {
    const when = end === undefined ? '' : ` on ${end.toISOString().slice(0, 10)}`
    return [saying('warning', address, `its certificate ended${when}`)]
  }
  if (end === undefined || end.getTime() - now.getTime() > soon * day) return []
  const days = Math.ceil((end.getTime() - now.getTime()) / day)
  const text = `its certificate ends on ${end.toISOString().slice(0, 10)}, in ${days} day${days === 1 ? '' : 's'}`
  return [saying('warning', address, text)]
}

const changesCertificate = ({ changes }: { readonly changes: readonly { attribute: string }[] }) =>
  changes.some(({ attribute }) => attribute === 'certificate')

export const pagesDomains: KindHooks = {
  understood: (_, wished, item) =>
    automatic(wished, item)
      ? without(wished, ['certificate', 'key'])
      : cleared(wished)
        ? {
            ...without(wished, ['key']),
            attributes: new Map([
              ...without(wished, ['key']).attributes,
              ['key', { value: { is: 'value', value: '' }, origin: wished.origin, over: [] }],
            ]),
          }
        : wished,
  needs: (_, { attributes }) =>
    attributes.has('certificate') && attributes.has('key') ? ['certificate', 'key'] : [],
  impossible: async (_, made, wished) =>
    changesCertificate(made) && wished?.attributes.has('key') !== true
      ? 'a certificate goes with its key, which the files do not have'
      : undefined,
  rest: (c) => found({ findings: c.items.flatMap((item) => ending(c, item)) }),
}
