import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const { send, url } = useFreshSandbox()

describe('pages of a list', () => {
  it('writes every header of the first page', async () => {
    const { headers, refusal } = await send('GET /runners/all?per_page=4&type=odd')
    expect(refusal.error).toBe('type does not have a valid value')
    const first = await send('GET /runners/all?per_page=4')
    expect(first.body).toHaveLength(4)
    expect(Object.fromEntries([...first.headers].filter(([n]) => n.startsWith('x-')))).toEqual({
      'x-next-page': '2',
      'x-page': '1',
      'x-per-page': '4',
      'x-prev-page': '',
      'x-request-id': expect.any(String),
      'x-runtime': expect.any(String),
      'x-total': '10',
      'x-total-pages': '3',
    })
    expect(headers.get('link')).toBeNull()
  })

  it('links to the other pages, keeping what was asked and dropping credentials', async () => {
    const path = '/runners/all?tag_list=linux&per_page=1&page=2&private_token=sandbox-root-token'
    const { headers } = await send(`GET ${path}`, { as: '' })
    const link = (page: number, rel: string) =>
      `<${url()}/api/v4/runners/all?tag_list=linux&per_page=1&page=${page}>; rel="${rel}"`
    expect(headers.get('link')).toBe(
      [link(1, 'prev'), link(3, 'next'), link(1, 'first'), link(4, 'last')].join(', '),
    )
  })

  it('is empty past the end and refuses what is no page', async () => {
    const past = await send('GET /runners/all?page=9')
    expect([past.body, past.headers.get('x-next-page')]).toEqual([[], ''])
    expect((await send('GET /runners/all?page=0')).refusal.error).toBe(
      'page does not have a valid value',
    )
    expect((await send('GET /runners/all?per_page=x')).refusal.error).toBe('per_page is invalid')
    const many = await send('GET /runners/all?per_page=500')
    expect(many.headers.get('x-per-page')).toBe('100')
  })

  it('spells X-prev-page as the documents do', async () => {
    const { get } = await import('node:http')
    const names = await new Promise<string[]>((resolve, reject) => {
      const headers = { 'private-token': 'sandbox-root-token' }
      get(`${url()}/api/v4/runners/all`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.rawHeaders.filter((_, index) => index % 2 === 0))
      }).on('error', reject)
    })
    expect(names).toEqual(expect.arrayContaining(['X-prev-page', 'x-next-page', 'Link']))
  })
})

describe('routes', () => {
  it('answers 404 and 405 in the API’s words', async () => {
    const unknown = await send('GET /nothing')
    expect([unknown.status, unknown.refusal]).toEqual([404, { error: '404 Not Found' }])
    const method = await send('PATCH /runners/1', { json: {} })
    expect([method.status, method.refusal]).toEqual([405, { error: '405 Not Allowed' }])
    expect(method.headers.get('allow')).toBe('GET, PUT')
    expect((await send('GET //')).status).toBe(404)
  })

  it('puts literal segments before placeholders', async () => {
    expect((await send('GET /runners/all')).body).toHaveLength(10)
    expect((await send('PUT /runners/all', { json: { active: true } })).refusal.error).toBe(
      'id is invalid',
    )
  })

  it('reads a full path as one segment, dots encoded or not, and refuses broken encoding', async () => {
    for (const path of ['platform%2Fapp', 'platform%2fapp', 'PLATFORM%2Fapp', '1'])
      expect((await send(`GET /projects/${path}/runners`)).status).toBe(200)
    expect((await send('GET /projects/platform/app/runners')).status).toBe(404)
    expect((await send('GET /projects/%zz/runners')).status).toBe(400)
  })

  it('answers HEAD as GET, without a body', async () => {
    const head = await send('HEAD /runners/all')
    expect([head.status, head.text, head.headers.get('x-total')]).toEqual([200, '', '10'])
  })

  it('gives each request an ID', async () => {
    const { headers } = await send('GET /nothing', { headers: { 'x-request-id': 'mine' } })
    expect(headers.get('x-request-id')).toBe('mine')
  })
})

describe('a condition on a delete', () => {
  const path = 'DELETE /projects/web%2Fdocs/integrations/custom-issue-tracker'
  const since = (moment: string) => ({ headers: { 'if-unmodified-since': moment } })

  it('is refused with 412 when the record has changed since, else obeyed', async () => {
    const early = await send(path, since('Wed, 01 Jan 2020 00:00:00 GMT'))
    expect([early.status, early.refusal]).toEqual([412, { message: '412 Precondition Failed' }])
    expect((await send(path, since(new Date().toUTCString()))).status).toBe(204)
  })
})

describe('bodies', () => {
  const register = (sending: Parameters<typeof send>[1]) =>
    send('POST /runners', { as: '', ...sending })
  const token = 'sandbox-instance-registration'

  it.each([
    ['JSON', { json: { token, info: { version: '1.2' }, active: false } }],
    ['a form', { body: new URLSearchParams({ token, 'info[version]': '1.2', active: '0' }) }],
    [
      'multipart',
      {
        body: (() => {
          const form = new FormData()
          form.set('token', new Blob([token]), 'token.txt')
          form.set('info[version]', '1.2')
          form.set('active', 'off')
          return form
        })(),
      },
    ],
  ])('takes %s', async (_kind, sending) => {
    const { status, body } = await register(sending)
    expect(status).toBe(201)
    const runner = (await send(`GET /runners/${body.id}`)).body
    expect([runner.version, runner.active]).toEqual(['1.2', false])
  })

  it('takes parameters of a write in the query too', async () => {
    expect((await send('PUT /runners/1?description=renamed')).body.description).toBe('renamed')
  })

  it('refuses what cannot be read', async () => {
    const broken = await register({ body: '{', headers: { 'content-type': 'application/json' } })
    expect([broken.status, broken.refusal.error]).toEqual([400, expect.stringContaining('body')])
    expect((await register({ json: [1] })).status).toBe(400)
    const text = await register({ body: 'x', headers: { 'content-type': 'text/plain' } })
    expect([text.status, Object.keys(text.refusal)]).toEqual([415, ['error']])
  })

  it('treats an empty JSON body as none', async () => {
    const empty = await register({ body: '', headers: { 'content-type': 'application/json' } })
    expect(empty.refusal).toEqual({ error: 'token is missing' })
  })
})
