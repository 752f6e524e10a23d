import { describe, expect, it } from 'vitest'
import { pagesDomains } from '../../src/catalogue/areas/pages-domains.js'
import { buildRequest } from '../../src/http/request/request.js'
import { checkRequests } from './pin.js'

const one = { id: 5, domain: 'www.x.test' }

checkRequests('pages-domains', pagesDomains, [
  { key: 'listAll', values: {}, sends: 'GET /pages/domains' },
  { key: 'list', values: { id: 'a/b' }, sends: 'GET /projects/a%2Fb/pages/domains' },
  { key: 'get', values: one, sends: 'GET /projects/5/pages/domains/www.x.test' },
  {
    key: 'add',
    values: { ...one, auto_ssl_enabled: true },
    sends: 'POST /projects/5/pages/domains',
    body: '{"domain":"www.x.test","auto_ssl_enabled":true}',
  },
  {
    key: 'update',
    values: { ...one, certificate: '', key: '' },
    sends: 'PUT /projects/5/pages/domains/www.x.test',
    body: '{"certificate":"","key":""}',
  },
  { key: 'delete', values: one, sends: 'DELETE /projects/5/pages/domains/www.x.test' },
])

describe('certificates from files', () => {
  it('go as multipart, with the domain beside them', () => {
    const bytes = (text: string) => new TextEncoder().encode(text)
    const { method, path, headers, body } = buildRequest({
      endpoint: pagesDomains.add,
      values: one,
      files: {
        certificate: { filename: 'cert.pem', bytes: bytes('CERT\n') },
        key: { filename: 'key.pem', bytes: bytes('KEY\n') },
      },
    })
    expect(`${method} ${path}`).toBe('POST /projects/5/pages/domains')
    const [, mark = ''] =
      /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '') ?? []
    expect(mark).not.toBe('')
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
    const parts = text.split(`--${mark}`)
    expect(parts).toHaveLength(5)
    expect(parts.at(-1)).toBe('--\r\n')
    const disposition = 'Content-Disposition: form-data; name='
    expect(parts[1]).toBe(`\r\n${disposition}"domain"\r\n\r\nwww.x.test\r\n`)
    expect(parts[2]).toContain(`${disposition}"certificate"; filename="cert.pem"\r\n`)
    expect(parts[2]).toMatch(/\r\n\r\nCERT\n\r\n$/)
    expect(parts[3]).toContain(`${disposition}"key"; filename="key.pem"\r\n`)
    expect(parts[3]).toMatch(/\r\n\r\nKEY\n\r\n$/)
  })
})
