/** Drafts about members: whose they are, and the level before and after. */
import { levelOf } from './kinds/members.js'
import type { Draft } from './types.js'

export const owner = 50

/** What a draft makes of a membership. */
export interface PlannedMembership {
  readonly draft: Draft
  readonly user: number
  /** 0 where there is none. */
  readonly before: number
  readonly after: number
}

/** What a draft of a kind whose items are users makes of a membership. */
export const planOfMembership = (draft: Draft): PlannedMembership => {
  const { before, verb, step } = draft
  const was = levelOf(before?.attributes.access_level)
  const wanted = step.values.access_level
  return {
    draft,
    user: Number(step.values.user_id),
    before: was,
    after: verb === 'delete' ? 0 : typeof wanted === 'number' ? wanted : was,
  }
}

/** Drafts of kinds whose items are users. */
export const memberships = (drafts: readonly Draft[]): readonly PlannedMembership[] =>
  drafts.filter(({ kind }) => kind.by === 'user').map(planOfMembership)
