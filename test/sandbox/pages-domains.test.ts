import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'
import { authority, leaf, leafKey, otherKey } from './pem.js'

const { send } = useFreshSandbox()
const add = (json: unknown, project = 7) =>
  send(`POST /projects/${project}/pages/domains`, { json })

describe('Pages domains', () => {
  it('list those of the instance for administrators', async () => {
    const { body } = await send('GET /pages/domains')
    const site = body.find((d) => d.domain === 'site.example.test')
    expect(site).toMatchObject({ project_id: 6, certificate: { expired: false } })
    const old = body.find((d) => d.domain === 'old.example.test')
    expect(old?.certificate).toEqual({ expired: true, expiration: '2025-01-01T00:00:00.000Z' })
    expect(Object.keys(site?.certificate ?? {})).toEqual(['expired', 'expiration'])
    expect((await send('GET /pages/domains', { as: 'ben' })).status).toBe(403)
  })

  it('list those of a project, plain ones without a word of certificates', async () => {
    const { body } = await send('GET /projects/6/pages/domains', { as: 'ben' })
    expect(body[0]).toEqual({ domain: 'www.example.test', url: 'http://www.example.test' })
    expect(body[1]?.url).toBe('https://site.example.test')
    expect(body[1]?.certificate).toMatchObject({ subject: '/CN=site.example.test' })
    expect(body[1]?.certificate?.certificate_text).toContain('Subject: CN=site.example.test')
    expect(body[2]?.auto_ssl_enabled).toBe(true)
    expect((await send('GET /projects/6/pages/domains', { as: 'eva' })).status).toBe(403)
  })

  it('take certificate and key as files of a form', async () => {
    const form = new FormData()
    form.set('domain', 'www.shop.test')
    form.set('certificate', new Blob([leaf + authority]), 'chain.pem')
    form.set('key', new Blob([leafKey]), 'key.pem')
    const { status, body } = await send('POST /projects/7/pages/domains', { body: form })
    expect(status).toBe(201)
    expect(body.certificate).toMatchObject({ subject: '/CN=www.shop.test', expired: false })
    expect(JSON.stringify(body)).not.toContain('PRIVATE')
  })

  it('refuse what does not belong together', async () => {
    const refusal = async (json: object) => (await add({ domain: 'x.shop.test', ...json })).refusal
    expect(await refusal({ certificate: 'no', key: leafKey })).toEqual({
      message: { certificate: ['must be a valid PEM certificate'] },
    })
    expect(await refusal({ certificate: leaf, key: 'no' })).toEqual({
      message: { key: ['must be a valid PEM private key'] },
    })
    expect(await refusal({ certificate: leaf, key: otherKey })).toEqual({
      message: { key: ["doesn't match the certificate"] },
    })
    expect(await refusal({ certificate: leaf + leaf, key: leafKey })).toEqual({
      message: { certificate: ['misses intermediates'] },
    })
    expect((await refusal({ certificate: leaf })).message).toHaveProperty('key')
    expect((await refusal({ key: leafKey })).message).toHaveProperty('certificate')
    expect((await add({ domain: 'no domain' })).status).toBe(400)
    expect((await add({ domain: 'WWW.example.test' })).refusal).toEqual({
      message: { domain: ['has already been taken'] },
    })
  })

  it('lose their certificate to an empty one', async () => {
    await add({ domain: 'y.shop.test', certificate: leaf, key: leafKey })
    const path = '/projects/7/pages/domains/y.shop.test'
    expect((await send(`PUT ${path}`, { json: {} })).status).toBe(400)
    const auto = await send(`PUT ${path}`, { json: { auto_ssl_enabled: true } })
    expect(auto.body).toMatchObject({ auto_ssl_enabled: true, url: 'https://y.shop.test' })
    expect((await send(`PUT ${path}`, { json: { certificate: '' } })).status).toBe(400)
    const plain = await send(`PUT ${path}`, { json: { certificate: '', key: '' } })
    expect(plain.body).not.toHaveProperty('certificate')
    expect((await send(`GET ${path}`)).body.url).toBe('http://y.shop.test')
    expect((await send(`DELETE ${path}`)).status).toBe(204)
    expect((await send(`GET ${path}`)).status).toBe(404)
  })
})
