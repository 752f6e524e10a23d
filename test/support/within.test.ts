/** A host says of a line what a process of its own would, and hides nothing that the program does to its process. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { svcctl as alone, folder, type How } from './program.js'
import { recording } from './recorder.js'
import { type Host, runIn, startHost, svcctl } from './within.js'

const server = recording()

describe('a line within a host comes to what it does alone', () => {
  const lines: readonly (readonly [line: string, how?: How])[] = [
    ['runners list --instance'],
    ['runners get 7 -o json'],
    ['runners pause 1 2 --concurrency 1'],
    ['runners get - -o ndjson', { input: '1\n2\n' }],
    ['runners get -'],
    ['runners update 7 --input -', { input: '{"description":"x"}' }],
    ['runners list --stauts online'],
    ['runners'],
    ['help exit-codes'],
    ['runners get --help'],
    ['--version'],
    ['__complete bash -- runners get '],
    ['__complete bash -- runners pau'],
    ['runners list --instance --retries 0', { env: { SVC_BASE_URL: 'http://127.0.0.1:9' } }],
    ['runners list --instance -o json', { env: { SVC_TOKEN: '' } }],
    ['auth login work --token-stdin', { input: 'token\n', env: { SVC_TOKEN: '' } }],
  ]
  it.each(lines.map(([line, how = {}]) => [line, how] as const))('%s', async (line, how) => {
    server.answer = ({ url }) =>
      /\/(?:runners\/\d+|user)$/.test(url) ? { body: { id: 7, description: 'né' } } : undefined
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', ...how.env }
    const ran = [await alone(line.split(' '), { ...how, env })]
    const asked = server.lines()
    // Twice, since the first line may leave something to the second.
    for (const _ of [1, 2]) {
      server.seen.length = 0
      ran.push(await svcctl(line.split(' '), { ...how, env }))
      expect(server.lines()).toEqual(asked)
    }
    const steady = ran.map((one) => ({
      ...one,
      // Times, and the folders that each line has for itself.
      stderr: one.stderr.replace(/\d+(\.\d+)? m?s\b|svcctl-test-\w+|\d{8}T\d{6}/g, ''),
    }))
    expect(steady[1]).toEqual(steady[0])
    expect(steady[2]).toEqual(steady[0])
  })
})

describe('a program in a host', () => {
  const hosts: Host[] = []
  afterAll(() => {
    for (const host of hosts) host.process.kill()
  })

  /** What running a program comes to that is nothing but this function's body. */
  const running = (body: string, input?: string) => {
    const place = folder()
    for (const name of ['bin', 'dist']) mkdirSync(join(place, name))
    const main = `exports.main = async (args) => { ${body} }`
    writeFileSync(join(place, 'dist', 'main.cjs'), main)
    const host = startHost(join(place, 'bin', 'svcctl.js'))
    hosts.push(host)
    return runIn(host, {
      args: ['a'],
      env: {},
      cwd: place,
      ...(input === undefined ? {} : { input }),
    })
  }

  it('has its own arguments, variables, folder and input', async () => {
    const seen = `[process.argv.slice(2), process.env, process.cwd(), String(await process.stdin.toArray())]`
    const { stdout } = await running(`process.stdout.write(JSON.stringify(${seen}))`, 'in')
    expect(JSON.parse(stdout)).toEqual([['a'], {}, expect.stringContaining('svcctl-test-'), 'in'])
  })
  it('has not ended while it waits for something', async () => {
    const body = `setTimeout(() => { process.stdout.write('late'); process.exitCode = 3 }, 300)`
    expect(await running(body)).toEqual({ stdout: 'late', stderr: '', code: 3 })
  })
  it('fails with what nobody catches, then or later', async () => {
    for (const body of [
      'throw new Error("why")',
      'setTimeout(() => { throw new Error("why") }, 50)',
    ])
      expect(await running(body)).toMatchObject({ code: 1, stderr: expect.stringContaining('why') })
  })
  it('is heard at its end', async () => {
    const body = `process.once('exit', (code) => process.stdout.write('end ' + code)); process.exitCode = 4`
    expect(await running(body)).toEqual({ stdout: 'end 4', stderr: '', code: 4 })
  })
  it('may write to a standard stream by its number', async () => {
    const body = `require('node:fs').writeSync(1, Buffer.from('n\\u00e9'), 1); require('node:fs').writeSync(2, 'e')`
    expect(await running(body)).toEqual({ stdout: 'é', stderr: 'e', code: 0 })
  })
  it('is refused where it ends the process, or has another write to its streams', async () => {
    expect(await running('process.exit(5)')).toMatchObject({ code: 1 })
    const body = `require('node:child_process').execSync('echo past >&2', { stdio: 'inherit' })`
    await expect(running(body)).rejects.toThrow("past the program's streams: past")
  })
})
