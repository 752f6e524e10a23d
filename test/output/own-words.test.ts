/** Records of an instance with words of its own: masked, found and headed by either name, in every format. */
import { beforeEach, describe, expect, it } from 'vitest'
import { recordSecretWords } from '../../src/base/secrets/mask.js'
import { createPicker } from '../../src/catalogue/pick.js'
import { getLeaves } from '../../src/engine/where/shape.js'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { createCollector, openTestWriter, splitList, wholeFormats } from './open.js'

const text = `vocabulary: 1
words: { token: tk, dsn: beacon }
names: { monitor_site: watch_region, api_key: hub_blob, public_key: pk }
secrets: [hub_signing, monitor_env]
`
const words = createLookups(await parseVocabulary(text, 'w.yml'))
beforeEach(() => recordSecretWords(words))
const declared = new Set(['public_key'])

const canary = 'canary-value'
const record = {
  id: 1,
  feed_tk: canary,
  errsvc_beacon: canary,
  hub_blob: canary,
  pk: canary,
  hub_signing: { deep: [canary, 5] },
  nested: [{ monitor_env: canary, access_tk: canary, token: canary }],
  watch_region: 'eu',
}
const bytes = [Buffer.from(JSON.stringify(record))]

const some = ['feed_token', 'api_key', 'pk', 'nested.monitor_env', 'hub_signing.deep']

describe.each(wholeFormats)('%s', (format) => {
  it.each([
    ['whole, in a pipe', { terminal: false }],
    ['whole, at a terminal', { terminal: true, width: 200 }],
    ['by its neutral names', { terminal: false, fields: some.map(words.neutral) }],
    ['by the instance’s names', { terminal: false, fields: some.map(words.name) }],
  ] as const)('shows no secret of a record %s', async (_, view) => {
    const sink = createCollector()
    const writer = await openTestWriter(format, sink, { ...view, naming: words, secrets: declared })
    await writer.raw(bytes)
    for (const batch of splitList([JSON.stringify(record)], writer.watch)) await writer.raw(batch)
    await writer.record(record)
    await writer.close()
    expect(sink.text()).not.toContain(canary)
    expect(sink.text()).toContain('[masked]')
  })
})

it.each(['page', 'rows'] as const)(
  'names fields as the documents do for whoever makes a %s of records',
  async (as) => {
    const heard: unknown[] = []
    const make = (records: readonly unknown[]) => {
      heard.push(...records)
      return []
    }
    const writer = await openTestWriter('table', createCollector(), {
      naming: words,
      terminal: true,
      people: { [as]: make },
    })
    await writer.record({ watch_region: 'eu' })
    await writer.close()
    expect(heard).toMatchObject([{ monitor_site: 'eu' }])
  },
)

it('finds a field by either name, the instance’s first', () => {
  const pick = createPicker({}, words)
  const both = { monitor_site: 'old', watch_region: 'new', list: [{ watch_region: 'a' }] }
  expect(pick(both, 'monitor_site')).toBe('new')
  expect(pick(both, 'watch_region')).toBe('new')
  expect(pick({ monitor_site: 'old' }, 'watch_region')).toBe('old')
  expect(pick(both, 'list.monitor_site')).toEqual(['a'])
  expect(pick(both, 'list.0.monitor_site')).toBe('a')
  expect(pick(both, 'constructor')).toBeUndefined()
  const legible = words.makeLegible(both)
  expect(getLeaves(legible, ['monitor_site']).values).toEqual(['new'])
  expect(getLeaves(legible, ['list', 'monitor_site']).values).toEqual(['a'])
})
