/** Tests when errors are JSON: for every kind of error, the flag, the environment and the profile decide alike. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()

const failures: Readonly<Record<string, readonly string[]>> = {
  'the instance refuses': ['runners', 'get', '9'],
  'some of several fail': ['runners', 'get', '9', '1'],
  'a flag is unknown': ['runners', 'list', '--stauts', 'x'],
  'a verb is unknown': ['runners', 'lsit'],
  'a value is wrong': ['runners', 'list', '--status', 'purple'],
  'nobody can be asked': ['deploy-keys', 'delete', '7', '-P', '1'],
}

const ways: readonly (readonly [
  way: string,
  profile: string | undefined,
  env: string,
  flags: string,
  json: boolean,
])[] = [
  ['the profile', 'json', '', '', true],
  ['the profile, by lines', 'ndjson', '', '', true],
  ['the profile of -p', undefined, '', '-p other', true],
  ['the environment over the profile', 'json', 'table', '', false],
  ['the flag over both', 'json', 'json', '-o yaml', false],
  ['the flag', undefined, 'table', '--output=json', true],
  ['nothing', undefined, '', '', false],
]

const cases = ways.flatMap(([way, profile, env, flags, json]) =>
  Object.entries(failures).map(([what, args]) => ({ way, profile, env, flags, json, what, args })),
)

describe('errors are of one kind', () => {
  it.concurrent.each(cases)('by $way, when $what', async ({ profile, env, flags, json, args }) => {
    server.answer = ({ url }) =>
      url.endsWith('/9') ? { status: 404, body: { message: '404 Not found' } } : { body: { id: 1 } }
    const config = createFolder()
    const own = { baseUrl: server.url, ...(profile === undefined ? {} : { output: profile }) }
    const profiles = { own, other: { baseUrl: server.url, output: 'json' } }
    writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'own', profiles }))
    const { stderr, code } = await svcctl(
      [...args, ...flags.split(' ').filter((word) => word !== '')],
      { env: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'any', SVC_OUTPUT: env } },
    )
    expect(code).not.toBe(0)
    const lines = stderr.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines)
      expect({ line, json: line.startsWith('{"error":') }).toEqual({ line, json })
  })
})
