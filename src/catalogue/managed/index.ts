/** The kinds that files can declare, in the order in which what they want is done. */
import { approvalRules, projectApprovals } from './approvals.js'
import type { Managed } from './managed.js'

export const managedKinds: readonly Managed[] = [projectApprovals, approvalRules]
