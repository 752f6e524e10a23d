/** Tests each place that reads text: UTF-8 with a byte order mark is accepted, and other encodings are named in the error. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { certificate } from '../http/certificate.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const encodeUtf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

/** A line that reads the text from its file or from standard input. */
interface TextInput {
  readonly line: string
  readonly text: string
  /** True if the line reads standard input. */
  readonly piped?: true
}

const lint = 'build:\n  script: [make]\n'
const ids = '1\n2\n'
const textInputs: Readonly<Record<string, TextInput>> = {
  'IDs of standard input': {
    line: 'runners pause - --dry-run --base-url URL',
    text: ids,
    piped: true,
  },
  'rows of standard input': {
    line: 'runners update - --row-fields tag_list --curl --base-url URL',
    text: 'runner,tag_list\n1,"a,b"\n',
    piped: true,
  },
  '--input': {
    line: 'members add 6 -P 1 --input FILE --curl --base-url URL',
    text: '{"access_level":30}\n',
  },
  '--input of standard input': {
    line: 'members add 6 -P 1 --input - --curl --base-url URL',
    text: '{"access_level":30}\n',
    piped: true,
  },
  '--param @file': { line: 'api POST /x --param a=@FILE --curl --base-url URL', text: 'b\n' },
  'a CI file': { line: 'ci lint FILE --sandbox', text: lint },
  'declared files': { line: 'plan FILE --sandbox', text: 'version: 1\nprojects: {}\n' },
  'a policy': {
    line: 'check policy FILE --sandbox',
    text: 'policy: 1\nrules:\n  - name: n\n    of: runners\n    none: id=0\n',
  },
  'a vocabulary': { line: 'vocabulary check FILE', text: 'vocabulary: 1\n' },
}

/** Runs the line of an input with the bytes in its file or on standard input. */
const open = async ({ line, piped }: TextInput, bytes: Buffer) => {
  const cwd = createFolder()
  const file = join(cwd, 'given.yml')
  writeFileSync(file, bytes)
  server.seen.length = 0
  const args = line.split(' ').map((word) => word.replace('FILE', file).replace('URL', server.url))
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any' }
  return svcctl(args, { cwd, env, ...(piped === true ? { input: bytes } : {}) })
}

describe.each(Object.entries(textInputs))('%s', (_, door) => {
  it('may begin with a byte order mark', async () => {
    const [plain, marked] = [
      await open(door, Buffer.from(door.text)),
      await open(door, Buffer.from(`\ufeff${door.text}`)),
    ]
    // The duration is not part of the result.
    const result = ({ code, stdout }: typeof plain) => [code, stdout.replace(/\d+ s\b/, 'N s')]
    expect(result(marked)).toEqual(result(plain))
    expect(marked.stderr).not.toMatch(/UTF-8|ufeff/)
  })

  it.each([
    ['UTF-16', (text: string) => encodeUtf16(text), /is UTF-16, not UTF-8/],
    [
      'a NUL byte',
      (text: string) => Buffer.from(`${text}\0`),
      /is not UTF-8 text: it contains NUL/,
    ],
    ['Latin-1', (text: string) => Buffer.from(`${text}# für`, 'latin1'), /is not UTF-8 text/],
  ])('is refused in %s, and nothing is sent', async (_name, encode, says) => {
    const { code, stderr } = await open(door, encode(door.text))
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)])
    expect(server.seen).toEqual([])
  })
})

describe('files of the configuration', () => {
  const written = (bytes: Buffer): string => {
    const root = createConfiguration()
    writeFileSync(join(root, 'config.json'), bytes, { mode: 0o600 })
    return root
  }
  it('may begin with a byte order mark, and are said to be UTF-16', async () => {
    const text = '{"version":1,"profiles":{}}'
    const lists = (bytes: Buffer) =>
      svcctl(['profile', 'list'], { env: { SVC_CONFIG_DIR: written(bytes) } })
    const marked = await lists(Buffer.from(`\ufeff${text}`))
    expect(marked.stderr).not.toContain('not valid JSON')
    const wide = await lists(encodeUtf16(text))
    expect([wide.code, wide.stderr]).toEqual([2, expect.stringContaining('is UTF-16, not UTF-8')])
  })

  it('name authorities in files that are text', async () => {
    const SSL_CERT_FILE = join(createFolder(), 'ca.pem')
    const asked = async (bytes: Buffer) => {
      writeFileSync(SSL_CERT_FILE, bytes)
      const line = 'api /x --retries 0 --base-url https://127.0.0.1:1'
      return svcctl(line.split(' '), { env: { SSL_CERT_FILE, SVC_TOKEN: 'any' } })
    }
    expect((await asked(Buffer.from(`\ufeff${certificate}`))).code).toBe(7)
    expect(await asked(encodeUtf16(certificate))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is UTF-16, not UTF-8'),
    })
  })
})
