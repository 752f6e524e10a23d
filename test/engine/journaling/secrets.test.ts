/** No journal holds a secret: neither what is sent, nor what an instance says back. */
import { describe, expect, it } from 'vitest'
import { type Endpoint, writes } from '../../../src/catalogue/endpoint.js'
import { getSecretFields } from '../../../src/catalogue/fields.js'
import { areas } from '../../../src/catalogue/index.js'
import { getFlagName } from '../../../src/engine/command/derive.js'
import { createAttributeMask } from '../../../src/engine/journal/run-record.js'
import { getJournalInput } from '../../../src/engine/journaling/recorded-line.js'

const canary = 'canary-of-a-secret-0123456789'

const writing = (
  await Promise.all(areas.map(async ({ load }) => Object.values<Endpoint>(await load())))
)
  .flat()
  .filter(writes)

const secretParams = writing.flatMap((endpoint) =>
  Object.entries(endpoint.params)
    .filter(([, param]) => param.secret === true)
    .map(([name, param]) => [endpoint.route, name, endpoint, param] as const),
)

describe('the header of a journal', () => {
  it.each(secretParams)('of %s says of %s where it came from', (_, name, endpoint, param) => {
    const plan = { endpoint, values: { [name]: canary } }
    const raw = (text: string) => ({
      args: [],
      flags: new Map([[getFlagName(name, param), [text]]]),
    })
    for (const text of ['env:NAME', '@file', canary]) {
      const values = getJournalInput(plan, raw(text))
      const args = endpoint.args ?? []
      expect(JSON.stringify(values)).not.toContain(canary)
      if (!args.includes(name))
        expect(values[name]).toEqual({ $secret: text === canary ? 'given' : text })
    }
  })

  it('knows secrets of --param by their names', () => {
    const [endpoint] = writing
    if (endpoint === undefined) throw new Error('none')
    const names = ['password', 'api_key', 'runners_token', 'signing_secret']
    const extra = Object.fromEntries(names.map((name) => [name, canary]))
    const plan = { endpoint, values: {}, extra }
    expect(JSON.stringify(getJournalInput(plan, { args: [], flags: new Map() }))).not.toContain(
      canary,
    )
  })

  it('is held to all there are', () => {
    expect(secretParams.length).toBe(14)
  })
})

describe('what an object was and is', () => {
  it.each(
    writing
      .filter((endpoint) => getSecretFields(endpoint).size > 0)
      .map((endpoint) => [endpoint.route, endpoint] as const),
  )('is masked for %s', (_, endpoint) => {
    const mask = createAttributeMask(endpoint)
    for (const name of getSecretFields(endpoint)) {
      const masked = mask({
        [name]: canary,
        nested: { [name]: canary },
        list: [{ [name]: canary }],
      })
      expect(JSON.stringify(masked)).not.toContain(canary)
    }
  })
})
