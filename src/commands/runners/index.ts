/** `runners pause`, `resume` and `register` (`catalogue/reference/runners.md`). */
import { define } from '../define.js'
import type { Services } from '../services.js'
import type { Given } from '../types.js'

export { drain } from './drain.js'

const setActive =
  (active: boolean, done: string) =>
  async ({ instance }: Services, given: Given): Promise<void> =>
    instance.many({ given, override: { active } }, { done })

export const pause = define({
  summary: 'Stop runners from taking further jobs',
  endpoints: ['update'],
  without: 'attributes',
  streams: true,
  examples: [
    'runners pause 1',
    'runners list --status offline --tag-list linux | svcctl runners pause -',
  ],
  run: setActive(false, 'paused'),
})

export const resume = define({
  summary: 'Let paused runners take jobs again',
  endpoints: ['update'],
  without: 'attributes',
  streams: true,
  examples: [
    'runners resume 3',
    'runners list --status paused --type project_type | svcctl runners resume -',
  ],
  run: setActive(true, 'resumed'),
})

export const register = define({
  description: [
    'The runner’s own token is the answer: it is shown whole, this once. The registration token comes from the instance, a group or a project.',
  ],
  examples: [
    "runners register --token sandbox-project-1-registration --description 'app builder'",
    'runners register --token sandbox-group-platform-registration --info version=16.1 --no-active -o json',
  ],
  run: async ({ instance }, given) =>
    instance.many([await instance.plan(given)], { emit: { reveal: true } }),
})
