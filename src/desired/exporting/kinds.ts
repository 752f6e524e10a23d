/** What a fact cannot say of how a kind is written. */

import type { Managed } from '../../catalogue/managed/managed.js'
import { isBot } from '../comparing/kinds/members.js'
import type { SeenItem } from '../seen.js'

/** What of an item is not written, and what is said in its place. */
interface Kept {
  readonly without: readonly string[]
  readonly remarks: readonly string[]
}

const nothing: Kept = { without: [], remarks: [] }

/** Said again, groups that are not seen would be taken away. */
const approvalRule = ({ record, attributes }: SeenItem): Kept => ({
  without: [
    ...(record.contains_hidden_groups === true ? ['group_ids'] : []),
    // What a rule is that says nothing of it.
    ...(attributes.rule_type === 'regular' ? ['rule_type'] : []),
  ],
  remarks: record.contains_hidden_groups === true ? ['group_ids: some groups cannot be seen'] : [],
})

/** A key goes with a certificate. */
const pagesDomain = ({ attributes }: SeenItem): Kept => ({
  without: typeof attributes.certificate === 'string' ? [] : ['key'],
  remarks: [],
})

const kinds: Readonly<Record<string, (item: SeenItem) => Kept>> = {
  approval_rules: approvalRule,
  pages_domains: pagesDomain,
}

/** What of this item is not written. */
export const keptBack = (kind: string, item: SeenItem): Kept => kinds[kind]?.(item) ?? nothing

/** Whether an item is not written: a bot belongs to a token, nobody makes it a member, and no exact set removes it. */
export const isOmitted = (kind: string, item: SeenItem): boolean =>
  kind === 'members' && isBot(item)

/** Whether a kind is left out where nobody asked for it and the token may not read it: a list for administrators. */
export const isForAdministrators = ({ scope, name }: Pick<Managed, 'scope' | 'name'>): boolean =>
  scope === 'site' && name === 'runners'
