import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Recorder, record } from '../support/recorder.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

/** What must never reach a terminal from outside. */
const attacks = {
  csi: '\u001b[2J\u001b[31m',
  'osc 8': '\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007',
  'osc 52': '\u001b]52;c;ZXZpbA==\u0007',
  c1: '\u009b2J\u009d52;c;ZXZpbA==\u009c',
  bidi: '\u202etxt.exe\u2066\u2069\u200f',
  line: 'one\r\ntwo\u0008\u007f',
}
const evil = Object.values(attacks).join('|')
/** Every string field, also nested, and every key that the catalogue does not know. */
const hostile = {
  id: 1,
  description: evil,
  ip_address: evil,
  name: evil,
  status: evil,
  runner_type: evil,
  active: true,
  is_shared: false,
  online: null,
  platform: evil,
  tag_list: [evil],
  [`unknown ${evil}`]: { [evil]: evil },
}

const lint = { status: 'valid', errors: [], merged_yaml: `# ${evil}\nbuild:\n\tscript: ${evil}\n` }
const dependency = {
  name: evil,
  version: evil,
  package_manager: 'npm',
  dependency_file_path: evil,
  vulnerabilities: [{ name: evil, severity: 'high' }],
}

/** What steers a terminal: control characters other than tabs and ends of lines, turned directions. */
const raw = /[^\P{Cc}\t\n]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

let server: Recorder
beforeAll(async () => {
  server = await record(({ url }) => {
    if (url.includes('/runners/9'))
      return {
        status: 400,
        body: { message: { [evil]: [evil] } },
        headers: { 'x-request-id': 'a' },
      }
    if (url.includes('/ci/lint')) return { body: lint }
    if (url.includes('/dependencies')) return { body: [dependency] }
    if (url.includes('/artifacts')) return { body: evil }
    return { body: url.includes('/runners/') ? hostile : [hostile] }
  })
})
afterAll(() => server.close())

const env = () => ({
  SVC_TOKEN: 'any',
  SVC_BASE_URL: server.url,
  NO_COLOR: '1',
})

const inPipe = async (args: readonly string[], input?: string) => {
  const { stdout, stderr } = await svcctl(args, {
    env: env(),
    ...(input === undefined ? {} : { input }),
  })
  return { stdout, all: stdout + stderr }
}

/** What a terminal is sent, of a line and of what is typed to it. */
const onTerminal = async (args: readonly string[], typed = ''): Promise<string> => {
  const screen = openScreen([[...args, '--no-pager']], { env: env() })
  screen.type(typed)
  await screen.ended
  await screen.close()
  return screen.written()
}

const esc = '\u001b'
const own = new RegExp(`${esc}\\[(\\?(?:25|2026)[hl]|[0-9]?[GJK]|[0-9;]*m)`, 'g')

/** Without the program's own: ends of lines on a terminal, and what clears a line of progress. */
const withoutOwn = (text: string): string => text.replaceAll('\r\n', '\n').replace(own, '')

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
    const all = await onTerminal([...args, '-o', format])
    expect(all).not.toBe('')
    // The attack of CSI must not survive, even though the program colours by the same means.
    expect(all).not.toContain('\u001b[2J')
    expect(withoutOwn(all)).not.toMatch(raw)
  })

  it.concurrent.each(
    cases.filter(([name, format]) => name !== 'trace' && !format.endsWith('json')),
  )('cannot steer whoever shows the file: %s as %s', async (_name, format, args) => {
    const { all } = await inPipe([...args, '-o', format])
    expect(all.replaceAll('\r\n', '\n')).not.toMatch(raw)
  })

  const others = {
    'a merged configuration': ['ci', 'lint', '-', '--merged-yaml'],
    'a bill of materials': ['dependencies', 'list', '-P', '1', '-o', 'cyclonedx'],
    'a request': ['runners', 'update', '1', '--description', evil, '--curl'],
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
      const all = await onTerminal(args, args[0] === 'ci' ? 'build: {}\r\x04' : '')
      expect(all).toContain('\\u001b[2J')
      expect(withoutOwn(all)).not.toMatch(raw)
    },
  )

  it('cannot steer whoever shows the file: a merged configuration', async () => {
    const { all } = await inPipe(['ci', 'lint', '-', '--merged-yaml'], 'build: {}\n')
    expect(all).toContain('\\u001b[2J')
    expect(all.replaceAll('\r\n', '\n')).not.toMatch(/[^\P{Cc}\t\n]/u)
    // The direction of text is data.
    expect(all).toContain('\u202etxt.exe')
  })

  it.concurrent.each(['json', 'ndjson'])(
    'stays data in a pipe, as JSON escapes it: %s',
    async (format) => {
      const { stdout } = await inPipe(['runners', 'get', '1', '-o', format])
      expect(stdout.trimEnd()).not.toMatch(/[^\P{Cc}\u007f-\u009f]/u)
      expect(JSON.parse(stdout)).toEqual(hostile)
    },
  )
})
