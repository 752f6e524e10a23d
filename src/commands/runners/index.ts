/** `runners pause`, `resume` and `register` (`catalogue/reference/runners.md`). */
import { define } from '../define.js'

export { drain } from './drain.js'

export const pause = define({
  summary: 'Stop runners from taking further jobs',
  endpoints: ['update'],
  without: 'attributes',
  examples: [
    'runners pause 1',
    'runners list --status offline --tag-list linux | svcctl runners pause -',
  ],
  operation: () => ({ preset: { active: false }, done: 'paused' }),
})

export const resume = define({
  summary: 'Let paused runners take jobs again',
  endpoints: ['update'],
  without: 'attributes',
  examples: [
    'runners resume 3',
    'runners list --status paused --type project_type | svcctl runners resume -',
  ],
  operation: () => ({ preset: { active: true }, done: 'resumed' }),
})

export const register = define({
  description: [
    'The runner’s own token is the answer: it is shown whole, this once. The registration token comes from the instance, a group or a project.',
  ],
  examples: [
    "runners register --token sandbox-project-1-registration --description 'app builder'",
    'runners register --token sandbox-group-platform-registration --info version=16.1 --no-active -o json',
  ],
  operation: () => ({ emit: { reveal: true } }),
})
