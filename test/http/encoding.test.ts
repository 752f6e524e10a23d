import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toJsonFields } from '../../src/base/objects.js'
import { type Endpoint, endpoint, many, one } from '../../src/catalogue/endpoint.js'
import { hash, list, project, string } from '../../src/catalogue/params.js'
import { Unknown } from '../../src/catalogue/shapes/common.js'
import { maskAddressSecrets } from '../../src/http/answers/secrets.js'
import { getApiRoot, parseAddress } from '../../src/http/request/address.js'
import { buildRequest } from '../../src/http/request/request.js'

const find: Endpoint = endpoint('GET /projects/:id/things/:name/*path', many(Unknown()), {
  summary: 's',
  command: 'c',
  path: { id: project(), name: string('name'), path: string('path') },
  params: {
    search: string('search'),
    ids: list('string', 'ids'),
    labels: list('string', 'labels', { join: 'comma' }),
    attributes: hash('attributes'),
  },
})
const make: Endpoint = endpoint('POST /things', one(Unknown()), {
  summary: 's',
  command: 'c',
  irreversible: 'x',
  path: {},
  params: { title: string('title'), tags: list('string', 'tags') },
})

/** Any Unicode text, with special characters more often than by chance. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.stringMatching(/^[/.%?#&+=[\]\r\n\t;,: @\\-]{1,8}$/),
)
const segment = text.filter((t) => !t.split('/').some((part) => part === '.' || part === '..'))

describe('what is parsed back from an address', () => {
  it('is what was meant', () => {
    fc.assert(
      fc.property(
        segment,
        segment,
        segment,
        text,
        fc.array(text),
        (id, name, path, search, ids) => {
          const request = buildRequest({
            endpoint: find,
            values: { id, name, path, search, ids, attributes: { key: search } },
          })
          const url = new URL(`https://forge.test/api/v4${request.path}`)
          const [, , , , gotId, , gotName, ...gotPath] = url.pathname.split('/')
          expect(decodeURIComponent(gotId ?? '')).toBe(id)
          expect(decodeURIComponent(gotName ?? '')).toBe(name)
          expect(gotPath.map(decodeURIComponent).join('/')).toBe(path)
          expect(url.searchParams.get('search')).toBe(search)
          expect(url.searchParams.getAll('ids[]')).toEqual(ids.length === 0 ? [''] : ids)
          expect(url.searchParams.get('attributes[key]')).toBe(search)
          expect([...url.searchParams.keys()]).toHaveLength(2 + Math.max(ids.length, 1))
          expect(url.hash).toBe('')
          expect(url.host).toBe('forge.test')
          expect(request.path).toMatch(/^[!-~]+$/)
        },
      ),
    )
  })
  it('is what was meant for names of --param too', () => {
    fc.assert(
      fc.property(text, text, (name, value) => {
        const values = { id: 1, name: 'n', path: 'p' }
        // Parameters of the path win over --param.
        fc.pre(!Object.hasOwn(values, name))
        const { path } = buildRequest({ endpoint: find, values, extra: { [name]: value } })
        const found = [...new URL(`https://forge.test${path}`).searchParams]
        expect(found).toEqual([[name, value]])
      }),
    )
  })
})

describe('what is parsed back from a body', () => {
  it('is what was meant', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(text),
        fc.dictionary(text, fc.jsonValue()),
        (title, tags, extra) => {
          const { body, path } = buildRequest({
            endpoint: make,
            values: { title, tags },
            extra: toJsonFields(extra),
          })
          const expected = Object.fromEntries([
            ...Object.entries(extra).filter(([name]) => name !== 'title' && name !== 'tags'),
            ['title', title],
            ['tags', tags],
          ])
          expect(JSON.parse(String(body))).toEqual(JSON.parse(JSON.stringify(expected)))
          expect(path).toBe('/things')
        },
      ),
    )
  })
})

describe('a base URL', () => {
  it('has its API root below its path', () => {
    expect(getApiRoot('https://forge.test/sub')).toEqual({
      origin: 'https://forge.test',
      path: '/sub/api/v4',
    })
  })
  it('leaves the writing of a path alone', () => {
    expect(parseAddress('https://x.test/a%2Fb%2Ec/%C3%BC?d[]=1')).toEqual({
      origin: 'https://x.test',
      path: '/a%2Fb%2Ec/%C3%BC?d[]=1',
    })
  })
})

describe('a shown address', () => {
  it.each([
    ['https://user:canary@x.test/a', 'https://***@x.test/a'],
    ['https://x.test/a?private_token=canary&b=1', 'https://x.test/a?private_token=***&b=1'],
    [
      'https://s3.test/f?X-Amz-Signature=canary&X-Amz-Credential=canary&e=1',
      'https://s3.test/f?X-Amz-Signature=***&X-Amz-Credential=***&e=1',
    ],
    [
      '<https://x.test/?job_token=canary>; rel="next"',
      '<https://x.test/?job_token=***>; rel="next"',
    ],
    ['https://x.test/projects?search=a', 'https://x.test/projects?search=a'],
  ])('%s is %s', (given, expected) => {
    expect(maskAddressSecrets(given)).toBe(expected)
  })
})
