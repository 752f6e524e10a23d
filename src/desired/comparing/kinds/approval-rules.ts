/** Approval rules: the one for anybody, groups that cannot be seen, branches that a rule keeps. */
import type { SeenItem } from '../../seen.js'
import type { WishedItem } from '../../wishes.js'
import { saying } from '../item.js'
import { paired } from '../pairing.js'
import { itemAddress } from '../selected.js'
import { found, type KindHooks } from '../types.js'

const anybody = 'any_approver'

const isForAnybody = ({ attributes }: WishedItem): boolean => {
  const wanted = attributes.get('rule_type')?.value
  return wanted?.is === 'value' && wanted.value === anybody
}

const ofAnybody = ({ record }: SeenItem): boolean => record.rule_type === anybody

const hasBranches = (item: SeenItem | undefined): boolean => {
  const branches = item?.attributes.protected_branch_ids
  return Array.isArray(branches) && branches.length > 0
}

export const approvalRules: KindHooks = {
  // There is one such rule of a project, whatever it is called.
  pair: (c, wished) =>
    isForAnybody(wished) && !wished.gone ? { item: c.items.find(ofAnybody) } : paired(c, wished),
  understood: (_, wished, item) =>
    item !== undefined && isForAnybody(wished) ? { ...wished, identity: item.identity } : wished,
  // A change without them takes them away.
  needs: (_, __, item) => (hasBranches(item) ? ['protected_branch_ids'] : []),
  spares: (_, item) => ofAnybody(item),
  rest: (c) => {
    const item = c.items.find(ofAnybody)
    const findings = c.wish.items.flatMap((wished) => {
      const { identity, origin } = wished
      if (item === undefined || !isForAnybody(wished) || identity === item.identity) return []
      const text = `is the rule for any approver, which is called ${item.identity} here`
      return [saying('note', itemAddress(c.wish, identity), text, origin)]
    })
    return found({ findings })
  },
  impossible: async (_, { verb, before }, wished) =>
    verb === 'update' &&
    before?.record.contains_hidden_groups === true &&
    wished?.attributes.has('group_ids') !== true
      ? 'the rule has groups that you cannot see, which a change would remove: declare group_ids'
      : undefined,
}
