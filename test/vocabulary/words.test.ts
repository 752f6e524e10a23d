/** Tests names in both directions, and requests in the words of an instance. */
import { beforeEach, describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/base/json/json.js'
import { getSecrecies, recordSecretWords } from '../../src/base/secrets/mask.js'
import { integrations } from '../../src/catalogue/areas/integrations.js'
import { projects } from '../../src/catalogue/areas/projects.js'
import { areas } from '../../src/catalogue/index.js'
import { toDocumented } from '../../src/catalogue/words.js'
import { buildInstanceRequest } from '../../src/client/instance.js'
import { toCurl } from '../../src/http/request/curl.js'
import { getListFields } from '../../src/vocabulary/check.js'
import { createLookups, parseVocabulary } from '../../src/vocabulary/index.js'
import { readSource, sourceFiles } from '../support/source.js'
import { loadInventedWords } from './invented.js'

const words = await loadInventedWords()
beforeEach(() => recordSecretWords(words))

describe('a name', () => {
  it.each([
    ['spamsvc_api_key', 'junkguard_api_key'],
    ['cloud-account-id', 'nimbus-account-id'],
    ['monitor_site', 'watch_region'],
    ['monitor_env', 'monitor_env'],
    // This name is exempt.
    ['cloud_integration_enabled', 'cloud_integration_enabled'],
    // Only whole words in the same case count.
    ['cloudy_thing', 'cloudy_thing'],
    ['Cloud_thing', 'Cloud_thing'],
    ['not[cloud_x]', 'not[nimbus_x]'],
    ['per_page', 'per_page'],
  ])('%s is %s there, and back', (neutral, own) => {
    expect(words.name(neutral)).toBe(own)
    expect(words.neutral(own)).toBe(neutral)
  })

  it('of nothing that is renamed stays on the way back', () => {
    expect(words.neutral('nimbus')).toBe('cloud')
    expect(words.neutral('nimbus_integration_enabled')).toBe('nimbus_integration_enabled')
    expect(words.neutral('constructor')).toBe('constructor')
  })

  it('of the catalogue comes back, whichever it is', async () => {
    const loaded = await Promise.all(areas.map(({ load }) => load()))
    const names = new Set(loaded.flatMap((one) => Object.values(one).flatMap(getListFields).flat()))
    expect(names.size).toBeGreaterThan(500)
    for (const name of names) expect(words.neutral(words.name(name))).toBe(name)
  })

  it('of a secret is one under both names', () => {
    const secret = getSecrecies(new Set())
    expect(secret('junkguard_api_key')).toBe('guessed')
    expect(secret('errsvc_beacon')).toBe('guessed')
    expect(secret('hub_signing_blob')).toBe('declared')
    expect(secret('watch_region')).toBeUndefined()
    expect(words.secretEndings).toEqual(['beacon', 'hub_signing_blob'])
  })
})

describe('a vocabulary', () => {
  const of = async (...lines: readonly string[]) =>
    createLookups(await parseVocabulary(['vocabulary: 1', ...lines].join('\n'), 'w.yml'))

  it('takes the longest run of segments that it has a path for, wherever it stands', async () => {
    const { path } = await of('paths:', '  /geo_nodes: /a', '  /geo_nodes/status: /b')
    expect(path('/geo_nodes/status')).toBe('/b')
    expect(path('/geo_nodes/:id/status')).toBe('/a/:id/status')
  })

  it('knows the family of a slug that it has alone', async () => {
    const { family, slugs } = await of('slugs: { monitoring: watchtower, chat: [a, b] }')
    expect([family('watchtower'), family('a'), family('monitoring')]).toEqual([
      'monitoring',
      undefined,
      undefined,
    ])
    expect(slugs('chat')).toEqual(['a', 'b'])
  })

  it('masks what it names by both names, whichever it says', async () => {
    const neutral = await of('words: { cloud: nimbus }', 'secrets: [cloud_blob]')
    const own = await of('words: { cloud: nimbus }', 'secrets: [nimbus_blob]')
    for (const { named } of [neutral, own])
      expect([named('cloud_blob'), named('nimbus_blob'), named('cloud_x')]).toEqual([
        true,
        true,
        false,
      ])
  })
})

describe('a request', () => {
  it('has the names of parameters, each level, and of literal segments', () => {
    expect(words.path('/geo_nodes/:id/repair')).toBe('/geo_sites/:id/repair')
    expect(words.path('/projects/:runners/runners/all')).toBe('/projects/:runners/workers/all')
    expect(words.path('/projects/:id/*runners')).toBe('/projects/:id/*runners')
  })

  it('never translates values, placeholders or the keys of custom attributes', async () => {
    const text =
      'vocabulary: 1\nnames: { topic: label, custom_attributes: extras }\nwords: { red: blue }'
    const own = createLookups(await parseVocabulary(text, 'w.yml'))
    const ask = {
      endpoint: projects.list,
      values: { topic: ['topic'], custom_attributes: { red: 'red' } },
      extra: { 'red_custom[red]': 'red' },
    }
    expect((await buildInstanceRequest(ask, own)).path).toBe(
      '/projects?label=topic&extras[red]=red&blue_custom[blue]=red',
    )
    expect(own.name('custom_attributes[red]')).toBe('extras[red]')
    expect(own.neutral('extras[blue]')).toBe('custom_attributes[blue]')
  })

  it('hides secrets of its body under the names that they are sent by', async () => {
    const ask = {
      endpoint: integrations.update,
      values: { id: 3, slug: 'monitoring', api_key: 'canary-k', monitor_site: 'eu' },
      extra: { hub_signing_blob: 'canary-x', token_beacon: 'canary-y' },
    }
    const request = await buildInstanceRequest(ask, words)
    expect(request.path).toBe('/projects/3/integrations/watchtower')
    expect(request.body).toBe(
      '{"api_key":"canary-k","watch_region":"eu","hub_signing_blob":"canary-x","token_beacon":"canary-y"}',
    )
    const command = toCurl('https://forge.test', request)
    expect(command).not.toContain('canary')
    for (const name of ['API_KEY', 'HUB_SIGNING_BLOB', 'TOKEN_BEACON'])
      expect(command).toContain(`"$${name}"`)
    expect(command).toContain('eu')
  })

  it('for a family of several slugs is refused', async () => {
    const text = 'vocabulary: 1\nslugs: { monitoring: [a, b] }'
    const own = createLookups(await parseVocabulary(text, 'w.yml'))
    const ask = { endpoint: integrations.get, values: { id: 3, slug: 'monitoring' } }
    await expect(buildInstanceRequest(ask, own)).rejects.toThrow(
      'several slugs on this instance: a, b',
    )
  })

  it('whose names become one is refused as it is made', async () => {
    const text = 'vocabulary: 1\nnames:\n  monitor_site: monitor_env'
    const own = createLookups(await parseVocabulary(text, 'w.yml'))
    const ask = { endpoint: integrations.update, values: { id: 3, slug: 'x' } }
    await expect(buildInstanceRequest(ask, own)).rejects.toMatchObject({
      category: 'usage',
      message: expect.stringContaining('w.yml:3'),
    })
    await expect(
      buildInstanceRequest({ endpoint: integrations.list, values: { id: 3 } }, own),
    ).resolves.toBeDefined()
  })
})

it('requests are built in one place, and where nothing is sent of them', () => {
  const built = sourceFiles.filter(
    (file) => !file.startsWith('http/') && /\bbuildRequest\(/.test(readSource(file)),
  )
  // The other files only name a request, in a message or a plan.
  expect(built.sort()).toEqual([
    'client/instance.ts',
    'desired/planfile.ts',
    'engine/instance/listing.ts',
  ])
})

describe('an answer', () => {
  it('is found by both names, and shows the instance’s', () => {
    const data = words.makeLegible({ watch_region: 'eu', deep: [{ nimbus_x: 1 }] })
    expect(data).toHaveProperty('monitor_site', 'eu')
    expect(data).toHaveProperty('deep.0.cloud_x', 1)
    expect(JSON.stringify(data)).toBe('{"watch_region":"eu","deep":[{"nimbus_x":1}]}')
  })

  it('is as the documents would have it for declared state', () => {
    const data = words.makeLegible([
      { watch_region: 'eu', monitor_site: 'us', slug: 'watchtower' },
      { custom_attributes: [{ nimbus_x: 1 }], deep: { nimbus_x: new ExactNumber('1.0') } },
    ])
    expect(toDocumented(data)).toEqual([
      // If a record has both names, the instance's own name wins.
      { monitor_site: 'eu', slug: 'monitoring' },
      { custom_attributes: [{ nimbus_x: 1 }], deep: { cloud_x: new ExactNumber('1.0') } },
    ])
    const plain = { watch_region: 'eu' }
    expect(toDocumented(plain)).toBe(plain)
  })
})
