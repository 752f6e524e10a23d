import { describe, expect, it } from 'vitest'
import { describeEvent, formatWhen } from '../../src/commands/events.js'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const now = new Date('2026-11-02T09:00:00Z')
const createEvent = (more: Readonly<Record<string, unknown>>) => ({
  created_at: '2026-11-02T07:00:00Z',
  author: { name: 'Ana' },
  ...more,
})
const push = (more: Readonly<Record<string, unknown>>) =>
  createEvent({
    action_name: 'pushed to',
    push_data: { commit_count: 3, action: 'pushed', ref_type: 'branch', ref: 'main', ...more },
  })
const formatEvent = (value: Readonly<Record<string, unknown>>): string =>
  `${formatWhen(value, now)}: ${describeEvent(value, 'platform/app')}`

describe('a line of events list', () => {
  it('says when, who, what and where', () => {
    expect(formatEvent(push({}))).toBe('2 h ago: Ana pushed 3 commits to main in platform/app')
  })

  it.each([
    [push({ commit_count: 1 }), 'pushed 1 commit to main in'],
    [push({ action: 'created', ref: 'new' }), 'pushed 3 commits to new branch new in'],
    [push({ action: 'created', commit_count: 0, ref_type: 'tag', ref: 'v1' }), 'created tag v1 in'],
    [push({ action: 'removed', commit_count: 0, ref: 'old' }), 'deleted branch old in'],
    [
      createEvent({
        action_name: 'opened',
        target_type: 'Issue',
        target_iid: 7,
        target_title: 'Late',
      }),
      'opened issue #7 “Late” in',
    ],
    [
      createEvent({
        action_name: 'approved',
        target_type: 'MergeRequest',
        target_iid: 3,
        target_title: 'Do',
      }),
      'approved merge request !3 “Do” in',
    ],
    [
      createEvent({ action_name: 'updated', target_type: 'WikiPage::Meta', target_title: 'Home' }),
      'updated wiki page “Home” in',
    ],
    [
      createEvent({
        action_name: 'commented on',
        target_type: 'Note',
        target_title: 'Late',
        note: { noteable_type: 'Issue', noteable_iid: 7 },
      }),
      'commented on issue #7 “Late” in',
    ],
    [createEvent({ action_name: 'created', target_type: 'Project' }), 'created the project in'],
    [createEvent({ action_name: 'left' }), 'Ana left platform/app'],
    [createEvent({ action_name: 'expired' }), 'Ana lost access to platform/app'],
  ])('%#', (value, words) => {
    expect(formatEvent(value)).toContain(words)
  })

  it('reads without project, name or known time', () => {
    const bare = { created_at: 'once', author_username: 'ana', action_name: 'opened' }
    expect(formatWhen(bare, now)).toBe('once')
    expect(describeEvent(bare, undefined)).toBe('ana opened')
  })
})

it.each([
  ...['Issue', 'Note', 'DiffNote', 'DiscussionNote', 'MergeRequest', 'Milestone', 'Project'],
  ...['Snippet', 'User', 'WikiPage::Meta', 'DesignManagement::Design'],
])('a condition knows %s as the target of an event', async (type) => {
  const line = ['events', 'list', '--where', `target_type=${type}`, '--sandbox']
  expect(await svcctl(line, { env: { SVC_CONFIG_DIR: createConfiguration() } })).toMatchObject({
    code: 0,
  })
})
