/** `integrations update`: checked by the family that the integration belongs to. */
import { describe, expect, it } from 'vitest'
import { createCaller } from './calling.js'

const { call, sent } = createCaller()
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
