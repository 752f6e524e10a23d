/** Implements `deploy-keys add`, which checks the public key before it is sent (`catalogue/reference/deploy-keys.md`). */
import { countBits, splitFields } from '../base/public-key.js'
import { deployKeys } from '../catalogue/areas/deploy-keys.js'
import type { Context } from '../engine/command/context.js'
import type { Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { type Failure, usage } from '../errors.js'
import { type Arguments, define } from './define.js'

// The format of OpenSSH public keys (RFC 4253, section 6.6; RFC 5656; RFC 8709).

/** The limits of RSA and DSA keys that instances accept, in bits. */
const minBits = 1024
const maxBits = 16_384

const hint =
  'A public key is one line such as "ssh-ed25519 AAAA… name", from the .pub file of a key pair.'
const createKeyFailure = (what: string, more = hint): Failure => usage(`--key: ${what}`, more)

const checkBits = (kind: string, field: Buffer | undefined): void => {
  const bits = countBits(field)
  if (bits < minBits || bits > maxBits)
    throw createKeyFailure(`an ${kind} key must have ${minBits} to ${maxBits} bits, not ${bits}`)
}

const pointLengths: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 }

const checkPoint = (curve: string, name: Buffer | undefined, point: Buffer | undefined): void => {
  if (name?.toString('latin1') !== curve || point?.length !== pointLengths[curve])
    throw createKeyFailure(`the key is not a point on the curve ${curve}`)
}

const checkEd25519 = (key: Buffer | undefined): void => {
  if (key?.length !== 32) throw createKeyFailure('an Ed25519 key must have 32 bytes')
}

interface Kind {
  /** The number of fields after the name of the type. */
  readonly fields: number
  readonly check: (fields: readonly Buffer[]) => void
}

const createEllipticKind = (curve: string): Kind => ({
  fields: 2,
  check: ([name, point]) => checkPoint(curve, name, point),
})

const kinds: Readonly<Record<string, Kind>> = {
  'ssh-rsa': { fields: 2, check: ([, modulus]) => checkBits('RSA', modulus) },
  'ssh-dss': { fields: 4, check: ([prime]) => checkBits('DSA', prime) },
  'ssh-ed25519': { fields: 1, check: ([key]) => checkEd25519(key) },
  'ecdsa-sha2-nistp256': createEllipticKind('nistp256'),
  'ecdsa-sha2-nistp384': createEllipticKind('nistp384'),
  'ecdsa-sha2-nistp521': createEllipticKind('nistp521'),
  'sk-ssh-ed25519@openssh.com': { fields: 2, check: ([key]) => checkEd25519(key) },
  'sk-ecdsa-sha2-nistp256@openssh.com': {
    fields: 3,
    check: ([name, point]) => checkPoint('nistp256', name, point),
  },
}

/**
 * Checks that a text may be a public key. Messages do not repeat it, because it may be a private one.
 * @throws Failure `usage`
 */
const checkKind = (text: string): void => {
  if (text === '') throw createKeyFailure('the key is empty')
  if (/PRIVATE KEY|^PuTTY-User-Key-File/m.test(text))
    throw createKeyFailure(
      'this is a private key, which must not be shared; nothing was sent',
      hint,
    )
  if (/BEGIN (SSH2|RSA|DSA|EC)? ?PUBLIC KEY/.test(text))
    throw createKeyFailure(
      'the key is not in OpenSSH format',
      'Convert it with: ssh-keygen -i -f FILE',
    )
  if (text.includes('\n')) throw createKeyFailure('the key must be a single line')
}

const decodeBase64 = (base64: string): Buffer => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0)
    throw createKeyFailure(
      'the part after the key type is not valid base64; it is incomplete or damaged',
    )
  return Buffer.from(base64, 'base64')
}

/**
 * Checks an OpenSSH public key and returns it without surrounding white space. Its type, base64, inner type and lengths must be valid.
 * @throws Failure `usage` that never repeats a private key
 */
export const checkPublicKey = (given: string): string => {
  const text = given.trim()
  checkKind(text)
  const [type = '', base64 = ''] = text.split(/[ \t]+/)
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined) {
    const known = Object.keys(kinds).join(', ')
    if (base64 === '')
      throw createKeyFailure('this is not a public key', `${hint} Pass a file as @file.`)
    throw createKeyFailure('unknown key type', `Known types: ${known}.`)
  }
  const whole = splitFields(decodeBase64(base64))
  if (whole === undefined) throw createKeyFailure('the key is incomplete or damaged')
  const [name, ...fields] = whole
  const inner = name?.toString('latin1')
  if (inner !== type)
    throw createKeyFailure(`the key is labeled ${type} but contains a key of another type`)
  if (fields.length !== kind.fields) throw createKeyFailure(`the ${type} key is incomplete`)
  kind.check(fields)
  return text
}

/** Returns a plan whose key was checked. A key from --param is sent unchecked. */
const withCheckedKey = (plan: Plan): Plan => {
  const { key } = plan.values
  if (key === undefined) return plan
  return { ...plan, values: { ...plan.values, key: checkPublicKey(String(key)) } }
}

async function* addKey(
  context: Context,
  given: Arguments<Record<never, never>, typeof deployKeys.add>,
): Rows {
  const text = given.flags.key ?? given.input?.key
  const key = text === '-' ? await context.place.stdin.text() : text
  const preset = key === undefined ? {} : { key }
  yield* context.write(await context.planActions(given, { preset, complete: withCheckedKey }), {
    done: 'added',
  })
}

export const add = define({
  of: [deployKeys.add],
  description: [
    'Pass the public key as text, as @file, or as - for standard input. svcctl checks its type, encoding and length before it sends it.',
  ],
  rows: addKey,
})
