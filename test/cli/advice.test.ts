/** Tests hints on what to do next: codes of the HTTP layer become text about commands and flags. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addWorkspaceHint, hints } from '../../src/engine/workspace/hints.js'
import { Failure } from '../../src/errors.js'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { isText, listNodes, parseStatements, readSource, sourceFiles } from '../support/source.js'
import { svcctl } from '../support/within.js'

const createFailure = (advice: { code: string; about?: string }, hint?: string): Failure =>
  new Failure('failed', 'm', { status: 400, advice, ...(hint === undefined ? {} : { hint }) })
const getHint = (error: unknown): string | undefined =>
  error instanceof Failure ? error.details.hint : undefined

describe('advice', () => {
  it.each(Object.keys(hints))('has words for %s', (code) => {
    const failure = addWorkspaceHint(createFailure({ code }))
    expect(getHint(failure)).toMatch(/\.$|<file>$/)
    expect(failure).toMatchObject({ category: 'failed', message: 'm', details: { status: 400 } })
  })
  it('says what it is about', () => {
    expect(getHint(addWorkspaceHint(createFailure({ code: 'scope', about: 'api' })))).toContain(
      'The token lacks the scope api.',
    )
    expect(getHint(addWorkspaceHint(createFailure({ code: 'rate', about: '17 s' })))).toContain(
      'wait 17 s.',
    )
    expect(getHint(addWorkspaceHint(createFailure({ code: 'rate' })))).not.toContain('It asks')
  })
  it('leaves a hint as it is, and what nobody knows', () => {
    const said = createFailure({ code: 'input' }, 'said before')
    expect(addWorkspaceHint(said)).toBe(said)
    const unknown = createFailure({ code: 'toString' })
    expect(addWorkspaceHint(unknown)).toBe(unknown)
    expect(addWorkspaceHint('no failure')).toBe('no failure')
  })
})

describe('a failure', () => {
  const server = useRecorder()
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    svcctl(args, { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token', ...env } })

  it('is told with them', async () => {
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const hint = 'It is the token in SVC_TOKEN: set that to another one.'
    expect((await run(['runners', 'get', '1'])).stderr).toContain(hint)
    const { error } = JSON.parse((await run(['runners', 'get', '1', '-o', 'json'])).stderr)
    expect(error.hint).toContain(hint)
    expect(error).not.toHaveProperty('advice')
  })
  it('names the profile to sign in with again, and no variable, which several profiles do not read', async () => {
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const config = createConfiguration()
    const one = (name: string) => [name, { name, baseUrl: server.url }] as const
    const profiles = Object.fromEntries([one('north'), one('south')])
    writeFileSync(join(config, 'config.json'), JSON.stringify({ version: 1, profiles }), {
      mode: 0o600,
    })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
    for (const chosen of ['north', 'north,south']) {
      const { stderr } = await run(['runners', 'list', '-p', chosen], env)
      expect(stderr).toContain(
        'No credential was sent. Sign in with `svcctl auth login -p north`.\n',
      )
    }
  })
  it('of one among several, too', async () => {
    server.answer = () => ({ status: 404, body: { message: '404 Runner Not Found' } })
    const { stdout, stderr } = await run(['runners', 'get', '1', '2', '-o', 'json'])
    expect(`${stdout}${stderr}`).toContain('It does not exist, or this user cannot see it.')
  })
  it('of a download that breaks off, too', async () => {
    server.answer = () => ({ headers: { 'content-encoding': 'unheard-of' }, body: 'x' })
    const args = ['artifacts', 'download', '1', '-P', '1', '--to', '-', '--retries', '0']
    expect((await run(args)).stderr).toContain('If it fails again, run `svcctl doctor`.')
  })
  it('of a list, too', async () => {
    server.answer = () => ({ status: 422, body: { message: 'no' } })
    expect((await run(['runners', 'list'])).stderr).toContain(
      'Correct the named values and try again. --help lists the flags.',
    )
  })
})

describe('the HTTP layer', () => {
  /** The file of curl commands is left out, because it contains curl's own flags. */
  const files = sourceFiles.filter(
    (file) => file.startsWith('http/') && file !== 'http/request/curl.ts',
  )
  const named = /(?:^|[\s`(])--[a-z]|\bsvcctl |\bSVC_/
  const textsOf = (file: string): string[] =>
    [...listNodes(parseStatements(readSource(file), file))].flatMap((node) => {
      if (isText(node)) return [node.value]
      return node.type === 'TemplateElement' ? [JSON.stringify(node.value)] : []
    })

  it('names no command, no flag and no variable', () => {
    expect(files.length).toBeGreaterThan(15)
    const texts = files.flatMap((file) => textsOf(file).map((text) => `${file}: ${text}`))
    expect(texts.length).toBeGreaterThan(300)
    expect(texts.filter((text) => named.test(text))).toEqual([])
  })
  it.each(['try --timeout', '`svcctl doctor`', 'set SVC_TOKEN'])('would be found: %s', (text) => {
    expect(named.test(text)).toBe(true)
  })
})
