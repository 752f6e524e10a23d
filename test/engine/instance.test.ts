/** Tests the requests of a run: warnings, the record of writes, curl commands, checks, and the notes at the end of a list. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { machineClock } from '../../src/base/async.js'
import { machineIo } from '../../src/base/io.js'
import { issues } from '../../src/catalogue/areas/issues.js'
import { runners } from '../../src/catalogue/areas/runners.js'
import { documentedWords } from '../../src/catalogue/words.js'
import { Caller } from '../../src/engine/instance/caller.js'
import { buildClientOptions, ConnectionWarnings } from '../../src/engine/instance/connection.js'
import { InstanceExchange } from '../../src/engine/instance/exchange.js'
import { describeListEnd } from '../../src/engine/instance/listing.js'
import { toIncompleteFailure } from '../../src/engine/rows.js'
import { Failure } from '../../src/errors.js'
import { buildRequest } from '../../src/http/index.js'
import type { Ask, Client, WholeAnswer } from '../../src/http/types.js'
import { Audit } from '../../src/profile/audit.js'

describe('warnings', () => {
  const warned = (insecure: boolean, env: NodeJS.ProcessEnv) => {
    const said: string[] = []
    return {
      said,
      warnings: new ConnectionWarnings({ insecure, env, warn: (text) => said.push(text) }),
    }
  }

  it('says of each address, once, that nothing is verified', () => {
    const { said, warnings } = warned(true, {})
    for (const url of ['https://a.test', 'https://a.test', 'http://b.test', 'https://c.test'])
      warnings.warnAboutCertificate(url)
    expect(said.map((text) => /certificate of (\S+)/.exec(text)?.[1])).toEqual([
      'https://a.test',
      'https://c.test',
    ])
  })

  it('takes the variable that turns verification off away, and says so', () => {
    const env: NodeJS.ProcessEnv = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const { said, warnings } = warned(false, env)
    expect(env).toEqual({})
    warnings.warnAboutCertificate('http://a.test')
    expect(said).toEqual([])
    warnings.warnAboutCertificate('https://a.test')
    expect(said).toEqual([expect.stringContaining('is ignored')])
  })

  it('leaves the variable alone where it says nothing of that', () => {
    const env: NodeJS.ProcessEnv = { NODE_TLS_REJECT_UNAUTHORIZED: '1' }
    const { said, warnings } = warned(false, env)
    warnings.warnAboutCertificate('https://a.test')
    expect([env.NODE_TLS_REJECT_UNAUTHORIZED, said]).toEqual(['1', []])
  })

  it('says once why the token of the job did not go along', () => {
    const { said, warnings } = warned(false, {})
    warnings.warnAboutJobToken({})
    for (const _ of [1, 2]) warnings.warnAboutJobToken({ jobTokenWithheld: 'another instance' })
    expect(said).toEqual(['another instance'])
  })
})

describe('the record of writes', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'svcctl-audit-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const exchange = {
    method: 'PUT',
    url: 'https://forge.test/api/v4/runners/7',
    requestHeaders: {},
    status: 200,
    milliseconds: 1,
  }
  const profileOf = (auditLog: string) => ({
    name: 'prod',
    baseUrl: 'https://forge.test',
    auditLog,
  })
  const users = (file: string) =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).user)

  it('is kept only where a profile wants it', () => {
    expect(new Audit(machineIo.now).open(undefined, undefined, 'ana')).toBeUndefined()
    const { auditLog: _, ...without } = profileOf('')
    expect(new Audit(machineIo.now).open(without, undefined, 'ana')).toBeUndefined()
  })

  it('has writes only, and the user whose own credential went along', () => {
    const file = join(home, 'audit.jsonl')
    for (const kind of ['oauth', 'job', 'bearer', 'basic'] as const) {
      const told = new Audit(machineIo.now).open(profileOf(file), { kind, value: 'x' }, 'ana')
      told?.({ ...exchange, method: 'GET' })
      told?.({ ...exchange, method: 'HEAD' })
      told?.(exchange)
    }
    new Audit(machineIo.now).open(profileOf(file), undefined, 'ana')?.(exchange)
    expect(users(file)).toEqual(['ana', null, null, null, null])
  })

  it('lets no write go once a line was lost, and reads still', () => {
    const audit = new Audit(machineIo.now)
    const write = { method: 'PUT', path: '/runners/7', headers: {} }
    const told = audit.open(profileOf('/dev/full'), undefined, 'ana')
    expect(() => audit.check(write)).not.toThrow()
    expect(() => told?.(exchange)).toThrow()
    expect(() => audit.check(write)).toThrow(
      expect.objectContaining({
        category: 'failed',
        message: expect.stringContaining('/dev/full'),
      }),
    )
    expect(() => audit.check({ ...write, method: 'GET' })).not.toThrow()
  })
})

describe('a curl command', () => {
  const wire = buildRequest({ endpoint: runners.get, values: { id: 7 } })
  // Only the session is asked for the credential.
  const exchangeOf = (credential: () => Promise<unknown>) =>
    new InstanceExchange(
      {
        command: { endpoints: {} },
        globals: { insecure: false, verbose: 0 },
        env: {},
        io: machineIo,
        signal: new AbortController().signal,
        inner: { getGate: async () => ({}) },
      } as unknown as ConstructorParameters<typeof InstanceExchange>[0],
      {
        session: async () => ({
          baseUrl: 'https://forge.test',
          sudo: 'ana',
          getCredential: credential,
        }),
        snapshot: async () => undefined,
        profile: async () => undefined,
        clock: { timers: machineClock },
      } as unknown as ConstructorParameters<typeof InstanceExchange>[1],
      {
        say: () => {},
        warn: () => {},
        trace: () => {},
        meter: { begin: () => ({}) },
      } as unknown as ConstructorParameters<typeof InstanceExchange>[2],
    )

  it('names the kind of the credential, never the credential', async () => {
    const given = exchangeOf(async () => ({ kind: 'oauth', value: 'canary' }))
    const text = await given.formatCurl(wire, runners.get)
    expect(text).toMatch(/Bearer \\?"?\$SVC_TOKEN/)
    expect(text).not.toContain('canary')
    expect(text).toMatch(/sudo: ana/i)
  })

  it('goes without where there is none, and throws what else goes wrong', async () => {
    const missing = exchangeOf(async () => {
      throw new Failure('auth', 'no token')
    })
    expect(await missing.formatCurl(wire, runners.get)).not.toContain('TOKEN')
    const broken = exchangeOf(async () => {
      throw new Failure('usage', 'has an invalid profile')
    })
    await expect(broken.formatCurl(wire, runners.get)).rejects.toMatchObject({
      category: 'usage',
    })
  })

  it('acts as nobody else where the credential is a parameter', async () => {
    const given = exchangeOf(async () => undefined)
    const register = { ...wire, method: 'POST' }
    const text = await given.formatCurl(register, runners.register)
    expect(text).not.toMatch(/sudo/i)
  })
})

describe('how an instance is reached', () => {
  const heard: string[] = []
  const run = (globals: object) =>
    ({
      globals: { insecure: false, verbose: 0, ...globals },
      env: {},
      signal: new AbortController().signal,
      screen: { say: () => {}, trace: () => {}, meter: { begin: () => ({}) } },
      getGate: async (url: string) => {
        heard.push(url)
        return {}
      },
      warnings: new ConnectionWarnings({ insecure: false, env: {}, warn: () => {} }),
      audit: new Audit(machineIo.now),
      guard: async () => {},
    }) as unknown as Parameters<typeof buildClientOptions>[0]
  const profile = { name: 'prod', baseUrl: 'https://forge.test', timeout: 7, retries: 4 }

  it('has nothing written for a command that only looks', async () => {
    const options = async (readOnly: boolean) =>
      buildClientOptions({ ...run({}), readOnly }, 'https://forge.test', {})
    expect(await options(true)).toMatchObject({ readOnly: true })
    expect(await options(false)).toMatchObject({ readOnly: false })
  })

  it('waits as the flags say, else as the profile says, else as the client does', async () => {
    const at = (globals: object, party: object) =>
      buildClientOptions(run(globals), 'https://forge.test', party)
    expect(await at({ timeout: 3, retries: 0 }, { profile })).toMatchObject({
      timeout: 3,
      retries: 0,
    })
    expect(await at({}, { profile })).toMatchObject({ timeout: 7, retries: 4 })
    const plain = await at({}, {})
    expect([plain.timeout, plain.retries, plain.trace, plain.renew]).toEqual(
      Array(4).fill(undefined),
    )
    expect((await at({ verbose: 1 }, {})).trace).toBeTypeOf('function')
    expect(heard.at(-1)).toBe('https://forge.test')
  })
})

describe('a call', () => {
  const whole = (status: number, text = ''): WholeAnswer => ({
    status,
    headers: {},
    bytes: Buffer.from(text),
    data: text === '' ? undefined : JSON.parse(text),
  })
  const sending = (answer: () => Promise<WholeAnswer>, strict = false) => {
    const said: string[] = []
    const codes: number[] = []
    const exchange = {
      getClient: async () => ({ call: answer }) as unknown as Client,
      buildAndRecord: async (ask: Ask) => buildRequest(ask),
    }
    const ui = { note: (text: string) => void said.push(text) }
    const service = new Caller(
      exchange,
      ui,
      { setExitCode: (code) => void codes.push(code) },
      { strict },
      documentedWords,
    )
    return { service, said, codes }
  }
  const get: Ask = { endpoint: runners.get, values: { id: 7 } }
  const update: Ask = { endpoint: runners.update, values: { id: 7, description: 'one' } }

  it('that reads and shows nothing is no answer', async () => {
    const { service } = sending(async () => whole(200))
    await expect(service.send(get)).rejects.toMatchObject({
      category: 'unreachable',
      message: 'the instance answered 200 without the requested data',
    })
    await expect(sending(async () => whole(304)).service.send(get)).resolves.toMatchObject({
      status: 304,
    })
  })

  it('that changes something is held against its answer', async () => {
    const other = async () => whole(200, '{"id":7,"description":"two"}')
    const { service, codes } = sending(other)
    await service.send(update)
    expect([...service.yieldWarnings()]).toHaveLength(1)
    expect(codes).toEqual([])
    const strict = sending(other, true)
    await strict.service.send(update)
    expect(strict.codes).toEqual([1])
    const taken = sending(async () => whole(200, '{"id":7,"description":"one"}'), true)
    await taken.service.send(update)
    expect([taken.codes, [...taken.service.yieldWarnings()]]).toEqual([[], []])
  })

  it('that fails says which of its names nobody knows', async () => {
    const { service, said } = sending(async () => {
      throw new Failure('conflict', 'no')
    })
    await expect(service.send({ ...update, extra: { descripton: 'x' } })).rejects.toMatchObject({
      category: 'conflict',
    })
    expect(said).toEqual([expect.stringMatching(/descripton.*did you mean description/)])
  })
})

describe('the end of a list', () => {
  const end = { records: 20, more: true, total: 51 }
  it.each([
    [end, {}, false, 'showing 20 of 51; there are more: use --limit <n> or --limit all for more'],
    [end, { page: 2 }, false, 'showing 20 of 51; there are more: use --page 3 to continue'],
    // The total is wrong.
    [
      { ...end, total: 20 },
      { page: 2 },
      false,
      'showing 20; there are more: use --page 3 to continue',
    ],
    [
      end,
      { page: 2, limit: 20 },
      false,
      'showing 20 of 51; there are more: use --limit <n> or --limit all for more',
    ],
    [
      end,
      { page: 2, limit: 20, perPage: 20 },
      false,
      'showing 20 of 51; there are more: use --page 3 to continue',
    ],
    [
      { records: 20, more: true },
      { page: 2 },
      true,
      'showing 20 matching; there may be more: use --page 3 to continue',
    ],
    [{ records: 20, more: false }, {}, false, undefined],
    [{ records: 0, more: false }, {}, false, 'nothing found'],
    [{ records: 0, more: false }, {}, true, 'no matches'],
    [{ records: 3, more: false }, {}, true, undefined],
  ] as const)('%j %j, chosen %s: %s', (ended, paging, chosen, text) => {
    expect(describeListEnd(ended, paging, undefined, chosen)).toBe(text)
  })

  it('names the scope that explains an empty one, unless it was asked for', () => {
    const none = { records: 0, more: false }
    const plan = (endpoint: Ask['endpoint'], values: Ask['values']) => ({
      endpoint,
      values,
    })
    expect(describeListEnd(none, {}, plan(issues.list, {}))).toBe(
      'nothing found; the default scope is created_by_me, see --scope',
    )
    expect(describeListEnd(none, {}, plan(issues.list, { scope: 'all' }))).toBe('nothing found')
  })

  it('that broke off says how much there was', () => {
    const failure = new Failure('unreachable', 'gone', { status: 502 })
    expect(toIncompleteFailure(failure, 0)).toBe(failure)
    expect(toIncompleteFailure(failure, 1)).toMatchObject({
      category: 'unreachable',
      message: 'gone; 1 record arrived before that, so the list is incomplete',
      details: { status: 502 },
    })
    expect(toIncompleteFailure(failure, 2)).toMatchObject({
      message: expect.stringContaining('2 records arrived'),
    })
    const other = new Error('a defect')
    expect(toIncompleteFailure(other, 5)).toBe(other)
  })
})
