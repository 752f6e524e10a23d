/** Topics of help: pages of the guide, and the nearest of them. */
import { expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

it.each([
  ['where', '--where'],
  ['many-objects', '--all-projects'],
  ['as-code', 'svcctl drift'],
  ['journal', 'svcctl journal undo last'],
  ['instances', '--all-profiles'],
  ['agents', 'mcp serve'],
  ['real-instances', 'vocabulary'],
])('help %s is a page of the guide, without marks of Markdown', async (topic, says) => {
  const { code, stdout } = await svcctl(['help', topic])
  expect(code).toBe(0)
  expect(stdout).toContain(says)
  expect(stdout).not.toMatch(/^#|^```|^<!--|\]\(\w+\.md|^\|/m)
})

it('names the nearest topic or command', async () => {
  const topic = await svcctl(['help', 'many-object'])
  expect(topic).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Did you mean many-objects?'),
  })
  const command = await svcctl(['help', 'runers'])
  expect(command.stderr).toMatch(/Did you mean (?:one of )?runners?/)
})
