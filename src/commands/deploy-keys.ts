/** `deploy-keys add` (`catalogue/reference/deploy-keys.md`): the key is checked before it is sent. */
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import type { Services } from '../engine/command/services.js'
import type { Operation, Plan } from '../engine/command/types.js'
import { type Failure, usage } from '../errors.js'
import { define, type GivenBy } from './define.js'

// Checks an OpenSSH public key before it is sent (RFC 4253, section 6.6; RFC 5656; RFC 8709).

/** The smallest RSA and DSA keys that instances take. */
const smallest = 1024
const largest = 16_384

const hint = 'A public key is one line such as "ssh-ed25519 AAAA… name": the .pub file of a pair.'
const wrong = (what: string, more = hint): Failure => usage(`--key: ${what}`, more)

/** The strings that an SSH key is made of: each a length of four bytes, then so many bytes. */
const fieldsOf = (bytes: Buffer): readonly Buffer[] => {
  const fields: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 <= bytes.length ? at + 4 + bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY
    if (end > bytes.length) throw wrong('the key is cut short, or was damaged in copying')
    fields.push(bytes.subarray(at + 4, end))
    at = end
  }
  return fields
}

/** Bits of an integer as SSH writes it, leading zero bytes left out. */
const bitsOf = (field: Buffer | undefined): number => {
  const text = (field ?? Buffer.alloc(0)).toString('hex').replace(/^0+/, '')
  return text === '' ? 0 : BigInt(`0x${text}`).toString(2).length
}

const checkBits = (kind: string, field: Buffer | undefined): void => {
  const bits = bitsOf(field)
  if (bits < smallest || bits > largest)
    throw wrong(`an ${kind} key of ${bits} bits: it takes ${smallest} to ${largest}`)
}

const points: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 }

const checkPoint = (curve: string, name: Buffer | undefined, point: Buffer | undefined): void => {
  if (name?.toString('latin1') !== curve || point?.length !== points[curve])
    throw wrong(`the key does not lie on the curve ${curve}`)
}

const checkEd25519 = (key: Buffer | undefined): void => {
  if (key?.length !== 32) throw wrong('an Ed25519 key has 32 bytes, and this one has not')
}

interface Kind {
  /** Fields after the name of the type. */
  readonly fields: number
  readonly check: (fields: readonly Buffer[]) => void
}

const elliptic = (curve: string): Kind => ({
  fields: 2,
  check: ([name, point]) => checkPoint(curve, name, point),
})

const kinds: Readonly<Record<string, Kind>> = {
  'ssh-rsa': { fields: 2, check: ([, modulus]) => checkBits('RSA', modulus) },
  'ssh-dss': { fields: 4, check: ([prime]) => checkBits('DSA', prime) },
  'ssh-ed25519': { fields: 1, check: ([key]) => checkEd25519(key) },
  'ecdsa-sha2-nistp256': elliptic('nistp256'),
  'ecdsa-sha2-nistp384': elliptic('nistp384'),
  'ecdsa-sha2-nistp521': elliptic('nistp521'),
  'sk-ssh-ed25519@openssh.com': { fields: 2, check: ([key]) => checkEd25519(key) },
  'sk-ecdsa-sha2-nistp256@openssh.com': {
    fields: 3,
    check: ([name, point]) => checkPoint('nistp256', name, point),
  },
}

/** A text that is no public key at all, said without repeating it: it may be a private one. */
const checkKind = (text: string): void => {
  if (text === '') throw wrong('the key is empty')
  if (/PRIVATE KEY|^PuTTY-User-Key-File/m.test(text))
    throw wrong('this is a private key, which must stay with its owner; nothing was sent', hint)
  if (/BEGIN (SSH2|RSA|DSA|EC)? ?PUBLIC KEY/.test(text))
    throw wrong('the key is not in the format of OpenSSH', 'Convert it with: ssh-keygen -i -f FILE')
  if (text.includes('\n')) throw wrong('the key takes one line, and there are several')
}

const decoded = (base64: string): Buffer => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw wrong('the part after the type is not base64: it was cut short or damaged in copying')
  return Buffer.from(base64, 'base64')
}

/**
 * An OpenSSH public key as one line, checked: type, base64, inner type, lengths.
 * @throws Failure `usage` saying what is wrong; a private key is never repeated
 */
export const publicKey = (given: string): string => {
  const text = given.trim()
  checkKind(text)
  const [type = '', base64 = ''] = text.split(/[ \t]+/)
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) {
    const known = Object.keys(kinds).join(', ')
    if (base64 === '') throw wrong('this is no public key', `${hint} A file is given as @file.`)
    throw wrong('the type of the key is not known', `Known are ${known}.`)
  }
  const [name, ...fields] = fieldsOf(decoded(base64))
  const inner = name?.toString('latin1')
  if (inner !== type) throw wrong(`the key says ${type} outside and is of another type inside`)
  if (fields.length !== kind.fields) throw wrong(`the key is not a whole ${type} key`)
  kind.check(fields)
  return text
}

/** A request with its key checked. One of --param passes unchecked; one that was asked for has no flag. */
const checked = (plan: Plan): Plan => {
  const { key } = plan.values
  if (key === undefined) return plan
  return { ...plan, values: { ...plan.values, key: publicKey(String(key)) } }
}

const adding = async (
  { place }: Services,
  given: GivenBy<Record<never, never>, typeof deployKeys.add>,
): Promise<Operation> => {
  const text = given.flags.key ?? given.input?.key
  const key = text === '-' ? await place.stdin.text() : text
  return { preset: key === undefined ? {} : { key }, complete: checked, done: 'added' }
}

export const add = define({
  of: [deployKeys.add],
  description: [
    'The key is public: --key takes it as it stands, from @file, or from standard input with -. Its type, encoding and length are checked before it is sent.',
  ],
  examples: [
    'deploy-keys add --title ci --key @ci.pub --project platform/app',
    'deploy-keys add --title robot --key @robot.pub --can-push --project web/site',
  ],
  operation: adding,
})
