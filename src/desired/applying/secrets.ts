/**
 * Fetches the secrets that files refer to when they are sent, and records those that were set. The record reveals a changed secret although
 * no instance shows it.
 */
import { createHmac } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readCached } from '../../base/documents/stored.js'
import { writeWhole } from '../../base/files/files.js'
import { makeFolders, readRegular } from '../../base/files/regular.js'
import { createRandomBytes, type Io } from '../../base/io.js'
import { type HeldText, holdText, openHeld } from '../../base/secrets/redact.js'
import { getErrorCode, getReason, usage } from '../../errors.js'
import { type Address, toAddressText } from '../address.js'
import { readBeside } from '../files/secret.js'
import { formatSecretSource, type SecretSource } from '../state.js'

/** The maximum length of a secret, in characters. */
const maxLength = 1 << 20
const keyBytes = 32

/** The sources from which values of secrets are read. */
export interface SecretPlaces {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Runs a program without a shell. Resolves to its output, without the final line break. */
  readonly command: (line: readonly string[]) => Promise<HeldText>
}

const readSecretFile = (source: Extract<SecretSource, { file: string }>, cwd: string): HeldText => {
  try {
    const text = openHeld(readBeside(source, cwd))
    if (text.length > maxLength) throw new Error(`the value is longer than ${maxLength} characters`)
    return holdText(text.replace(/\r?\n$/, ''))
  } catch (error) {
    throw usage(`the secret @${source.file} cannot be read: ${getReason(error)}`)
  }
}

/** A source whose value has to be fetched from outside the declaration. */
type FetchedSource = Exclude<SecretSource, { literal: HeldText }>

/** Fetches the values of secrets, each once. */
export class SecretValues {
  readonly #known = new Map<string, Promise<HeldText>>()

  constructor(private readonly places: SecretPlaces) {}

  /** Returns the value of a secret. @throws Failure `usage` if the value cannot be fetched */
  async value(source: SecretSource): Promise<HeldText> {
    if ('literal' in source) return source.literal
    const key = JSON.stringify(source)
    const known = this.#known.get(key) ?? this.#fetch(source)
    this.#known.set(key, known)
    return known
  }

  /** Returns the reason why a value cannot be fetched; undefined if it can. */
  async missing(source: SecretSource): Promise<string | undefined> {
    try {
      await this.value(source)
      return undefined
    } catch (error) {
      return getReason(error)
    }
  }

  async #fetch(source: FetchedSource): Promise<HeldText> {
    const getValue = await this.#read(source)
    if (openHeld(getValue) === '') throw usage(`the secret ${formatSecretSource(source)} is empty`)
    return getValue
  }

  async #read(source: FetchedSource): Promise<HeldText> {
    const { env, cwd, command } = this.places
    if ('file' in source) return readSecretFile(source, cwd)
    if ('command' in source) return command(source.command)
    const value = env[source.env]
    if (value === undefined) throw usage(`the variable ${source.env} is not set`)
    return holdText(value)
  }
}

/** The key file exists, but cannot be used. */
class UnusableKeyError extends Error {}

const keyFile = 'secrets.key'
const recordFile = 'secrets.json'
const recordSchema = { type: 'object', additionalProperties: { type: 'string' } } as const
/** The largest size of the record, in bytes. */
const maxBytes = 64 << 20

/** Computes the HMAC of parts. The length before each part keeps different divisions of the same text distinct. */
const computeHmac = (key: Buffer, parts: readonly string[]): string => {
  const mac = createHmac('sha256', key)
  for (const part of parts) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(part))
    mac.update(length).update(part)
  }
  return mac.digest('hex')
}

/**
 * The record of the secrets that were set last. It holds SHA-256 HMACs over instance, address and value, under a key in the state folder.
 * Equal secrets do not look equal, and without the key a value cannot be guessed by trying.
 */
export class SecretRecord {
  #key: Promise<Buffer | undefined> | undefined
  #known: Promise<Map<string, string>> | undefined

  /** @param folder the state folder, which is created when the first value is remembered */
  constructor(
    private readonly folder: string,
    private readonly instance: string,
    private readonly io: Pick<Io, 'randomBytes'>,
  ) {}

  /** Returns true if a value differs from the one last set; undefined if no value is on record. */
  async changed(address: Address, value: HeldText): Promise<boolean | undefined> {
    this.#key ??= this.#readKey()
    const key = await this.#key
    if (key === undefined) return undefined
    this.#known ??= this.#readKnown()
    const known = (await this.#known).get(this.#hashName(key, address))
    return known === undefined ? undefined : known !== this.#hashValue(key, address, value)
  }

  /** Records values that were set. */
  async remember(
    set: readonly { readonly address: Address; readonly value: HeldText }[],
  ): Promise<void> {
    if (set.length === 0) return
    const key = (await this.#readKey()) ?? (await this.#createKey())
    // Another run may have written the record in the meantime.
    const known = await this.#readKnown()
    for (const { address, value } of set)
      known.set(this.#hashName(key, address), this.#hashValue(key, address, value))
    this.#key = Promise.resolve(key)
    this.#known = Promise.resolve(known)
    const text = `${JSON.stringify(Object.fromEntries([...known].sort()), null, 1)}\n`
    await writeWhole(join(this.folder, recordFile), text, { own: true })
  }

  /** Returns the reason why the record cannot be trusted; undefined if it can, or if there is none. */
  async findKeyProblem(): Promise<string | undefined> {
    try {
      await this.#readKey()
      return undefined
    } catch (error) {
      return getReason(error)
    }
  }

  #hashName(key: Buffer, address: Address): string {
    return computeHmac(key, ['name', this.instance, toAddressText(address)])
  }

  #hashValue(key: Buffer, address: Address, value: HeldText): string {
    return computeHmac(key, ['value', this.instance, toAddressText(address), openHeld(value)])
  }

  /** @throws UnusableKeyError for a key that other users may read, and for a file that is not a key */
  async #readKey(): Promise<Buffer | undefined> {
    const path = join(this.folder, keyFile)
    try {
      const { mode, uid } = await stat(path)
      const others = process.platform !== 'win32' && (mode & 0o077) !== 0
      if (others || (process.getuid !== undefined && uid !== process.getuid()))
        throw new UnusableKeyError(`${path} is readable by other users`)
      const key = readRegular(path, 1e6)
      if (key.length !== keyBytes) throw new UnusableKeyError(`${path} is not a key file of svcctl`)
      return key
    } catch (error) {
      if (getErrorCode(error) === 'ENOENT') return undefined
      if (error instanceof UnusableKeyError) throw error
      throw new UnusableKeyError(`${path} cannot be read: ${getReason(error)}`)
    }
  }

  async #createKey(): Promise<Buffer> {
    makeFolders(this.folder, 0o700)
    const key = createRandomBytes(this.io, keyBytes)
    await writeWhole(join(this.folder, keyFile), key, { own: true })
    return key
  }

  async #readKnown(): Promise<Map<string, string>> {
    // An unreadable record counts as empty, so no secret appears changed.
    return new Map(
      Object.entries(readCached(recordSchema, join(this.folder, recordFile), maxBytes) ?? {}),
    )
  }
}
