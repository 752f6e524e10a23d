/** Tests what is learned from answers: only what is certain, and the rest is reported. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorTracking } from '../../src/catalogue/areas/error-tracking.js'
import { settings } from '../../src/catalogue/areas/settings.js'
import { neutralWords } from '../../src/catalogue/documented-names.js'
import { getProperties } from '../../src/catalogue/fields.js'
import { Bool, Int, nullable, Obj, Str } from '../../src/catalogue/shapes/common.js'
import {
  formatVocabulary,
  keepSoundWords,
  learnFrom,
  loadCheckedText,
} from '../../src/vocabulary/index.js'

const shape = Obj({
  cloud_account_id: Str(),
  cloud_integration_enabled: Bool(),
  cloud_size: nullable(Int()),
  spamsvc_api_key: Str(),
  spamsvc_enabled: Bool(),
  avatarsvc_enabled: Bool(),
  plain: Str(),
})
/** Fields of the shape that the instance has under their documented names. */
const sameFields = {
  spamsvc_api_key: '',
  spamsvc_enabled: true,
  avatarsvc_enabled: true,
  plain: '',
}
const cloud = { nimbus_account_id: 'a', nimbus_integration_enabled: true, nimbus_size: 1 }

const learn = (record: Record<string, unknown>, given?: ReadonlyMap<string, string>) =>
  learnFrom([{ shape, record }], given)
const learnWords = (record: Record<string, unknown>) =>
  Object.fromEntries(learn(record).words.map((one) => [one.word, one.own]))

describe('a word', () => {
  it('is what explains every name that has it', () => {
    const { words, open, absent } = learn({ ...sameFields, ...cloud })
    expect(words).toMatchObject([
      {
        word: 'cloud',
        own: 'nimbus',
        names: ['cloud_account_id', 'cloud_integration_enabled', 'cloud_size'],
      },
    ])
    expect([open, absent]).toEqual([[], []])
  })

  it('is found although other names share one of the endings', () => {
    const { spamsvc_api_key: _, spamsvc_enabled: __, ...rest } = sameFields
    const others = { a_enabled: true, b_c_enabled: false, d_api_key: 'x', e_enabled: null }
    const record = { ...rest, cloud_account_id: '', ...others }
    expect(learnWords({ ...record, junk_guard_api_key: 'x', junk_guard_enabled: true })).toEqual({
      spamsvc: 'junk_guard',
    })
    expect(learnWords(record)).toEqual({})
  })

  it('is taken from names that are not set, too, and not from those of another type', () => {
    expect(learnWords({ ...sameFields, nimbus_account_id: null, nimbus_size: 1 })).toEqual({
      cloud: 'nimbus',
    })
    expect(learnWords({ ...sameFields, nimbus_account_id: 5, nimbus_size: 'x' })).toEqual({})
  })

  it('of one name alone is asked for where its ending is many names’, and taken where it is not', () => {
    const { avatarsvc_enabled: _, ...rest } = sameFields
    expect(learn({ ...rest, ...cloud, face_enabled: true })).toMatchObject({
      words: [{ word: 'cloud' }],
      open: [
        {
          word: 'avatarsvc',
          names: ['avatarsvc_enabled'],
          candidates: [{ own: 'face', names: ['face_enabled'] }],
        },
      ],
    })
    expect(learnWords({ ...sameFields, nimbus_account_id: 'a' })).toEqual({ cloud: 'nimbus' })
  })

  it('is left open where two stems explain it, the likeliest first', () => {
    const two = { vapor_account_id: 'b', vapor_integration_enabled: true, vapor_size: 2 }
    const { words, open } = learn({ mist_size: 3, ...sameFields, ...cloud, ...two })
    expect(words).toEqual([])
    expect(open[0]?.candidates.map((one) => one.own)).toEqual(['nimbus', 'vapor', 'mist'])
  })

  it('that a person gives takes its names out of the others’ lists', () => {
    const both = Obj({
      diagram_a_url: Str(),
      diagram_a_enabled: Bool(),
      diagram_b_url: Str(),
      diagram_b_enabled: Bool(),
    })
    const record = { ink_url: '', ink_enabled: true, pen_url: '', pen_enabled: true }
    expect(learnFrom([{ shape: both, record }]).words).toEqual([])
    const given = new Map([['diagram_a', 'pen']])
    const { words } = learnFrom([{ shape: both, record }], given)
    expect(words.map((one) => [one.word, one.own])).toEqual([
      ['diagram_a', 'pen'],
      ['diagram_b', 'ink'],
    ])
  })

  it('of two that would both become it is not taken', () => {
    const both = Obj({
      diagram_a_url: Str(),
      diagram_a_on: Bool(),
      cloud_size: Int(),
      cloud_on: Bool(),
    })
    const record = { ink_url: '', ink_on: true, ink_size: 3 }
    expect(learnFrom([{ shape: both, record }]).words).toEqual([])
  })

  it('is not taken where one name of the instance would explain two', () => {
    const both = Obj({ cloud_x_y_id: Str(), svc_y_id: Str() })
    expect(learnFrom([{ shape: both, record: { a_x_y_id: '' } }]).words).toEqual([])
  })

  it('leaves a name alone that the answer has', () => {
    const { nimbus_integration_enabled: _, ...rest } = cloud
    const lesson = learn({ ...sameFields, ...rest, cloud_integration_enabled: true })
    expect(lesson.words.map(({ names }) => names)).toEqual([['cloud_account_id', 'cloud_size']])
    expect(lesson.kept).toEqual(['cloud_integration_enabled'])
  })

  it('that the catalogue does not bear is left open', async () => {
    const record = { ...sameFields, admin_account_id: 'a', admin_size: 1 }
    const check = async (): Promise<never> => {
      throw new Error('no catalogue')
    }
    await expect(keepSoundWords(learn(record), check)).rejects.toThrow('no catalogue')
    const clash = Obj({ spamsvc_enabled: Bool(), spamsvc_api_key: Str() })
    const lesson = await keepSoundWords(
      learnFrom([
        { shape: clash, record: { ldap_enabled: true, ldap_api_key: '', avatarsvc_enabled: true } },
      ]),
      (text) => loadCheckedText(text.replaceAll('ldap', 'avatarsvc'), 'learned'),
    )
    expect(lesson.words).toEqual([])
    expect(lesson.open).toMatchObject([{ word: 'spamsvc', candidates: [{ own: 'ldap' }] }])
  })
})

it('is written down so that it is a vocabulary', async () => {
  const { spamsvc_enabled: _, plain: __, ...rest } = sameFields
  const { nimbus_integration_enabled: ___, ...some } = cloud
  const record = { ...rest, ...some, cloud_integration_enabled: true, junk_enabled: true }
  const diagrams = Obj({ diagram_a_url: Str(), diagram_a_enabled: Bool() })
  const lesson = learnFrom([
    { shape, record },
    { shape: diagrams, record: { ink_url: '', ink_enabled: true } },
    { shape: Obj({ _svc_session: Str() }), record: { _hub_session: '' } },
    {
      shape: Obj({ monitor_site: Str(), monitor_env: Str() }),
      record: { dog_site: '', dog_env: '' },
      slug: 'dog',
    },
  ])
  const text = formatVocabulary(lesson, {
    baseUrl: 'https://x.test',
    version: '1',
    day: '2026-01-01',
  })
  expect(text).toBe(
    [
      '# The words of https://x.test, version 1, from its responses of 2026-01-01.',
      'vocabulary: 1',
      'words:',
      '  cloud: nimbus # cloud_account_id, cloud_size',
      '  monitor: dog # monitor_site, monitor_env',
      '  svc: hub # _svc_session',
      'names:',
      '  diagram_a_url: ink_url',
      '  diagram_a_enabled: ink_enabled',
      '  cloud_integration_enabled: cloud_integration_enabled # same name on this instance',
      'cookies:',
      '  _svc_session: _hub_session',
      'slugs:',
      '  monitoring: [dog]',
      '# Words that the responses do not tell, and what they may be: put what is right under words.',
      '#   spamsvc (spamsvc_enabled): junk',
      '# Documented names that the responses do not have:',
      '#   plain',
      '',
    ].join('\n'),
  )
  const words = await loadCheckedText(text, 'learned')
  expect([words.name('svc_environment_name'), words.cookie('_svc_session')]).toEqual([
    'hub_environment_name',
    '_hub_session',
  ])
})

// An instance with its own word for each neutral word, and two hundred settings that are not in the documents.

const documented = [settings.get, errorTracking.get].map(({ returns }) => returns.shape)
const buildExample = (schema: { type?: string; anyOf?: { type?: string }[] }): unknown => {
  const { type } = schema.anyOf?.[0] ?? schema
  if (type === 'boolean') return true
  if (type === 'integer') return 1
  return type === 'array' ? [] : ''
}
const endings = [
  'enabled',
  'url',
  'api_key',
  'id',
  'account_id',
  'limit',
  'timeout',
  'external_url',
]

const isOf = (name: string, word: string): boolean => `_${name}_`.includes(`_${word}_`)

/** Draws the records of an instance, and its vocabulary. */
const drawInstance = (draw: fc.GeneratorValue) => {
  const upTo = (max: number): number => draw(fc.nat, max)
  const any = <T>(of: readonly T[]): T | undefined => of[upTo(of.length - 1)]
  let count = 0
  const invented = (): string => {
    count += 1
    const text = `${any(['qa', 'zu', 'wo', 'xy'])}${any(['rr', 'nt', 'lo'])}${count}`
    return upTo(9) < 3 ? `${text}_${any(['guard', 'mode', 'cloud'])}` : text
  }
  const truth = new Map<string, string>(neutralWords.map((word) => [word, invented()]))
  const called = (name: string): string => {
    const word = neutralWords.find((one) => isOf(name, one))
    return word === undefined ? name : name.replace(word, truth.get(word) ?? '')
  }
  const foreign: [string, unknown][] = Array.from({ length: 100 }, () => {
    const stem = invented()
    const more = any(endings)
    return [
      [`${stem}_${any(endings)}`, any([true, 1, '', null])],
      [`${stem}_${more}`, more === 'enabled' ? true : ''],
    ] as [string, unknown][]
  }).flat()
  const heard = documented.map((one, i) => {
    const own = Object.entries(one.properties)
      .filter(([name]) => neutralWords.some((word) => isOf(name, word)) || upTo(9) < 7)
      .map(([name, schema]): [string, unknown] => [called(name), buildExample(schema)])
    const all = i === 0 ? [...own, ...foreign] : own
    return {
      shape: one,
      record: Object.fromEntries(
        all
          .map((one) => [upTo(999), one] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, one]) => one),
      ),
    }
  })
  return { heard, truth }
}

const checkInstances = (holds: (instance: ReturnType<typeof drawInstance>) => void): void =>
  fc.assert(
    fc.property(fc.gen(), (draw) => holds(drawInstance(draw))),
    { numRuns: 80, seed: 31 },
  )

describe('of 80 instances with words of their own', () => {
  it('nothing wrong is ever taken, and every word that one stem alone explains is', () => {
    let alone = 0
    checkInstances(({ heard, truth }) => {
      const { words, open } = learnFrom(heard)
      for (const one of words) expect(one.own).toBe(truth.get(one.word))
      const [{ shape: documents, record } = { shape: {}, record: {} }] = heard
      for (const word of ['cloud', 'spamsvc', 'diagram_a']) {
        const ends = Object.keys(getProperties(documents) ?? {})
          .filter((name) => isOf(name, word))
          .map((name) => name.slice(word.length))
        const stems = Object.keys(record)
          .filter((name) => name.endsWith(ends[0] ?? ''))
          .map((name) => name.slice(0, name.length - (ends[0] ?? '').length))
        const full = stems.filter((stem) => ends.every((end) => `${stem}${end}` in record))
        const known = words.some((one) => one.word === word)
        if (full.length === 1) expect([word, known]).toEqual([word, true])
        if (full.length === 1) alone += 1
        const choices = open
          .find((one) => one.word === word)
          ?.candidates.slice(0, 10)
          .map((one) => one.own)
        if (!known) expect(choices).toContain(truth.get(word))
      }
    })
    expect(alone).toBeGreaterThan(40)
  })

  it('three answers of a person make everything certain but a word of a single name', () => {
    checkInstances(({ heard, truth }) => {
      const given = new Map<string, string>()
      for (let i = 0; i < 3; i += 1) {
        const next = learnFrom(heard, given).open[0]
        if (next !== undefined) given.set(next.word, truth.get(next.word) ?? '')
      }
      const { open, words } = learnFrom(heard, given)
      expect(open.filter(({ names }) => names.length > 1)).toEqual([])
      for (const one of words) expect(one.own).toBe(truth.get(one.word))
    })
  })
})
