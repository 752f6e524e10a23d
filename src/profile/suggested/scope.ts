/** The project or group that a file suggests. */
import type { Scope, Takes } from '../project.js'
import type { Suggested } from './read.js'

/** None where it names both and the command takes either. */
export const scopeIn = ({ file, project, group }: Suggested, takes: Takes): Scope | undefined => {
  if (takes === 'either' && project !== undefined && group !== undefined) return undefined
  if (takes !== 'group' && project !== undefined)
    return { kind: 'project', value: project, source: file }
  if (takes !== 'project' && group !== undefined)
    return { kind: 'group', value: group, source: file }
  return undefined
}
