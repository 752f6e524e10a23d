/** Tests that several names and `-` are refused, not sent, if a command needs one project, group or user. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

describe('a scope that is not one', () => {
  it('given twice alike is one', async () => {
    const line = ['deploy-keys', 'list', '--sandbox', '--curl', '-P', 'a/b', '-P', 'a/b']
    expect(await svcctl(line)).toMatchObject({ code: 0 })
  })
})
