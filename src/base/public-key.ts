/**
 * Parses public SSH keys and determines their type and strength (RFC 4253, RFC 5656). The client uses it before it sends a deploy key, and
 * so does the embedded instance.
 */

interface PublicKey {
  /** The type and the base64 without the comment. Two keys with the same identity are equal. */
  readonly identity: string
  readonly family: 'rsa' | 'dsa' | 'ecdsa' | 'ed25519'
  readonly bits: number
}

const types: Readonly<Record<string, PublicKey['family']>> = {
  'ssh-rsa': 'rsa',
  'ssh-dss': 'dsa',
  'ssh-ed25519': 'ed25519',
  'sk-ssh-ed25519@openssh.com': 'ed25519',
  'ecdsa-sha2-nistp256': 'ecdsa',
  'ecdsa-sha2-nistp384': 'ecdsa',
  'ecdsa-sha2-nistp521': 'ecdsa',
  'sk-ecdsa-sha2-nistp256@openssh.com': 'ecdsa',
}

/** Splits the blob of a key into its length-prefixed fields; undefined if it is cut short. */
export const splitFields = (blob: Buffer): Buffer[] | undefined => {
  const fields: Buffer[] = []
  for (let at = 0; at < blob.length; ) {
    if (at + 4 > blob.length) return undefined
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return undefined
    fields.push(blob.subarray(at + 4, end))
    at = end
  }
  return fields
}

/** Counts the bits of an integer in SSH format, without leading zeros. */
export const countBits = (field: Buffer | undefined): number => {
  const hex = field?.toString('hex').replace(/^(00)+/, '') ?? ''
  return hex === '' ? 0 : BigInt(`0x${hex}`).toString(2).length
}

const getKeyBits = (family: PublicKey['family'], fields: readonly Buffer[]): number => {
  switch (family) {
    case 'rsa':
      return countBits(fields[2])
    case 'dsa':
      return countBits(fields[1])
    case 'ecdsa':
      return fields[2] === undefined
        ? 0
        : Number(/(?<!\d)\d+$/.exec(fields[1]?.toString('latin1') ?? '')?.[0] ?? 0)
    case 'ed25519':
      return fields[1]?.length === 32 ? 256 : 0
  }
}

/** Parses a line `<type> <base64> [comment]`; undefined if it is not a public key. */
export const readPublicKey = (text: string): PublicKey | undefined => {
  const [type = '', body = ''] = text.trim().split(/[ \t]+/)
  if (/[\r\n]/.test(text.trim())) return undefined
  const family = Object.hasOwn(types, type) ? types[type] : undefined
  if (family === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return undefined
  const fields = splitFields(Buffer.from(body, 'base64'))
  if (fields?.[0]?.toString('latin1') !== type) return undefined
  const bits = getKeyBits(family, fields)
  return bits === 0 ? undefined : { identity: `${type} ${body}`, family, bits }
}
