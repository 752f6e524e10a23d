/** Users by name where an ID is meant: instances resolve `GET /users?username=`, undocumented. */
import { Failure, usage } from '../errors.js'
import { objects } from './json.js'
import type { Context, Given } from './types.js'

const give = 'Give the ID instead: svcctl members list shows those of members.'

/**
 * The ID of a user by name.
 * @throws Failure `not_found` where the instance does not know the name, or does not look up names
 */
export const lookUp = async (ctx: Context, name: string): Promise<string> => {
  const client = await ctx.client()
  const path = `/users?username=${encodeURIComponent(name)}`
  const data = await client.call({ method: 'GET', path, headers: {} }).then(
    (whole) => whole.data,
    (error: unknown) => {
      if (error instanceof Failure && error.category === 'not_found') return undefined
      throw error
    },
  )
  if (data === undefined)
    throw new Failure('not_found', 'this instance does not look up users by name', { hint: give })
  const match = objects(data).find(
    (user) => String(user.username).toLowerCase() === name.toLowerCase(),
  )
  if (match === undefined)
    throw new Failure('not_found', `the instance has no user called "${ctx.safe(name)}"`, {
      hint: give,
    })
  return String(match.id)
}

/**
 * Users as IDs; IDs stay as they are, names may begin with `@`.
 * @throws Failure `not_found` for a name that the instance does not know, `usage` when nothing may be sent
 */
export const userIds = async (ctx: Context, texts: readonly string[]): Promise<string[]> => {
  const users = texts.flatMap((text) => text.split(',').map((part) => part.trim()))
  const wanted = users.filter((user) => user !== '')
  const names = [...new Set(wanted.filter((user) => !/^-?\d+$/.test(user)))]
  if (names.length > 0 && ctx.globals.curl)
    throw usage(`--curl sends nothing, so that "${names[0]}" cannot be looked up`, give)
  const ids = new Map<string, string>()
  await ctx.each(names, async (name) => {
    ids.set(name, await lookUp(ctx, name.replace(/^@/, '')))
  })
  return wanted.map((user) => ids.get(user) ?? user)
}

/** What was given, with users as IDs. */
export const withUserIds = async (ctx: Context, given: Given): Promise<Given> => ({
  ...given,
  args: await userIds(ctx, given.args),
})
