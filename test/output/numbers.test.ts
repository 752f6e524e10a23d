/** Numbers print as they came, in every format there is: past 2^53, without a value, with their zeros. */
import { expect, it } from 'vitest'
import { startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'
import { wholeFormats } from './open.js'

const numbers = ['9007199254740993', '1e400', '1.0', '-0', '1E5', '0.1000']
const body = `{"id":${numbers[0]},${numbers.map((text, i) => `"n${i}":${text}`).join(',')}}`
const names = ['id', ...numbers.map((_, i) => `n${i}`)].join(',')

const commands = [
  'api runners/1',
  'runners get 1',
  `runners get 1 --fields ${names}`,
  `runners list --fields ${names}`,
  `runners get 1 2 --fields ${names}`,
  'settings get n0 n1 n2 n3 n4 n5',
]

it.each(wholeFormats)('%s prints every number as it came', async (format) => {
  const server = await startRecorder(({ url }) => ({
    body: url.includes('/runners?') ? `[${body}]` : body,
    headers: { 'content-type': 'application/json' },
  }))
  try {
    for (const command of commands) {
      const flags = ['-o', format, '--base-url', server.url]
      const { code, stdout } = await svcctl([...command.split(' '), ...flags], {
        env: { SVC_TOKEN: 'any-token' },
      })
      expect([command, code]).toEqual([command, 0])
      for (const text of numbers)
        expect(stdout.split(/[\s,:{}[\]<>]+/), `${command} -o ${format}\n${stdout}`).toContain(text)
    }
  } finally {
    await server.close()
  }
})
