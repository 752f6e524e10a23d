/** Where one project, group or user is meant, several and `-` are refused rather than sent. */
import { describe, expect, it } from 'vitest'
import { svcctl } from '../support/within.js'

describe('a scope that is not one', () => {
  it('given twice alike is one', async () => {
    const line = ['deploy-keys', 'list', '--sandbox', '--curl', '-P', 'a/b', '-P', 'a/b']
    expect(await svcctl(line)).toMatchObject({ code: 0 })
  })
})
