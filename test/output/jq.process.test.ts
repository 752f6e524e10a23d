/** The process of a line with `--jq` ends when jq cannot: its thread holds nothing open. */
import { expect, it } from 'vitest'
import { svcctl } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'

const server = useRecorder()

it('ends where jq runs out of memory', async () => {
  server.answer = () => ({ body: [{ id: 1 }] })
  const line = ['runners', 'list', '--jq', '[range(20000000)] | length']
  const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'token-of-a-test' }
  const { code, stdout, stderr } = await svcctl(line, { env })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('jq ran out of memory')
})
