/** Answers that are texts for programs: a format that only a variable or a profile chose makes no page of them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const config = createConfiguration()
const asked = 'protocol=http\nhost=HOST\n\n'

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  svcctl(line.split(' '), {
    env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1', ...env },
    input: asked.replace('HOST', new URL(server.url).host),
  })

beforeAll(async () => {
  server.answer = () => ({ body: { username: 'ana' } })
  const ran = await svcctl(['auth', 'login', 'work', '--base-url', server.url, '--token-stdin'], {
    env: { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' },
    input: 'token-of-work\n',
  })
  expect(ran.code, ran.stderr).toBe(0)
})

describe('with SVC_OUTPUT=html', () => {
  it.each([
    'auth token',
    'auth git-credential get',
    'completion bash',
    'extend schema',
    'runners list --instance --curl',
  ])('%s prints its text', async (line) => {
    const plain = await run(line)
    expect([plain.code, plain.stdout !== '']).toEqual([0, true])
    expect(await run(line, { SVC_OUTPUT: 'html' })).toEqual(plain)
  })

  it('a line that asks for a page gets one', async () => {
    expect((await run('completion bash -o html')).stdout).toMatch(/^<!doctype html>/)
    const { stdout } = await run('profile list', { SVC_OUTPUT: 'html' })
    expect(stdout).toMatch(/^<!doctype html>/)
  })
})
