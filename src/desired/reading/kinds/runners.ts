/** Runners of a project: those of the instance and of groups are shown with them, and are nothing of its own. */
import type { KindReading } from './hooks.js'

export const runnersOfProject: KindReading = { values: { type: 'project_type' } }
