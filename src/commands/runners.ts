/** `runners pause` and `runners resume`: PUT /runners/:id with `active` (API document 2, "States"). */
import type { Context, Given, Special } from './types.js'

const setActive =
  (active: boolean, done: string) =>
  async (ctx: Context, given: Given): Promise<void> =>
    ctx.perform(await ctx.plans(given, { active }), { done })

export const pause: Special = {
  summary: 'Stop runners from taking further jobs',
  endpoints: ['update'],
  without: 'attributes',
  run: setActive(false, 'paused'),
}

export const resume: Special = {
  summary: 'Let paused runners take jobs again',
  endpoints: ['update'],
  without: 'attributes',
  run: setActive(true, 'resumed'),
}
