import { describe, expect, it } from 'vitest'
import { useFreshSandbox } from './instance.js'

const { send } = useFreshSandbox()

describe('integrations', () => {
  it('lists the active ones for maintainers', async () => {
    const { body } = await send('GET /projects/1/integrations', { as: 'ben' })
    expect(body).toHaveLength(1)
    expect(body[0]).toMatchObject({ slug: 'emails-on-push', active: true, push_events: true })
    expect(body[0]).not.toHaveProperty('properties')
    expect((await send('GET /projects/1/integrations', { as: 'chi' })).status).toBe(403)
    expect((await send('GET /projects/7/integrations', { as: 'eva' })).status).toBe(404)
    expect((await send('GET /projects/6/integrations', { as: '' })).status).toBe(401)
  })

  it('answers booleans, however they were sent', async () => {
    const { body } = await send('GET /projects/1/integrations/emails-on-push')
    expect(body.properties).toMatchObject({ disable_diffs: false, send_from_committer_email: true })
    const form = new URLSearchParams({ recipients: 'a@b.test', disable_diffs: '1' })
    const changed = await send('PUT /projects/4/integrations/emails-on-push', { body: form })
    expect(changed.body.properties).toHaveProperty('disable_diffs', true)
  })

  it('asks for what the family of a known slug requires', async () => {
    const put = (slug: string, json: unknown) =>
      send(`PUT /projects/1/integrations/${slug}`, { json })
    expect((await put('custom-issue-tracker', { title: 'T' })).refusal).toEqual({
      error: 'new_issue_url is missing',
    })
    expect((await put('emails-on-push', { recipients: '' })).status).toBe(400)
    expect(
      (await put('some-chat', { push_events: true, webhook: 'https://c.test/x' })).status,
    ).toBe(200)
  })

  it('does not know a slug of no family, whatever the method and the spelling of the path', async () => {
    for (const path of ['integrations', 'services'])
      for (const slug of ['no-such', 'emails-on-pull', '7'])
        for (const json of [undefined, {}, { push_events: true }, { active: true, colour: 'red' }])
          for (const method of json === undefined ? ['GET', 'DELETE'] : ['PUT']) {
            const route = `${method} /projects/1/${path}/${slug}`
            const { status, refusal } = await send(route, json === undefined ? {} : { json })
            expect([status, refusal], route).toEqual([
              404,
              { message: '404 Integration Not Found' },
            ])
          }
    expect((await send('GET /projects/1/integrations')).body).toHaveLength(1)
  })

  it('creates, edits and deletes under either spelling of the path', async () => {
    const created = await send('PUT /projects/2/services/custom-issue-tracker', {
      json: {
        new_issue_url: 'https://t.test/new',
        issues_url: 'https://t.test/:id',
        project_url: 'https://t.test',
        title: 'Our tracker',
        push_events: 'false',
        colour: 'red',
      },
    })
    expect(created.status).toBe(200)
    expect(created.body).toMatchObject({ title: 'Our tracker', push_events: false })
    expect(created.body.properties).toMatchObject({ project_url: 'https://t.test', colour: 'red' })
    const edited = await send('PUT /projects/2/integrations/custom-issue-tracker', {
      json: {
        new_issue_url: 'https://u.test/new',
        issues_url: 'https://t.test/:id',
        project_url: 'https://t.test',
      },
    })
    expect(edited.body.id).toBe(created.body.id)
    expect(edited.body.properties).toHaveProperty('new_issue_url', 'https://u.test/new')
    const path = '/projects/2/services/custom-issue-tracker'
    expect((await send(`DELETE ${path}`)).status).toBe(204)
    expect((await send(`GET ${path}`)).status).toBe(404)
    expect((await send(`DELETE ${path}`)).status).toBe(404)
  })

  it('never gives tokens and passwords back', async () => {
    const { text } = await send('PUT /projects/2/integrations/build-server', {
      json: {
        bamboo_url: 'https://b.test',
        build_key: 'K',
        username: 'u',
        password: 'p4ss-canary',
      },
    })
    expect(text).toContain('"build_key":"K"')
    expect(text).not.toContain('p4ss-canary')
  })
})
