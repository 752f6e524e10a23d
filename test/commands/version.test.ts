/** `version`: the tool's and the instance's. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'
import { createCaller } from './calling.js'

const { server, call } = createCaller()
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const tool = { name: 'svcctl', version }

describe('version', () => {
  it('shows the version of the tool and, with one request, of the instance', async () => {
    server.answer = () => ({ body: { version: '14.5.0-ee', revision: 'abc' } })
    const ran = await call('version -o json')
    const instance = { name: 'instance', version: '14.5.0-ee', address: server.url }
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual([tool, instance])
    expect(server.lines()).toEqual(['GET /version'])
  })

  it.each([
    ['of a server that is gone', 'http://127.0.0.1:9', 'no response from 127.0.0.1:9'],
    ['of a base URL that is none', 'nonsense', 'nonsense'],
  ])('warns and ends with 0 %s', async (_, address, says) => {
    const ran = await call('version -o json --retries 0', { env: { SVC_BASE_URL: address } })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('cannot read the version of the instance')
    expect(ran.stderr).toContain(says)
    expect(JSON.parse(ran.stdout)).toContainEqual(tool)
  })

  it('warns of a refused credential, and never repeats it', async () => {
    server.answer = () => ({ status: 401, body: { message: 'no' } })
    const ran = await call('version')
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(server.url) })
    expect(ran.stderr).toContain('401')
    expect(ran.stdout + ran.stderr).not.toContain('secret-token')
  })

  it('sends nothing without an instance, nor as --version', async () => {
    const alone = await svcctl(['version', '-o', 'json'])
    expect(alone).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(alone.stdout)).toEqual([tool])
    expect((await call('--version')).stdout).toBe(`${version}\n`)
    expect(server.seen).toEqual([])
  })
})
