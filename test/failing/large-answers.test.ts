/** Answers that are large, or broken late: whole, or said to be broken. */
import { describe, expect, it } from 'vitest'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const run = (...args: string[]) =>
  svcctl(args, { env: { SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' } })

describe('commits diff of a file of 10 MB', () => {
  const line = `+${'x'.repeat(99)}\n`
  const diff = `@@ -0,0 +1 @@\n${line.repeat(105_000)}`
  const change = { old_path: 'a', new_path: 'a', a_mode: '0', b_mode: '100644', diff }
  const flags = { new_file: false, renamed_file: false, deleted_file: false }

  it.each(['table', 'json'])('is whole as %s', async (format) => {
    server.answer = () => ({ body: [{ ...change, ...flags }] })
    const ran = await run('commits', 'diff', 'abc', '-P', '1', '-o', format)
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' })
    const printed = format === 'json' ? JSON.parse(ran.stdout)[0].diff : ran.stdout
    expect(printed.split(line.trimEnd()).length - 1).toBe(105_000)
  })
})

describe('a record that is no JSON on the second page', () => {
  it.each(['json', 'ndjson', 'yaml', 'csv', 'table'])(
    'ends %s with 7, the first page printed',
    async (format) => {
      server.answer = ({ url }) =>
        url.includes('page=2')
          ? { body: '[{"id":3},{"id":4 4}]' }
          : {
              body: [{ id: 1 }, { id: 2 }],
              headers: { link: `<${server.url}/api/v4/runners?page=2>; rel="next"` },
            }
      const ran = await run('runners', 'list', '--limit', 'all', '-o', format)
      expect(ran.code).toBe(7)
      expect(ran.stderr).toContain('not valid JSON')
      for (const id of ['1', '2', '3']) expect(ran.stdout).toContain(id)
      expect(ran.stdout).not.toContain('4')
      if (format === 'json') expect(ran.stdout.trimEnd().endsWith(']')).toBe(false)
    },
  )
})
