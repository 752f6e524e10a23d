/** `integrations update`: checked by the family that the integration belongs to. */
import { describe, expect, it } from 'vitest'
import { calling } from './calling.js'

const { server, call, sent } = calling()
const update = (line: string) => call(`integrations update ${line} -P 3`)

describe('integrations update', () => {
  it('takes the family of a slug that is known, and sends what it takes', async () => {
    const ran = await update('emails-on-push --recipients a@x.test --push-events')
    expect(ran.code).toBe(0)
    expect(sent()).toEqual([
      {
        line: 'PUT /projects/3/integrations/emails-on-push',
        body: { recipients: 'a@x.test', push_events: true },
      },
    ])
  })

  it.each([
    ['emails-on-push --push-events', 'emails-on-push needs --recipients (family emails-on-push)'],
    [
      'emails-on-push --recipients a@x.test --room ops',
      '--room is not a parameter of the family emails-on-push (emails-on-push)',
    ],
    ['ci --family ci-server --token t', 'ci needs --drone-url (family ci-server)'],
    [
      'ci --family ci-server --token t --drone-url https://d.test --room x',
      '--room is not a parameter of the family ci-server (ci',
    ],
    [
      'simple-webhook --push-events',
      '--push-events is not a parameter of the family simple-webhook (simple-webhook',
    ],
  ])('refuses before anything is sent: %s', async (line, says) => {
    const ran = await update(line)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
    expect(ran.stderr).toMatch(/svcctl explain integrations update --family/)
    expect(server.seen).toEqual([])
  })

  it('checks nothing where the family is not known', async () => {
    expect((await update('strange --room ops')).code).toBe(0)
    expect(sent()[0]?.body).toEqual({ room: 'ops' })
  })

  it('counts what --param gives as given', async () => {
    expect((await update('emails-on-push --param recipients=a@x.test')).code).toBe(0)
  })

  it('says what no longer does anything in this family', async () => {
    const line = 'ci --family pipeline-ci --token t --project-url https://d.test'
    const ran = await update(`${line} --enable-ssl-verification`)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain(
      '--enable-ssl-verification is deprecated in the family pipeline-ci',
    )
    expect((await update(line)).stderr).not.toContain('deprecated')
  })
})
