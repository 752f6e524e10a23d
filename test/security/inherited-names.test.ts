/** Names that every JavaScript object has by birth are names like any other: unknown where nothing is called so, and never code. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createCaller } from '../commands/calling.js'
import { createConfiguration, createFolder } from '../support/program.js'

const { server, call, sent } = createCaller()
const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
const code = /native code|function |\[object|undefined/

const runner = { id: 1, description: 'one', status: 'online', access_level: 'x' }
const member = { id: 1, username: 'ana', access_level: 30 }

describe.each(names)('%s', (name) => {
  it.each([
    `runners list --fields ${name}`,
    `runners list --fields id,status.${name}`,
    `runners list --where ${name}=x`,
    `runners list --where ${name}!=null`,
    `runners list --where status=${name}`,
    `runners list --sort ${name}`,
    `runners list --group-by ${name}`,
    `runners list --sum ${name}`,
    `runners get 1 --wait-until ${name}=1 --wait-timeout 1`,
    `runners list --select ${name}=1`,
    `runners list --${name} x`,
    `runners list -o ${name}`,
    `runners ${name}`,
    `explain ${name}`,
    `help ${name}`,
    name,
    `members list -P a/b --where access_level>=${name}`,
    `members add 5 -P a/b --access-level ${name}`,
    `alias set x ${name}`,
    `check ${name}`,
  ])('is refused where nothing is called so: %s', async (line) => {
    server.answer = ({ url }) => {
      const record = url.includes('/members') ? member : runner
      return { body: /\/runners\/1/.test(url) ? record : [record] }
    }
    const ran = await call(line)
    expect([ran.code, ran.stdout + ran.stderr, sent()]).toEqual([
      2,
      expect.not.stringMatching(code),
      [],
    ])
  })

  it('is sent and compared like any other attribute', async () => {
    server.answer = () => ({ body: { id: 1 } })
    const ran = await call([
      'runners',
      'update',
      '1',
      '--param',
      `${name}=x`,
      '--strict',
      '-o',
      'json',
    ])
    expect(server.seen.find(({ method }) => method === 'PUT')?.body).toBe(`{"${name}":"x"}`)
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringContaining(`the instance ignored ${name}`),
    ])
    expect(ran.stdout + ran.stderr).not.toMatch(/native code|function /)
  })

  it('in the message of a policy is a field that is not there', async () => {
    server.answer = () => ({ body: [runner] })
    const policy = join(createFolder(), 'policy.yml')
    const message = `{${name}} {status.${name}} {${name}.name}`
    writeFileSync(
      policy,
      `policy: 1\nrules:\n  - { name: one, list: runners list, where: id=1, message: "${message}" }\n`,
    )
    const ran = await call(['check', 'policy', policy, '-o', 'json'])
    expect(JSON.parse(ran.stdout)).toMatchObject([{ message: '- - -' }])
  })
})

it('an alias of such a name has no previous line', async () => {
  const env = { SVC_CONFIG_DIR: createConfiguration() }
  const ran = await call(['alias', 'set', 'constructor', 'runners list'], { env })
  expect([ran.code, ran.stderr]).toEqual([0, 'set alias constructor: runners list\n'])
})
