import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Recorder, startRecorder } from '../support/recorder.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

/** Sequences that must never reach a terminal from outside. */
const attacks = {
  csi: '\u001b[2J\u001b[31m',
  'osc 8': '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  'osc 52': '\u001b]52;c;ZXZpbA==\u0007',
  c1: '\u009b2J\u009d52;c;ZXZpbA==\u009c',
  bidi: '\u202etxt.exe\u2066\u2069\u200f',
  line: 'one\r\ntwo\u0008\u007f',
}
const hostileText = Object.values(attacks).join('|')
/** A record with hostile text in every string, in nested values, and in a key that the catalogue does not know. */
const hostileRecord = {
  id: 1,
  description: hostileText,
  ip_address: hostileText,
  name: hostileText,
  status: hostileText,
  runner_type: hostileText,
  active: true,
  is_shared: false,
  online: null,
  platform: hostileText,
  tag_list: [hostileText],
  [`unknown ${hostileText}`]: { [hostileText]: hostileText },
}

const lint = {
  status: 'valid',
  errors: [],
  merged_yaml: `# ${hostileText}\nbuild:\n\tscript: ${hostileText}\n`,
}
const dependency = {
  name: hostileText,
  version: hostileText,
  package_manager: 'npm',
  dependency_file_path: hostileText,
  vulnerabilities: [{ name: hostileText, severity: 'high' }],
}

/** Characters that control a terminal: control characters except tabs and line breaks, and changes of text direction. */
const controlCharacters = /[^\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

let server: Recorder
beforeAll(async () => {
  server = await startRecorder(({ url }) => {
    if (url.includes('/runners/9'))
      return {
        status: 400,
        body: { message: { [hostileText]: [hostileText] } },
        headers: { 'x-request-id': 'a' },
      }
    if (url.includes('/ci/lint')) return { body: lint }
    if (url.includes('/dependencies')) return { body: [dependency] }
    if (url.includes('/artifacts')) return { body: hostileText }
    return { body: url.includes('/runners/') ? hostileRecord : [hostileRecord] }
  })
})
afterAll(() => server.close())

const createEnv = () => ({
  SVC_TOKEN: 'any',
  SVC_BASE_URL: server.url,
  NO_COLOR: '1',
})

const runInPipe = async (args: readonly string[], input?: string) => {
  const { stdout, stderr } = await svcctl(args, {
    env: createEnv(),
    ...(input === undefined ? {} : { input }),
  })
  return { stdout, all: stdout + stderr }
}

/** Runs a line at a terminal and types a text. Returns what the terminal receives. */
const runOnTerminal = async (args: readonly string[], typed = ''): Promise<string> => {
  const screen = openScreen([[...args, '--no-pager']], { env: createEnv() })
  screen.type(typed)
  await screen.ended
  await screen.close()
  return screen.written()
}

const esc = '\u001b'
const ownCodes = new RegExp(`${esc}\\[(\\?(?:25|2026)[hl]|[0-9]?[GJK]|[0-9;]*m)`, 'g')

/** Removes the codes of the program itself: line ends of a terminal, and codes that clear a progress line. */
const removeOwnCodes = (text: string): string => text.replaceAll('\r\n', '\n').replace(ownCodes, '')

const formats = ['table', 'json', 'yaml', 'ndjson', 'csv']
const commands = {
  list: ['runners', 'list'],
  get: ['runners', 'get', '1'],
  error: ['runners', 'get', '9'],
  trace: ['runners', 'get', '1', '-vv'],
}
const cases = formats.flatMap((format) =>
  Object.entries(commands).map(([name, args]) => [name, format, args] as const),
)

describe('what comes from outside', () => {
  it.concurrent.each(cases)('cannot steer a terminal: %s as %s', async (_name, format, args) => {
    const all = await runOnTerminal([...args, '-o', format])
    expect(all).not.toBe('')
    // The CSI attack must not survive, although the program itself uses such codes for colours.
    expect(all).not.toContain('\u001b[2J')
    expect(removeOwnCodes(all)).not.toMatch(controlCharacters)
  })

  it.concurrent.each(
    cases.filter(([name, format]) => name !== 'trace' && !format.endsWith('json')),
  )('cannot steer whoever shows the file: %s as %s', async (_name, format, args) => {
    const { all } = await runInPipe([...args, '-o', format])
    expect(all.replaceAll('\r\n', '\n')).not.toMatch(controlCharacters)
  })

  const others = {
    'a merged configuration': ['ci', 'lint', '-', '--merged-yaml'],
    'a bill of materials': ['dependencies', 'list', '-P', '1', '-o', 'cyclonedx'],
    'a request': ['runners', 'update', '1', '--description', hostileText, '--curl'],
    'a file of an archive': [
      'artifacts',
      'file',
      'report.txt',
      '--job-id',
      '1',
      '-P',
      '1',
      '--to',
      '-',
    ],
  }
  it.concurrent.each(Object.entries(others))(
    'cannot steer a terminal where no format writes it: %s',
    async (_name, args) => {
      const all = await runOnTerminal(args, args[0] === 'ci' ? 'build: {}\r\x04' : '')
      expect(all).toContain('\\u001b[2J')
      expect(removeOwnCodes(all)).not.toMatch(controlCharacters)
    },
  )

  it('cannot steer whoever shows the file: a merged configuration', async () => {
    const { all } = await runInPipe(['ci', 'lint', '-', '--merged-yaml'], 'build: {}\n')
    expect(all).toContain('\\u001b[2J')
    expect(all.replaceAll('\r\n', '\n')).not.toMatch(/[^\P{Cc}\t\n]/u)
    // Characters that change the text direction are kept as data.
    expect(all).toContain('\u202etxt.exe')
  })

  it.concurrent.each(['json', 'ndjson'])(
    'stays data in a pipe, as JSON escapes it: %s',
    async (format) => {
      const { stdout } = await runInPipe(['runners', 'get', '1', '-o', format])
      expect(stdout.trimEnd()).not.toMatch(/[^\P{Cc}\u007f-\u009f]/u)
      expect(JSON.parse(stdout)).toEqual(hostileRecord)
    },
  )
})
