import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()
const fresh = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f x@y'

describe('deploy keys', () => {
  it('list those of the instance for administrators, without rights', async () => {
    const { body } = await send('GET /deploy_keys')
    expect(body).toHaveLength(3)
    expect(Object.keys(body[0] ?? {})).toEqual(['id', 'title', 'key', 'created_at'])
    expect((await send('GET /deploy_keys', { as: 'ana' })).status).toBe(403)
  })

  it('list those of a project for its maintainers', async () => {
    const { body } = await send('GET /projects/platform%2Fapp/deploy_keys', { as: 'ben' })
    expect(body).toMatchObject([{ id: 1, can_push: true }])
    expect((await send('GET /projects/1/deploy_keys/2')).status).toBe(404)
    expect((await send('GET /projects/1/deploy_keys', { as: 'chi' })).status).toBe(403)
  })

  it('check what is added', async () => {
    const add = (json: unknown) => send('POST /projects/2/deploy_keys', { json })
    expect((await add({ title: 't' })).refusal).toEqual({ error: 'key is missing' })
    for (const key of ['nonsense', 'ssh-ed25519 AAAA', fresh.replace('ssh-ed25519', 'ssh-rsa')])
      expect((await add({ title: 't', key })).refusal).toEqual({ message: { key: ['is invalid'] } })
    expect((await add({ title: ' ', key: fresh })).status).toBe(400)
    const added = await add({ title: 't', key: fresh, can_push: true })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({ title: 't', key: fresh, can_push: true })
  })

  it('join a key of another project only for who maintains that one', async () => {
    const key = (await send('GET /deploy_keys')).body[0]?.key
    const taken = await send('POST /projects/7/deploy_keys', {
      as: 'chi',
      json: { title: 'z', key },
    })
    expect(taken.refusal).toEqual({
      message: { 'deploy_key.fingerprint': ['has already been taken'] },
    })
    const joined = await send('POST /projects/7/deploy_keys', {
      as: 'ben',
      json: { title: 'z', key },
    })
    expect(joined.body).toMatchObject({ id: 1, title: 'deploy', can_push: false })
  })

  it('are enabled with 201, for who may see the original', async () => {
    // So that a project that chi maintains has it.
    await send('POST /projects/7/deploy_keys/1/enable', { as: 'ben' })
    expect((await send('POST /projects/2/deploy_keys/3/enable', { as: 'chi' })).status).toBe(201)
    expect((await send('POST /projects/13/deploy_keys/1/enable', { as: 'chi' })).status).toBe(201)
    expect((await send('POST /projects/11/deploy_keys/1/enable', { as: 'dov' })).status).toBe(404)
  })

  it('change their title everywhere and their rights here', async () => {
    const path = '/projects/5/deploy_keys/1'
    expect((await send(`PUT ${path}`, { json: {} })).status).toBe(400)
    const { body } = await send(`PUT ${path}`, { json: { title: 'new', can_push: true } })
    expect(body).toMatchObject({ title: 'new', can_push: true })
    expect((await send('GET /projects/1/deploy_keys/1')).body.title).toBe('new')
  })

  it('are gone with their last project', async () => {
    expect((await send('DELETE /projects/5/deploy_keys/1')).status).toBe(204)
    expect((await send('DELETE /projects/5/deploy_keys/1')).status).toBe(404)
    const ids = async () => (await send('GET /deploy_keys')).body.map((k) => k.id)
    expect(await ids()).toContain(1)
    for (const { id } of (await send('GET /projects?simple=true&per_page=100')).body)
      await send(`DELETE /projects/${id}/deploy_keys/1`)
    expect(await ids()).not.toContain(1)
  })

  it('obey the least sizes of the instance', async () => {
    await send('PUT /application/settings', { json: { ed25519_key_restriction: -1 } })
    const key = fresh.replace('HR4f', 'HR4e')
    const { refusal } = await send('POST /projects/4/deploy_keys', { json: { title: 't', key } })
    expect(refusal.message).toMatchObject({ key: [expect.stringContaining('forbidden')] })
  })
})
