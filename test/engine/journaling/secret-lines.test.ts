/** Tests that a journal contains no secret of its line: not in paths, queries, values, objects or files. */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createFolder } from '../../support/program.js'
import { createRuns, readHeader } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()
const canary = 'c4n4ry-0123456789'

let _config = ''
let cwd = ''
beforeEach(() => {
  _config = fresh()
  cwd = createFolder()
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    const said = `no, not for ${url} nor https://ana:${canary}@code.example/`
    const headers = { 'x-request-id': `id-${url}` }
    return method === 'GET' || !url.includes('/2')
      ? { headers, body: { id: 1 } }
      : { status: 400, headers, body: { message: said } }
  }
})

const getJournal = (): string => files()[0] ?? ''
const readJournal = (): string => readFileSync(getJournal(), 'utf8')

const names = [
  ...['token', 'webhook', 'secret_token', 'db_pass', 'passphrase', 'psk', 'jwt', 'user_key'],
  ...['kubeconfig', 'service_account_key', 'connection_string', 'hub_api_key', 'dsn'],
]
/** Arguments of a call that contain a secret with the given name. */
const places: Readonly<Record<string, (name: string) => readonly string[]>> = {
  'the query': (name) => [`hooks/{}?${name}=${canary}`],
  'a nested query': (name) => [`hooks/{}?hook[${name}]=${canary}`],
  'a parameter': (name) => ['hooks/{}', '--param', `${name}=${canary}`],
  'a nested parameter': (name) => ['hooks/{}', '--param', `hook[${name}]=${canary}`],
  'JSON in a parameter': (name) => ['hooks/{}', '--param', `hook={"${name}":"${canary}"}`],
  'an address in a parameter': (name) => [
    'hooks/{}',
    '--param',
    `url=https://code.example/?${name}=${canary}`,
  ],
  'a header': (name) => ['hooks/{}', '--header', `x-${name.replaceAll('_', '-')}: ${canary}`],
}
const others: readonly (readonly string[])[] = [
  [`hooks/{}?url=https://ana:${canary}@code.example/`],
  ['hooks/{}', '--param', `url=https://ana:${canary}@code.example/`],
  ['hooks/{}', '--header', `referer: https://ana:${canary}@code.example/`],
  [`/api/other/{}?private_token=${canary}`],
  ['hooks/{}', '--param', `variables[][value]=${canary}`],
  ['projects/{}/variables', '--param', `value=${canary}`],
  ['hooks/{}', '--param', `pipeline[variables][0][value]=${canary}`],
]

const rows = Object.entries(places).flatMap(([place, lineFor]) =>
  (place === 'the query' ? names : names.slice(0, 3)).map(
    (name) => [`${name} in ${place}`, lineFor(name)] as const,
  ),
)

describe('a journal', () => {
  it.each([...rows, ...others.map((line) => [line.join(' '), line] as const)])(
    'holds no %s',
    async (_, words) => {
      const ran = await run(['api', 'POST', ...words, '-'], '1\n2\n')
      expect(ran.code, ran.stderr).toBe(8)
      expect(written()).toHaveLength(2)
      expect(readJournal()).not.toContain(canary)
      expect(readHeader(getJournal()).final).toContain('secret')
      const again = await run('api --resume last')
      expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('cannot be resumed')])
    },
  )

  it('that needs no secret can be gone on with', async () => {
    const words = ['api', 'POST', 'hooks/{}?page_token_ok=1&name=x', '-', '--param', 'title=y']
    expect((await run(words, '1\n2\n')).code).toBe(8)
    expect(readHeader(getJournal())).toMatchObject({
      options: { args: ['POST', 'hooks/{}?page_token_ok=1&name=x'] },
    })
  })

  it.each(['hooks?token={}', 'hooks?hook[webhook]={}', 'hooks?url=https://ana:{}@code.example/'])(
    'names no object that goes into %s',
    async (path) => {
      const ran = await run(['api', 'POST', path, '-'], `${canary}\n`)
      expect([ran.code, ran.stderr, written()]).toEqual([
        2,
        expect.stringContaining('--journal none'),
        [],
      ])
      expect(files()).toEqual([])
      const unkept = await run(['api', 'POST', path, '-', '--journal', 'none'], `${canary}\n`)
      expect([unkept.code, written().length]).toEqual([0, 1])
    },
  )

  it('names no object that is an address with a secret', async () => {
    const objects = `https://ana:${canary}@code.example/\n`
    const ran = await run(['api', 'POST', 'hooks?address={}', '-'], objects)
    expect([ran.code, written()]).toEqual([2, []])
    for (const file of files()) expect(readFileSync(file, 'utf8')).not.toContain(canary)
  })

  it('knows secrets of flags by their names as well', async () => {
    const words = ['integrations', 'update', 'slack', '-P', 'a,b', '--webhook', canary]
    await run(words)
    expect(readJournal()).not.toContain(canary)
    expect(readHeader(getJournal()).final).toContain('--webhook')
  })
})

describe('what an instance says back', () => {
  it('stands in no journal: neither in a message nor as the id of a request', async () => {
    await run(['api', 'POST', 'hooks/{}', '-', '--param', `token=${canary}`], '1\n2\n')
    const ran = await run(['api', 'PUT', `hooks/{}?token=${canary}`, '-'], '1\n2\n')
    expect(ran.code).toBe(8)
    for (const file of files()) expect(readFileSync(file, 'utf8')).not.toContain(canary)
  })
})

describe('a file that a line names', () => {
  it('has the digest of what was read, also where it is another when the run begins', async () => {
    const file = join(cwd, 'attributes.json')
    const sent = '{"description":"new"}'
    writeFileSync(file, sent)
    server.answer = ({ url }) => {
      // The first line of the journal names the user of the token. The file was read before the request for that user.
      if (url.endsWith('/user')) writeFileSync(file, '{"description":"other"}')
      return { body: { id: 1, username: 'ana', description: 'new' } }
    }
    await run(['runners', 'update', '1', '2', '--input', file])
    expect(readHeader(getJournal()).options?.flags.input).toEqual([
      { $file: file, sha256: createHash('sha256').update(sent).digest('hex') },
    ])
  })

  it.runIf(process.platform !== 'win32')(
    'and is a pipe is nothing that a run could be gone on with by',
    async () => {
      const pipe = join(cwd, 'pipe')
      execFileSync('mkfifo', [pipe])
      server.answer = ({ url }) =>
        url.endsWith('/user') ? { body: { username: 'ana' } } : { status: 400 }
      const updating = run(['runners', 'update', '1', '2', '--input', pipe])
      spawn('sh', ['-c', `printf '{"description":"new"}' > "$1"`, 'sh', pipe], { stdio: 'ignore' })
      expect((await updating).code).toBe(1)
      expect(written()).toEqual(['PUT /runners/1', 'PUT /runners/2'])
      const { options, final } = readHeader(getJournal())
      expect([options, final]).toEqual([
        undefined,
        `--input was read from ${pipe}, which cannot be read again`,
      ])
      forget()
      const again = await run('runners update --resume last')
      expect([again.code, written()]).toEqual([2, []])
    },
  )

  it('by a text that only looks like one is text', async () => {
    writeFileSync(join(cwd, 'notes'), 'x')
    server.answer = ({ url }) =>
      url.endsWith('/user') ? { body: { username: 'ana' } } : { status: 400 }
    await run(['runners', 'update', '1', '2', '--description', `@${join(cwd, 'notes')}`])
    expect(readHeader(getJournal()).options?.flags.description).toEqual([`@${join(cwd, 'notes')}`])
  })
})
