/** `runners pause`, `resume` and `register` (`catalogue/reference/runners.md`). */
import type { Context, Given, Special } from '../types.js'

export { drain } from './drain.js'

const setActive =
  (active: boolean, done: string) =>
  async (ctx: Context, given: Given): Promise<void> =>
    ctx.perform(await ctx.plans(given, { active }), { done })

export const pause: Special = {
  summary: 'Stop runners from taking further jobs',
  endpoints: ['update'],
  without: 'attributes',
  examples: [
    'runners pause 1',
    'runners list --status offline --tag-list linux | svcctl runners pause -',
  ],
  run: setActive(false, 'paused'),
}

export const resume: Special = {
  summary: 'Let paused runners take jobs again',
  endpoints: ['update'],
  without: 'attributes',
  examples: [
    'runners resume 3',
    'runners list --status paused --type project_type | svcctl runners resume -',
  ],
  run: setActive(true, 'resumed'),
}

export const register: Special = {
  description: [
    'The runner’s own token is the answer: it is shown whole, this once. The registration token comes from the instance, a group or a project.',
  ],
  examples: [
    "runners register --token sandbox-project-1-registration --description 'app builder'",
    'runners register --token sandbox-group-platform-registration --info version=16.1 --no-active -o json',
  ],
  run: async (ctx, given) => ctx.perform([await ctx.plan(given)], { emit: { reveal: true } }),
}
