/** What stands between svcctl and the instance: proxies, and what they make of requests and answers. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { configuration } from '../support/program.js'
import { type Answering, type Recorder, record } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const token = 'canary-token-of-the-network'

const started = async (answer?: Answering): Promise<Recorder> => {
  const server = await record(answer)
  onTestFinished(() => server.close())
  return server
}

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  svcctl(line.split(' '), { env: { SVC_TOKEN: token, ...env } })

const user = { body: { id: 1, username: 'ana' } }

describe('a proxy', () => {
  it.each([
    ['192.0.2.0/24', 1],
    ['127.0.0.0/8', 0],
    ['127.0.0.1', 0],
    ['::ffff:7f00:0/104', 0],
    ['*', 0],
    ['10.0.0.0/8,.1', 1],
  ])('is asked unless NO_PROXY exempts the address: %s', async (list, asked) => {
    const proxy = await started(() => user)
    const instance = await started(() => user)
    const env = { SVC_CONFIG_DIR: configuration(), NO_PROXY: list }
    const set = `profile set p --base-url ${instance.url} --proxy ${proxy.url}`
    expect((await run(set, env)).code).toBe(0)
    expect((await run('api /user -p p', env)).code).toBe(0)
    expect([proxy.seen.length, instance.seen.length]).toEqual([asked, 1 - asked])
    const { stdout } = await run('doctor -p p -o json', env)
    const checks: { check: string; message: string }[] = JSON.parse(stdout)
    const said = checks.find(({ check }) => check === 'proxy')?.message
    expect(said).toBe(asked === 0 ? 'not used' : proxy.url)
  })

  it.each([
    ['user:pa%3Ass@', 'user:pa:ss'],
    ['user@', 'user:'],
    [':pass@', ':pass'],
    ['', undefined],
  ])('gets the credential of its own URL: %s', async (before, credential) => {
    const proxy = await started(() => user)
    const HTTP_PROXY = proxy.url.replace('://', `://${before}`)
    const { code, stderr } = await run('api /user -vv --base-url http://git.example', {
      HTTP_PROXY,
    })
    expect(code).toBe(0)
    const basic = credential && `Basic ${Buffer.from(credential).toString('base64')}`
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(basic)
    expect(stderr).not.toMatch(/pa:ss|pa%3Ass|:pass/)
  })
})
