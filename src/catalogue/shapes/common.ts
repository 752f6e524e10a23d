/** Provides the shapes that several areas share, and functions that create fields. */

import {
  Array as ArrayOf,
  Boolean as Bool,
  Integer as Int,
  Null,
  Number as Num,
  Object as Obj,
  Optional,
  String as Str,
  type TOptional,
  type TSchema,
  type TSchemaOptions,
  Union,
  Unknown,
  Unsafe,
} from 'typebox'
import { mapValues } from '../../base/objects.js'

export { ArrayOf, Bool, Int, Null, Num, Obj, Str, Union, Unknown }

// The builders of schemas. Their names read as types, so that a shape reads as a declaration.

/** Creates a field that may be null. */
export const nullable = <S extends TSchema>(schema: S, options: TSchemaOptions = {}) =>
  Union([schema, Null()], options)

/** Returns the options of a deprecated field. */
export const deprecated = (successor: string) =>
  ({ description: `deprecated: use ${successor}`, deprecated: true }) as const

/** Creates a field that some responses omit. All other fields are in every response of their endpoint (`catalogue/README.md`). */
export const maybe = <S extends TSchema>(schema: S) => Optional(schema)

/** Makes every field one that some responses omit. */
export const maybeAll = <F extends Readonly<Record<string, TSchema>>>(fields: F) =>
  mapValues(fields, (field) => maybe(field)) as {
    [N in keyof F]: TOptional<F[N]>
  }

/** A time as an ISO 8601 string. */
export const Timestamp = Str({ format: 'date-time' })

/** A date: YYYY-MM-DD. */
export const Day = Str({ format: 'date' })

/** Creates a text field with known values. Instances may send other values, too. */
export const OpenEnum = <const V extends readonly string[]>(values: V) =>
  Unsafe<V[number] | (string & {})>(Str({ examples: values }))

/** A version, which is compared part by part: 14.6.0 is before 14.10.0. */
export const Version = Str({ format: 'version' })

/** Creates a text field whose known values have an order, from the lowest to the highest. Instances may send other values, too. */
export const OrderedEnum = <const V extends readonly string[]>(levels: V) =>
  Unsafe<V[number] | (string & {})>(
    Str({
      examples: levels,
      'x-levels': Object.fromEntries(levels.map((level, rank) => [level, rank])),
    }),
  )

/** A credential, which tables and traces mask unless --show-secrets is given. */
export const Secret = Str({ writeOnly: false, 'x-secret': true })

export const UserSummary = Obj(
  {
    id: Int(),
    name: Str(),
    username: Str(),
    state: Str(),
    avatar_url: nullable(Str()),
    web_url: Str(),
  },
  { title: 'User summary' },
)

/** A user with further fields, all of which some responses omit. */
export const User = Obj(
  {
    ...UserSummary.properties,
    created_at: maybe(Timestamp),
    bio: maybe(nullable(Str())),
    location: maybe(nullable(Str())),
    public_email: maybe(nullable(Str())),
    skype: maybe(Str()),
    linkedin: maybe(Str()),
    twitter: maybe(Str()),
    website_url: maybe(Str()),
    organization: maybe(nullable(Str())),
  },
  { title: 'User' },
)

export const ProjectSummary = Obj(
  {
    id: Int(),
    name: Str(),
    name_with_namespace: Str(),
    path: Str(),
    path_with_namespace: Str(),
    description: maybe(nullable(Str())),
    created_at: maybe(Timestamp),
  },
  { title: 'Project summary' },
)

export const TimeStats = Obj(
  {
    time_estimate: Int({ description: 'seconds' }),
    total_time_spent: Int({ description: 'seconds' }),
    human_time_estimate: nullable(Str()),
    human_total_time_spent: nullable(Str()),
  },
  { title: 'Time stats' },
)

/** The numbers of access levels, by name. */
export const accessLevels = {
  'no-access': 0,
  minimal: 5,
  guest: 10,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const

/** The access level of a member, with the names of its numbers. */
export const AccessLevel = Int({ 'x-levels': accessLevels })

/** Returns the access levels by name, for a field without a shape that has the name of an access level; undefined for any other field. */
export const findLevelNames = (field: string): typeof accessLevels | undefined =>
  /(^|\.)(\w+_)?access_level$/.test(field) ? accessLevels : undefined

/** The levels that members of projects and of groups can get. */
const memberLevels = ['guest', 'reporter', 'developer', 'maintainer'] as const

/** The levels that members can get. Only members of groups can become Owners. */
export const assignableLevels = {
  project: memberLevels,
  group: ['minimal', ...memberLevels, 'owner'],
} as const

// The names of access levels, for people who read tables and CSV.

const names = new Map<unknown, string>(
  Object.entries(accessLevels).map(([name, level]) => [level, name]),
)
const column = /(^|[._])access_level$/

/** Returns the name of an access level in a field; undefined for other fields, and for levels without a name. */
export const getLevelName = (field: string | undefined, value: unknown): string | undefined =>
  field !== undefined && typeof value === 'number' && column.test(field)
    ? names.get(value)
    : undefined
