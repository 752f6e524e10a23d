/** A line in the process of the test comes to what the built program does in one of its own. */
import { expect, it } from 'vitest'
import { svcctl as alone, type ProgramLineOptions } from './program.js'
import { useRecorder } from './recorder.js'
import { svcctl } from './within.js'

const server = useRecorder()

it('a line comes to what it does alone', { timeout: 60_000 }, async () => {
  const lines: readonly (readonly [line: string, how?: ProgramLineOptions])[] = [
    ['runners list --instance'],
    ['runners pause 1 2 --concurrency 1'],
    ['runners get - -o ndjson', { input: '1\n2\n' }],
    ['runners update 7 --input -', { input: '{"description":"x"}' }],
    ['runners list --stauts online'],
    ['help exit-codes'],
    ['runners get --help'],
    ['__complete bash -- runners get '],
    ['runners list --instance --retries 0', { env: { SVC_BASE_URL: 'http://127.0.0.1:9' } }],
    ['auth login work --token-stdin', { input: 'token\n', env: { SVC_TOKEN: '' } }],
  ]
  for (const [line, how = {}] of lines) {
    server.answer = ({ url }) =>
      /\/(?:runners\/\d+|user)$/.test(url) ? { body: { id: 7, description: 'né' } } : undefined
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'any', ...how.env }
    server.seen.length = 0
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
    expect(steady[1], line).toEqual(steady[0])
    expect(steady[2], line).toEqual(steady[0])
  }
})
