/** What stands for an answer that nobody asked for, and how it reads in a command. */
import { expect, it } from 'vitest'
import { approvals } from '../../src/catalogue/areas/approvals.js'
import { members } from '../../src/catalogue/areas/members.js'
import { createPlaceholder, readable } from '../../src/engine/perform/curl.js'

it('gives each field by its name, those of lists and objects below theirs', () => {
  expect(createPlaceholder(approvals.rulesGet)).toMatchObject({
    name: '<name>',
    approvals_required: '<approvals_required>',
    users: [{ id: '<users.id>', username: '<users.username>' }],
  })
})

it('gives one record of a list', () => {
  const found = createPlaceholder(members.listOfGroup)
  expect(found).toMatchObject([{ id: '<id>', username: '<username>' }])
  expect(found).toHaveLength(1)
})

it('stands readable in an address, where nothing else changes', () => {
  expect(readable({ path: '/members/%3Cid%3E?query=a%3Cb%20c%3E' }).path).toBe(
    '/members/<id>?query=a%3Cb%20c%3E',
  )
})
