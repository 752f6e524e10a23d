/** What is learnt from answers: what is certain, and nothing else in silence. */
import { describe, expect, it } from 'vitest'
import { Bool, Int, nullable, Obj, Str } from '../../src/catalogue/shapes/common.js'
import { checkText, formatVocabulary, learnFrom, soundIn } from '../../src/vocabulary/index.js'

const shape = Obj({
  cloud_id: Str(),
  cloud_enabled: Bool(),
  cloud_size: nullable(Int()),
  spam_url: Str(),
  plain: Str(),
})

const learn = (record: Record<string, unknown>) => learnFrom([{ shape, record }])

describe('a word', () => {
  it('is taken where two names agree on it and nothing else explains them', () => {
    const lesson = learn({
      nimbus_id: 'a',
      nimbus_enabled: true,
      nimbus_size: 1,
      spam_url: '',
      plain: '',
    })
    expect(lesson.words).toEqual([
      { word: 'cloud', own: 'nimbus', names: ['cloud_id', 'cloud_enabled', 'cloud_size'] },
    ])
    expect(lesson.open).toEqual([])
  })

  it('is taken from names that are not set, too: those may be of any type', () => {
    const { words } = learn({
      nimbus_id: null,
      nimbus_enabled: null,
      nimbus_size: 1,
      spam_url: '',
      plain: '',
    })
    expect(words.map(({ own }) => own)).toEqual(['nimbus'])
  })

  it('is not taken by one name alone', () => {
    const { words, open } = learn({
      cloud_id: 'a',
      cloud_enabled: true,
      cloud_size: 1,
      junk_url: '',
      plain: '',
    })
    expect(words).toEqual([])
    expect(open).toEqual([{ name: 'spam_url', candidates: ['junk_url'], alike: true }])
  })

  it('is not taken where two replacements explain a name', () => {
    const { words, open } = learn({
      nimbus_id: 'a',
      vapour_id: 'b',
      nimbus_enabled: true,
      cloud_size: 1,
      spam_url: '',
      plain: '',
    })
    expect(words).toEqual([])
    expect(open.map(({ name, candidates }) => [name, candidates])).toEqual([
      ['cloud_id', ['nimbus_id', 'vapour_id']],
      ['cloud_enabled', ['nimbus_enabled']],
    ])
  })

  it('is not taken from names of another type', () => {
    const { words } = learn({
      nimbus_id: 5,
      nimbus_enabled: 'yes',
      cloud_size: 1,
      spam_url: '',
      plain: '',
    })
    expect(words).toEqual([])
  })

  it('of two that would both become it is not taken', () => {
    const both = Obj({ a_x: Str(), a_y: Bool(), b_v: Str(), b_w: Bool() })
    const record = { c_x: '', c_y: true, c_v: '', c_w: true }
    expect(learnFrom([{ shape: both, record }]).words).toEqual([])
  })

  it('leaves a name alone that the answer has', () => {
    const lesson = learn({
      nimbus_id: 'a',
      nimbus_size: 1,
      cloud_enabled: true,
      spam_url: '',
      plain: '',
    })
    expect(lesson.words).toHaveLength(1)
    expect(lesson.kept).toEqual(['cloud_enabled'])
  })

  it('that the catalogue does not bear is left open', async () => {
    const services = Obj({ services_a: Str(), services_b: Bool() })
    const record = { integrations_a: '', integrations_b: true }
    const lesson = await soundIn(learnFrom([{ shape: services, record }]), (text) =>
      checkText(text, 'learnt'),
    )
    expect(lesson.words).toEqual([])
    expect(lesson.open.slice(0, 2)).toEqual([
      { name: 'services_a', candidates: ['integrations_a'], alike: true },
      { name: 'services_b', candidates: ['integrations_b'], alike: true },
    ])
  })
})

it('fails where its words cannot be checked, instead of leaving them open', async () => {
  const lesson = learn({
    nimbus_id: 'a',
    nimbus_size: 1,
    cloud_enabled: true,
    spam_url: '',
    plain: '',
  })
  const check = async (): Promise<never> => {
    throw new Error('no catalogue')
  }
  await expect(soundIn(lesson, check)).rejects.toThrow('no catalogue')
})

it('is written down so that it is a vocabulary', async () => {
  const lesson = learn({
    nimbus_id: 'a',
    nimbus_size: 1,
    cloud_enabled: true,
    junk_url: '',
    other: '',
  })
  const source = { baseUrl: 'https://x.test', version: '1', day: '2026-01-01' }
  const text = formatVocabulary(lesson, { ...source, answered: new Map([['plain', 'other']]) })
  expect(text).toBe(
    [
      '# The words of https://x.test, version 1, as its answers of 2026-01-01 tell.',
      'vocabulary: 1',
      'words:',
      '  cloud: nimbus # cloud_id, cloud_size',
      'names:',
      '  cloud_enabled: cloud_enabled # same name on this instance',
      '  plain: other',
      '# Not in the answers, and what they may be called there: put what is right under names.',
      '#   spam_url: junk_url',
      '',
    ].join('\n'),
  )
})
