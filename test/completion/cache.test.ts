/** Tests the cache of completion: which values it stores, which it never stores or offers, and which folders it trusts. */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { areas } from '../../src/catalogue/index.js'
import { isHidden } from '../../src/engine/plan/read-values.js'
import { sources } from '../../src/engine/plan/value-lists.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

// Completion gives up after 0.7 s, and the first one of a process takes the longest.
beforeAll(async () => {
  await import('../../src/cli/tab-request.js')
  const env = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_TOKEN: 'any' }
  await svcctl(['__complete', 'bash', '--', 'runners', 'get', ''], { env })
})

let root: string
let requests: string[]
let answer: unknown
let url: string
let close: () => void
beforeEach(async () => {
  root = createConfiguration()
  requests = []
  answer = [{ id: 1, description: 'one' }]
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(() => close())

const complete = async (...words: readonly string[]): Promise<readonly string[]> => {
  const env = { SVC_CONFIG_DIR: root, SVC_BASE_URL: url, SVC_TOKEN: 'any' }
  const ran = await svcctl(['__complete', 'bash', '--', ...words], { env })
  expect(ran.stderr).toBe('')
  return ran.stdout.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
}
const completeRunners = () => complete('runners', 'get', '')
const getValuesFolder = (): string => join(root, 'cache/values')

describe('what completion keeps', () => {
  it('is used by the next TAB, in a file of the owner only', async () => {
    expect(await completeRunners()).toEqual(['1\tone'])
    answer = []
    expect(await completeRunners()).toEqual(['1\tone'])
    expect(requests).toHaveLength(1)
    expect(readdirSync(getValuesFolder())).toHaveLength(1)
  })

  it.each(['cache/values', 'cache', '.'])(
    'is neither read nor written where others may write %s',
    async (open) => {
      await completeRunners()
      chmodSync(join(root, open), 0o777)
      answer = [{ id: 2, description: 'two' }]
      expect(await completeRunners()).toEqual(['2\ttwo'])
      chmodSync(join(root, open), 0o700)
      expect(await completeRunners()).toEqual(['1\tone'])
    },
  )

  it('is asked for anew where it is of another clock, or is no list of values', async () => {
    await completeRunners()
    const [name = ''] = readdirSync(getValuesFolder())
    const file = join(getValuesFolder(), name)
    const whole = JSON.parse(readFileSync(file, 'utf8'))
    answer = [{ id: 2, description: 'two' }]
    const others = [
      { ...whole, time: Date.now() + 3_600_000 },
      { ...whole, items: 'text' },
      { ...whole, items: [{ value: 4 }] },
      null,
    ]
    for (const other of others) {
      writeFileSync(file, JSON.stringify(other))
      expect(await completeRunners(), JSON.stringify(other)).toEqual(['2\ttwo'])
    }
  })

  it('goes when it is too old', async () => {
    await completeRunners()
    const old = join(getValuesFolder(), 'old.json')
    writeFileSync(old, '{}')
    utimesSync(old, 1, 1)
    await complete('projects', 'get', '')
    expect(existsSync(old)).toBe(false)
  })
})

describe('a secret', () => {
  it('is neither offered nor kept', async () => {
    const canary = 'glet-canary-public-key'
    answer = [{ id: 5, active: true, public_key: canary, errsvc_dsn: `https://${canary}@x` }]
    expect(await complete('error-tracking', 'keys', 'delete', '-P', '1', '')).toEqual(['5'])
    const [file = ''] = readdirSync(getValuesFolder())
    expect(readFileSync(join(getValuesFolder(), file), 'utf8')).not.toContain('canary')
  })

  it('is no field of any source', async () => {
    for (const [what, rows] of Object.entries(sources))
      for (const source of rows) {
        const endpoint =
          'path' in source
            ? undefined
            : (await areas.find((area) => area.name === source.area)?.load())?.[source.key]
        const shown = [source.value, source.text ?? 'id']
        expect([what, shown.filter((field) => isHidden(field, endpoint))]).toEqual([what, []])
      }
  })
})

describe('a value that begins with a dash', () => {
  beforeEach(() => {
    answer = ['--yes', '-x', 'plain'].map((name) => ({ name, path_with_namespace: name }))
  })

  it('is not offered where it would be read as an option', async () => {
    expect(await complete('projects', 'get', '')).toEqual(['plain'])
    expect(await complete('commits', 'list', '-P', '1', '--ref-name', '')).toEqual(['plain'])
    expect(await complete('projects', 'get', '-')).not.toContain('-x')
  })

  it('is offered behind = and after --', async () => {
    const all = ['--yes', '-x', 'plain']
    expect(await complete('commits', 'list', '-P', '1', '--ref-name=')).toEqual(
      all.map((value) => `--ref-name=${value}`),
    )
    expect(await complete('projects', 'get', '--', '')).toEqual(all)
    expect(await complete('projects', 'get', '--', '-')).toEqual(['--yes', '-x'])
  })
})
