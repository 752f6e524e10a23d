/** Random bytes as the answer to each kind of command, in every format. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formats } from '../../src/output/formats.js'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const canary = 'canary-of-an-answer'

/** IDs for commands that send a request for each, so that one process gets as many answers. */
const ids = Array.from({ length: 12 }, (_, i) => String(i + 1)).join(' ')
const commands = [
  'runners list',
  'projects list --limit all',
  'commits diff main -P 1',
  `runners get ${ids}`,
  'runners get 1',
  `runners update ${ids} --description d`,
  `deploy-keys delete ${ids} -P 1 --yes`,
  'api runners/1',
  'settings get',
  'artifacts download 1 -P 1 --to -',
]

const documents = [
  `{"id":1,"description":"d","token":"${canary}","active":true,"tag_list":["a"],"n":[1.0,-2e400]}`,
  `[{"id":1,"runners_token":"${canary}"},{"id":2,"name":"größe","diff":"+a\\n-b"}]`,
  `{"access_token":"${canary}","deep":${'['.repeat(300)}${']'.repeat(300)}}`,
  '<html><title>Sign in</title></html>',
  '',
]
const bytes = fc.uint8Array({ maxLength: 12 }).map((array) => Buffer.from(array))
/** A document with bytes inserted, removed or cut off. */
const answers = fc.oneof(
  { weight: 1, arbitrary: bytes },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...documents), fc.nat(), fc.nat(3), bytes, fc.boolean())
      .map(([text, place, gone, added, cut]) => {
        const all = Buffer.from(text)
        const at = place % (all.length + 1)
        const rest = cut ? Buffer.of() : all.subarray(at + gone)
        return Buffer.concat([all.subarray(0, at), added, rest])
      }),
  },
)
const runs = fc.record({
  command: fc.constantFrom(...commands),
  format: fc.constantFrom(...formats),
  bodies: fc.array(answers, { minLength: 4, maxLength: 12 }),
  type: fc.constantFrom('application/json', 'text/html', 'application/octet-stream'),
})

it('never make a defect, and are never repeated on standard error', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async ({ command, format, bodies, type }) => {
      const server = await startRecorder((_, i) => ({
        body: bodies[i % bodies.length],
        headers: { 'content-type': type },
      }))
      try {
        const one = format.shows === 'fields' ? ['--fields', 'id'] : []
        const flags = ['-o', format.name, ...one, '--base-url', server.url, '--retries', '0']
        const env = { SVC_TOKEN: 'any-token' }
        const { code, stderr } = await svcctl([...command.split(' '), ...flags], { env })
        expect(code).toBeGreaterThanOrEqual(0)
        expect([code, stderr]).not.toEqual([9, expect.anything()])
        expect(stderr).not.toContain(canary)
      } finally {
        await server.close()
      }
    }),
    { numRuns: 30, interruptAfterTimeLimit: 110_000 },
  )
}, 120_000)
