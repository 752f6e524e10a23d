/** The headers by which clients and browsers know the service. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { useSharedSandbox } from './instance.js'

const { send, url } = useSharedSandbox()
/** An instance whose clock goes on by a quarter of a second whenever it is read. */
let moment = Date.parse('2026-11-03T09:00:00Z')
const slow = useSharedSandbox({
  now: () => {
    moment += 250
    return new Date(moment)
  },
})
const token = { 'private-token': 'sandbox-root-token' }

/** `fetch` sets some of these headers itself. */
const ask = (
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number | undefined; headers: Readonly<Record<string, unknown>> }> =>
  new Promise((resolve, reject) => {
    request(`${url()}/api/v4${path}`, { headers }, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode, headers: answer.headers })
    })
      .on('error', reject)
      .end()
  })

describe('an answer in JSON', () => {
  it('has a tag, and is not sent again to whoever has it', async () => {
    const first = await send('GET /projects/1')
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^W\/"[\da-f]{32}"$/)
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await send('GET /projects/1', { headers: { 'if-none-match': known } })
      expect([again.status, again.text, again.headers.get('etag')], known).toEqual([304, '', tag])
      expect(again.headers.get('content-type')).toBeNull()
    }
    const other = await send('GET /projects/2', { headers: { 'if-none-match': tag } })
    expect(other.status).toBe(200)
  })

  it('has another tag once it is another, for each user and page', async () => {
    const read = async (path: string, as = 'root') =>
      (await send(`GET ${path}`, { as })).headers.get('etag')
    const before = await read('/runners/1')
    await send('PUT /runners/1', { json: { description: 'renamed' } })
    const tags = [before, await read('/runners/1'), await read('/user'), await read('/user', 'ana')]
    tags.push(await read('/runners/all?per_page=1'), await read('/runners/all?per_page=1&page=2'))
    expect(new Set(tags).size).toBe(tags.length)
  })

  it('says how long it took, and what a cache may keep', async () => {
    const [read, written, refused] = [
      await send('GET /runners/1'),
      await send('PUT /runners/1', { json: { description: 'again' } }),
      await send('GET /runners/99999'),
    ]
    for (const { headers } of [read, written, refused])
      expect(headers.get('x-runtime')).toMatch(/^\d+\.\d{6}$/)
    expect([read, written, refused].map(({ headers }) => headers.get('cache-control'))).toEqual([
      'max-age=0, private, must-revalidate',
      'no-cache',
      'no-cache',
    ])
    expect([written, refused].map(({ headers }) => headers.get('etag'))).toEqual([null, null])
  })

  it('took as long as the clock of the instance went on meanwhile', async () => {
    const seconds = (await slow.send('GET /runners/1')).headers.get('x-runtime')
    // The clock is read at the beginning and at the end, and in between by whoever needs the time.
    expect(Number(seconds)).toBeGreaterThanOrEqual(0.25)
    expect((Number(seconds) * 1000) % 250).toBe(0)
  })
})

describe('a page of any site', () => {
  const origin = { origin: 'https://example.test' }

  it('reads what everybody may read without a credential', async () => {
    const came = await ask('/projects/2', origin)
    expect([came.status, came.headers['access-control-allow-origin']]).toEqual([404, '*'])
    const listed = await ask('/projects', { ...origin, 'sec-fetch-site': 'cross-site' })
    expect(listed.status).toBe(200)
    expect(listed.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('X-Total'),
      vary: 'Origin',
    })
  })

  it.each([
    [{ ...token }],
    [{ authorization: 'Bearer sandbox-root-token' }],
    [{ 'job-token': 'x' }],
    [{ cookie: '_svc_session=x' }],
  ])('acts with no credential: %j', async (credential) => {
    expect((await ask('/projects', { ...origin, ...credential })).status).toBe(403)
    const own = await ask('/projects', credential)
    expect(own.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('has none in its address either, and reaches nothing by another name', async () => {
    expect((await ask('/user?private_token=sandbox-root-token', origin)).status).toBe(401)
    expect((await ask('/projects', { host: 'rebound.example.test' })).status).toBe(403)
  })
})
