/** `client types`: what an instance has beyond the documents, as TypeScript. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const canary = 'canary-of-a-setting'
const cwd = createFolder()
writeFileSync(
  join(cwd, 'work.yml'),
  'vocabulary: 1\nwords: { cloud: nimbus }\nvalues: { runners.status: [stale, never_contacted], events.target_type: [moon] }\n',
)
const run = (line: string, env: Record<string, string> = {}) =>
  svcctl(line.split(' '), { cwd, env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'x', ...env } })

const own = {
  admin_mode: true,
  nimbus_account_id: 'a',
  moon_enabled: true,
  moon_limit: 5,
  moon_name: canary,
  moon_tags: ['a', canary],
  moon_any: null,
  moon_map: { a: 1 },
  moon_list: [],
  'x": never; y': 1,
  'z\n  }\n\u202e\u2028': 1,
}

describe('client types', () => {
  it('has the name and type of each setting that the documents do not have, and no values of them', async () => {
    server.answer = () => ({ body: own })
    const { code, stdout, stderr } = await run('client types')
    expect(code).toBe(0)
    const [head, ...lines] = stdout.split('\n')
    expect(head).toMatch(
      /^\/\/ What http:\/\/127\.0\.0\.1:\d+ has beyond the API documents, as of /,
    )
    expect(lines).toEqual([
      "import 'svcctl/client'",
      '',
      "declare module 'svcctl/client' {",
      '  interface InstanceTypes {',
      '    readonly settings: {',
      '      readonly moon_any: unknown',
      '      readonly moon_enabled: boolean',
      '      readonly moon_limit: number',
      '      readonly moon_list: readonly unknown[]',
      '      readonly moon_map: unknown',
      '      readonly moon_name: string',
      '      readonly moon_tags: readonly string[]',
      '      readonly nimbus_account_id: string',
      '      readonly "x\\": never; y": number',
      '      readonly "z\\n  }\\n\\u202e\\u2028": number',
      '    }',
      '  }',
      '}',
      '',
    ])
    expect(stdout + stderr).not.toContain(canary)
    expect(stderr).toContain('10 settings and 0 parameters beyond the API documents')
    expect(server.lines()).toEqual(['GET /application/settings'])
  })

  it('knows the words and the values of a vocabulary', async () => {
    server.answer = () => ({ body: { nimbus_account_id: 'a', moon_limit: 1 } })
    const { stdout } = await run('client types', { SVC_VOCABULARY: join(cwd, 'work.yml') })
    expect(stdout).not.toContain('nimbus')
    expect(stdout).toContain(
      '    readonly values: {\n      readonly "events.target_type": "moon"\n      readonly "runners.status": "stale" | "never_contacted"\n    }\n',
    )
  })

  it('fails where the settings cannot be read, and prints nothing', async () => {
    server.answer = () => ({ status: 403, body: {} })
    expect(await run('client types')).toMatchObject({ code: 3, stdout: '' })
    server.answer = () => ({ body: [] })
    expect(await run('client types')).toMatchObject({ code: 7, stdout: '' })
  })
})
