import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { formatLine } from '../../../src/engine/journal/lines.js'
import { createFolder } from '../../support/program.js'
import { startLine } from '../../support/within.js'
import { createRuns, notFound, readHeader, readJournalLines, readStates, user } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()
let config = ''
/** The IDs of the objects that the instance refuses to change. */
let refused: readonly number[] = []
let name = 'ana'
let active = false

const getId = (url: string): number => Number(/(\d+)(?:\/\w+)?(?:\?.*)?$/.exec(url)?.[1])
beforeEach(() => {
  config = fresh()
  refused = []
  name = 'ana'
  active = false
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return name === '' ? notFound : { body: { username: name } }
    if (method !== 'GET' && refused.includes(getId(url))) return notFound
    return { body: { id: getId(url), active, state: 'detected' } }
  }
})

const getJournal = (): string => files()[0] ?? ''

/** Rewrites the journal as a killed process would leave it: without its end, and with the given last lines. */
const writeKilledJournal = (...lines: readonly unknown[]): void => {
  const kept = readJournalLines(getJournal()).filter((line) => !('end' in line))
  const all = [...kept, ...lines].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(getJournal(), all.join(''))
}

describe('--resume', () => {
  it('does what failed again, with the values of the run', async () => {
    refused = [2, 3]
    const first = await run(['runners', 'update', '1', '2', '3', '4', '--description', 'new'])
    expect(first.code).toBe(8)
    refused = [3]
    forget()
    const again = await run('runners update --resume last')
    expect([again.code, written().toSorted()]).toEqual([8, ['PUT /runners/2', 'PUT /runners/3']])
    expect(server.seen.find(({ method }) => method === 'PUT')?.body).toBe('{"description":"new"}')
    refused = []
    forget()
    const last = await run('runners update --resume last')
    expect([last.code, written()]).toEqual([0, ['PUT /runners/3']])
    expect(Object.values(readStates(getJournal()))).toEqual(['done', 'done', 'done', 'done'])
    forget()
    const nothing = await run('runners update --resume last')
    expect([nothing.code, written()]).toEqual([0, []])
    expect(nothing.stderr).toContain('nothing is left')
  })

  it('takes a file and an id, and leaves the others alone', async () => {
    refused = [2]
    await run('runners pause 1 2')
    const copy = join(createFolder(), 'copy.ndjson')
    copyFileSync(getJournal(), copy)
    const { id } = readHeader(getJournal())
    refused = []
    forget()
    expect((await run(['runners', 'pause', '--resume', copy])).code).toBe(0)
    expect((await run(['runners', 'pause', '--resume', id])).code).toBe(0)
    expect(written()).toEqual(['PUT /runners/2', 'PUT /runners/2'])
  })

  it.each([
    ['runners pause 7 --resume last', 'takes no objects'],
    ['runners pause - --resume last', 'the journal contains all objects'],
    ['runners update --resume last', 'no run of "svcctl runners update" on'],
    [
      'runners pause --resume last --sudo ben',
      'was started without --sudo, and this is with --sudo ben',
    ],
    ['runners pause --resume last --shard 1/2', 'exclude each other'],
    ['runners pause --resume last --project a/b', '--project exclude each other'],
    ['runners pause --resume nowhere', 'unknown journal "nowhere'],
  ])('refuses %s', async (line, words) => {
    refused = [2]
    await run('runners pause 1 2')
    forget()
    const { code, stderr } = await run(line, '7\n')
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain(words)
  })

  it('refuses another command, instance and user', async () => {
    refused = [2]
    await run('runners pause 1 2')
    const file = getJournal()
    forget()
    const other = await run(['runners', 'resume', '--resume', file])
    expect(other.stderr).toContain(`svcctl runners pause --resume ${file}`)
    const elsewhere = { SVC_BASE_URL: `${server.url}/elsewhere` }
    const there = await run(['runners', 'pause', '--resume', file], undefined, elsewhere)
    expect(there.stderr).toContain('was started at')
    expect(there.stderr).toContain(`The run had the instance ${server.url} and no profile.`)
    const sudo = await run(['runners', 'pause', '--resume', file, '--sudo', 'eva'])
    expect(sudo.stderr).toMatch(/was started without --sudo.*\n.*Leave out --sudo\./)
    name = 'ben'
    const somebody = await run(['runners', 'pause', '--resume', file])
    expect(somebody.stderr).toContain('was started by ana, and this is ben')
    name = ''
    const nobody = await run(['runners', 'pause', '--resume', file])
    expect(nobody.stderr).toContain('cannot tell whether')
    expect([other.code, there.code, somebody.code, nobody.code, written()]).toEqual([
      2,
      2,
      2,
      2,
      [],
    ])
    refused = []
    expect((await run(['runners', 'pause', '--resume', file, '--yes'])).code).toBe(0)
    expect(written()).toEqual(['PUT /runners/2'])
  })

  it('refuses a secret that was given on the line, and takes one of the environment', async () => {
    refused = [1, 2]
    const line = ['integrations', 'update', 'slack', '-P', 'a/b', '-P', 'a/c', '--webhook']
    server.answer = ({ url }) => (url.endsWith('/user') ? user : notFound)
    const typed = 'https://hooks.example.test/typed-secret'
    const first = await run([...line, typed])
    expect(first.stderr).toContain('cannot be resumed')
    expect(readFileSync(getJournal(), 'utf8')).not.toContain('typed-secret')
    const again = await run(['integrations', 'update', '--resume', getJournal()])
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be resumed') })
    config = fresh()
    const env = { HOOK: 'https://hooks.example.test/kept-secret' }
    await run([...line, 'env:HOOK'], undefined, env)
    expect(readFileSync(getJournal(), 'utf8')).not.toContain('kept-secret')
    expect(readHeader(getJournal()).input).toMatchObject({ webhook: { $secret: 'env:HOOK' } })
    forget()
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 1 } })
    const kept = await run('integrations update --resume last', undefined, env)
    expect(kept.code, kept.stderr).toBe(0)
    const bodies = server.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)
    expect(bodies).toHaveLength(2)
    for (const body of bodies) expect(body).toContain('kept-secret')
  })

  it('refuses a file that was changed since', async () => {
    refused = [1, 2]
    const input = join(createFolder(), 'a.json')
    writeFileSync(input, '{"description":"new"}')
    await run(['runners', 'update', '1', '2', '--input', input])
    writeFileSync(input, '{"description":"newer"}')
    forget()
    const changed = await run('runners update --resume last')
    expect([changed.code, written()]).toEqual([2, []])
    expect(changed.stderr).toContain('changed after the run began')
    writeFileSync(input, '{"description":"new"}')
    refused = []
    expect((await run('runners update --resume last')).code).toBe(0)
  })

  it('does an unknown PUT again where it was not done, and takes what is gone for deleted', async () => {
    await run('runners pause 1 2')
    writeKilledJournal(
      { n: 3, object: '3', state: 'queued' },
      { n: 3, object: '3', state: 'begun' },
    )
    writeKilledJournal({ input: 'complete', total: 3 })
    forget()
    active = true
    expect((await run('runners pause --resume last')).code).toBe(0)
    expect(written()).toEqual(['PUT /runners/3'])
    config = fresh()
    refused = [2]
    await run('deploy-keys delete 1 -P a/b --yes --journal none')
    await run(['deploy-keys', 'delete', '1', '-P', 'a/b', '--yes', '--journal', join(config, 'd')])
    const file = join(config, 'd')
    const text = readFileSync(file, 'utf8').replaceAll(/\{"(?:end|input)".*\n/g, '')
    const line = { n: 2, object: '2', parent: 'a/b' }
    const lost = [
      { ...line, state: 'queued' },
      { ...line, state: 'begun' },
      { input: 'complete', total: 2 },
    ] as const
    writeFileSync(file, text + lost.map((one) => formatLine(one)).join(''))
    const again = await run(['deploy-keys', 'delete', '--resume', file, '--yes'])
    expect(again.code, again.stderr).toBe(0)
    expect(readStates(file)).toMatchObject({ 2: 'unchanged' })
  })

  it('goes past a run without objects, unless that is the newest', async () => {
    await run('runners pause 1 2 --journal none')
    const newest = await run('runners pause --resume last')
    expect([newest.code, newest.stderr]).toEqual([2, expect.stringContaining('has no objects')])
    await run('runners pause 1 2')
    const later = await run('runners pause --resume last')
    expect([later.code, later.stderr]).toEqual([0, 'nothing is left to do\n'])
    expect((await run('runners pause --resume last -o json')).stdout).toBe('[]\n')
  })

  it('only looks at an unknown POST: it stays unknown unless it is as it was to be', async () => {
    const confirm = async () => {
      config = fresh()
      await run('vulnerabilities confirm 1 2')
      writeKilledJournal()
      const lines = readJournalLines(getJournal()).filter(
        (line) => !('n' in line && line.n === 2 && line.state === 'done'),
      )
      writeFileSync(getJournal(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      forget()
    }
    await confirm()
    const open = await run('vulnerabilities confirm --resume last')
    expect([open.code, written()]).toEqual([8, []])
    expect(open.stderr).toContain('0 done, 1 unknown.')
    expect(open.stderr).toContain('Check the object, and start a new run for it.')
    await confirm()
    server.answer = ({ url }) =>
      url.endsWith('/user') ? user : { body: { id: getId(url), state: 'confirmed' } }
    const done = await run('vulnerabilities confirm --resume last')
    expect([done.code, written()]).toEqual([0, []])
    expect(readStates(getJournal())).toMatchObject({ 2: 'done' })
  })

  it('goes on over several parents, each object in its own', async () => {
    server.answer = ({ url }) =>
      url.endsWith('/user') ? user : /c\/|%2Fc/.test(url) ? notFound : { body: { id: 5 } }
    expect((await run('deploy-keys enable 5 6 -P a/b -P a/c')).code).toBe(8)
    forget()
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 5 } })
    const { code, stderr } = await run('deploy-keys enable --resume last')
    expect(code, stderr).toBe(0)
    expect(written().toSorted()).toEqual([
      'POST /projects/a%2Fc/deploy_keys/5/enable',
      'POST /projects/a%2Fc/deploy_keys/6/enable',
    ])
  })

  it('keeps the arguments that name no object', async () => {
    server.answer = ({ url }) =>
      url.endsWith('/user') ? user : /c\/|%2Fc/.test(url) ? notFound : { body: { id: 5 } }
    expect((await run('issues estimate 7 3h -P a/b -P a/c')).code).toBe(8)
    forget()
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 5 } })
    const { code, stderr } = await run('issues estimate --resume last')
    expect(code, stderr).toBe(0)
    expect(written()).toEqual(['POST /projects/a%2Fc/issues/7/time_estimate'])
    expect(server.seen.at(-1)?.body).toBe('{"duration":"3h"}')
  })

  it('fails only for a name that does not exist any more', async () => {
    const members = [{ id: 5, username: 'dov' }]
    server.answer = ({ url, method }) => {
      if (url.endsWith('/user')) return user
      if (method === 'GET') return { body: members }
      return { status: 500 }
    }
    members.push({ id: 6, username: 'eva' })
    const line = 'members remove dov eva -G platform --yes --retries 0'
    expect((await run(line)).code).not.toBe(0)
    members.shift()
    server.answer = ({ url, method }) =>
      url.endsWith('/user') ? user : method === 'GET' ? { body: members } : { status: 204 }
    forget()
    const { code, stderr } = await run('members remove --resume last --yes')
    expect([code, written()], stderr).toEqual([8, ['DELETE /groups/platform/members/6']])
    expect(stderr).toContain('group platform has no member named "dov"')
  })

  it('goes on with any call', async () => {
    refused = [2]
    await run(['api', 'put', 'runners/{}', '-', '--param', 'active=false'], '1\n2\n')
    refused = []
    forget()
    const { code, stderr } = await run('api --resume last')
    expect(code, stderr).toBe(0)
    expect(written()).toEqual(['PUT /runners/2'])
    expect(server.seen.at(-1)?.body).toBe('{"active":false}')
  })

  it('of a cut input does what is queued and ends 8; the same input does the rest', async () => {
    await run('runners pause -', '1\n2\n')
    const kept = readJournalLines(getJournal()).filter(
      (line) => !('end' in line || 'total' in line),
    )
    writeFileSync(getJournal(), kept.map((line) => `${JSON.stringify(line)}\n`).join(''))
    forget()
    const cut = await run('runners pause --resume last')
    expect([cut.code, written()]).toEqual([8, []])
    expect(cut.stderr).toContain(
      'the input of the run was interrupted: the remaining objects were not',
    )
    const whole = await run('runners pause - --resume last', '1\n2\n3\n')
    expect(whole.code, whole.stderr).toBe(0)
    expect(whole.stderr).not.toContain('- completes the run with the same input')
    expect(written()).toEqual(['PUT /runners/3'])
    expect(readJournalLines(getJournal())).toContainEqual({ input: 'complete', total: 3 })
  })

  it('says of a cut input that it is to be given again', async () => {
    refused = [2]
    await run('runners pause -', '1\n2\n')
    const kept = readJournalLines(getJournal()).filter(
      (line) => !('end' in line || 'total' in line),
    )
    writeFileSync(getJournal(), kept.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const open = await run('runners pause --resume last')
    expect([open.code, open.stderr]).toEqual([4, expect.stringMatching(/--resume \S+ - completes/)])
    refused = []
    forget()
    const whole = await run('runners pause - --resume last', '{"id":1}\n{"id":2}\n{"id":3}\n')
    expect(whole.code, whole.stderr).toBe(0)
    expect(written().toSorted()).toEqual(['PUT /runners/2', 'PUT /runners/3'])
    expect(readJournalLines(getJournal())).toContainEqual({ input: 'complete', total: 3 })
  })

  it('is advised by the id of the run where another one began meanwhile', async () => {
    const { answer } = server
    const arrived = new Promise<void>((resolve) => {
      server.answer = (seen, i) => {
        if (seen.method === 'GET' || getId(seen.url) !== 2) return answer(seen, i)
        resolve()
        return { status: 503, headers: { 'retry-after': '60' } }
      }
    })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const first = startLine(['runners', 'pause', '1', '2'], { env })
    await arrived
    const { id } = readHeader(getJournal())
    expect((await run('runners pause 3 4')).code).toBe(0)
    first.kill('SIGINT')
    expect((await first.ended).stderr).toContain(`svcctl runners pause --resume ${id} `)
  })

  it('is refused while another process has the journal', { timeout: 30_000 }, async () => {
    refused = [2]
    await run('runners pause 1 2')
    const { answer } = server
    const arrived = new Promise<void>((resolve) => {
      server.answer = (seen, i) => {
        if (seen.method !== 'GET') resolve()
        return seen.method === 'GET'
          ? answer(seen, i)
          : { status: 503, headers: { 'retry-after': '60' } }
      }
    })
    const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const first = startLine(['runners', 'pause', '--resume', 'last'], { env })
    try {
      await arrived
      const second = await run('runners pause --resume last')
      expect(second.code).toBe(5)
      expect(second.stderr).toContain('in use by process')
    } finally {
      first.kill('SIGINT')
      await first.ended
    }
    // The journal says that the run was interrupted.
    expect(readJournalLines(getJournal()).at(-1)).toMatchObject({ end: 'interrupted' })
    expect(readHeader(getJournal()).user).toBe('ana')
  })
})
