/** Tests an embedded instance with another vocabulary: every mapped name is sent and read back, by either name. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toRecords, useWordsSandbox } from '../sandbox/instance.js'
import { createFolder, type LineResult, type ProgramLineOptions } from '../support/program.js'
import { svcctl } from '../support/within.js'
import { invented, loadInventedWords } from './invented.js'

const words = await loadInventedWords()
const { url, send } = useWordsSandbox(words)

const file = join(createFolder(), 'work.yml')
writeFileSync(file, invented)

const run = (
  line: string,
  more: ProgramLineOptions['env'] = {},
  input?: string,
): Promise<LineResult> =>
  svcctl(line.split(' '), {
    env: {
      SVC_BASE_URL: url(),
      SVC_TOKEN: 'sandbox-root-token',
      SVC_VOCABULARY: file,
      VALUE: 'a-secret-value',
      ...more,
    },
    ...(input === undefined ? {} : { input }),
  })

const runOk = async (line: string, input?: string): Promise<string> => {
  const ran = await run(line, {}, input)
  expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('did not take') })
  return ran.stdout
}

interface MappedName {
  readonly neutral: string
  readonly own: string
  /** The command that sets the field, without the flag. */
  readonly sets: string
  readonly values: readonly [string, string, string, string]
  /** The command that shows the field. */
  readonly shows: string
  readonly secret?: true
  /** The list that has the field. */
  readonly lists?: string
}

const integration = 'integrations update monitoring -P platform/app --api-key env:VALUE'
const mappedNames: readonly MappedName[] = [
  {
    neutral: 'cloud_account_id',
    own: 'nimbus_account_id',
    sets: 'settings update',
    values: ['11', '12', '13', '14'],
    shows: 'settings get',
  },
  {
    neutral: 'cloud_access_key_id',
    own: 'nimbus_access_key_id',
    sets: 'settings update',
    values: ['env:VALUE', 'env:VALUE', 'abc', 'def'],
    shows: 'settings get',
    secret: true,
  },
  {
    neutral: 'spamsvc_api_key',
    own: 'junkguard_api_key',
    sets: 'settings update',
    values: ['env:VALUE', 'env:VALUE', 'abc', 'def'],
    shows: 'settings get',
    secret: true,
  },
  {
    neutral: 'properties.monitor_site',
    own: 'properties.watch_region',
    sets: integration,
    values: ['eu', 'us', 'asia', 'moon'],
    shows: 'integrations get monitoring -P platform/app',
  },
  {
    neutral: 'can_push',
    own: 'may_write',
    sets: 'deploy-keys update 1 -P platform/app',
    values: ['true', 'false', 'true', 'false'],
    shows: 'deploy-keys get 1 -P platform/app',
    lists: 'deploy-keys list -P platform/app',
  },
]

const getLeaf = (path: string): string => path.split('.').at(-1) ?? path
const buildFlag = (path: string, value: string): string => {
  const name = getLeaf(path).replaceAll('_', '-')
  if (value === 'true') return `--${name}`
  return value === 'false' ? `--no-${name}` : `--${name} ${value}`
}
const toGivenValue = (text: string): string => (text === 'env:VALUE' ? 'a-secret-value' : text)
const toJsonValue = (text: string): unknown =>
  /^(true|false)$/.test(text) ? text === 'true' : text

describe.each(mappedNames)(
  '$neutral, there $own,',
  ({ neutral, own, sets, values, shows, ...is }) => {
    const [first, second, third, fourth] = values
    const shown = async (name: string): Promise<unknown> => {
      const secrets = is.secret === true ? ' --show-secrets' : ''
      return JSON.parse(await runOk(`${shows} --fields ${name} -o json${secrets}`))
    }

    it('is set by its neutral flag', async () => {
      await runOk(`${sets} ${buildFlag(neutral, first)} --strict`)
      expect(await shown(neutral)).toEqual({ [neutral]: toJsonValue(toGivenValue(first)) })
    })

    it('is set by the instance’s flag', async () => {
      await runOk(`${sets} ${buildFlag(own, second)} --strict`)
      expect(await shown(own)).toEqual({ [own]: toJsonValue(toGivenValue(second)) })
    })

    it('is set by --param, in either word', async () => {
      await runOk(`${sets} --param ${getLeaf(own)}=${third} --strict`)
      expect(await shown(neutral)).toEqual({ [neutral]: toJsonValue(third) })
      await runOk(`${sets} --param ${getLeaf(neutral)}=${fourth} --strict`)
      expect(await shown(neutral)).toEqual({ [neutral]: toJsonValue(fourth) })
    })

    it('is set by --input, in either word', async () => {
      for (const name of [own, neutral]) {
        const value = toJsonValue(name === own ? third : fourth)
        await runOk(`${sets} --input - --strict`, JSON.stringify({ [getLeaf(name)]: value }))
        expect(await shown(own)).toEqual({ [own]: value })
      }
    })

    it('is refused in both words', async () => {
      const lines = [
        `${sets} ${buildFlag(neutral, first)} ${buildFlag(own, second)}`,
        `${sets} ${buildFlag(neutral, first)} --param ${getLeaf(own)}=${third}`,
        `${sets} --param ${getLeaf(neutral)}=${third} --param ${getLeaf(own)}=${third}`,
      ]
      for (const line of lines) {
        const ran = await run(line)
        expect(ran.code).toBe(2)
        expect(ran.stderr).toContain('Pass only one of them.')
      }
      const both = JSON.stringify({ [getLeaf(own)]: third, [getLeaf(neutral)]: third })
      expect((await run(`${sets} --input -`, {}, both)).code).toBe(2)
    })

    it('heads its column in the instance’s word, and is masked where it is a secret', async () => {
      const [heading, value] = (await runOk(`${shows} --fields ${neutral} -o csv`))
        .trim()
        .split('\n')
      expect(heading).toBe(own)
      if (is.secret === true) expect(value).toBe('[masked]')
      const [line = ''] = (await runOk(`${shows} --fields ${neutral}`)).trim().split('\n')
      expect(line.split('\t')[0]).toBe(own)
      const whole = await runOk(`${shows} -o json`)
      expect(whole).toContain(`"${getLeaf(own)}":`)
      expect(whole).not.toContain(`"${getLeaf(neutral)}":`)
      if (is.secret === true) expect(whole).toContain(`"${getLeaf(own)}":"[masked]"`)
    })

    it.skipIf(is.lists === undefined)('is a condition by either word', async () => {
      await runOk(`${sets} ${buildFlag(neutral, first)}`)
      for (const name of [neutral, own]) {
        const records = JSON.parse(await runOk(`${is.lists} --where ${name}=${first} -o json`))
        expect(records).toHaveLength(1)
        expect(records[0]).toHaveProperty(own)
        expect(JSON.parse(await runOk(`${is.lists} --where ${name}=${second} -o json`))).toEqual([])
      }
    })
  },
)

describe('the instance', () => {
  it('drops what it does not know in silence, and has no route of the other words', async () => {
    const { body } = await send('PUT /application/settings', {
      json: { cloud_account_id: 'x', nimbus_account_id: 'y' },
    })
    expect(body).toMatchObject({ nimbus_account_id: 'y' })
    expect(body).not.toHaveProperty('cloud_account_id')
    expect((await send('GET /geo_nodes')).status).toBe(404)
    expect((await send('GET /geo_sites')).status).toBe(200)
    expect((await send('POST /ci/lint', { json: { content: 'a' } })).status).toBe(404)
  })

  it('names what is wrong as it would have been sent', async () => {
    const { refusal } = await send('POST /projects/1/workers', { json: {} })
    expect(refusal).toEqual({ error: 'worker_number is missing' })
  })

  it('has its own cookie, header, slug and values', async () => {
    const statusBy = async (name: string): Promise<number> => {
      const headers = { cookie: `${name}=sandbox-ana-session` }
      return (await send('GET /user', { as: '', headers })).status
    }
    expect([await statusBy('_hub_session'), await statusBy('_svc_session')]).toEqual([200, 401])
    const session = { SVC_TOKEN: 'sandbox-ana-session', SVC_TOKEN_KIND: 'session' }
    expect((await run('events list', session)).code).toBe(0)
    const list = await send('GET /workers/all')
    expect(list.headers.get('x-hub-total')).toBe(String(toRecords(list.body).length))
    expect(list.headers.get('x-total')).toBeNull()
    expect((await send('GET /workers/all?status=stale')).status).toBe(200)
    expect((await send('GET /workers/all?status=staler')).status).toBe(400)
    await runOk('integrations update monitoring -P platform/app --api-key env:VALUE --strict')
    expect((await send('GET /projects/platform%2Fapp/integrations/watchtower')).status).toBe(200)
  })
})

describe('without its vocabulary', () => {
  const none = { SVC_VOCABULARY: '' }

  it('the same writes are noted as not taken, and --strict fails', async () => {
    const lines = [
      'settings update --cloud-account-id 5 --default-branch-name trunk',
      `${integration} --monitor-site eu`,
      'deploy-keys update 1 -P platform/app --title deploy --can-push',
    ]
    for (const line of lines) {
      const plain = await run(line, none)
      expect(plain.code).toBe(0)
      expect(plain.stderr).toMatch(/the instance ignored (cloud_account_id|monitor_site|can_push)/)
      expect((await run(`${line} --strict`, none)).code).toBe(1)
      expect((await run(`${line} --strict`)).code).toBe(0)
    }
  })

  it('flags and values of the instance are unknown', async () => {
    expect((await run('settings update --nimbus-account-id 5', none)).code).toBe(2)
    expect((await run('runners list --instance --status stale', none)).code).toBe(2)
    expect((await run('runners list --instance --status stale')).code).toBe(0)
  })
})

describe('what is sent', () => {
  it('is what --curl shows, and the audit log and -v have', async () => {
    const curl = await runOk('settings update --cloud-account-id 5 --curl')
    expect(curl).toContain(`'{"nimbus_account_id":"5"}'`)
    const { stderr } = await run('settings update --cloud-access-key-id env:VALUE -vv')
    expect(stderr).toContain('nimbus_access_key_id')
    expect(stderr).not.toContain('a-secret-value')
  })

  it('is nothing where the instance has the endpoint no more', async () => {
    for (const how of ['', ' --curl', ' -v']) {
      const ran = await run(`ci lint -${how}`, {}, 'job: { script: a }')
      expect(ran.code).toBe(4)
      expect(ran.stderr).toContain('no longer offers POST /ci/lint')
      expect(ran.stderr).toContain('--project')
      expect(ran.stderr).not.toContain('http://')
      expect(ran.stdout).not.toContain('curl')
    }
    expect((await run('ci lint - -P platform/app', {}, 'job: { script: a }')).code).toBe(0)
  })

  it('is as it was written with api, whose answer is masked all the same', async () => {
    const ran = await run('api /application/settings -o json')
    expect(ran.stdout).toContain('"junkguard_api_key":"[masked]"')
    expect((await run('api POST /ci/lint --param content=a')).stderr).toContain('404')
  })
})

it('hands JSON on byte for byte', async () => {
  for (const [line, path] of [
    ['geo nodes list -o json --limit all', '/geo_sites?per_page=100'],
    [
      'deploy-keys list -P platform/app -o json --limit all',
      '/projects/platform%2Fapp/deploy_keys?per_page=100',
    ],
    [
      'error-tracking get -P platform/app -o json',
      '/projects/platform%2Fapp/error_tracking/settings',
    ],
  ] as const) {
    const { text } = await send(`GET ${path}`)
    expect(await runOk(line)).toBe(`${text}\n`)
  }
})

it('no secret of either name is traced', async () => {
  const secret = 'canary-of-the-trace'
  const { stderr } = await run(
    `integrations update monitoring -P platform/app --param hub_signing_blob=${secret} --param some_beacon=${secret} --api-key env:VALUE -vv`,
  )
  expect(stderr).toContain('hub_signing_blob')
  expect(stderr).not.toContain(secret)
})

it.each(['monitoring', 'watchtower'])('%s is checked by its family', async (slug) => {
  const { code, stderr } = await run(
    `integrations update ${slug} -P platform/app --recipients a@x.test --api-key env:VALUE`,
  )
  expect(code).toBe(2)
  expect(stderr).toContain(`--recipients is not a parameter of the family monitoring (${slug}`)
})

it.each(['cloud_account_id', 'nimbus_account_id'])('a policy tests %s', async (name) => {
  const policy = join(createFolder(), 'policy.yml')
  const rule = `{ name: account, list: settings get, each: ${name}=another }`
  writeFileSync(policy, `policy: 1\nrules:\n  - ${rule}\n`)
  await runOk('settings update --cloud-account-id 5')
  const ran = await run(`check policy ${policy}`)
  expect([ran.code, ran.stdout]).toEqual([
    1,
    expect.stringContaining(`error account settings: does not fulfil ${name}=another`),
  ])
})

describe('messages name', () => {
  const keys = '-P platform/app'
  it.each([
    ['a field, in --fields', `deploy-keys list ${keys} --fields can_psh`, 'may_write [can_push]?'],
    [
      'one in --where',
      `deploy-keys list ${keys} --where may_wrte=true`,
      'mean may_write [can_push]',
    ],
    [
      'what it is compared with',
      `deploy-keys list ${keys} --where can_push=5`,
      'may_write [can_push] requires true or false, with = or !=',
    ],
    ['a flag', `deploy-keys update 1 ${keys} --may-wrte`, '--may-write'],
    ['a neutral one', `deploy-keys update 1 ${keys} --can-pus`, '--can-push'],
    [
      'a parameter',
      `deploy-keys update 1 ${keys} --param may_wrte=1`,
      'mean may_write [can_push]?',
    ],
    [
      'a value',
      'integrations update monitoring -P platform/app --api-key env:NONE',
      '--api-key: the variable NONE is not set',
    ],
    [
      'a secret’s flag',
      'settings update --junkguard-api-key env:NONE',
      '--junkguard-api-key [--spamsvc-api-key]',
    ],
  ])('%s as the instance does', async (_, line, text) => {
    expect((await run(line)).stderr).toContain(text)
  })
})
