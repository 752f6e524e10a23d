/** Tests the drift that an agent sees: that of the files that the server was started with, and of no others. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { serve } from '../support/mcp.js'
import { createFolder } from '../support/program.js'

const instance = useSharedSandbox()
const state = createFolder()
const declare = (text: string): void => {
  writeFileSync(join(state, 'site.yml'), `version: 1\nsite:\n  settings:\n    ${text}\n`)
}
const startMcpServer = async (drift?: readonly string[]) =>
  serve({
    env: {
      SVC_BASE_URL: instance.url(),
      SVC_TOKEN: 'sandbox-root-token',
      SVC_CONFIG_DIR: createFolder(),
    },
    flags: drift === undefined ? {} : { drift },
  })

describe('drift for an agent', () => {
  it('is what differs from the files, each time they are read', async () => {
    declare('default_projects_limit: 7')
    const server = await startMcpServer([state])
    const read = () => server.call('read', { command: 'drift' })
    const [action] = (await read()).data.records as Record<string, unknown>[]
    expect(action).toMatchObject({
      id: 'update site:settings',
      changes: [{ attribute: 'default_projects_limit', now: 100000, wanted: 7 }],
    })
    declare('default_projects_limit: 100000')
    expect((await read()).data.records).toEqual([])
    const found = await server.call('find_commands', { query: 'drift' })
    expect(found.text).toContain('"example":{"command":"drift","arguments":{}}')
    await server.close()
  })

  it('is of no file that an agent names', async () => {
    const server = await startMcpServer([state])
    for (const name of ['file', 'args', 'files', 'explain', 'allow_commands']) {
      const wrong = await server.call('read', {
        command: 'drift',
        arguments: { [name]: '/etc/passwd' },
      })
      expect(wrong).toMatchObject({ isError: true, error: { category: 'usage' } })
      expect(wrong.text).toContain(`drift has no argument \\"${name}\\"; it takes none`)
    }
    await server.close()
  })

  it('is not offered without such files', async () => {
    const server = await startMcpServer()
    const none = await server.call('read', { command: 'drift' })
    expect(none.text).toContain('unknown command')
    await server.close()
  })
})
